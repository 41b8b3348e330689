"""Liveness: the seed's thresholds, guards, stages and anti-spam limits, each a row or a test."""

from datetime import timedelta

import pytest
from tests.unit.drivers.team.scene import TeamScene, W, beat, working

from supervisor_ai.drivers.team.event_kinds import liveness as e
from supervisor_ai.drivers.team.machines import liveness as rules
from supervisor_ai.drivers.team.machines.liveness import (
    THRESHOLDS,
    may_tell,
    threshold_of,
    told,
)
from supervisor_ai.drivers.team.queries.questions import questions
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import IdleStage, WaitReason

MINUTE = timedelta(minutes=1)


def run(scene: TeamScene, minutes: int) -> list[tuple[int, str]]:
    """Look each minute; return what was done, with the minute."""
    done = []
    for minute in range(1, minutes + 1):
        scene.wait(1)
        done += [(minute, fact.word) for fact in scene.look()]
    return done


@pytest.mark.parametrize(
    ("role", "wait", "minutes"),
    [
        (TeamRole.CODER, WaitReason.CODING, (15, 45, 60)),
        (TeamRole.CODER, WaitReason.WAITING_REVIEW, (20, 35, 50)),
        (TeamRole.UNIFIED_REVIEWER, WaitReason.CODING, (10, 20, 30)),
        (TeamRole.SECURITY_REVIEWER, WaitReason.CODING, (10, 20, 30)),
        (TeamRole.TECH_LEAD, WaitReason.CODING, (12, 25, 40)),
    ],
)
def test_the_thresholds_are_the_seeds(
    role: TeamRole, wait: WaitReason, minutes: tuple[int, int, int]
) -> None:
    found = THRESHOLDS[role, wait]
    assert (found.ping, found.escalate, found.replace) == tuple(it * MINUTE for it in minutes)
    assert found.nudge == (minutes[0] + minutes[1]) * MINUTE / 2


def test_lead_and_supervisor_have_no_thresholds() -> None:
    roles = {role for role, _ in THRESHOLDS}
    assert roles.isdisjoint({TeamRole.LEAD, TeamRole.SUPERVISOR})


def test_a_silent_coder_is_pinged_nudged_escalated_and_replaced() -> None:
    scene = working()
    scene.claim("1")
    assert run(scene, 70) == [
        (15, "PING"),
        (30, "NUDGE"),
        (45, "IDLE_BREACH_NOTED"),
        (46, "IDLE_BREACH"),
        (60, "IDLE_BREACH_NOTED"),
        (61, "REPLACEMENT_PROPOSAL"),
    ]


def test_a_silent_reviewer_is_dealt_with_by_its_own_thresholds() -> None:
    scene = working()
    scene.review("1")
    done = []
    for minute in range(1, 32):
        scene.wait(1)
        beat(scene, "ada")
        done += [(minute, fact.word, getattr(fact, "member", "")) for fact in scene.look()]
    of_rev = [(minute, word) for minute, word, member in done if member == "rev"]
    assert of_rev == [
        (10, "PING"),
        (15, "NUDGE"),
        (20, "IDLE_BREACH_NOTED"),
        (21, "IDLE_BREACH"),
        (30, "IDLE_BREACH_NOTED"),
        (31, "REPLACEMENT_PROPOSAL"),
    ]
    alert = scene.state.alerts["REVIEW_SLA_BREACH:rev"]
    assert (alert.task, alert.type) == ("1", "REVIEW_SLA_BREACH")


def test_a_coder_that_waits_for_review_has_its_reviewer_pinged() -> None:
    scene = working()
    scene.review("1")
    scene.wait(20)
    beat(scene, "ada")
    beat(scene, "rev")
    [ping] = scene.look()
    assert isinstance(ping, e.MemberPinged)
    assert (ping.member, ping.to, ping.is_review) == ("ada", ("rev",), True)


def test_a_review_that_is_late_is_the_reviewers_matter_until_it_comes() -> None:
    scene = working()
    scene.review("1")
    done = []
    for _ in range(51):
        scene.wait(1)
        # Both are there, and each says so: only the review is missing.
        beat(scene, "ada")
        beat(scene, "rev")
        done += [(fact.word, getattr(fact, "silent", ())) for fact in scene.look()]
    assert [it for it in done if it[0] != "IDLE_BREACH_NOTED"] == [
        *(("PING", ("rev",)), ("NUDGE", ("rev",))),
        *(("IDLE_BREACH", ("rev",)), ("REPLACEMENT_PROPOSAL", ("rev",))),
    ]
    [alert] = scene.state.alerts.values()
    assert (alert.type, alert.owner, alert.task) == ("REVIEW_SLA_BREACH", "rev", "1")
    assert list(questions(scene.state)) == ["Replace rev, who does not answer?"]
    scene.send(W.APPROVED, "rev", task_id="1")
    assert (scene.state.alerts, list(questions(scene.state))) == ({}, [])
    # From now on it is the coder who has to close the task.
    assert [word for _, word in run(scene, 16)] == ["PING"]
    assert scene.facts[-1].to == ("ada",)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("who", "wait", "name", "minutes"),
    [
        (TeamRole.CODER, WaitReason.CODING, "coder", 1),
        (TeamRole.CODER, WaitReason.WAITING_REVIEW, "waiting_review", 1),
        (TeamRole.LOGIC_REVIEWER, WaitReason.CODING, "reviewer", 1),
        (TeamRole.CODER, WaitReason.CODING, "reviewer", 15),
    ],
)
def test_a_team_has_limits_of_its_own(
    who: TeamRole, wait: WaitReason, name: str, minutes: int
) -> None:
    found = threshold_of(who, wait, {name: (1 * MINUTE, 2 * MINUTE, 3 * MINUTE)})
    assert found is not None
    assert found.ping == minutes * MINUTE
    assert threshold_of(TeamRole.LEAD, wait, {}) is None


