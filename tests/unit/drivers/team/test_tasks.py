"""Tasks: approvals, loops, duplicates, overlaps, escalation and reassignment."""

import pytest
from tests.unit.drivers.team.scene import SUBJECT, TeamScene, W, beat, working

from supervisor_ai.drivers.team.decisions.tasks import FRUITLESS, SAME_ISSUE
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.machines.task import TeamTaskStatus, overlap
from supervisor_ai.drivers.team.queries.questions import questions
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import RefusalCode, SentWord

S = TeamTaskStatus


def back(scene: TeamScene, issue: str, task: str = "1") -> str:
    """Let a reviewer send a task back, and the coder submit it again where it can."""
    ruling = scene.send(W.CHANGES_REQUESTED, "rev", task_id=task, issue=issue)
    if scene.task(task).status is S.IN_PROGRESS:
        scene.send(W.IN_REVIEW, "ada", task_id=task)
    return ruling.event


def test_no_task_closes_without_its_required_approvals() -> None:
    scene = working()
    scene.review("1")
    early = scene.send(W.DONE, "ada", task_id="1")
    assert (early.accepted, early.code) == (False, RefusalCode.NOT_POSSIBLE)
    assert "unified-reviewer" in early.reason
    scene.send(W.APPROVED, "rev", task_id="1")
    assert scene.send(W.DONE, "ada", task_id="1").accepted
    assert scene.task("1").status is S.DONE


def test_a_medium_task_needs_every_active_reviewer_and_not_only_the_first() -> None:
    scene = working(TeamComplexity.MEDIUM)
    scene.join("sec", TeamRole.SECURITY_REVIEWER)
    scene.review("1")
    scene.send(W.APPROVED, "rev", task_id="1")
    scene.send(W.APPROVED, "tech", task_id="1")
    early = scene.send(W.DONE, "ada", task_id="1")
    assert (early.accepted, "security-reviewer" in early.reason) == (False, True)
    scene.send(W.APPROVED, "sec", task_id="1")
    assert scene.send(W.DONE, "ada", task_id="1").accepted


def test_an_approval_of_an_older_revision_does_not_count() -> None:
    scene = working(TeamComplexity.MEDIUM)
    scene.review("1")
    scene.send(W.APPROVED, "tech", task_id="1")
    back(scene, "no test")
    assert scene.task("1").rev == 2
    assert scene.send(W.APPROVED, "rev", task_id="1", rev=1).code is RefusalCode.STALE_REV
    assert scene.send(W.DONE, "ada", task_id="1").code is RefusalCode.NOT_POSSIBLE


def test_a_stale_done_does_not_close_what_began_anew() -> None:
    scene = working()
    scene.review("1")
    scene.send(W.APPROVED, "rev", task_id="1")
    scene.send(W.STAFFING_DECISION, "lead", task_id="1", owner="bob")
    stale = scene.send(W.DONE, "ada", task_id="1", rev=1)
    assert (stale.accepted, stale.code) == (False, RefusalCode.STALE_REV)
    assert scene.task("1").status is S.IN_PROGRESS


def test_the_same_event_twice_is_taken_once() -> None:
    scene = working()
    first = scene.claim("1")
    again = scene.send(W.CLAIM, "ada", task_id="1")
    assert (first.accepted, again.accepted, again.facts) == (True, True, ())
    scene.send(W.IN_REVIEW, "ada", task_id="1")
    assert scene.send(W.IN_REVIEW, "ada", task_id="1", rev=1).facts == ()
    scene.send(W.APPROVED, "rev", task_id="1")
    assert scene.send(W.APPROVED, "rev", task_id="1").facts == ()
    assert scene.add("1").facts == ()


@pytest.mark.parametrize("rev", [0, 9])
def test_a_claim_of_ones_own_task_at_another_revision_is_stale(rev: int) -> None:
    scene = working()
    scene.claim("1")
    again = scene.send(W.CLAIM, "ada", task_id="1", rev=rev)
    assert not again.accepted
    assert again.code is RefusalCode.STALE_REV


def test_another_task_of_the_same_name_is_refused() -> None:
    scene = working()
    scene.add("1")
    ruling = scene.send(W.TASK_ADDED, "lead", task_id="1", subject="another")
    assert ruling.code is RefusalCode.NOT_POSSIBLE


