import json
from collections.abc import Mapping
from datetime import timedelta
from typing import cast

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT, CONFIG, NOWHERE, ProjectFiles

from supervisor_ai.control.ports.definitions import Catalog, Power, WorkflowSummary
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.worker_answers.reader import schema_text
from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Cli, Definition, Gate, Limits, StepKind
from supervisor_ai.engine.ports.workspaces import Repository

AGENT = "cli: a\nclis: {a: {adapter: command, command: [agent]}}\n"


def catalog(
    files: Mapping[str, str], adapters: frozenset[str] = frozenset({"command", "scripted"})
) -> FileCatalog:
    repository = cast("Repository", ProjectFiles(files))
    return FileCatalog(repository, NOWHERE, adapters, missing=("claude", "codex", "gemini"))


def definition(config: str, *, workflow: str | None = None, **files: str) -> Definition:
    paths = {f".supervisor/workflows/{name}.yaml": text for name, text in files.items()}
    return catalog({CONFIG: config, **paths}).load(COMMIT, workflow=workflow, cli=None).definition


def refusal(config: str, *, cli: str | None = None, workflow: str = "standard") -> SupervisorError:
    with pytest.raises(SupervisorError) as caught:
        catalog({CONFIG: config}).load(COMMIT, workflow=workflow, cli=cli)
    return caught.value


def arrows(loaded: Definition) -> dict[str, tuple[str, str | None, str | None, str | None]]:
    return {
        step.name: (step.kind, step.next, step.on_fail, step.on_reject)
        for step in loaded.workflow.steps.values()
    }


def test_the_catalogue_fits_its_port() -> None:
    port: Catalog = catalog({})
    assert {"mvp", "standard"} < {summary.name for summary in port.workflows(COMMIT)}


def test_the_standard_workflow() -> None:
    loaded = definition(AGENT)
    assert loaded.workflow.name == "standard"
    assert loaded.workflow.initial_step == "plan"
    assert arrows(loaded) == {
        "plan": ("role", "implement", None, None),
        "implement": ("role", "implement-guard", None, None),
        "implement-guard": ("orchestrator_gate", "test", "implement", None),
        "test": ("orchestrator_gate", "review", "implement", None),
        "review": ("role", "commit", None, "implement"),
        "commit": ("commit", None, None, None),
    }
    steps = loaded.workflow.steps
    assert [steps[StepName(name)].max_retries for name in ("test", "review")] == [3, 3]
    assert steps[StepName("commit")].terminal
    assert {it for it in loaded.gates if "/" not in it} == {"test"}
    assert loaded.gates["test"] == Gate(
        name="test", command=("make", "test"), timeout=timedelta(minutes=45), counts_tests=True
    )
    writers = {role.name: (role.answer, role.writes) for role in loaded.roles.values()}
    assert writers == {
        "planner": (AnswerKind.PLAN, False),
        "implementer": (AnswerKind.IMPLEMENTATION, True),
        "reviewer": (AnswerKind.REVIEW, False),
    }
    assert loaded.limits == Limits()


def test_the_mvp_workflow_has_no_test_gate() -> None:
    loaded = definition(AGENT, workflow="mvp")
    assert arrows(loaded) == {
        "plan": ("role", "implement", None, None),
        "implement": ("role", "implement-guard", None, None),
        "implement-guard": ("orchestrator_gate", "quick_review", "implement", None),
        "quick_review": ("role", "commit", None, "implement"),
        "commit": ("commit", None, None, None),
    }
    assert not any(gate.command for gate in loaded.gates.values())
    assert set(loaded.roles) == {"planner", "implementer_fast", "reviewer_codex"}


def test_the_shape_and_the_keys_of_older_workflows() -> None:
    flow = """
workflow:
  initial_step: plan
  steps:
    plan: {role: planner, next: plan_review}
    plan_review:
      role: reviewer_gemini
      next: implement
      gate: "REVIEW_STATUS: APPROVED"
      on_reject: plan
    implement: {role: implementer, next: test}
    test:
      gate_type: orchestrator
      command: "make test"
      next: ask
      on_fail: implement
      max_retries: 3
    ask: {type: human_gate, next: commit, on_reject: implement}
    commit: {gate_type: orchestrator, command: "git commit", terminal: true}
"""
    loaded = definition(AGENT, workflow="seed", seed=flow)
    assert arrows(loaded) == {
        "plan": ("role", "plan_review", None, None),
        "plan_review": ("role", "implement", None, "plan"),
        "implement": ("role", "implement-guard", None, None),
        "implement-guard": ("orchestrator_gate", "test", "implement", None),
        "test": ("orchestrator_gate", "ask", "implement", None),
        "ask": ("human_gate", "commit", None, "implement"),
        "commit": ("commit", None, None, None),
    }


def test_a_last_step_called_commit_commits_and_ends() -> None:
    flow = "steps: {plan: {role: planner, next: commit}, commit: {type: orchestrator_gate}}\n"
    step = definition(AGENT, workflow="f", f=flow).workflow.steps[StepName("commit")]
    assert (step.kind, step.terminal) == (StepKind.COMMIT, True)


