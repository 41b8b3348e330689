"""What a step's config becomes: words for the role, and gates that measure."""

import pytest
from tests.unit.definitions.workflows.flows import GATES, Flows

FILE = ".supervisor/workflows/flow.yaml"


def test_the_words_for_the_role(flows: Flows) -> None:
    child = """\
extends: standard
steps:
  implement:
    context_scope: component_only
    outputs: [code, notes]
    config:
      tdd: true
      add_docstrings: true
      skip_edge_cases: true
      test_types: [unit, contract]
      min_tests_per_component: 2
  review:
    config: {test_types: [injection]}
"""
    flow = flows.load(flow=child)
    words = flow.step("implement").instructions
    for part in (
        *("test first", "docstring", "rare ones", "unit, contract", "at least 2 tests"),
        *("inside your component", "code, notes"),
    ):
        assert part in words
    assert flow.step("implement").outputs == ("code", "notes")
    assert flow.step("review").instructions == "Test for: injection."


def test_switches_that_are_off_say_nothing(flows: Flows) -> None:
    child = (
        "extends: standard\nsteps: {implement: {config: {tdd: false}, context_scope: project}}\n"
    )
    assert flows.load(flow=child).step("implement").instructions == ""


def test_coverage_is_measured_behind_the_gate_of_the_step(flows: Flows) -> None:
    child = (
        "extends: standard\nsteps: {implement: {config: {coverage: 95, unit_test_coverage: 80}}}\n"
    )
    flow = flows.load(flow=child)
    assert flow.path[1:5] == ["implement", "test", "implement_coverage", "review"]
    assert flow.arrows("implement_coverage") == ("review", "implement", None)
    assert flow.gate("implement_coverage").command == ("measure", "--least=95")


def test_coverage_without_a_gate_before_it(flows: Flows) -> None:
    child = "extends: mvp\nsteps: {implement: {config: {unit_test_coverage: 70}}}\n"
    flow = flows.load(flow=child)
    assert flow.path[1:4] == ["implement", "implement_coverage", "quick_review"]
    assert flow.gate("implement_coverage").command == ("measure", "--least=70")


def test_coverage_needs_a_gate_that_can_be_told(flows: Flows) -> None:
    child = "extends: standard\nsteps: {implement: {config: {coverage: 95}}}\n"
    flows.config = ""
    assert flows.mistakes(flow=child) == [
        f"{FILE}:2: steps.implement.config.coverage: no gate 'coverage' is configured; write into "
        'the config: gates: {coverage: {command: "pytest --cov --cov-fail-under={coverage}"}}'
    ]
    flows.config = "gates: {coverage: {command: [measure]}}\n"
    notes = flows.load(flow=child).loaded.notes
    assert any("does not say {coverage}, so 95 % is not told to it" in note for note in notes)


def test_a_gate_that_needs_a_number_gets_one(flows: Flows) -> None:
    child = "extends: standard\nsteps: {test: {gate: coverage}}\n"
    [line] = flows.mistakes(flow=child)
    assert line.endswith("needs a number for {coverage}; say `config: {coverage: 80}` at a step")


def test_tests_are_counted_by_the_gate_that_follows(flows: Flows) -> None:
    child = "extends: standard\nsteps: {implement: {config: {min_tests_per_component: 5}}}\n"
    assert flows.load(flow=child).gate("test").min_tests_each == 5


def test_tests_are_counted_by_a_gate_of_their_own(flows: Flows) -> None:
    child = "extends: mvp\nsteps: {implement: {config: {min_tests_per_component: 5}}}\n"
    flow = flows.load(flow=child)
    assert flow.path[1:4] == ["implement", "implement_tests", "quick_review"]
    assert (flow.gate("implement_tests").name, flow.gate("implement_tests").min_tests_each) == (
        "test",
        5,
    )