@pytest.mark.parametrize(
    ("word", "who", "more"),
    [
        (W.DONE, "bob", {}),
        (W.STUCK, "bob", {}),
        (W.CLAIM, "bob", {"task_id": "9"}),
        (W.APPROVED, "rev", {}),
        (W.DONE, "ada", {}),
        (W.TASK_RELEASED, "lead", {}),
        (W.STAFFING_DECISION, "lead", {"owner": "nobody"}),
        (W.ARBITRATION, "lead", {"owner": "ada"}),
        (W.IMPOSSIBLE_WAIT, "ada", {}),
        (W.TOOL_RESOLVED, "ada", {"tool": "x"}),
        (W.FORCED_FINALIZE_ACK, "lead", {}),
        (W.FORCED_FINALIZE_REFUSED, "lead", {}),
        (W.SHUTDOWN_ACK, "ada", {}),
        (W.RECONCILE_ACK, "lead", {}),
    ],
)
def test_what_makes_no_sense_now_is_refused(
    word: SentWord, who: str, more: dict[str, object]
) -> None:
    scene = working()
    scene.claim("1")
    ruling = scene.send(word, who, **{"task_id": "1", **more})
    assert (ruling.accepted, ruling.code, ruling.facts) == (False, RefusalCode.NOT_POSSIBLE, ())


def test_nobody_reviews_what_is_its_own() -> None:
    scene = working()
    scene.review("1")
    scene.send(W.STAFFING_DECISION, "lead", task_id="1", owner="tech")
    task = scene.task("1")
    assert task.owner == "tech"
    assert scene.send(W.APPROVED, "tech", task_id="1").code is RefusalCode.NOT_POSSIBLE


def test_an_impossible_wait_is_stuck_at_once_and_goes_on_when_somebody_comes() -> None:
    scene = working(TeamComplexity.MEDIUM)
    scene.leave("tech")
    ruling = scene.review("1")
    assert (ruling.accepted, ruling.event) == (True, "IMPOSSIBLE_WAIT")
    assert scene.task("1").status is S.STUCK_ESCALATED
    assert scene.state.alerts["STUCK:1"].severity == "CRITICAL"
    scene.join("tech", TeamRole.TECH_LEAD)
    assert scene.task("1").status is S.IN_REVIEW
    assert scene.state.alerts == {}


def test_a_reviewer_that_leaves_makes_a_wait_impossible() -> None:
    scene = working()
    scene.review("1")
    scene.leave("rev")
    assert scene.task("1").status is S.STUCK_ESCALATED
    assert scene.leave("rev").facts == ()


def test_a_member_may_say_that_a_wait_is_impossible_and_the_roster_decides() -> None:
    scene = working()
    scene.review("1")
    assert not scene.send(W.IMPOSSIBLE_WAIT, "ada", task_id="1").accepted
    scene.claim("2", "bob")
    scene.leave("rev")
    assert not scene.send(W.IMPOSSIBLE_WAIT, "bob", task_id="2").accepted


def test_one_task_is_escalated_and_no_other() -> None:
    scene = working()
    for task, who in (("1", "ada"), ("2", "bob")):
        scene.review(task, who)
    ruling = scene.send(W.ESCALATE_TO_MEDIUM, "rev", task_id="1")
    assert ruling.accepted
    assert (scene.task("1").is_escalated, scene.task("2").is_escalated) == (True, False)
    # Three specialists are not there yet: the wait is impossible, and the Lead hears of it.
    assert scene.task("1").status is S.STUCK_ESCALATED
    assert scene.task("2").status is S.IN_REVIEW
    for role in ("security", "logic", "quality"):
        scene.join(role, TeamRole(f"{role}-reviewer"))
    assert scene.task("1").status is S.IN_REVIEW
    assert scene.send(W.ESCALATE_TO_MEDIUM, "rev", task_id="1").facts == ()


def test_the_same_issue_in_three_rounds_is_a_loop_and_freezes_nothing_else() -> None:
    assert SAME_ISSUE == 3
    scene = working()
    scene.review("1")
    scene.claim("2", "bob")
    events = [back(scene, "no test") for _ in range(3)]
    assert events == ["CHANGES_REQUESTED", "CHANGES_REQUESTED", "LOOP_SUSPECTED"]
    assert scene.task("1").status is S.LOOP_SUSPECTED
    assert scene.send(W.IN_REVIEW, "bob", task_id="2").accepted
    released = scene.send(W.TASK_RELEASED, "lead", task_id="1")
    assert released.accepted
    assert scene.task("1").status is S.IN_PROGRESS


def test_rounds_without_any_approval_are_a_loop_whatever_they_are_called() -> None:
    scene = working(TeamComplexity.MEDIUM)
    scene.review("1")
    events = [back(scene, f"issue {number}") for number in range(FRUITLESS)]
    assert events[-1] == "LOOP_SUSPECTED"


