"""A phase is taken back: its merges are reverted, the newest first, and every commit is green."""

from typing import Final

import pytest
from tests.support.feature_scene import FAILS, NEVER, FeatureScene, Tries
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.parts import PartStage
from supervisor_ai.drivers.feature.plan.model import ComponentId, StartWhen, phase_id
from supervisor_ai.drivers.feature.state import evolve, step_of

ONE, TWO, THREE, FOUR = cid(1, 1), cid(2, 1), cid(2, 2), cid(3, 1)
FIRST, SECOND = phase_id("P1T5", 1), phase_id("P1T5", 2)
PLAN = feature(
    [component(1, 1)],
    [component(2, 1), component(2, 2, needs=[TWO])],
    [component(3, 1)],
)
LATER: dict[ComponentId, Tries] = {FOUR: [FAILS]}


def waiting(deeds: dict[ComponentId, Tries] = LATER) -> FeatureScene:
    """Build two phases, and wait at the third."""
    scene = FeatureScene(PLAN, deeds)
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    return scene


def test_a_phase_is_rolled_back_newest_first_and_waits_for_a_word() -> None:
    scene = waiting()
    scene.say(f"rollback {SECOND}")
    scene.go()
    scene.check()
    landed = scene.steps(e.IntegrationLanded)
    assert landed == [ONE, TWO, THREE, THREE, TWO]
    assert scene.files() == {"README": "hi", f"src/{ONE}": "done"}
    assert scene.statuses() == {ONE: "completed", TWO: "pending", THREE: "pending", FOUR: "pending"}
    assert scene.state.is_paused
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    scene.say("resume")
    scene.go()
    scene.check()
    assert scene.statuses()[THREE] == "completed"
    assert scene.statuses()[FOUR] == "failed"


def test_a_phase_restarts_alone_and_what_it_depends_on_stays() -> None:
    scene = waiting({FOUR: [FAILS, {"src/last": "done"}]})
    before = scene.branch()
    scene.say(f"restart {SECOND}")
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert scene.branch()[: len(before)] == before, "history is added to, never rewritten"
    assert scene.steps(e.ChildStarted).count(ONE) == 1
    assert scene.steps(e.ChildStarted).count(TWO) == 2
    assert scene.files()["src/last"] == "done"


def test_what_is_at_work_is_stopped_first() -> None:
    scene = FeatureScene(PLAN, slots=2)
    scene._drive(scene.run)
    assert scene.steps(e.ChildStarted) == [ONE]
    scene.say(f"rollback {FIRST}")
    scene.go()
    assert scene.kernel.events(scene.run, e.ChildCancelRequested)
    child = scene.kernel.events(scene.run, e.ChildStarted)[0].child
    assert scene.kernel.status(child) is RunStatus.CANCELLED
    assert scene.statuses()[ONE] == "pending"
    scene.say("resume")
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


FREE: Final = StartWhen.INTERFACES_LOCKED


def test_a_revert_that_conflicts_leaves_the_component_on_the_branch_and_says_why() -> None:
    plan = feature([component(1, 1)], [component(2, 1), component(2, 2)], start_when=FREE)
    deeds: dict[ComponentId, Tries] = {
        ONE: [{"src/shared": "one"}],
        TWO: [{"src/shared": "two"}],
        THREE: [FAILS],
    }
    scene = FeatureScene(plan, deeds, slots=1)
    scene.go()
    before = scene.branch()
    scene.say(f"rollback {FIRST}")
    scene.go()
    assert scene.branch() == before
    assert scene.statuses()[ONE] == "completed"
    assert "changed the same lines, in src/shared" in scene.state.problem
    assert scene.kernel.status(scene.run) is RunStatus.WAITING


def test_a_red_revert_is_no_commit_and_the_component_stays() -> None:
    last = cid(3, 1)
    plan = feature(
        [component(1, 1)],
        [component(2, 1, needs=[ONE])],
        [component(3, 1), component(3, 2)],
        start_when=FREE,
    )
    deeds: dict[ComponentId, Tries] = {
        ONE: [{"src/a": "left"}],
        TWO: [{"src/a": "calm"}],
        last: [{"src/b": "right"}],
        cid(3, 2): [FAILS],
    }
    scene = FeatureScene(plan, deeds, slots=1)
    scene.go()
    assert scene.steps(e.IntegrationLanded) == [ONE, TWO, last]
    scene.say(f"rollback {SECOND}")
    scene.go()
    scene.check()
    assert scene.steps(e.IntegrationLanded) == [ONE, TWO, last]
    assert scene.statuses()[TWO] == "completed"
    assert "does not pass" in scene.state.problem
    assert scene.state.is_paused


def test_a_component_that_changed_nothing_is_pending_again_without_a_commit() -> None:
    scene = waiting({TWO: [{}], FOUR: [FAILS]})
    scene.say(f"rollback {SECOND}")
    scene.go()
    assert scene.steps(e.IntegrationLanded) == [ONE, THREE, THREE]
    assert scene.statuses()[TWO] == "pending"


def test_what_somebody_else_has_taken_back_already_needs_no_commit() -> None:
    state = waiting().state
    entered = e.StepEntered(step=step_of(THREE), visit=2, start=state.tip.commit)
    told = evolve(state, e.SignalReceived(signal=f"rollback {SECOND}"))
    begun = evolve(told, entered)
    gone = evolve(begun, f.RevertNeedless(step=step_of(THREE), visit=2))
    assert THREE not in gone.landings
    assert gone.part(THREE).stage is PartStage.DONE
    assert evolve(state, f.PhaseUndone(step=FEATURE, visit=1, phase="", components=())) == state


@pytest.mark.parametrize("words", ["rollback nothing", "restart"])
def test_a_phase_that_nobody_knows_has_nothing_to_take_back(words: str) -> None:
    scene = waiting()
    scene.say(words)
    scene.go()
    assert scene.state.undoing is None
    assert scene.statuses()[TWO] == "completed"


def _rolled_back(dies_at: int, *, is_late: bool) -> tuple[int, int]:
    """Take everything back, with a death on the way; return when it began, and the last write."""
    scene = FeatureScene(PLAN, LATER, dies_at=dies_at, is_late=is_late)
    scene.go()
    begun = scene.log.writes
    scene.say(f"rollback {FIRST}")
    scene.go()
    scene.check()
    assert scene.files() == {"README": "hi"}
    assert set(scene.statuses().values()) == {"pending"}
    assert scene.steps(e.IntegrationLanded) == [ONE, TWO, THREE, THREE, TWO, ONE]
    return begun, scene.log.writes


@pytest.mark.parametrize("is_late", [False, True])
def test_a_crash_while_a_phase_is_taken_back_loses_and_doubles_nothing(*, is_late: bool) -> None:
    begun, ended = _rolled_back(NEVER, is_late=False)
    assert ended - begun > 10
    for dies_at in range(begun + 1 + is_late, ended + 1, 5):
        _rolled_back(dies_at, is_late=is_late)


@pytest.mark.long
@pytest.mark.parametrize("is_late", [False, True])
def test_a_crash_at_every_write_of_a_rollback_loses_and_doubles_nothing(*, is_late: bool) -> None:
    begun, ended = _rolled_back(NEVER, is_late=False)
    for dies_at in range(begun + 1, ended + 1):
        _rolled_back(dies_at, is_late=is_late)
