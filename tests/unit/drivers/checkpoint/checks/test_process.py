"""Artifacts are there, scores do not fall, critical questions are answered."""

import pytest
from tests.unit.drivers.checkpoint.session import TEXTS, check, material, result

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.model import RoleState, WorkerQuestion
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

PASS, WARN, FAIL = CheckVerdict.PASS, CheckVerdict.WARN, CheckVerdict.FAIL
UNDECIDED = CheckVerdict.UNDECIDED
BRIEF = "spec/product-brief.md"


def test_the_artifacts_of_the_shop_are_there() -> None:
    found = result("artifacts_exist", material())
    assert (found.verdict, found.note) == (PASS, "5 artifacts there.")


def test_a_missing_artifact_is_a_warning_with_its_path() -> None:
    wanted: dict[str, tuple[str, ...]] = {"DRAFT-001": (BRIEF, "spec/lost.md")}
    found = result("artifacts_exist", replace(material(), expected=wanted))
    assert (found.verdict, found.note) == (WARN, "Missing: spec/lost.md.")


def test_a_role_state_says_which_artifact_its_task_left() -> None:
    roles = {"writer": RoleState(task="DRAFT-001", ref="spec/lost.md"), "x": RoleState(task="Y")}
    found = result("artifacts_exist", replace(material(), roles=roles))
    assert (found.verdict, found.note) == (WARN, "Missing: spec/lost.md.")


def test_without_a_role_state_an_artifact_of_the_task_is_enough() -> None:
    found = result("artifacts_exist", material({"artifacts/DRAFT-001.md": "x"}))
    assert (found.verdict, found.note) == (
        WARN,
        "Missing: an artifact of DRAFT-002 (no file **/DRAFT-002*, and no ref of its owner).",
    )


def test_many_missing_artifacts_are_counted() -> None:
    wanted = {"DRAFT-001": tuple(f"{n}.md" for n in range(7))}
    found = result("artifacts_exist", replace(material(), expected=wanted))
    assert found.note == "Missing: 0.md, 1.md, 2.md, 3.md, 4.md and 2 more."


def test_an_artifact_that_was_not_read_to_its_end_is_a_warning() -> None:
    found = result("artifacts_exist", material({**TEXTS, BRIEF: "\n" * 30_000}))
    assert (found.verdict, found.note) == (WARN, f"Too large to be read to the end: {BRIEF}.")


@pytest.mark.parametrize(
    ("scores", "verdict", "note"),
    [
        ((85, 75), PASS, "2 scores, none degrading."),
        ((85, 74.9), FAIL, "spec/requirements.md has 74.9 after 85 of spec/product-brief.md."),
        ((85,), PASS, "1 score, none degrading."),
        ((), UNDECIDED, "No artifact and no role state has a score of its own."),
    ],
)
def test_scores_may_not_fall_by_more_than_ten(
    scores: tuple[float, ...], verdict: CheckVerdict, note: str
) -> None:
    paths = [BRIEF, "spec/requirements.md"]
    told = {path: f"Self-score: {it}" for path, it in zip(paths, scores, strict=False)}
    found = result("self_scores", material(told, "CHECKPOINT-002"))
    assert (found.verdict, found.note) == (verdict, note)
    assert bool(found.citations) is (verdict is FAIL)


def test_scores_are_put_in_the_order_of_the_tasks_and_the_last_of_an_artifact_counts() -> None:
    told = {"spec/requirements.md": "Self-score: 20\nSelf-score: 80", BRIEF: "Self-score: 85"}
    assert result("self_scores", material(told)).verdict is PASS
    assert result("self_scores", material(told), drop=1).verdict is FAIL


def test_a_role_state_has_the_score_where_the_artifact_has_none() -> None:
    roles = {"a": RoleState(task="DRAFT-001", score=90_000), "b": RoleState(task="DRAFT-002")}
    told = {BRIEF: "x", "spec/requirements.md": "Self-score: 20"}
    found = result("self_scores", replace(material(told), roles=roles))
    assert found.note == "spec/requirements.md has 20 after 90 of spec/product-brief.md."


def test_critical_questions_fail_and_unclear_ones_are_asked() -> None:
    assert result("open_questions", material()).verdict is PASS
    critical = result("open_questions", material({"a.md": "## Open Questions\n- DB? (blocking)\n"}))
    assert (critical.verdict, critical.note) == (FAIL, "Critical and open: DB? (blocking)")
    assert critical.citations[0].line == 2
    asked = check("open_questions", material({"a.md": "## Open Questions\n- DB?\n"}))
    assert isinstance(asked, WorkerQuestion)
    assert asked.why.endswith("how much depends on it: DB?")


def test_wisdom_is_judged_if_there_is_any() -> None:
    assert result("wisdom_agrees", material()).verdict is UNDECIDED
    told = replace(material(), wisdom={"wisdom/issues.md": "- be careful"})
    assert isinstance(check("wisdom_agrees", told), WorkerQuestion)
