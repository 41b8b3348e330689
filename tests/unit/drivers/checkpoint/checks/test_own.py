"""Checks that a project adds by their names and parameters alone."""

import pytest
from tests.unit.drivers.checkpoint.session import material, result

from supervisor_ai.drivers.checkpoint.score import CheckVerdict

PASS, WARN, FAIL = CheckVerdict.PASS, CheckVerdict.WARN, CheckVerdict.FAIL
PLAN = "spec/plan.md"


@pytest.mark.parametrize(
    ("rule", "params", "verdict"),
    [
        ("artifact_exists", {"path": PLAN}, PASS),
        ("artifact_exists", {"path": "x.md"}, WARN),
        ("contains_heading", {"path": PLAN, "heading": "  tasks "}, PASS),
        ("contains_heading", {"path": PLAN, "heading": "Rollback"}, FAIL),
        ("contains_heading", {"path": "x.md", "heading": "Tasks"}, WARN),
        ("names_id", {"path": PLAN, "id": "REQ-1"}, PASS),
        ("names_id", {"path": PLAN, "id": "R77"}, FAIL),
        ("names_id", {"path": PLAN, "id": "no id"}, FAIL),
        ("names_id", {"path": "x.md", "id": "REQ-1"}, WARN),
    ],
)
def test_own_checks_look_at_files(rule: str, params: dict[str, str], verdict: CheckVerdict) -> None:
    assert result(rule, material(), **params).verdict is verdict
