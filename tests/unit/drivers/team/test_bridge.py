"""The bridge contract as data: who may send what, what it needs, and what happens to the rest."""

from datetime import timedelta

import pytest
from tests.unit.drivers.team.scene import SUBJECT, W, beat, working

from supervisor_ai.drivers.team.decide import DECIDERS, decide
from supervisor_ai.drivers.team.decisions.bridge import BRIDGE, SEED_ROWS
from supervisor_ai.drivers.team.sent import SentEvent
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import RefusalCode, SentWord

SENDERS = {
    TeamRole.LEAD: "lead",
    TeamRole.SUPERVISOR: "supervisor",
    TeamRole.TECH_LEAD: "tech",
    TeamRole.CODER: "ada",
    TeamRole.UNIFIED_REVIEWER: "rev",
}


def test_the_seeds_rows_are_there_in_their_order() -> None:
    assert [(row.event, *row.producers, row.route) for row in SEED_ROWS[:4]] == [
        ("STATE_OWNERSHIP_HANDOFF", "lead", "lead -> supervisor"),
        ("STATE_OWNERSHIP_ACK", "supervisor", "supervisor -> lead"),
        ("ESCALATE TO MEDIUM", "unified-reviewer", "coder", "source -> supervisor -> lead"),
        ("SPLIT_BRAIN_DETECTED", "supervisor", "supervisor -> lead"),
    ]
    assert [row.event for row in SEED_ROWS[4:]] == [
        "FORCED_FINALIZE_CANDIDATE",
        "FORCED_FINALIZE_ACK",
        "TOOL_UNAVAILABLE",
    ]


def test_every_row_has_one_write_owner_and_a_next_step() -> None:
    assert {row.write_owner for row in BRIDGE.values()} == {TeamRole.SUPERVISOR}
    assert all(row.next_step and row.consumers for row in BRIDGE.values())


def test_what_can_be_sent_is_in_the_contract_and_decided() -> None:
    assert set(SentWord) == set(DECIDERS) <= set(BRIDGE)


@pytest.mark.parametrize("role", SENDERS)
@pytest.mark.parametrize("word", list(W))
def test_anybody_elses_event_is_refused(word: SentWord, role: TeamRole) -> None:
    ruling = working().send(word, SENDERS[role])
    is_foreign = role not in BRIDGE[word].producers
    assert (ruling.code is RefusalCode.WRONG_PRODUCER) == is_foreign


@pytest.mark.parametrize("word", list(W))
def test_what_is_missing_is_named(word: SentWord) -> None:
    scene, needs = working(), BRIDGE[word].needs
    scene.add("1")
    sender = SENDERS[next(role for role in BRIDGE[word].producers if role in SENDERS)]
    for name in needs:
        whole = {
            "actor": sender,
            "epoch": 1,
            "task_id": "1",
            "rev": 1,
            "tool": "x",
            "owner": "ada",
            "issue": "i",
            "decision": "skip",
            "subject": SUBJECT,
            "request": "Hotfix",
        }
        whole[name] = None
        sent = SentEvent(event=word, sender=sender, **whole)  # type: ignore[arg-type]
        ruling = decide(scene.state, sent, scene.now)
        assert (ruling.code, ruling.reason) == (
            RefusalCode.MISSING_FIELDS,
            f"{word} needs {name}.",
        )


def test_nobody_speaks_as_another() -> None:
    scene = working()
    ruling = scene.send(W.PROGRESS, "ada", actor="bob")
    assert ruling.code is RefusalCode.WRONG_ACTOR


@pytest.mark.parametrize("sender", ["eve", "coder-9"])
def test_a_stranger_is_refused_and_leaves_no_trace(sender: str) -> None:
    ruling = working().send(W.PROGRESS, sender)
    assert (ruling.code, ruling.facts) == (RefusalCode.UNKNOWN_MEMBER, ())


def test_a_flood_of_refusals_is_recorded_at_its_beginning_only() -> None:
    scene = working()
    recorded = [bool(scene.send(W.APPROVED, "ada").facts) for _ in range(1000)]
    assert (sum(recorded), recorded[:6]) == (5, [True] * 5 + [False])
    scene.wait(10)
    assert scene.send(W.APPROVED, "ada").facts
    assert scene.send(W.APPROVED, "bob").facts


def test_a_heartbeat_is_written_once_a_minute_or_when_it_changes_something() -> None:
    scene = working()
    scene.now += timedelta(seconds=59)
    assert (beat(scene, "ada").accepted, beat(scene, "ada").facts) == (True, ())
    scene.now += timedelta(seconds=1)
    assert scene.words(*beat(scene, "ada").facts) == ["ACTIVITY"]
    assert beat(scene, "ada").facts == ()
    assert beat(scene, "lead").facts == ()


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("Hotfix src/server/auth.ts now", "I can't implement code changes."),
        ("Review task 4 for me", "I can't review or approve code."),
        ("Decide which database pattern we design for", "I can't decide about architecture."),
        ("Sing a song", "I can't do the team's work."),
    ],
)
def test_requests_to_do_the_work_are_refused_with_what_it_can_do(request_: str, says: str) -> None:
    ruling = working().send(W.REQUEST, "lead", request=request_)
    assert (ruling.accepted, ruling.code) == (False, RefusalCode.OUT_OF_SCOPE)
    assert ruling.reason.startswith(says)
    assert "I can " in ruling.reason


def test_architecture_goes_to_the_tech_lead_or_to_the_lead() -> None:
    scene = working()
    asked = scene.send(W.ARCHITECTURE_QUESTION, "ada", subject=SUBJECT)
    assert asked.reason == "It goes on to tech."
    scene.leave("tech")
    assert scene.send(W.ARCHITECTURE_QUESTION, "ada", subject=SUBJECT).reason.endswith("lead.")
    incident = scene.send(W.SECURITY_INCIDENT, "ada", subject=SUBJECT)
    assert incident.reason == "It goes on to lead."
