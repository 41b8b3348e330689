"""What facts of a run mean for its team, decision by decision."""

from datetime import timedelta
from typing import Final

import pytest
from tests.unit.drivers.team.scene import TeamScene

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run import events as k
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord, Meaning
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.domain.run.status import Outcome, OutcomeKind
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.machines.task import TeamTaskStatus
from supervisor_ai.drivers.team.own_runs import (
    Observed,
    SeenEvent,
    can_follow,
    follow,
    hold_reason,
    landing_hold,
    observe,
)
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.own_workers import RunCrew, has_reviewer, team_role
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import IdleStage, WaitReason
from supervisor_ai.drivers.team.words import SentWord as W

RUN: Final = RunId("r1")
CODER, REVIEWER, PLANNER = "coder.r1", "unified-reviewer.r1", "researcher.r1"
TEXT: Final = ArtifactHash("text")
CREW: Final = RunCrew(
    run=RUN,
    subject=ArtifactHash("subject"),
    roles={
        "plan": TeamRole.RESEARCHER,
        "do": TeamRole.CODER,
        "review": TeamRole.UNIFIED_REVIEWER,
    },
)
PLACE: Final = {"step": StepName("do"), "visit": 1, "slot": 1, "attempt": 1}
DONE: Final = Outcome(kind=OutcomeKind.DONE, reason="")
S = TeamTaskStatus


def started(role: str) -> k.AttemptStarted:
    return k.AttemptStarted(**PLACE, role=role, cli="a", start=CommitSha("c"))  # type: ignore[arg-type]


def answered(role: str, meaning: Meaning = Meaning.PASS) -> k.AttemptSucceeded:
    return k.AttemptSucceeded(
        **PLACE,  # type: ignore[arg-type]
        meaning=meaning,
        said="",
        answer=TEXT,
        feedback=TEXT,
        transcript=TEXT,
        snapshot=Snapshot(commit=CommitSha("c"), tree=TreeSha("t")),
        role=role,
    )