@pytest.mark.parametrize(
    ("config", "made"), [("coverage: 80", "write_coverage"), ("min_tests_per_component: 2", None)]
)
@pytest.mark.parametrize("end", ["", ", terminal: true"])
def test_the_last_step_of_the_file_ends_the_run(
    flows: Flows, config: str, made: str | None, end: str
) -> None:
    own = f"""\
steps:
  write: {{role: implementer, config: {{{config}}}, next: save}}
  save: {{type: commit{end}}}
"""
    flow = flows.load(flow=own)
    assert flow.path == ["write", made or "write_tests", "save"]
    assert flow.step("save").terminal


def test_a_step_before_the_last_still_says_what_follows(flows: Flows) -> None:
    own = """\
steps:
  write: {role: implementer, config: {coverage: 80}, next: save}
  save: {type: commit}
  look: {type: human_gate}
"""
    [line] = flows.mistakes(flow=own)
    assert line.startswith(f"{FILE}:3: steps.save.next: is missing")


def test_a_measured_step_may_be_the_last(flows: Flows) -> None:
    flow = flows.load(flow="steps: {write: {role: implementer, config: {coverage: 80}}}\n")
    assert flow.path == ["write", "write_coverage"]
    assert flow.step("write_coverage").terminal
    assert not flow.step("write").terminal


def test_the_last_step_of_a_parent_ends_the_run(flows: Flows) -> None:
    parent = "steps: {write: {role: implementer, next: look}, look: {type: human_gate}}\n"
    child = "extends: _parent\nsteps: {write: {config: {coverage: 80}}}\n"
    flow = flows.load(flow=child, _parent=parent)
    assert flow.path == ["write", "write_coverage", "look"]
    assert flow.step("look").terminal


def test_a_roles_own_minimum_is_counted_too(flows: Flows) -> None:
    gate = flows.load("with_test_engineer").gate("integration_test_gate")
    assert (gate.min_tests_each, gate.judges) == (3, "integration_tests")


def test_a_roles_own_coverage_is_measured(flows: Flows) -> None:
    flow = flows.load("with_test_engineer")
    assert flow.arrows("integration_tests_coverage") == ("review", "integration_tests", None)
    assert flow.gate("integration_tests_coverage").command == ("measure", "--least=70")


def test_a_roles_own_coverage_without_a_gate_is_left_out_with_a_note(flows: Flows) -> None:
    flows.config = ""
    own = "steps:\n  write: {role: test_engineer, next: save}\n  save: {type: commit}\n"
    flow = flows.load(flow=own)
    assert flow.path == ["write", "save"]
    [note] = flow.loaded.notes
    assert "asks for 70 % coverage, and no gate 'coverage' is configured" in note


def test_the_config_of_a_child_is_laid_over_its_parents(flows: Flows) -> None:
    flow = flows.load(flow="extends: enterprise\nsteps: {implement: {config: {coverage: 95}}}\n")
    assert "test first" in flow.step("implement").instructions
    assert flow.gate("implement_coverage").command == ("measure", "--least=95")


def test_a_retry_policy_is_a_name_or_a_number_of_attempts(flows: Flows) -> None:
    child = """\
extends: standard
steps:
  plan: {retry_policy: aggressive}
  implement: {retry_policy: {max_attempts: 4, on_failure: ask_human}}
"""
    flow = flows.load(flow=child)
    assert (flow.step("plan").retry_policy, flow.step("plan").max_retries) == ("aggressive", None)
    assert flow.step("implement").max_retries == 3
    wrong = """\
extends: standard
steps:
  plan: {retry_policy: agressive}
  implement: {max_retries: 1, retry_policy: {max_attempts: 4}}
  review: {retry_policy: [a]}
"""
    assert [line.split(": ", 2)[1] for line in flows.mistakes(flow=wrong)] == [
        *("steps.plan.retry_policy", "steps.implement.max_retries", "steps.review.retry_policy"),
    ]


def test_numbers_out_of_reach(flows: Flows) -> None:
    flows.config = GATES
    child = "extends: standard\nsteps: {implement: {config: {coverage: 120, tdd: maybe}}}\n"
    assert flows.mistakes(flow=child) == [
        f"{FILE}:2: steps.implement.config.coverage: must be at most 100, found 120",
        f"{FILE}:2: steps.implement.config.tdd: must be true or false, found 'maybe'",
    ]
