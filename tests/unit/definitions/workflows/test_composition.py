"""The project's config takes a template and says what is different."""

from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import GATES, Flows

COMPOSED = """\
workflow:
  template: enterprise
  overrides:
    implement:
      role: implementer_fast
      config: {coverage: 95}
    risk_validation:
      position: after integration_test_gate
      command: [check, risk]
      next: security_review
      on_fail: implement
  disable: [security_review]
"""
CONFIG = ".supervisor/config.yaml"


def test_a_template_with_overrides_and_without_a_step(flows: Flows) -> None:
    flows.config = GATES + COMPOSED
    flow = flows.load(None)
    assert flow.loaded.definition.workflow.name == "enterprise"
    assert flow.arrows("integration_tests_coverage")[0] == "risk_validation"
    assert flow.arrows("risk_validation") == ("code_review", "implement", None)
    assert flow.step("implement").role == "implementer_fast"
    assert flow.gate("implement_coverage").command == ("measure", "--least=95")
    assert "test first" in flow.step("implement").instructions


def test_its_commands_are_a_matter_of_trust(flows: Flows) -> None:
    flows.config = GATES + COMPOSED
    powers = {it.key: it.value for it in flows.catalog().powers(COMMIT)}
    assert powers["workflow.overrides.risk_validation.command"] == '["check", "risk"]'


def test_overrides_of_a_file_are_a_matter_of_trust_too(flows: Flows) -> None:
    text = "extends: standard\noverrides: {test: {command: [evil]}}\n"
    flow = flows.load(flow=text)
    assert flow.gate("test").command == ("evil",)
    assert "overrides.test.command" in {it.key for it in flow.loaded.powers}


def test_a_plain_name_is_still_a_name(flows: Flows) -> None:
    flows.config = "workflow: mvp\n"
    assert flows.load(None).path[-2:] == ["quick_review", "commit"]
    flows.config = "workflow: {template: mvp}\n"
    assert flows.load(None).path[-2:] == ["quick_review", "commit"]


def test_it_is_laid_over_the_projects_own_file(flows: Flows) -> None:
    flows.config = "workflow: {template: mvp, disable: [quick_review]}\n"
    flow = flows.load(None, mvp="extends: mvp\nsteps: {plan: {role: tech_lead}}\n")
    assert (flow.path, flow.step("plan").role) == (["plan", "implement", "commit"], "tech_lead")


def test_mistakes_have_their_place_in_the_config(flows: Flows) -> None:
    flows.config = """\
workflow:
  template: enterprize
  overrides:
    implement: {roll: x}
  disable: [nothing]
"""
    assert flows.mistakes(None) == [
        f"{CONFIG}:3: workflow.template: unknown workflow 'enterprize'; did you mean 'enterprise'?",
        f"{CONFIG}:5: workflow.overrides.implement.roll: unknown key; did you mean 'role'?",
    ]
    said = "disable: [nothing], overrides: {x: {next: y}}"
    flows.config = f"workflow: {{template: standard, {said}}}\n"
    found = flows.mistakes(None)
    assert [line.split(": ", 2)[1] for line in found] == [
        *("workflow.disable[0]", "workflow.overrides.x.type"),
    ]