class RunScene(TeamScene):
    """A team, and what a run of its own says."""

    def __init__(self, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.activate()
        self.place = 0

    def says(self, *events: object, crew: RunCrew = CREW, **seen: object) -> list[str]:
        """Let facts of the run be recorded; return what the team made of them."""
        self.tick()
        found = []
        for event in events:
            self.place += 1
            found.append(SeenEvent(place=self.place, event=event, **seen))  # type: ignore[arg-type]
        turn = TeamTurn(self.state, self.now)
        follow(turn, crew, found)
        self.record(*turn.facts)
        return [it.word for it in turn.facts if it.word not in {"RUN_FOLLOWED", "ACTIVITY"}]

    def sees(self, **more: object) -> list[str]:
        """Look at the coder's processes."""
        nothing = Observed(
            member=CODER,
            output=0,
            cpu=timedelta(),
            elapsed=timedelta(seconds=20),
            changes=0,
            files=(),
        )
        turn = TeamTurn(self.state, self.now)
        observe(turn, replace(nothing, **more))  # type: ignore[arg-type]
        return self.words(*self.record(*turn.facts))

    @property
    def status(self) -> S:
        return self.task(RUN).status


def working() -> RunScene:
    """Return a team for whose run a coder works."""
    scene = RunScene()
    scene.says(started("plan"), answered("plan"), files=("src/a.py",))
    scene.says(started("do"))
    return scene


ROLES: Final = (
    ("reviewer", AnswerKind.REVIEW, (Meaning.PASS, Meaning.REJECT), TeamRole.UNIFIED_REVIEWER),
    ("security_reviewer", AnswerKind.REVIEW, (Meaning.REJECT,), TeamRole.SECURITY_REVIEWER),
    ("tech-lead", AnswerKind.PLAN, (Meaning.PASS,), TeamRole.TECH_LEAD),
    ("planner", AnswerKind.PLAN, (Meaning.PASS,), TeamRole.RESEARCHER),
    ("writer", AnswerKind.IMPLEMENTATION, (Meaning.PASS,), TeamRole.CODER),
    ("supervisor", AnswerKind.PLAN, (Meaning.PASS,), TeamRole.RESEARCHER),
)


@pytest.mark.parametrize(("name", "answer", "meanings", "expected"), ROLES)
def test_a_role_is_what_it_is_called_or_what_it_may_do(
    name: str, answer: AnswerWord, meanings: tuple[Meaning, ...], expected: TeamRole
) -> None:
    writes = answer == AnswerKind.IMPLEMENTATION
    role = Role(name=name, description="", answer=answer, writes=writes, cli="a", template="")
    assert team_role(role, meanings) is expected


def test_a_run_is_claimed_with_the_files_that_its_plan_named() -> None:
    scene = RunScene()
    told = scene.says(started("plan"), answered("plan"), files=("src/a.py",))
    assert told == [*["MEMBER_JOINED"] * 3, "TASK_ADDED"]
    assert scene.says(started("do")) == ["CLAIM"]
    assert (scene.task(RUN).owner, scene.task(RUN).files) == (CODER, ("src/a.py",))
    # Another attempt at the same claims nothing anew.
    assert scene.says(k.AttemptLost(**PLACE, kept=None), started("do")) == []  # type: ignore[arg-type]
    assert scene.member(CODER).wait is WaitReason.CODING


def test_a_verdict_of_a_reviewer_is_one_for_the_team() -> None:
    scene = working()
    assert scene.says(answered("do"), started("review")) == ["IN_REVIEW"]
    assert scene.says(answered("review", Meaning.REJECT), issue="x") == ["CHANGES_REQUESTED"]
    assert scene.task(RUN).issues == ("x",)
    assert scene.says(started("do"), answered("do"), started("review")) == ["IN_REVIEW"]
    assert scene.says(answered("review")) == ["APPROVED"]
    # The run goes on with it, because a gate did not pass: what was said counts no more.
    assert scene.says(started("do")) == ["REOPENED"]
    assert (scene.status, scene.task(RUN).approvals) == (S.IN_PROGRESS, {})


def test_what_a_worker_cannot_do_is_stuck() -> None:
    scene = working()
    assert scene.says(answered("do", Meaning.BLOCK)) == ["STUCK"]
    assert scene.says(k.RunWaiting(reason="blocked")) == []
    assert scene.says(k.RunFailed(outcome=DONE)) == ["MEMBER_LEFT"] * 3
    assert scene.status is S.STUCK


def test_a_run_that_ends_before_anybody_began_leaves_nothing() -> None:
    scene = RunScene()
    assert scene.says(k.RunFailed(outcome=DONE)) == []
    assert list(scene.state.all_tasks()) == []


def test_only_who_reviews_is_a_reviewer() -> None:
    assert has_reviewer((TeamRole.CODER, TeamRole.LOGIC_REVIEWER))
    assert not has_reviewer((TeamRole.CODER, TeamRole.TECH_LEAD))


def test_a_run_that_is_cancelled_is_a_task_less() -> None:
    scene = working()
    assert scene.says(k.RunCancelled(outcome=DONE)) == ["TASK_CANCELLED", *["MEMBER_LEFT"] * 3]


def test_who_is_asked_to_stop_stays_on_the_roster_until_the_end() -> None:
    scene = working()
    scene.teardown()
    assert scene.says(k.RunCancelled(outcome=DONE)) == ["TASK_CANCELLED"]
    assert scene.state.member(CODER) is not None


def test_a_run_of_reviewers_alone_is_no_task() -> None:
    scene = RunScene()
    crew = replace(CREW, roles={"review": TeamRole.UNIFIED_REVIEWER})
    assert scene.says(started("review"), crew=crew) == ["MEMBER_JOINED"]
    ended = (answered("review"), k.AttemptCancelled(**PLACE))  # type: ignore[arg-type]
    assert scene.says(*ended, crew=crew) == []
    assert scene.says(k.RunCompleted(outcome=DONE), crew=crew) == ["MEMBER_LEFT"]


def test_steps_of_nobody_mean_nothing() -> None:
    scene = RunScene()
    assert scene.says(started("stranger"), answered("stranger"), answered("do")) == []
    assert scene.says(k.RunContinued()) == []


def test_nobody_of_a_run_begins_without_a_place() -> None:
    scene = RunScene(coders=1)
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("ada", TeamRole.CODER)
    assert scene.says(started("do")) == []
    turn = TeamTurn(scene.state, scene.now)
    assert hold_reason(scene.state, CREW, turn) == (
        "1 coders are active, which is the most of this team."
    )
    assert list(scene.state.all_tasks()) == []


def test_the_coder_of_a_completed_run_takes_nobodys_place() -> None:
    scene = RunScene(coders=1)
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    crew = replace(CREW, roles={"do": TeamRole.CODER})
    scene.says(started("do"), answered("do"), crew=crew)
    assert not scene.join("ada", TeamRole.CODER).accepted
    scene.says(k.RunCompleted(outcome=DONE), crew=crew)
    assert scene.status is S.IN_REVIEW
    assert scene.join("ada", TeamRole.CODER).accepted


def test_a_completed_run_closes_when_all_have_agreed() -> None:
    scene = RunScene(complexity=TeamComplexity.MEDIUM)
    scene.says(started("do"), answered("do"), started("review"))
    # Nobody is the Tech Lead, so that the review of the run itself comes to nothing yet.
    assert scene.status is S.STUCK_ESCALATED
    assert scene.says(answered("review"), k.RunCompleted(outcome=DONE)) == []
    scene.join("tech", TeamRole.TECH_LEAD)
    assert scene.says() == ["APPROVED"]
    scene.send(W.APPROVED, "tech", task_id=RUN)
    assert scene.says() == ["DONE", *["MEMBER_LEFT"] * 3]


def test_under_a_lock_facts_of_runs_wait() -> None:
    scene = RunScene()
    scene.join("boss", TeamRole.LEAD)
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=2)
    assert not can_follow(scene.state)
    assert scene.says(started("do")) == []
    assert scene.sees(output=1) == []
    reason = hold_reason(scene.state, CREW, TeamTurn(scene.state, scene.now))
    assert reason == "the state of the team cannot be written now (handing_off)"


