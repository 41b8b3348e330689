"""What is kept of a run's snapshots, and for how long."""

from datetime import timedelta

import pytest

from supervisor_ai.domain.git_flow.policy import GitPolicy

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("keep", "age", "is_over"),
    [(None, 999 * DAY, False), (DAY, DAY, True), (DAY, DAY / 2, False)],
)
def test_only_a_setting_lets_snapshots_go_when_their_time_is_over(
    keep: timedelta | None, age: timedelta, *, is_over: bool
) -> None:
    policy = GitPolicy(keep_snapshots=keep)
    assert policy.lets_go(age, is_completed=True, is_elsewhere=True) is is_over


@pytest.mark.parametrize("is_completed", [False, True])
def test_work_that_nothing_else_has_never_goes(*, is_completed: bool) -> None:
    policy = GitPolicy(keep_snapshots=DAY)
    assert not policy.lets_go(10_000 * DAY, is_completed=is_completed, is_elsewhere=False)


def test_runs_that_were_not_completed_keep_theirs() -> None:
    policy = GitPolicy(keep_snapshots=DAY)
    assert not policy.lets_go(10_000 * DAY, is_completed=False, is_elsewhere=True)
