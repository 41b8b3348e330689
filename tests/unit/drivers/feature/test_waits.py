import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.drivers.feature.plan.model import ComponentStatus
from supervisor_ai.drivers.feature.plan.scheduler import Scheduler
from supervisor_ai.drivers.feature.plan.terms import (
    AccountLimit,
    ParallelLimits,
    durations_of,
    terms_of,
)
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
    assert found[cid(1, 4)] == (
        f"waits for src/1/4.py, which {cid(1, 1)} has changed without saying so"
    )


def test_the_scheduler_is_told_files_agents_and_expectations() -> None:
    plan = feature([component(1, 1, estimate=4.0, cli="x"), component(1, 2, estimate=2.0)])
    terms = terms_of(
        plan, ParallelLimits(max_parallel=5, clis={"x": 1, "y": 1}, agents={cid(1, 2): ("y",)})
    )
    assert terms.slots == 5
    assert terms.limits == {"cli x": 1, "cli y": 1}
    assert terms.places == {cid(1, 1): ("cli x",), cid(1, 2): ("cli y",)}
    assert terms.durations == {cid(1, 1): 4.0, cid(1, 2): 2.0}
    assert durations_of(plan, {cid(1, 1): 10.0}) == {cid(1, 1): 10.0, cid(1, 2): 2.0}
    assert durations_of(PLAN, {cid(1, 1): 3.0})[cid(2, 1)] == 3.0


def test_agents_of_one_account_share_its_places() -> None:
    plan = feature([component(1, 1), component(1, 2), component(1, 3)])
    limits = ParallelLimits(
        max_parallel=3,
        accounts={"work": AccountLimit(clis=("claude", "fast"), max_parallel=1)},
        agents={cid(1, 1): ("claude",), cid(1, 2): ("fast", "codex"), cid(1, 3): ("codex",)},
    )
    at_work = {cid(1, 1): ComponentStatus.IMPLEMENTING}
    found = waits_of(plan, at_work, limits, touched={})
    assert found[cid(1, 2)] == "waits for account work: 1 of 1 places are taken"
    assert found[cid(1, 3)] == "ready"
    scheduler = Scheduler(
        terms_of(plan, limits), dict.fromkeys([cid(1, n) for n in (1, 2, 3)], 1.0)
    )
    scheduler.start(cid(1, 1))
    assert list(scheduler.next()) == [cid(1, 3)]


def test_the_usual_agent_of_a_run_is_limited_as_one_that_is_named() -> None:
    plan = feature([component(1, 1), component(1, 2, cli="claude")])
    limits = ParallelLimits(max_parallel=3, clis={"claude": 1}, agents={cid(1, 1): ("claude",)})
    found = waits_of(plan, {cid(1, 1): ComponentStatus.IMPLEMENTING}, limits, touched={})
    assert found[cid(1, 2)] == "waits for claude: 1 of 1 places are taken"
