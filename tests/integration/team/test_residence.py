"""The resident run of a team: it acknowledges, looks each minute, tends, and leaves last."""

from datetime import timedelta

import pytest
from tests.integration.team.residence_scene import ADA, ResidenceScene, watch
from tests.support.kernel import Kernel, flow, stop, work
from tests.support.mortal_log import MortalLog
from tests.unit.drivers.team.control_scene import STATE

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import Cancel
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.join import WantedMember, join_team
from supervisor_ai.drivers.team.commands.send import hand_off
from supervisor_ai.drivers.team.commands.teardown import begin_teardown, delete_team
from supervisor_ai.drivers.team.driver import TeamDriver
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.residence.lifecycle import WatchStage
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import IdleStage
from supervisor_ai.drivers.team.words import SentWord as W


@pytest.fixture
def scene() -> ResidenceScene:
    return ResidenceScene()


def working(scene: ResidenceScene) -> ResidenceScene:
    """Let a coder work on a task under the resident."""
    scene.drive()
    hand_off(scene.teams, "red", 1, ADA)
    scene.drive()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("coder-1", TeamRole.CODER)
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="A health endpoint")
    scene.send("coder-1", W.CLAIM, task_id="1", files=("src/a.py",))
    return scene


def test_it_acknowledges_a_hand_off_when_it_is_woken(scene: ResidenceScene) -> None:
    scene.drive()
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    hand_off(scene.teams, "red", 1, ADA)
    scene.drive()
    assert scene.state.ownership.shown_owner == "supervisor@1"
    assert ("coordinator", "STATE_OWNERSHIP_ACK") in scene.said()
    assert "supervisor@1" in scene.page


def test_a_quiet_minute_costs_one_fact(scene: ResidenceScene) -> None:
    working(scene)
    scene.pass_minutes(2)
    before = len(scene.kernel.envelopes(scene.run))
    index = scene.state.index
    scene.pass_minutes(5)
    assert len(scene.kernel.envelopes(scene.run)) == before + 5
    assert scene.state.index == index


def test_silence_is_pinged_nudged_escalated_and_a_replacement_proposed(
    scene: ResidenceScene,
) -> None:
    working(scene)
    stages: list[IdleStage] = []
    for _ in range(70):
        scene.pass_minutes(1)
        member = scene.state.member("coder-1")
        assert member is not None
        if not stages or stages[-1] is not member.stage:
            stages.append(member.stage)
    assert stages == list(IdleStage)
    assert [kind for _, kind in scene.said("coder-1")] == ["TASK_ADDED", "PING", "NUDGE"]
    kinds = [kind for to, kind in scene.said("coordinator")]
    assert kinds.count("IDLE_BREACH") == kinds.count("REPLACEMENT_PROPOSAL") == 1


def test_an_outside_edit_is_seen_at_the_next_look(scene: ResidenceScene) -> None:
    working(scene)
    scene.pass_minutes(2)
    edited = scene.page.replace("IN_PROGRESS (coder-1)", "DONE (coder-1)")
    scene.files[STATE] = edited.encode()
    scene.pass_minutes(1)
    assert ("coordinator", "STATE_DIVERGENCE") in scene.said()
    assert scene.send("lead", W.RECONCILE_ACK).accepted
    scene.drive()
    assert "IN_PROGRESS (coder-1)" in scene.page


def test_a_teardown_with_one_missing_acknowledgement(scene: ResidenceScene) -> None:
    working(scene)
    scene.send("lead", W.TASK_CANCELLED, task_id="1")
    begin_teardown(scene.teams, "red", ADA)
    scene.send("rev", W.SHUTDOWN_ACK)
    scene.drive()
    for _ in range(4):
        scene.advance(timedelta(seconds=61))
        scene.drive()
    assert scene.said("coder-1").count(("coder-1", "RETRYING")) == 3
    assert ("coordinator", "FORCED_FINALIZE_CANDIDATE") in scene.said()
    assert not delete_team(scene.teams, "red", ADA).accepted
    assert scene.send("lead", W.FORCED_FINALIZE_ACK).accepted
    scene.drive()
    assert scene.state.teardown.status is TeardownStatus.READY_TO_DELETE
    assert b"FORCED_FINALIZE_APPROVED" in scene.files["TEARDOWN.md"]
    assert delete_team(scene.teams, "red", ADA).accepted
    scene.drive()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert scene.kernel.types(scene.run)[-3:] == ["WatchEnded", "StepPassed", "RunCompleted"]


