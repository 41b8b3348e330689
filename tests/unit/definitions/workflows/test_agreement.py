"""Steps that several roles do, and the names that older files give to their gates."""

import pytest
from tests.unit.definitions.workflows.flows import Flows

FILE = ".supervisor/workflows/flow.yaml"
THREE = "roles: [reviewer, reviewer_codex, reviewer_gemini]"


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("parallel: true", None),
        ("aggregate: all", None),
        ("gate: BOTH_APPROVED", None),
        ("gate: BOTH_PASSED", None),
        ("aggregate: any", 1),
        ("aggregate: majority", 2),
        ("aggregate: {at_least: 3}", 3),
        ("aggregate: 2_of", 2),
        ("aggregate: 2_of_3", 2),
        ("aggregate: BOTH_APPROVED", None),
    ],
)
def test_how_many_must_agree(flows: Flows, words: str, needed: int | None) -> None:
    step = flows.load(flow=f"extends: standard\nsteps: {{review: {{{THREE}, {words}}}}}\n").step(
        "review"
    )
    assert step.crew == ("reviewer", "reviewer_codex", "reviewer_gemini")
    assert (step.role, step.needed) == (None, needed)


def test_a_list_of_one_role_is_that_role(flows: Flows) -> None:
    step = flows.load(flow="extends: standard\nsteps: {review: {roles: [reviewer_codex]}}\n").step(
        "review"
    )
    assert (step.role, step.roles) == ("reviewer_codex", ())


@pytest.mark.parametrize(
    "gate", ["structured_json_only", '"REVIEW_STATUS: APPROVED"', '"SECURITY_STATUS: PASSED"']
)
def test_the_answer_itself_is_the_gate(flows: Flows, gate: str) -> None:
    flow = flows.load(flow=f"extends: standard\nsteps: {{review: {{gate: {gate}}}}}\n")
    assert flow.step("review").gate is None


@pytest.mark.parametrize(
    ("words", "key", "problem"),
    [
        ("gate: LOOKS_GOOD", "gate", "make the gate a step of its own"),
        ("gate: BOTH_APPROVED", "gate", "'BOTH_APPROVED' needs several roles"),
        (f"{THREE}, gate: BOTH_PASSED, aggregate: any", "aggregate", "contradicts the gate"),
        (f"{THREE}, aggregate: {{at_least: 4}}", "aggregate", "asks 4 roles to agree, but"),
        (f"{THREE}, aggregate: 4_of", "aggregate", "asks 4 roles to agree, but"),
        (f"{THREE}, aggregate: 2_of_4", "aggregate", "speaks of 4 roles, but the step has 3"),
        (f"{THREE}, aggregate: most", "aggregate.rule", "must be all, any, majority or N_of such"),
        (f"{THREE}, aggregate: 0_of", "aggregate.rule", "must be all, any, majority or N_of such"),
        (f"{THREE}, parallel: false", "parallel", "always work side by side"),
        ("parallel: true", "parallel", "has no meaning for one role"),
        ("aggregate: any", "aggregate", "has no meaning for one role"),
        ("roles: [reviewer, reviewer]", "roles", "names a role twice"),
        ("roles: [reviewer, implementer], on_reject: plan", "roles", "names a role that writes"),
        ("role: reviewer, roles: [reviewer]", "roles", "contradicts `role`"),
        (f"{THREE}, aggregate: {{at_least: 0}}", "aggregate.at_least", "must be at least 1"),
        ("roles: [reviewer, nobody]", "roles", "unknown role 'nobody'"),
    ],
)
def test_what_cannot_agree(flows: Flows, words: str, key: str, problem: str) -> None:
    found = flows.mistakes(flow=f"extends: standard\nsteps: {{review: {{{words}}}}}\n")
    assert any(line.startswith(f"{FILE}:2: steps.review.{key}: ") for line in found)
    assert any(problem in line for line in found)
