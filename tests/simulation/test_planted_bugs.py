"""A simulation that finds nothing proves nothing: it must find the bugs planted on purpose."""

import pytest
from tests.simulation.planted_bugs import (
    NO_FENCE,
    NO_SEQUENCE_CHECK,
    OUTCOME_BEFORE_EFFECT,
    RECOVERY_THAT_STARTS,
    RETRIES_WITHOUT_REASON,
)
from tests.simulation.profiles import complaint, find_broken
from tests.simulation.simulation import Parts

ENOUGH = 400


@pytest.mark.parametrize(
    ("profile", "parts", "sentence"),
    [
        pytest.param("rush", NO_SEQUENCE_CHECK, "at once", id="no sequence check"),
        pytest.param("spree", NO_SEQUENCE_CHECK, "attempts at event", id="no check of a budget"),
        pytest.param("workflow", NO_FENCE, "", id="no fence"),
        pytest.param("workflow", OUTCOME_BEFORE_EFFECT, "landed", id="outcome before effect"),
        pytest.param("workflow", RETRIES_WITHOUT_REASON, "tried again", id="senseless retries"),
        pytest.param("workflow", RECOVERY_THAT_STARTS, "started", id="recovery that starts"),
    ],
)
def test_a_planted_bug_is_found(profile: str, parts: Parts, sentence: str) -> None:
    seed, broken = first_failure(profile, parts)
    assert any(sentence in rule for rule in broken), broken
    honest = find_broken(profile, seed)
    assert not honest, complaint(profile, seed, honest)


def first_failure(profile: str, parts: Parts) -> tuple[int, list[str]]:
    for seed in range(ENOUGH):
        broken = find_broken(profile, seed, parts)
        if broken:
            return seed, broken
    raise AssertionError(f"{ENOUGH} worlds did not show the bug.")