def test_every_gate_step_has_its_own_gate() -> None:
    config = AGENT + "gates: {test: {command: pytest -q, timeout: 10m}}\n"
    flow = """
steps:
  test: {command: make quick, next: plain}
  plain: {gate: test, next: patient}
  patient: {type: orchestrator_gate, gate: test, timeout: 2h}
"""
    loaded = definition(config, workflow="f", f=flow)
    gates = {name: loaded.gates[step.gate or ""] for name, step in loaded.workflow.steps.items()}
    quick, pytest_words = ("make", "quick"), ("pytest", "-q")
    assert gates == {
        name: Gate(name="test", command=command, timeout=timeout, counts_tests=True)
        for name, command, timeout in (
            ("test", quick, timedelta(minutes=45)),
            ("plain", pytest_words, timedelta(minutes=10)),
            ("patient", pytest_words, timedelta(hours=2)),
        )
    }


def test_settings_of_the_project() -> None:
    config = """
workflow: mvp
cli: a
clis:
  a: {adapter: command, command: python3 'my agent.py', env: {MODE: fast}}
  b: {adapter: scripted, script: scripts/b.yaml}
limits:
  step_timeout: 10m
  step_max_retries: 0
  workflow_max_steps: 7
  workflow_timeout: 2h
  output_bytes: 4096
roles:
  planner: {cli: b, timeout: 90, max_retries: 0}
sandbox:
  ro_paths: [/opt/tools]
"""
    files = {CONFIG: config, "scripts/b.yaml": "z: [1, {b: yes}]\na: true\n"}
    loaded = catalog(files).load(COMMIT, workflow=None, cli=None).definition
    assert loaded.workflow.name == "mvp"
    command = ("python3", "my agent.py")
    assert loaded.clis == {
        "a": Cli(name="a", adapter="command", command=command, environment={"MODE": "fast"}),
        "b": Cli(name="b", adapter="scripted", script='{"a":true,"z":[1,{"b":"yes"}]}'),
    }
    planner = loaded.roles["planner"]
    assert (planner.cli, planner.timeout, planner.max_retries) == ("b", timedelta(seconds=90), 0)
    assert loaded.roles["reviewer_codex"].cli == "a"
    assert loaded.sandbox.ro_paths == ("/opt/tools",)
    assert loaded.limits == Limits(
        step_timeout=timedelta(minutes=10),
        step_max_retries=0,
        workflow_max_steps=7,
        workflow_timeout=timedelta(hours=2),
        output_bytes=4096,
    )


def test_a_section_with_nothing_in_it_is_as_if_it_were_not_there() -> None:
    assert definition(AGENT + "gates:\nlimits:\n  step_timeout:\n").limits == Limits()


def test_the_flag_wins_over_all_settings() -> None:
    config = """
cli: a
clis: {a: {adapter: command, command: x}, b: {adapter: command, command: y}}
roles: {planner: {cli: a}}
"""
    loaded = catalog({CONFIG: config}).load(COMMIT, workflow="standard", cli="b").definition
    assert {role.cli for role in loaded.roles.values()} == {"b"}
    assert set(loaded.clis) == {"b"}


def test_an_adapter_that_needs_no_configuration_is_an_agent_by_its_name() -> None:
    adapters = frozenset({"command", "scripted", "claude"})
    loaded = catalog({}, adapters).load(COMMIT, workflow="standard", cli=None)
    assert loaded.definition.clis == {"claude": Cli(name="claude", adapter="claude")}


def test_templates_are_whole_and_hold_the_schema() -> None:
    template = definition(AGENT).roles["reviewer"].template
    assert "{% include" not in template
    schema = json.loads(schema_text(AnswerKind.REVIEW))
    inlined = template.partition("```schema\n{% raw %}")[2].partition("{% endraw %}")[0]
    assert json.loads(inlined) == schema


def test_no_agent_at_all() -> None:
    error = refusal("")
    assert isinstance(error, InvalidInput)
    assert error.message == snapshot("No agent is chosen for the role 'planner'.")
    assert error.hint == snapshot("""\
Write these two lines into .supervisor/config.yaml and commit it:
  cli: my_agent
  clis: {my_agent: {adapter: command, command: ["python3", "tools/agent.py"]}}\
""")


def test_the_two_lines_of_the_hint_work() -> None:
    hint = refusal("").hint or ""
    lines = hint.splitlines()[1:]
    config = "\n".join(line.removeprefix("  ") for line in lines)
    assert definition(config).clis["my_agent"].command == ("python3", "tools/agent.py")


def test_agents_but_none_chosen() -> None:
    error = refusal("clis: {a: {adapter: command, command: x}}\n")
    assert isinstance(error, InvalidInput)
    assert error.hint == snapshot("Choose one with --cli or `cli:` in the config: a.")


def test_an_unknown_agent() -> None:
    config = "clis: {my_agent: {adapter: command, command: x}, b: {adapter: command, command: y}}\n"
    error = refusal(config, cli="my_agnt")
    assert isinstance(error, NotFound)
    assert error.message == snapshot("CLI 'my_agnt' was asked for, but it is not configured.")
    assert error.hint == snapshot("Did you mean 'my_agent'? Configured: b, my_agent.")