def test_nobody_is_late_within_the_grace_of_seven_minutes() -> None:
    assert rules.GRACE == 7 * MINUTE
    scene = TeamScene().activate()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("ada", TeamRole.CODER)
    scene.review("1")
    scene.leave("rev")
    scene.wait(30)
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.send(W.TASK_RELEASED, "lead", task_id="1")
    scene.wait(6.9)
    assert [fact for fact in scene.look() if getattr(fact, "member", "") == "rev"] == []


def test_two_breaches_in_a_row_come_before_an_escalation() -> None:
    scene = working()
    scene.claim("1")
    run(scene, 45)
    # A second look at the same moment is not a second breach.
    assert scene.look() == ()
    scene.wait(1)
    assert scene.words(*scene.look()) == ["IDLE_BREACH"]


def test_activity_between_two_breaches_begins_anew() -> None:
    scene = working()
    scene.claim("1")
    run(scene, 45)
    beat(scene, "ada")
    assert scene.member("ada").stage is IdleStage.NONE
    assert run(scene, 14) == []
    assert run(scene, 1) == [(1, "PING")]


def test_fresh_progress_suppresses_a_hard_idle() -> None:
    scene = working()
    scene.review("1")
    for _ in range(30):
        scene.wait(1)
        beat(scene, "rev")
        scene.look()
    scene.send(W.PROGRESS, "ada")
    words = []
    for _ in range(15):
        scene.wait(1)
        beat(scene, "rev")
        words += [fact.word for fact in scene.look()]
    # Ada waits for 45 minutes by now; what she got on with keeps the Lead out of it.
    assert words == ["PING", "NUDGE"]


def test_a_silent_member_that_is_heard_of_is_thanked_and_the_alert_is_gone() -> None:
    scene = working()
    scene.claim("1")
    run(scene, 46)
    assert "IDLE_BREACH:ada" in scene.state.alerts
    ruling = scene.send(W.PROGRESS, "ada")
    assert scene.words(*ruling.facts) == ["ACTIVITY", "IDLE_CLEARED"]
    assert scene.state.alerts == {}


def test_the_cooldown_is_one_message_of_a_kind_in_twenty_minutes() -> None:
    scene = working()
    member = told(scene.member("ada"), "NUDGE", "1", scene.now)
    assert rules.COOLDOWN == 20 * MINUTE
    assert not may_tell(member, "NUDGE", "2", scene.now + 19 * MINUTE)
    assert may_tell(member, "NUDGE", "2", scene.now + 20 * MINUTE)
    assert may_tell(member, "PING", "2", scene.now)


def test_the_burst_cap_is_two_messages_in_an_hour() -> None:
    assert (rules.BURST, rules.BURST_WINDOW) == (2, 60 * MINUTE)
    scene = working()
    member = told(scene.member("ada"), "PING", "1", scene.now)
    member = told(member, "NUDGE", "1", scene.now + 15 * MINUTE)
    assert not may_tell(member, "PING", "2", scene.now + 59 * MINUTE)
    assert may_tell(member, "PING", "2", scene.now + 60 * MINUTE)


def test_no_identical_message_without_new_context() -> None:
    scene = working()
    member = told(scene.member("ada"), "PING", "1", scene.now)
    later = scene.now + 55 * MINUTE
    assert not may_tell(member, "PING", "1", later)
    assert may_tell(member, "PING", "2", later)


def test_when_nothing_may_be_said_the_stage_goes_on_quietly() -> None:
    scene = working()
    scene.claim("1")
    run(scene, 30)
    beat(scene, "ada")
    done = run(scene, 15)
    assert done == [(15, "PING")]
    [quiet] = [it for it in scene.facts[-3:] if isinstance(it, e.MemberPinged)]
    assert (quiet.is_quiet, quiet.to) == (True, ())


def test_limits_never_hold_back_what_is_critical() -> None:
    scene = working()
    scene.claim("1")
    words = [word for _, word in run(scene, 61)]
    assert "REPLACEMENT_PROPOSAL" in words
    assert scene.send(W.SECURITY_INCIDENT, "ada", subject="s").accepted


def test_who_has_nothing_to_do_is_never_late() -> None:
    scene = working()
    assert run(scene, 120) == []
    scene.claim("1")
    scene.send(W.STUCK, "ada", task_id="1")
    assert run(scene, 120) == []


def test_repeated_silence_is_a_reason_for_another_owner() -> None:
    scene = working()
    scene.claim("1")
    run(scene, 46)
    beat(scene, "ada")
    words = [word for _, word in run(scene, 47)]
    assert words[-2:] == ["IDLE_BREACH", "REASSIGN_PROPOSAL"]
    proposal = scene.task("1").proposal
    assert proposal is not None
    assert (proposal.reason, proposal.strategy, proposal.candidate) == (
        "no_response",
        "same_role_replacement",
        "bob",
    )


def test_silence_under_a_lock_does_not_count() -> None:
    scene = working()
    scene.claim("1")
    run(scene, 10)
    scene.state = scene.activate(2).state
    assert run(scene, 14) == []
    assert run(scene, 1) == [(1, "PING")]


@pytest.mark.parametrize("jump", [timedelta(days=3), timedelta(hours=-5)])
def test_a_jump_of_the_clock_escalates_nobody_at_once(jump: timedelta) -> None:
    scene = working()
    scene.claim("1")
    scene.now += jump
    words = scene.words(*scene.look())
    assert words in ([], ["PING"])
    beat(scene, "ada")
    assert scene.member("ada").stage is IdleStage.NONE
