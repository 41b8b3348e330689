"""What the supervisor says because of a fact, to whom; most facts say nothing."""

from datetime import timedelta

import pytest
from tests.histories import team_events
from tests.unit.drivers.team.scene import TeamScene, W, changed, working

from supervisor_ai.drivers.team.decisions.notices import SPEAKING, kind_of, notices_of
from supervisor_ai.drivers.team.event_kinds import liveness as e
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.events import TEAM_EVENTS
from supervisor_ai.drivers.team.text.messages import MessageTemplates
from supervisor_ai.drivers.team.words import ToolDecision, WaitReason

FACTS = {type(fact): fact for fact in team_events.facts()}


def said(fact: TeamFact, scene: TeamScene | None = None) -> list[tuple[str, str]]:
    state = (scene or working()).state
    return [(it.to, it.text) for it in notices_of(state, fact, MessageTemplates())]


@pytest.mark.parametrize("kind", sorted(SPEAKING, key=str))
def test_what_is_said_is_one_line_in_words(kind: type[TeamFact]) -> None:
    for to, text in said(FACTS[kind]):
        assert to
        assert "{" not in text
        assert "\n" not in text


def test_other_facts_say_nothing() -> None:
    quiet = [fact for kind, fact in FACTS.items() if kind not in SPEAKING]
    assert quiet
    assert [told for fact in quiet for told in said(fact)] == []


def test_a_fact_knows_whether_it_speaks() -> None:
    assert {kind for kind in TEAM_EVENTS if kind.speaks} == set(SPEAKING)
    assert all(kind.is_shown for kind in TEAM_EVENTS if kind.speaks)


def test_the_type_of_a_message_is_one_word() -> None:
    assert kind_of(FACTS[t.TaskEscalated]) == "ESCALATE_TO_MEDIUM"


def test_the_lead_hears_why_somebody_is_stuck_or_wants_more_reviewers() -> None:
    stuck = changed(FACTS[t.TaskStuck], reason="The key is missing.")
    assert said(stuck) == [("lead", "ada is stuck on task #2, attempt 1: The key is missing.")]
    wanted = changed(FACTS[t.TaskEscalated], reason="touches auth middleware")
    [(_, text)] = said(wanted)
    assert ": touches auth middleware. Needs decision" in text


def ping(**more: object) -> TeamFact:
    return changed(FACTS[e.MemberPinged], **more)


@pytest.mark.parametrize(
    ("fact", "wait", "begins"),
    [
        (FACTS[e.MemberPinged], WaitReason.CODING, "Quick ping on task #1"),
        (FACTS[e.MemberNudged], WaitReason.CODING, "I see a pause on task #1"),
        (FACTS[e.MemberNudged], WaitReason.BLOCKED, "For task #1, what unblocks you fastest"),
        (ping(is_review=True), WaitReason.CODING, "Reminder: review pending for task #1"),
        (FACTS[e.IdleCleared], WaitReason.CODING, "Thanks, task #1 is moving again."),
    ],
)
def test_the_seeds_message_is_chosen_by_what_a_member_is_at(
    fact: TeamFact, wait: WaitReason, begins: str
) -> None:
    scene = working()
    scene.send(W.HEARTBEAT, "ada", wait=wait)
    [(to, text)] = said(fact, scene)
    assert (to, text.startswith(begins)) == ("ada", True)


def test_a_recovery_without_a_task_is_not_confirmed() -> None:
    assert said(changed(FACTS[e.IdleCleared], task="")) == []


def test_an_escalation_says_who_which_task_how_long_and_which_stage() -> None:
    scene = working()
    [(to, text)] = said(FACTS[e.MemberEscalated], scene)
    assert to == "lead"
    assert text == "ada is silent on task #1 for 15m, stage none."
    late = changed(FACTS[e.MemberEscalated], member="gone", elapsed=timedelta(hours=1))
    assert said(late, scene)[0][1].startswith("gone is silent on task #1 for 1h")
    assert said(FACTS[e.ReplacementProposed], scene)[0][1].endswith("replace ada, or reassign?")


def test_an_overlap_is_told_once_with_the_owner_who_should_go_on() -> None:
    scene = working()
    scene.claim("1", "ada", "a.py")
    scene.claim("2", "bob", "a.py")
    pair = [fact for fact in scene.facts if isinstance(fact, t.OverlapFound)]
    told = [text for fact in pair for _, text in said(fact, scene)]
    assert len(told) == 1
    assert "Recommended: ada with #1." in told[0]


def test_the_ownership_map_goes_to_all_who_own_something() -> None:
    scene = working()
    scene.claim("1", "ada")
    scene.claim("2", "bob")
    ruling = scene.send(W.STAFFING_DECISION, "lead", task_id="1", owner="bob")
    told = said(ruling.facts[0], scene)
    assert [to for to, _ in told] == ["lead", "bob"]
    assert told[0][1].startswith("Ownership map: #")
    assert told[0][1].endswith("Task #1 is bob's.")


def test_a_decision_about_a_tool_goes_to_who_missed_it() -> None:
    scene = working()
    scene.send(W.TOOL_UNAVAILABLE, "ada", tool="WebSearch", task_id="1")
    ruling = scene.send(W.TOOL_DECISION, "lead", tool="WebSearch", decision=ToolDecision.SKIP)
    assert said(ruling.facts[0], scene) == [("ada", "The Lead decided about WebSearch: skip.")]


def test_a_rollback_is_told_with_its_difference_and_asks_where_it_must() -> None:
    planned = FACTS[r.RollbackPlanned]
    [asked] = notices_of(working().state, planned, MessageTemplates())
    assert asked.text.endswith("RECONCILE_ACK?")
    assert asked.more == team_events.kept("diff")
    quiet = changed(planned, needs_ack=False, tasks=())
    [(_, text)] = said(quiet)
    assert text.endswith("tasks touched: none.")


def test_a_proposal_names_who_could_do_it() -> None:
    [(_, text)] = said(FACTS[t.ReassignmentProposed])
    assert text.endswith("same role replacement to bob?")
    nobody = changed(FACTS[t.ReassignmentProposed], candidate="")
    assert said(nobody)[0][1].endswith("same role replacement?")