def test_a_lock_holds_the_next_attempt_and_the_landing_of_a_run_that_is_in() -> None:
    scene = working()
    turn = TeamTurn(scene.state, scene.now)
    assert landing_hold(scene.state, CREW) is None
    scene.join("boss", TeamRole.LEAD)
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=2)
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "boss", epoch=2)
    held = "the state of the team cannot be written now (RECONCILE_LOCK)"
    assert hold_reason(scene.state, CREW, turn) == held
    assert landing_hold(scene.state, CREW) == held


def test_a_frozen_task_holds_its_run_until_the_lead_has_decided() -> None:
    scene = working()
    turn = TeamTurn(scene.state, scene.now)
    assert hold_reason(scene.state, CREW, turn) is None
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("ada", TeamRole.CODER)
    scene.claim("7", "ada", "src/a.py")
    assert scene.status is S.OVERLAP_SCOPE
    held = hold_reason(scene.state, CREW, turn)
    assert held == "task r1 is OVERLAP_SCOPE until the Lead has decided"
    assert landing_hold(scene.state, CREW) == held


def test_a_reviewer_of_a_run_reviews_nothing_else() -> None:
    scene = working()
    # It is on the roster, and does not count for others.
    assert not scene.join("ada", TeamRole.CODER).accepted
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("ada", TeamRole.CODER)
    scene.review("7", "ada")
    scene.wait(40)
    scene.look()
    assert scene.member(REVIEWER).stage is IdleStage.NONE
    assert scene.member("rev").stage is IdleStage.PINGED
    assert scene.member(PLANNER).stage is IdleStage.NONE


ACTIVITY: Final[tuple[tuple[dict[str, object], tuple[bool, bool]], ...]] = (
    ({}, (False, False)),
    ({"output": 1}, (True, True)),
    ({"changes": 1}, (True, True)),
    ({"cpu": timedelta(seconds=1)}, (True, False)),
    ({"cpu": timedelta(seconds=0.1)}, (False, False)),
)
"""What is seen, and whether it is activity and progress."""


@pytest.mark.parametrize(("done", "counts"), ACTIVITY)
def test_what_a_process_does_is_its_activity(
    done: dict[str, object], counts: tuple[bool, bool]
) -> None:
    scene = working()
    scene.wait(5)
    before = scene.member(CODER)
    assert scene.sees(**done) == (["ACTIVITY"] if counts[0] else [])
    after = scene.member(CODER)
    is_active = after.last_activity_at > before.last_activity_at
    assert (is_active, after.last_progress_at > before.last_progress_at) == counts


def test_what_is_seen_is_written_once_a_minute_or_when_it_changes_something() -> None:
    scene = working()
    assert scene.sees(output=1) == []
    assert scene.sees(output=1, files=("new.py",)) == ["ACTIVITY"]
    scene.wait(seconds=59)
    assert scene.sees(output=1, files=("new.py",)) == []
    scene.wait(seconds=2)
    assert scene.sees(output=1, files=("new.py",)) == ["ACTIVITY"]
    scene.wait(16)
    scene.look()
    assert scene.member(CODER).stage is IdleStage.PINGED
    assert scene.sees(cpu=timedelta(seconds=1)) == ["ACTIVITY", "IDLE_CLEARED"]
    assert scene.sees(member="nobody", output=1) == []
