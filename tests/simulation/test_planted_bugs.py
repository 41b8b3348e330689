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
FIRST = {"spree": 160}
"""Where to begin to look: a world that shows the bug is not far from here."""


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
    seed, broken = first_failure(profile, parts, first=FIRST.get(profile, 0))
    assert any(sentence in rule for rule in broken), broken
    honest = find_broken(profile, seed)
    assert not honest, complaint(profile, seed, honest)


def first_failure(profile: str, parts: Parts, first: int = 0) -> tuple[int, list[str]]:
    for seed in range(first, first + ENOUGH):
        broken = find_broken(profile, seed, parts)
        if broken:
            return seed, broken
    raise AssertionError(f"{ENOUGH} worlds did not show the bug.")
