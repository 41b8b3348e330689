"""What the retry log says where there is more to say than in the plainest case."""

import pytest
from tests.unit.domain.retry_facts import ENTRY

from supervisor_ai.domain.run.failures.retries import MoveKind
from supervisor_ai.domain.run.failures.retry_notes import retry_log
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace


@pytest.mark.parametrize(
    ("attempt", "max_retries", "count"),
    [
        (3, 3, "3/3"),
        (4, 3, "4 (at most 3 retries)"),
        (2, 1, "2 (at most 1 retry)"),
        (1, 0, "1 (at most 0 retries)"),
    ],
)
def test_retries_are_counted_as_long_as_there_are_any(
    attempt: int, max_retries: int, count: str
) -> None:
    text = retry_log([replace(ENTRY, attempt=attempt, max_retries=max_retries)])
    assert f"**Attempt:** {count}  \n" in text


def test_the_reason_stands_with_the_issue() -> None:
    hostile = "It is\n# *not* JSON."
    assert "**Issue:** Invalid output format: It is \\# \\*not\\* JSON.\n" in retry_log(
        [replace(ENTRY, reason=hostile)]
    )
    network = replace(ENTRY, category=FailureCategory.NETWORK, reason="No host.")
    assert "**Issue:** The attempt failed (network): No host.\n" in retry_log([network])


def test_a_failure_that_nothing_followed_says_so() -> None:
    assert "**Action:** None: the run went no further\n" in retry_log([replace(ENTRY, move=None)])
    assert "**Action:** Giving up\n" in retry_log([replace(ENTRY, move=MoveKind.GIVE_UP)])
