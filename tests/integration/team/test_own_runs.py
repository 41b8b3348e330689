"""Runs under a team: their workers are members, their steps the team's events."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.integration.team.own_scene import COMMIT, RED, REVIEW, OwnScene, reviewed
from tests.integration.team.residence_scene import ADA
from tests.support.kernel import flow, role, stop, work
from tests.support.toy_driver import Family, ParentDriver

from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.domain.run import events as k
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.join import leave_team
from supervisor_ai.drivers.team.commands.oversight import TeamOversight
from supervisor_ai.drivers.team.commands.own_runs import follow_runs
from supervisor_ai.drivers.team.commands.send import acknowledge, hand_off
from supervisor_ai.drivers.team.commands.teardown import begin_teardown
from supervisor_ai.drivers.team.event_kinds.roster import FollowStatus
from supervisor_ai.drivers.team.machines.task import TeamTaskStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import SentWord as W
from supervisor_ai.drivers.team.words import WaitReason
from supervisor_ai.engine.ports.oversight import OverseenWorker, WorkerActivity
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply, FakeScript
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import agrees, says


def test_the_steps_of_a_run_are_the_events_of_its_members() -> None:
    scene = OwnScene()
    run = scene.ran()
    assert scene.kernel.status(run) is RunStatus.COMPLETED
    assert scene.words() == [
        *[("supervisor", "MEMBER_JOINED")] * 3,
        ("lead", "TASK_ADDED"),
        (f"coder.{run}", "CLAIM"),
        (f"coder.{run}", "IN_REVIEW"),
        (f"unified-reviewer.{run}", "APPROVED"),
        (f"coder.{run}", "DONE"),
        *[("supervisor", "MEMBER_LEFT")] * 3,
    ]
    assert not list(scene.state.roster())


def test_what_was_followed_is_not_followed_again() -> None:
    scene = OwnScene()
    run = scene.ran()
    index = scene.state.index
    follow_runs(scene.teams, "red", ADA)
    scene.kernel.world.oversight.follow(RED, run)
    assert scene.state.index == index
    followed = scene.state.followed(run)
    assert followed is not None
    assert followed.status is FollowStatus.LEFT


def test_a_completed_run_waits_for_the_approvals_of_its_team() -> None:
    scene = OwnScene()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    run = scene.ran(flow(work("do"), COMMIT))
    assert scene.task(run).status is TeamTaskStatus.IN_REVIEW
    assert {it.name for it in scene.state.roster()} == {"rev", f"coder.{run}"}
    scene.drive()
    assert scene.send("rev", W.APPROVED, task_id=run).accepted
    scene.pass_minutes(1)
    assert scene.task(run).status is TeamTaskStatus.DONE
    assert [it.name for it in scene.state.roster()] == ["rev"]


def rejecting(times: int) -> FakeScript:
    """Make an agent whose reviewer sends back so often, for one and the same reason."""
    left: Iterator[int] = iter(range(times))

    def script(request: WorkerRequest) -> FakeReply:
        name = request.role
        if name != AnswerKind.REVIEW or next(left, None) is None:
            return agrees(request)
        issue = {"severity": "major", "message": "No test."}
        return FakeReply(output=says(AnswerKind.REVIEW, "CHANGES_REQUESTED", issues=[issue]))

    return script


def test_a_review_that_is_sent_back_begins_another_revision() -> None:
    scene = OwnScene(rejecting(1))
    run = scene.ran()
    assert scene.task(run).status is TeamTaskStatus.DONE
    assert scene.task(run).issues == ("major: No test.",)


def test_a_loop_holds_the_next_attempt_until_the_lead_has_decided() -> None:
    scene = OwnScene(rejecting(3))
    run = scene.start()
    seen: list[TeamTaskStatus] = []

    async def lead() -> None:
        coders = [it.role for it in scene.kernel.fakes.worker.requests]
        await asyncio.sleep(60)
        assert [it.role for it in scene.kernel.fakes.worker.requests] == coders
        seen.append(scene.task(run).status)
        assert scene.send("lead", W.TASK_RELEASED, task_id=run).accepted

    async def both() -> None:
        driving = asyncio.create_task(scene.driving(run))
        await asyncio.sleep(5)
        await asyncio.gather(driving, lead())

    run_virtual(both())
    assert seen == [TeamTaskStatus.LOOP_SUSPECTED]
    assert ("coordinator", "LOOP_SUSPECTED") in scene.said()
    assert scene.task(run).status is TeamTaskStatus.DONE


def test_a_run_that_fails_is_a_task_that_is_stuck() -> None:
    scene = OwnScene(lambda _: FakeReply(output=says(AnswerKind.IMPLEMENTATION, "FAILED")))
    run = scene.ran(flow(work("do"), REVIEW, COMMIT))
    assert scene.kernel.status(run) is RunStatus.FAILED
    assert scene.task(run).status is TeamTaskStatus.STUCK
    assert ("coordinator", "STUCK") in scene.said()
    assert not list(scene.state.roster())


def test_no_place_for_a_coder_is_a_wait_and_no_failure() -> None:
    scene = OwnScene()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    for number in range(3):
        scene.join(f"coder-{number}", TeamRole.CODER)
    run = scene.start(flow(work("do"), COMMIT))

    async def both() -> None:
        driving = asyncio.create_task(scene.driving(run))
        await asyncio.sleep(30)
        assert not scene.kernel.fakes.worker.requests
        leave_team(scene.teams, "red", "coder-1", ADA)
        await driving

    run_virtual(both())
    assert scene.kernel.status(run) is RunStatus.COMPLETED
    assert scene.task(run).owner == f"coder.{run}"


def test_files_that_two_runs_touch_overlap_whatever_they_said() -> None:
    def script(request: WorkerRequest) -> FakeReply:
        reply = agrees(request)
        is_coder = request.role == AnswerKind.IMPLEMENTATION
        return replace(reply, files={"src/a.py": "x"}) if is_coder else reply

    scene = OwnScene(script)
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    first = scene.ran(flow(work("do"), COMMIT))
    second = scene.start(flow(work("do"), COMMIT))

    async def lead() -> None:
        await asyncio.sleep(60)
        # The attempt under way came to its end, and nothing of it has landed.
        assert scene.kernel.events(second, k.AttemptSucceeded)
        assert not scene.kernel.events(second, k.IntegrationLanded)
        assert scene.task(first).status is TeamTaskStatus.OVERLAP_SCOPE
        assert scene.task(second).status is TeamTaskStatus.OVERLAP_SCOPE
        assert ("coordinator", "OVERLAP_SCOPE") in scene.said()
        assert scene.send("lead", W.ARBITRATION, task_id=first, owner=f"coder.{first}").accepted
        await asyncio.sleep(60)
        assert not scene.kernel.events(second, k.IntegrationLanded)
        assert scene.send("rev", W.APPROVED, task_id=first).accepted
        follow_runs(scene.teams, "red", ADA)

    async def both() -> None:
        await asyncio.gather(scene.driving(second), lead())

    run_virtual(both())
    assert scene.task(first).status is TeamTaskStatus.DONE
    assert scene.kernel.events(second, k.IntegrationLanded)
    assert scene.task(second).status is TeamTaskStatus.IN_REVIEW


def test_a_worker_without_a_process_is_not_late() -> None:
    scene = OwnScene()
    waiting = flow(work("do"), stop("ask", StepKind.HUMAN), COMMIT)
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    run = scene.ran(waiting)
    member = scene.state.member(f"coder.{run}")
    assert member is not None
    assert member.wait is WaitReason.WAITING_ACK
    scene.drive()
    scene.pass_minutes(70)
    assert not [kind for _, kind in scene.said() if kind in {"PING", "NUDGE", "IDLE_BREACH"}]


def test_an_edit_of_the_state_keeps_events_waiting_and_loses_none() -> None:
    scene = OwnScene()
    run = scene.start()
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="Something in work")
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("coder-1", TeamRole.CODER)
    scene.send("coder-1", W.CLAIM, task_id="1")
    scene.drive()
    edited = scene.page.replace("IN_PROGRESS (coder-1)", "DONE (coder-1)")
    scene.files["state.md"] = edited.encode()
    scene.pass_minutes(1)
    assert not scene.state.reconcile.is_open

    async def both() -> None:
        driving = asyncio.create_task(scene.driving(run))
        await asyncio.sleep(30)
        assert not scene.kernel.fakes.worker.requests
        assert scene.send("lead", W.RECONCILE_ACK).accepted
        await driving

    run_virtual(both())
    assert scene.task(run).status is TeamTaskStatus.DONE


def test_no_worker_starts_for_a_team_that_ends() -> None:
    scene = OwnScene()
    begin_teardown(scene.teams, "red", ADA)
    run = scene.ran()
    failed = scene.kernel.events(run, k.AttemptFailed)
    assert failed
    assert "ends" in failed[0].reason
    assert not scene.kernel.fakes.worker.requests


def test_a_worker_is_looked_at_again_and_again_while_it_runs() -> None:
    seen: list[WorkerActivity] = []

    class Watching(TeamOversight):
        def saw(  # type: ignore[explicit-override]
            self, worker: OverseenWorker, activity: WorkerActivity
        ) -> None:
            seen.append(activity)
            super().saw(worker, activity)

    def script(request: WorkerRequest) -> FakeReply:
        done = replace(agrees(request), files={"src/a.py": "x"}, takes=timedelta(seconds=50))
        return done if request.role == AnswerKind.IMPLEMENTATION else agrees(request)

    scene = OwnScene(script)
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.kernel.world = replace(scene.kernel.world, oversight=Watching(scene.desk()))
    scene.ran(flow(work("do"), COMMIT))
    assert [sorted(it.files) for it in seen] == [["src/a.py"]] * 3
    assert [it.output > 0 for it in seen] == [False, False, True]


def test_what_can_never_take_part_is_refused_beforehand() -> None:
    scene = OwnScene()
    team = scene.kernel.world.oversight
    coder, reviewer = role(AnswerKind.IMPLEMENTATION), role(AnswerKind.REVIEW)
    with pytest.raises(NotFound, match="no team 'blue'"):
        team.require(StreamId("team:blue"), (coder,))
    with pytest.raises(NotFound, match="is no team"):
        team.require(StreamId("run:x"), (coder,))
    with pytest.raises(Conflict, match="reviews"):
        team.require(RED, (coder,))
    assert team.require(RED, (coder, reviewer)) == ()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    for number in range(3):
        scene.join(f"coder-{number}", TeamRole.CODER)
    [caution] = team.require(RED, (coder,))
    assert "waits for a place" in caution
    hand_off(scene.teams, "red", 2, ADA)
    with pytest.raises(Conflict, match="not handed over"):
        team.require(RED, (coder,))
    acknowledge(scene.teams, "red", 2, ADA)
    begin_teardown(scene.teams, "red", ADA)
    with pytest.raises(Conflict, match="ends"):
        team.require(RED, (coder,))


def test_a_child_has_the_overseer_of_its_parent() -> None:
    scene = OwnScene()
    child = scene.kernel.world.documents.save(reviewed())
    family = Family(children=(child,), patience=timedelta(hours=1))
    parent = scene.kernel.submit(family, driver=ParentDriver.name, overseer=RED)
    scene.kernel.drive(parent)
    births = [
        it.event
        for it in scene.kernel.world.log.read_all()
        if isinstance(it.event, k.RunSubmitted) and it.event.parent == parent
    ]
    assert births
    assert {it.overseer for it in births} == {RED}
