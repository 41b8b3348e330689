"""Goals have requirements, must-haves have tasks, components have stories."""

import pytest
from tests.unit.drivers.checkpoint.session import TEXTS, material, result

from supervisor_ai.drivers.checkpoint.score import CheckVerdict

BRIEF, NEEDS, PLAN = "spec/product-brief.md", "spec/requirements.md", "spec/plan.md"
PASS, WARN, FAIL = CheckVerdict.PASS, CheckVerdict.WARN, CheckVerdict.FAIL


def texts(**changed: str) -> dict[str, str]:
    return {f"{name}.md": text for name, text in changed.items()}


def test_every_goal_of_the_shop_has_a_requirement() -> None:
    found = result("goals_mapped", material())
    assert (found.verdict, found.note) == (PASS, "3 goals, each with a requirement.")


def test_a_goal_without_a_requirement_fails_with_its_line() -> None:
    changed = {**TEXTS, NEEDS: TEXTS[NEEDS].replace("| G3 |", "| |")}
    found = result("goals_mapped", material(changed))
    assert (found.verdict, found.note) == (FAIL, "No requirement for the goal G-3.")
    assert [(it.file, it.line) for it in found.citations] == [(BRIEF, 14)]
    assert found.citations[0].quote == "- **G3**: The owner sees every sale"


def test_a_matrix_of_goals_maps_them_as_well() -> None:
    told = texts(
        a="## Goals\n- G1: x\n", b="- REQ-1: y\n\n| Goal | By |\n|---|---|\n| G1 | REQ-1 |\n"
    )
    assert result("goals_mapped", material(told)).verdict is PASS


@pytest.mark.parametrize(
    ("goal", "requirement", "verdict"),
    [
        ("- Pay quickly by card", "- Card payments are taken quickly", PASS),
        ("- Pay quickly by card", "- Sales are exported", WARN),
        ("- Speed", "- Speed of all pages", PASS),
        ("- G1: Pay quickly by card", "- Card payments are taken quickly", PASS),
        ("- G1: Pay quickly by card", "- Sales are exported", FAIL),
        ("- an of", "- the", WARN),
    ],
)
def test_where_no_ids_connect_words_decide_and_their_lack_is_wrong_for_what_has_an_id(
    goal: str, requirement: str, verdict: CheckVerdict
) -> None:
    told = texts(a=f"## Goals\n{goal}\n", b=f"## Requirements\n{requirement}\n")
    assert result("goals_mapped", material(told)).verdict is verdict


def test_a_failure_names_what_has_no_id_too() -> None:
    told = texts(
        a="## Goals\n- G1: a\n- G2: b\n",
        b="## Objectives\n- Fly to the moon\n",
        c="- REQ-1: walk (G1)\n",
    )
    found = result("goals_mapped", material(told))
    assert found.note == "No requirement for the goal G-2, 'Fly to the moon'."


@pytest.mark.parametrize(
    ("rule", "told", "note"),
    [
        ("goals_mapped", {}, "No goals were found in the artifacts."),
        ("goals_mapped", texts(a="- G1: x"), "No requirements were found in the artifacts."),
        ("must_haves_planned", {}, "No must-have requirements were found in the artifacts."),
        ("must_haves_planned", texts(a="- R1 [must]"), "No tasks of a plan were found"),
        ("components_have_stories", {}, "No components were found in the artifacts."),
        ("components_have_stories", texts(a="- C1: x"), "No stories were found in the artifacts."),
    ],
)
def test_what_is_missing_decides_nothing(rule: str, told: dict[str, str], note: str) -> None:
    found = result(rule, material(told))
    assert found.verdict is CheckVerdict.UNDECIDED
    assert note in found.note


def test_must_haves_have_tasks_directly_or_by_a_story() -> None:
    assert result("must_haves_planned", material()).verdict is PASS
    without = {**TEXTS, "spec/plan.md": TEXTS["spec/plan.md"].replace("(US-2)", "")}
    found = result("must_haves_planned", material(without))
    assert (found.verdict, found.note) == (
        FAIL,
        "No task for the must-have requirement REQ-2.",
    )


def test_what_is_no_must_have_needs_no_task() -> None:
    told = texts(a="- REQ-1: pay [must]\n- REQ-2: export [could]\n", b="- TASK-1: REQ-1\n")
    assert result("must_haves_planned", material(told)).verdict is PASS


def test_components_have_stories_by_id_or_by_name() -> None:
    assert result("components_have_stories", material()).verdict is PASS
    named = texts(
        a="## Components\n- Order Store: keeps all\n- Mailer\n",
        b="- US-1: the order store keeps\n",
    )
    found = result("components_have_stories", material(named))
    assert (found.verdict, found.note) == (
        WARN,
        "Nothing tells of a story for the component 'Mailer'.",
    )


def test_many_are_counted() -> None:
    goals = "".join(f"- G{n}: x\n" for n in range(1, 10))
    told = texts(a=f"## Goals\n{goals}", b="- REQ-1: y (G1)\n")
    found = result("goals_mapped", material(told))
    assert found.note == "No requirement for the goal G-2, G-3, G-4, G-5, G-6 and 3 more."
    assert len(found.citations) == 8