def test_a_round_with_an_approval_is_progress() -> None:
    scene = working(TeamComplexity.MEDIUM)
    scene.review("1")
    for number in range(2 * FRUITLESS):
        scene.send(W.APPROVED, "tech", task_id="1")
        assert back(scene, f"issue {number}") == "CHANGES_REQUESTED"


@pytest.mark.parametrize(
    ("stuck", "issues", "advice"),
    [
        (0, 2, "schedule_tech_lead_checkpoint"),
        (1, 0, "swap_owner"),
        (0, 3, "clarify_acceptance_criteria"),
    ],
)
def test_a_loop_is_reported_with_one_of_three_recommendations(
    stuck: int, issues: int, advice: str
) -> None:
    scene = working()
    scene.claim("1")
    for _ in range(stuck):
        scene.send(W.STUCK, "ada", task_id="1")
        scene.send(W.TASK_RELEASED, "lead", task_id="1")
    scene.send(W.IN_REVIEW, "ada", task_id="1")
    for _ in range(issues):
        back(scene, "no test")
    scene.send(W.REVIEW_LOOP, "ada", task_id="1")
    [loop] = [fact for fact in scene.facts if isinstance(fact, t.LoopSuspected)]
    assert loop.advice == advice


def test_two_claims_of_one_task_are_frozen_until_the_lead_decides() -> None:
    scene = working()
    scene.claim("1")
    ruling = scene.send(W.CLAIM, "bob", task_id="1")
    assert (ruling.accepted, ruling.event) == (False, "DUPLICATE_TASK_KEY")
    assert scene.task("1").claimants == ("ada", "bob")
    for who in ("ada", "bob"):
        assert not scene.send(W.IN_REVIEW, who, task_id="1").accepted
    assert not scene.send(W.ARBITRATION, "lead", task_id="1", owner="rev").accepted
    assert scene.send(W.ARBITRATION, "lead", task_id="1", owner="ada").accepted
    assert (scene.task("1").owner, scene.task("1").status) == ("ada", S.IN_PROGRESS)


def test_the_lead_may_choose_the_second_claimant() -> None:
    scene = working()
    scene.claim("1")
    scene.send(W.CLAIM, "bob", task_id="1")
    assert scene.send(W.ARBITRATION, "lead", task_id="1", owner="bob").accepted
    assert (scene.task("1").owner, scene.member("ada").tasks) == ("bob", ())


@pytest.mark.parametrize(
    ("one", "two", "met"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/", "src/a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src", "src/a.py", False),
    ],
)
def test_scopes_meet_by_file_or_by_folder(one: str, two: str, met: bool) -> None:  # noqa: FBT001 - a case
    assert bool(overlap((one,), (two,))) is met


def test_overlapping_scopes_are_frozen_and_one_path_goes_on() -> None:
    scene = working()
    scene.claim("1", "ada", "src/a.py")
    ruling = scene.claim("2", "bob", "src/")
    assert ruling.event == "OVERLAP_SCOPE"
    assert {scene.task(name).status for name in ("1", "2")} == {S.OVERLAP_SCOPE}
    assert len(list(questions(scene.state))) == 1
    assert not scene.send(W.ARBITRATION, "lead", task_id="1", owner="bob").accepted
    assert scene.send(W.ARBITRATION, "lead", task_id="1", owner="ada").accepted
    assert (scene.task("1").status, scene.task("2").status) == (S.IN_PROGRESS, S.OVERLAP_SCOPE)
    assert list(questions(scene.state)) == []
    # Who lets the other go on as well finds it frozen again.
    assert scene.send(W.TASK_RELEASED, "lead", task_id="2").event == "OVERLAP_SCOPE"


def test_the_other_path_goes_on_when_the_first_is_done() -> None:
    scene = working()
    scene.claim("1", "ada", "src/a.py")
    scene.claim("2", "bob", "src/a.py")
    scene.send(W.ARBITRATION, "lead", task_id="1", owner="ada")
    scene.send(W.IN_REVIEW, "ada", task_id="1")
    scene.send(W.APPROVED, "rev", task_id="1")
    scene.send(W.DONE, "ada", task_id="1")
    assert scene.task("2").status is S.IN_PROGRESS


