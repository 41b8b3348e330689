import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.drivers.feature.plan.model import ComponentStatus
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits, durations_of, terms_of
from supervisor_ai.drivers.feature.plan.waits import waits_of

S = ComponentStatus
PLAN = feature(
    [
        component(1, 1, files=["src/a.py"]),
        component(1, 2, files=["src/*.py"]),
        component(1, 3, needs=[cid(1, 1)], cli="claude"),
        component(1, 4, cli="claude"),
    ],
    [component(2, 1)],
)


@pytest.mark.parametrize(
    ("statuses", "which", "expected"),
    [
        ({cid(1, 1): S.IMPLEMENTING}, cid(1, 3), f"waits for {cid(1, 1)} (implementing)"),
        ({cid(1, 1): S.FAILED}, cid(1, 3), f"blocked: {cid(1, 1)} (failed)"),
        ({cid(1, 1): S.IMPLEMENTING}, cid(1, 2), f"waits for src/*.py, which {cid(1, 1)} writes"),
        ({cid(1, 3): S.TESTING, cid(1, 1): S.SKIPPED}, cid(1, 4), "waits for claude: 1 of 1"),
        ({cid(1, 4): S.TESTING, cid(1, 3): S.REVIEW}, cid(1, 1), "waits for a slot: 2 of 2"),
        ({}, cid(1, 4), "ready"),
        ({}, cid(2, 1), f"{cid(1, 3)} (pending) and 1 more"),
        ({cid(1, 1): S.FAILED}, cid(2, 1), f"blocked: {cid(1, 1)} (failed)"),
    ],
)
def test_each_waiting_component_says_why(
    statuses: dict[object, ComponentStatus], which: str, expected: str
) -> None:
    limits = ParallelLimits(max_parallel=2, clis={"claude": 1})
    found = waits_of(PLAN, statuses, limits, touched={})  # type: ignore[arg-type]
    assert expected in found[which]  # type: ignore[index]


def test_a_file_that_was_touched_without_a_claim_is_waited_for() -> None:
    statuses = {cid(1, 1): S.IMPLEMENTING}
    found = waits_of(PLAN, statuses, ParallelLimits(), touched={cid(1, 1): ["src/1/4.py"]})
    assert found[cid(1, 4)] == f"waits for src/1/4.py, which {cid(1, 1)} writes"


def test_the_scheduler_is_told_files_agents_and_expectations() -> None:
    plan = feature([component(1, 1, estimate=4.0, cli="x"), component(1, 2, estimate=2.0)])
    terms = terms_of(plan, ParallelLimits(max_parallel=5, clis={"x": 1}), clis={cid(1, 2): "y"})
    assert terms.slots == 5
    assert terms.limits == {"cli x": 1}
    assert terms.places == {cid(1, 1): ("cli x",), cid(1, 2): ("cli y",)}
    assert terms.durations == {cid(1, 1): 4.0, cid(1, 2): 2.0}
    assert durations_of(plan, {cid(1, 1): 10.0}) == {cid(1, 1): 10.0, cid(1, 2): 2.0}
    assert durations_of(PLAN, {cid(1, 1): 3.0})[cid(2, 1)] == 3.0
