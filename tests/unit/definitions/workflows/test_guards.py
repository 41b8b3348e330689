"""What looks at every change that a role makes."""

from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import Flows

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.gates import Area, GateKind, GatePolicy

FLOW = """\
steps:
  plan: {role: planner, next: work}
  work: {role: implementer, next: commit, max_retries: 2, CONFIG}
  commit: {type: commit}
"""


def flow(config: str = "description: It works") -> str:
    return FLOW.replace("CONFIG", config)


def test_a_guard_stands_behind_every_step_that_writes(flows: Flows) -> None:
    loaded = flows.load(flow=flow())
    assert list(loaded.loaded.definition.workflow.steps) == [
        *("plan", "work", "work-guard", "commit"),
    ]
    step = loaded.step("work-guard")
    assert (step.kind, step.next, step.on_fail) == (StepKind.GATE, "commit", "work")
    assert (step.asks_at_last, step.max_retries) == (True, 2)
    assert step.description == (
        "What work reports and changes is looked at: claims, auto_run_files, test_integrity"
    )
    found = [loaded.gate(key) for key in step.checks]
    assert [(gate.name, gate.kind, gate.policy) for gate in found] == [
        ("claims", GateKind.CLAIMS, GatePolicy.FEEDBACK),
        ("auto_run_files", GateKind.AUTO_RUN_FILES, GatePolicy.ASK),
        ("test_integrity", GateKind.TEST_INTEGRITY, GatePolicy.FEEDBACK),
    ]
    assert not any(gate.command or gate.depends_on or gate.may_change for gate in found)


def test_test_first_is_checked_where_it_was_asked_for(flows: Flows) -> None:
    loaded = flows.load(flow=flow("config: {tdd: true}"))
    red = loaded.gate("work-guard/red_before_green")
    assert (red.kind, red.command) == (GateKind.RED_BEFORE_GREEN, ("make", "test"))
    assert red.judges == "work"
    flows.config = "gates: {test: {enabled: false}}\n"
    assert len(flows.load(flow=flow("config: {tdd: true}")).step("work-guard").checks) == 3
    flows.config = "gates: {test: {enabled: false}, red_before_green: {command: pytest}}\n"
    own = flows.load(flow=flow("config: {tdd: true}")).gate("work-guard/red_before_green")
    assert own.command == ("pytest",)


def test_guards_are_turned_off_and_down(flows: Flows) -> None:
    flows.config = "gates: {claims: {enabled: false}, test_integrity: {policy: warn}}\n"
    loaded = flows.load(flow=flow())
    assert loaded.step("work-guard").checks == (
        "work-guard/auto_run_files",
        "work-guard/test_integrity",
    )
    assert loaded.gate("work-guard/test_integrity").only_warns
    own = "gates: {auto_run_files: {enabled: false}}\n"
    assert flows.load(flow=own + flow()).step("work-guard").gate == "work-guard"
    none = "gates: {auto_run_files: {enabled: false}, test_integrity: {enabled: false}}\n"
    assert flows.load(flow=none + flow()).step("work").next == "commit"


def test_a_project_alone_does_not_silence_them(flows: Flows) -> None:
    flows.config = """\
gates:
  claims: {enabled: false}
  test_integrity: {on_fail: warn}
  auto_run_files: {policy: block}
  lint: {command: lint, policy: warn, env: {A: b}, allowed_writes: [x]}
"""
    own = "gates: {red_before_green: {policy: warn}}\n"
    powers = flows.catalog(flow=own + flow()).powers(COMMIT)
    assert [(it.file.rpartition("/")[2], it.line, it.key, it.value) for it in powers] == [
        ("config.yaml", 3, "gates.claims.enabled", '"false"'),
        ("config.yaml", 4, "gates.test_integrity.on_fail", '"warn"'),
        ("config.yaml", 6, "gates.lint.command", '["lint"]'),
        ("config.yaml", 6, "gates.lint.env.A", '"b"'),
        ("config.yaml", 6, "gates.lint.policy", '"warn"'),
        ("flow.yaml", 1, "gates.red_before_green.policy", '"warn"'),
    ]


def test_what_a_role_may_change_is_told_to_its_guard(flows: Flows) -> None:
    text = flow().replace("implementer", "test_engineer")
    loaded = flows.load(flow=text)
    assert loaded.gate("work-guard/test_integrity").may_change == (Area.TESTS, Area.SNAPSHOTS)
    flows.config = "roles: {test_engineer: {may_change: [ci]}}\n"
    loaded = flows.load(flow=text)
    assert loaded.gate("work-guard/test_integrity").may_change == (Area.CI,)
    assert loaded.loaded.definition.roles["test_engineer"].may_change == (Area.CI,)
    [power] = loaded.loaded.powers
    assert (power.key, power.value) == ("roles.test_engineer.may_change", '["ci"]')


def test_a_guard_that_a_file_names_knows_it_too(flows: Flows) -> None:
    text = """\
steps:
  work: {role: test_engineer, next: look}
  look: {gate: test_integrity, next: commit}
  commit: {type: commit}
"""
    loaded = flows.load(flow=text)
    assert loaded.step("look").on_fail == "work"
    assert loaded.gate("look").may_change == (Area.TESTS, Area.SNAPSHOTS)


def test_a_guard_finds_a_name_and_an_end(flows: Flows) -> None:
    text = "steps: {a: {role: implementer, next: a-guard}, a-guard: {role: implementer}}\n"
    steps = flows.load(flow=text).loaded.definition.workflow.steps
    assert list(steps) == ["a", "a-guard_2", "a-guard", "a-guard-guard"]
    assert steps[StepName("a-guard-guard")].terminal