def test_a_task_that_is_withdrawn_frees_the_other() -> None:
    scene = working()
    scene.claim("1", "ada", "src/a.py")
    scene.claim("2", "bob", "src/a.py")
    assert scene.send(W.TASK_CANCELLED, "lead", task_id="1").accepted
    assert scene.task("2").status is S.IN_PROGRESS
    assert not scene.send(W.TASK_CANCELLED, "lead", task_id="1").accepted


def test_what_is_touched_overlaps_whatever_was_claimed() -> None:
    scene = working()
    scene.claim("1", "ada", "src/a.py")
    scene.claim("2", "bob", "src/b.py")
    ruling = scene.send(W.HEARTBEAT, "bob", files=("src/a.py",))
    assert (ruling.accepted, ruling.event) == (True, "OVERLAP_SCOPE")
    assert scene.task("1").status is S.OVERLAP_SCOPE


def test_files_in_a_submission_overlap_as_well() -> None:
    scene = working()
    scene.claim("1", "ada", "src/a.py")
    scene.claim("2", "bob")
    ruling = scene.send(W.IN_REVIEW, "bob", task_id="2", files=("src/a.py",))
    assert ruling.event == "OVERLAP_SCOPE"


def test_two_tasks_of_one_owner_may_touch_the_same() -> None:
    scene = working()
    scene.claim("1", "ada", "src/a.py")
    assert scene.claim("2", "ada", "src/a.py").event == "CLAIM"
    beat(scene, "ada")


def test_stuck_twice_is_a_reason_for_another_owner() -> None:
    scene = working()
    scene.claim("1")
    for _ in range(2):
        scene.send(W.STUCK, "ada", task_id="1")
        scene.send(W.TASK_RELEASED, "lead", task_id="1")
    proposals = [fact for fact in scene.facts if isinstance(fact, t.ReassignmentProposed)]
    assert [(it.reason, it.strategy, it.candidate) for it in proposals] == [
        ("stuck_twice", "same_role_replacement", "bob")
    ]
    assert scene.task("1").owner == "ada"


def test_why_somebody_is_stuck_or_escalates_is_kept() -> None:
    scene = working()
    scene.claim("1")
    scene.send(W.ESCALATE_TO_MEDIUM, "ada", task_id="1", issue="touches auth middleware")
    scene.send(W.STUCK, "ada", task_id="1", issue="The key is missing.")
    kept = [it.reason for it in scene.facts if isinstance(it, t.TaskStuck | t.TaskEscalated)]
    assert kept == ["touches auth middleware", "The key is missing."]


def test_nobody_who_could_take_over_means_to_split_the_task() -> None:
    scene = working()
    scene.leave("bob")
    scene.claim("1")
    for _ in range(3):
        scene.send(W.STUCK, "ada", task_id="1")
        scene.send(W.TASK_RELEASED, "lead", task_id="1")
    proposals = [fact for fact in scene.facts if isinstance(fact, t.ReassignmentProposed)]
    assert [(it.strategy, it.candidate) for it in proposals] == [("split_task", "")]


def test_a_claim_without_the_capabilities_is_routed_to_a_specialist() -> None:
    scene = TeamScene().activate()
    scene.join("rev", TeamRole.UNIFIED_REVIEWER)
    scene.join("ada", TeamRole.CODER)
    scene.join("cyd", TeamRole.CODER, "rust")
    scene.add("1", needs=("rust",))
    scene.claim("1")
    proposal = scene.task("1").proposal
    assert proposal is not None
    assert (proposal.reason, proposal.strategy, proposal.candidate) == (
        "capability_mismatch",
        "specialist_routing",
        "cyd",
    )


def test_the_lead_decides_and_the_new_owner_is_published() -> None:
    scene = working()
    scene.claim("1")
    ruling = scene.send(W.STAFFING_DECISION, "lead", task_id="1", owner="bob")
    assert scene.words(*ruling.facts) == ["OWNERSHIP_MAP"]
    assert (scene.task("1").owner, scene.task("1").rev) == ("bob", 2)
    scene.claim("2", "ada", "src/x.py")
    scene.add("3", "src/x.py")
    frozen = scene.send(W.STAFFING_DECISION, "lead", task_id="3", owner="bob")
    assert frozen.event == "OVERLAP_SCOPE"


def test_a_team_has_a_bounded_number_of_tasks() -> None:
    scene = working()
    for number in range(2000):
        scene.record(
            t.TaskOpened(
                at=scene.now,
                actor="lead",
                epoch=1,
                task=f"t{number}",
                rev=1,
                subject=SUBJECT,
                complexity=TeamComplexity.SIMPLE,
            )
        )
    assert scene.add("more").code is RefusalCode.NOT_POSSIBLE
