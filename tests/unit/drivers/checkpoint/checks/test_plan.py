"""A plan is in order, says how large it is, and builds on decisions."""

import pytest
from tests.unit.drivers.checkpoint.session import TEXTS, material, result

from supervisor_ai.drivers.checkpoint.checks.model import CheckMaterial
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

PASS, WARN, FAIL = CheckVerdict.PASS, CheckVerdict.WARN, CheckVerdict.FAIL
UNDECIDED = CheckVerdict.UNDECIDED


def plan(text: str) -> CheckMaterial:
    return material({"plan.md": f"## Tasks\n{text}\n"}, "CHECKPOINT-003")


@pytest.mark.parametrize("rule", ["plan_graph", "complexity_fits", "plan_cites_decisions"])
def test_the_plan_of_the_shop_is_fine(rule: str) -> None:
    assert result(rule, material(TEXTS, "CHECKPOINT-003")).verdict is PASS


@pytest.mark.parametrize(
    ("text", "verdict", "note"),
    [
        ("- T1: a\n- T2: b, depends on T1", PASS, "2 tasks in order."),
        ("- T1: a\n- T2: b", PASS, "2 tasks in order."),
        ("- T1: a for REQ-1\n- T2: b, depends on PLAN-1", PASS, "2 tasks in order."),
        ("- T1: a, needs T2\n- T2: b, after T1", FAIL, "TASK-1 \u2192 TASK-2 \u2192 TASK-1"),
        ("- T1: a, needs T9", FAIL, "TASK-1: waits for TASK-9, which is no task."),
        ("- T1: a\n- T2: b, needs T1\n- T3: c", FAIL, "TASK-3: belongs to no other task"),
        ("- T1: a\n- T2: b, needs T1\n- T3: c (REQ-7)", PASS, "3 tasks in order."),
        ("- without an id", UNDECIDED, "No tasks with ids were found in a plan."),
        ("", UNDECIDED, "No tasks with ids were found in a plan."),
    ],
)
def test_cycles_and_orphans_are_found(text: str, verdict: CheckVerdict, note: str) -> None:
    found = result("plan_graph", plan(text))
    assert found.verdict is verdict
    assert note in found.note


def test_a_long_circle_is_shown_in_short_with_its_lines() -> None:
    lines = "".join(f"- T{n}: x, needs T{n % 20 + 1}\n" for n in range(1, 21))
    found = result("plan_graph", plan(lines))
    assert found.verdict is FAIL
    assert found.note.count("\u2192") == 8
    assert found.citations
    assert all(it.quote.startswith("- T") for it in found.citations)


@pytest.mark.parametrize(
    ("label", "modules", "verdict"),
    [
        ("low", 1, PASS),
        ("low", 2, PASS),
        ("low", 3, WARN),
        ("low", 5, FAIL),
        ("medium", 3, PASS),
        ("medium", 1, WARN),
        ("medium", 6, WARN),
        ("high", 5, PASS),
        ("high", 2, WARN),
        ("high", 1, FAIL),
    ],
)
def test_the_label_fits_the_modules(label: str, modules: int, verdict: CheckVerdict) -> None:
    told = {"plan.md": f"Complexity: {label}\n\nModules: {modules}\n"}
    found = result("complexity_fits", material(told))
    assert found.verdict is verdict
    assert found.note == f"Complexity {label} with {modules} module{'s' * (modules > 1)}."


@pytest.mark.parametrize(
    ("text", "note"),
    [("", "No artifact says how complex the work is."), ("Complexity: low", "which modules")],
)
def test_a_missing_label_decides_nothing(text: str, note: str) -> None:
    found = result("complexity_fits", material({"plan.md": text}))
    assert found.verdict is UNDECIDED
    assert note in found.note


def test_a_plan_that_cites_no_decision_fails() -> None:
    without = {**TEXTS, "spec/plan.md": TEXTS["spec/plan.md"].replace("ADR-1", "it")}
    found = result("plan_cites_decisions", material(without))
    assert (found.verdict, found.note) == (FAIL, "The plan names none of DEC-1, ADR-1, ADR-2.")
    assert len(found.citations) == 3


@pytest.mark.parametrize(
    ("told", "note"),
    [({}, "No decisions with ids"), ({"a.md": "- ADR-1: x"}, "No plan")],
)
def test_without_decisions_or_a_plan_nobody_knows(told: dict[str, str], note: str) -> None:
    found = result("plan_cites_decisions", material(told))
    assert found.verdict is UNDECIDED
    assert note in found.note
