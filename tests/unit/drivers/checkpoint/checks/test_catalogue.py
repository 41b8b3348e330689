"""The catalogue has the checks of the built-in checkpoints, each with all that it needs."""

import pytest
from tests.unit.drivers.checkpoint.session import checks_of

from supervisor_ai.drivers.checkpoint.checks.catalogue import ASK, CATALOGUE
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckKind


def test_each_checkpoint_has_its_matrix() -> None:
    found = {name: [it.id for it in checks_of(name)] for name in ("CHECKPOINT-001",)}
    every = ["role_errors", "recent_activity", "duplicate_spawns"]
    assert found["CHECKPOINT-001"] == [
        *("terminology", "goals_mapped", "requirements_in_scope", "decisions_agree"),
        *("artifacts_exist", *every),
    ]
    assert [it.id for it in checks_of("CHECKPOINT-002")] == [
        *("terminology", "decision_chain", "components_have_stories", "wisdom_agrees"),
        *("artifacts_exist", "self_scores", "open_questions", *every),
    ]
    assert [it.id for it in checks_of("CHECKPOINT-003")] == [
        *("must_haves_planned", "plan_cites_decisions", "artifacts_exist", "complexity_fits"),
        *("plan_graph", "execution_method", *every),
    ]


def test_what_is_judged_is_a_closed_list() -> None:
    judged = {it.rule for it in CATALOGUE.values() if it.kind is CheckKind.JUDGEMENT}
    assert judged == {
        *("requirements_in_scope", "decisions_agree", "decision_chain", "wisdom_agrees"),
        *("execution_method", ASK),
    }


@pytest.mark.parametrize("rule", CATALOGUE)
def test_each_check_says_what_it_is(rule: str) -> None:
    found = CATALOGUE[rule]
    assert found.title
    assert found.group in CheckGroup
    assert found.decide is not None or found.kind is CheckKind.JUDGEMENT
    assert found.question or found.decide is not None or rule == ASK
    assert found.fine or not found.checkpoints
    assert set(found.required) <= set(found.params)