def test_an_adapter_of_another_version() -> None:
    error = refusal("cli: me\nclis:\n  me: {adapter: claude}\n")
    assert isinstance(error, InvalidInput)
    assert error.message == snapshot(
        ".supervisor/config.yaml:3: clis.me.adapter: the adapter 'claude' is not available "
        "in this version, which has command, scripted."
    )
    assert error.hint == snapshot(
        "Configure the agent as a command that reads the prompt from its standard input: "
        'me: {adapter: command, command: ["python3", "tools/agent.py"]}'
    )


def test_an_unknown_workflow() -> None:
    error = refusal(AGENT, workflow="standardx")
    assert isinstance(error, NotFound)
    assert error.message == snapshot(
        "Workflow 'standardx' was asked for, but there is no such workflow."
    )
    assert error.hint == snapshot(
        "Did you mean 'standard'? Workflows: double_review, enterprise, mvp, open_source, "
        "security_critical, standard, with_test_engineer."
    )


def test_workflows_are_listed_with_their_origin() -> None:
    own = "description: Ours\nsteps: {plan: {role: planner}}\n"
    files = {
        ".supervisor/workflows/standard.yaml": own,
        ".supervisor/workflows/x.yaml": own,
        ".supervisor/workflows/old/x.yaml": "not read",
    }
    shown = {"mvp", "standard", "x"}
    assert [it for it in catalog(files).workflows(COMMIT) if it.name in shown] == [
        WorkflowSummary(
            name="mvp",
            description="Fast iteration for prototypes, without a test gate",
            origin="built-in",
        ),
        WorkflowSummary(name="standard", description="Ours", origin="project"),
        WorkflowSummary(name="x", description="Ours", origin="project"),
    ]


def test_powers_are_every_key_that_widens_what_runs_may_do() -> None:
    config = """\
cli: a
clis:
  a:
    adapter: command
    command: python3 agent.py
    env:
      TRICK: "a\\e[31m\\u202eb"
  b:
    adapter: scripted
    script: b.yaml
gates:
  test:
    command: make test
    known_red: [test_net]
limits: {step_timeout: 5m}
sandbox:
  ro_paths:
    - /opt
"""
    flow = """\
steps:
  lint:
    command: make lint
    next: commit
  commit: {type: orchestrator_gate, command: git commit}
"""
    files = {CONFIG: config, ".supervisor/workflows/f.yaml": flow, "b.yaml": "x: 1"}
    powers = catalog(files).powers(COMMIT)
    flow_file = ".supervisor/workflows/f.yaml"
    assert powers == (
        Power(file=CONFIG, line=5, key="clis.a.command", value='["python3", "agent.py"]'),
        Power(file=CONFIG, line=7, key="clis.a.env.TRICK", value='"a\\u001b[31m\\u202eb"'),
        Power(file=CONFIG, line=10, key="clis.b.script", value='"b.yaml"'),
        Power(file=CONFIG, line=13, key="gates.test.command", value='["make", "test"]'),
        Power(file=CONFIG, line=14, key="gates.test.known_red", value='["test_net"]'),
        Power(file=CONFIG, line=17, key="sandbox.ro_paths", value='["/opt"]'),
        Power(file=flow_file, line=3, key="steps.lint.command", value='["make", "lint"]'),
    )
    assert catalog(files).load(COMMIT, workflow="mvp", cli=None).powers == powers


def test_a_project_without_definitions_asks_for_no_trust() -> None:
    assert catalog({}).powers(COMMIT) == ()


LESS_EVIDENCE = """\
baseline: off
harness:
  files: ["qa/**"]
  product: ["tests/**"]
gates:
  test: {min_tests: 1}
"""


def asked(config: str) -> list[tuple[str, str]]:
    return [(it.key, it.value) for it in catalog({CONFIG: config}).powers(COMMIT)]


def test_a_project_that_wants_less_evidence_asks_the_user() -> None:
    assert asked(LESS_EVIDENCE) == [
        ("baseline", '"off"'),
        ("harness.files", '["qa/**"]'),
        ("harness.product", '["tests/**"]'),
        ("gates.test.min_tests", "1"),
    ]
    assert asked("baseline: note\n") == [("baseline", '"note"')]


@pytest.mark.parametrize("said", ["ask", "stop", "null"])
def test_a_project_that_wants_no_less_evidence_asks_for_nothing(said: str) -> None:
    assert asked(f"baseline: {said}\nharness: {{files: []}}\n") == []


def test_a_role_of_a_project_loosens_no_gate_unasked() -> None:
    gates = "gates: [{name: test, min_tests: 2, policy: warn, enabled: false}]\n"
    files = {CONFIG: "", ".supervisor/roles/r.yaml": f"extends: implementer\n{gates}"}
    keys = [it.key for it in catalog(files).powers(COMMIT)]
    assert keys == ["gates[0].enabled", "gates[0].min_tests", "gates[0].policy"]