def test_a_teardown_cancels_the_runs_of_our_own_workers_and_waits_for_their_end(
    scene: ResidenceScene,
) -> None:
    scene.drive()
    hand_off(scene.teams, "red", 1, ADA)
    scene.drive()
    worker = scene.kernel.submit(flow(work("do"), stop("land", StepKind.COMMIT)))
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    own = WantedMember(name="coder-1", role=TeamRole.CODER, run=worker)
    join_team(scene.teams, "red", own, ADA)
    begin_teardown(scene.teams, "red", ADA)
    [letter] = scene.kernel.world.inbox.pending(worker)
    assert isinstance(letter.command, Cancel)
    scene.send("rev", W.SHUTDOWN_ACK)
    # Even the Lead's word leaves no process behind.
    for _ in range(4):
        scene.advance(timedelta(seconds=61))
        scene.drive()
    scene.send("lead", W.FORCED_FINALIZE_ACK)
    scene.drive()
    assert not delete_team(scene.teams, "red", ADA).accepted
    scene.kernel.drive(worker)
    assert scene.kernel.status(worker) is RunStatus.CANCELLED
    scene.pass_minutes(1)
    assert scene.state.teardown.status is TeardownStatus.READY_TO_DELETE


def test_the_end_of_an_own_workers_run_is_its_acknowledgement(scene: ResidenceScene) -> None:
    scene.drive()
    hand_off(scene.teams, "red", 1, ADA)
    scene.drive()
    worker = scene.kernel.submit(flow(work("do"), stop("land", StepKind.COMMIT)))
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    own = WantedMember(name="coder-1", role=TeamRole.CODER, run=worker)
    join_team(scene.teams, "red", own, ADA)
    begin_teardown(scene.teams, "red", ADA)
    scene.send("rev", W.SHUTDOWN_ACK)
    scene.kernel.drive(worker)
    scene.pass_minutes(1)
    assert scene.state.teardown.acks == ("rev", "coder-1")
    assert scene.state.teardown.status is TeardownStatus.READY_TO_DELETE


def test_a_fork_and_a_migration_stay_with_their_team(scene: ResidenceScene) -> None:
    working(scene)
    driver, pinned = TeamDriver(), watch()
    state = driver.begin(scene.kernel.play(scene.run).run.birth, pinned)
    assert driver.fork(state).stage is WatchStage.BEGIN
    assert driver.migrate(state, pinned).team == "red"
    assert driver.migration_problems(state, pinned) == ()
    assert driver.migration_problems(state, watch("blue")) == ("A supervisor stays with its team.",)


def test_there_is_nothing_to_watch_over_without_a_team(scene: ResidenceScene) -> None:
    run = scene.kernel.submit(watch("blue"), driver=TeamDriver.name)
    scene.kernel.drive(run, world=scene.resident())
    [failed] = scene.kernel.events(run, e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.BLOCKED


def tell_story(dies_at: int, *, is_late: bool) -> tuple[object, ...]:
    """Let a team live from its hand-off to its end, with a resident that dies once."""
    scene = ResidenceScene(Kernel(None))
    log = MortalLog(scene.kernel.world.log, dies_at, is_late=is_late)
    mortal = replace(scene.kernel.world, log=log)

    def drive() -> None:
        nonlocal mortal
        try:
            scene.drive(mortal)
        except KeyboardInterrupt:
            scene.kernel.kill(mortal.processes.current().pid)
            mortal = scene.kernel.process()
            scene.drive(mortal)

    drive()
    hand_off(scene.teams, "red", 1, ADA)
    drive()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("coder-1", TeamRole.CODER)
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="x")
    scene.send("coder-1", W.CLAIM, task_id="1")
    for minutes in (16, 15, 15, 1, 15, 1):
        scene.wait(minutes)
        drive()
    scene.send("lead", W.TASK_CANCELLED, task_id="1")
    begin_teardown(scene.teams, "red", ADA)
    for name in ("rev", "coder-1"):
        scene.send(name, W.SHUTDOWN_ACK)
    drive()
    delete_team(scene.teams, "red", ADA)
    drive()
    status = scene.kernel.status(scene.run)
    words = [
        fact.word
        for _, fact in scene.teams.facts("red")
        if fact.word not in {"SNAPSHOT", "MESSAGES_DELIVERED"}
    ]
    return status, tuple(scene.said()), tuple(words), log.writes


def test_a_death_at_any_point_says_and_records_nothing_twice() -> None:
    whole = tell_story(10**6, is_late=False)
    assert whole[0] is RunStatus.COMPLETED
    appends = whole[-1]
    assert isinstance(appends, int)
    # Some points here; all of them in the long tests.
    for point in range(1, appends + 1, 9):
        check_death(point, whole, is_late=point % 2 == 0)


@pytest.mark.long
def test_a_death_at_every_point_says_and_records_nothing_twice() -> None:
    whole = tell_story(10**6, is_late=False)
    appends = whole[-1]
    assert isinstance(appends, int)
    for point in range(1, appends + 1):
        for is_late in (False, True):
            check_death(point, whole, is_late=is_late)


def check_death(point: int, whole: tuple[object, ...], *, is_late: bool) -> None:
    """Tell the story with a death at a point, and compare."""
    told = tell_story(point, is_late=is_late)
    assert told[:3] == whole[:3], (point, is_late)
