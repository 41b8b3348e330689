"""Orders that find nothing prove nothing: they must find the bugs planted on purpose."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.simulation.approvals.orders import Orders
from tests.simulation.approvals.planted import PLANTED

SEARCH = settings(
    max_examples=1000,
    stateful_step_count=30,
    phases=(Phase.generate,),
    derandomize=True,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=tuple(HealthCheck),
)


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found(bug: str) -> None:
    class Buggy(Orders):
        parts, start = PLANTED[bug]

    with pytest.raises(AssertionError, match="landed a change"):
        run_state_machine_as_test(Buggy, settings=SEARCH)
