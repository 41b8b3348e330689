"""Who must agree, by how complex a change is."""

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import Flows

from supervisor_ai.definitions.templates.approvers import MATRIX
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.gates import Complexity, GateKind, GatePolicy

FILE = ".supervisor/workflows/flow.yaml"


def review(words: str, more: str = "") -> str:
    return f"extends: standard\n{more}steps: {{review: {{{words}}}}}\n"


def test_each_level_names_who_is_needed(flows: Flows) -> None:
    words = "approvers: {simple: [reviewer], complex: [reviewer, security_auditor]}"
    loaded = flows.load(flow=review(words))
    step = loaded.step("review")
    assert step.approvers == {
        Complexity.SIMPLE: ("reviewer",),
        Complexity.MEDIUM: ("reviewer",),
        Complexity.COMPLEX: ("reviewer", "security_auditor"),
    }
    assert (step.crew, step.needed) == (("reviewer", "security_auditor"), None)
    assert set(loaded.loaded.definition.roles) >= {"reviewer", "security_auditor"}


def test_how_complex_a_change_is_a_guard_finds_out(flows: Flows) -> None:
    loaded = flows.load(flow=review("approvers: {simple: [reviewer]}"))
    gate = loaded.gate("implement-guard/complexity")
    assert (gate.kind, gate.policy, gate.command) == (GateKind.COMPLEXITY, GatePolicy.WARN, ())
    assert "implement-guard/complexity" not in flows.load("standard").loaded.definition.gates


def test_the_table_of_the_package(flows: Flows) -> None:
    step = flows.load(flow=review("approvers: matrix")).step("review")
    assert step.approvers == MATRIX
    assert step.crew == ("reviewer", "reviewer_gemini", "reviewer_codex", "security_auditor")


@pytest.mark.parametrize(
    ("rule", "needed"),
    [("all", None), ("BOTH_APPROVED", None), ("any", 1), ("1_of", 1), ("majority", 2)],
)
def test_the_rule_applies_to_those_who_are_needed(
    flows: Flows, rule: str, needed: int | None
) -> None:
    step = flows.load(flow=review(f"approvers: matrix, aggregate: {rule}")).step("review")
    assert step.needed == needed


def test_another_role_for_one_run_stands_alone(flows: Flows) -> None:
    catalog = flows.catalog(flow=review("approvers: matrix, aggregate: 1_of"))
    roles = {"review": "reviewer_codex"}
    definition = catalog.load(COMMIT, workflow="flow", cli=None, roles=roles).definition
    step = definition.workflow.steps[StepName("review")]
    assert (step.crew, step.approvers, step.needed) == (("reviewer_codex",), {}, None)


def test_one_reviewer_is_enough_where_reviews_are_not_parallel(flows: Flows) -> None:
    text = review("approvers: matrix", "settings: {parallel_reviews: false}\n")
    step = flows.load(flow=text).step("review")
    assert (step.crew, step.approvers) == (("reviewer",), {})


def test_two_must_agree_at_every_level(flows: Flows) -> None:
    two = "approvers: {simple: [reviewer, reviewer_codex]}"
    settings = "settings: {dual_review: true}\n"
    assert flows.load(flow=review(two, settings)).step("review").approvers
    assert "dual_review" in flows.mistakes(flow=review("approvers: matrix", settings))[0]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            "approvers: {simple: [reviewer], medium: [nobody_here]}",
            "approvers: IMPOSSIBLE_WAIT: (medium, complex) unknown role 'nobody_here'",
        ),
        (
            "approvers: {simple: [reviewer], complex: [tech_lead]}",
            "approvers: IMPOSSIBLE_WAIT: the role 'tech_lead' (complex) gives the answer 'plan'; "
            "only a review can agree",
        ),
        ("approvers: {complex: [reviewer]}", "approvers: has nobody for `simple`"),
        ("approvers: {table: matrix, simple: [reviewer]}", "approvers: is `matrix` and a table"),
        ("approvers: table", "approvers.table: must be 'matrix', found 'table'"),
        ("approvers: matrix, role: reviewer", "approvers: contradicts `role`; give one of the two"),
        ("approvers: matrix, roles: [reviewer]", "approvers: contradicts `roles`; give one"),
        ("approvers: matrix, parallel: false", "parallel: is false, but several roles"),
        (
            "approvers: matrix, aggregate: 2_of",
            "aggregate: IMPOSSIBLE_WAIT: asks 2 roles to agree, but simple has 1: reviewer",
        ),
        ("approvers: matrix, aggregate: 1_of_2", "aggregate: speaks of 2 roles, but simple has 1"),
        (
            "approvers: {simple: [reviewer, reviewer_codex, reviewer_gemini], complex: [reviewer, "
            "reviewer_codex, reviewer_gemini, security_auditor, security_auditor_external]}, "
            "aggregate: majority",
            "aggregate: is another number of roles at each level of `approvers`",
        ),
    ],
)
def test_who_would_be_waited_for_in_vain(flows: Flows, words: str, problem: str) -> None:
    found = flows.mistakes(flow=review(words))
    assert any(line.startswith(f"{FILE}:2: steps.review.{problem}") for line in found), found


def test_a_role_without_an_agent_is_told_before_the_run(flows: Flows) -> None:
    flows.config = "roles: {reviewer_gemini: {cli: mine}}\nclis: {mine: {adapter: other}}\n"
    with pytest.raises(InvalidInput) as caught:
        flows.load(flow=review("approvers: matrix"))
    assert (
        f"{FILE}:2: steps.review.approvers: IMPOSSIBLE_WAIT: the role 'reviewer_gemini' "
        "(medium, complex) has no agent: "
    ) in caught.value.message
