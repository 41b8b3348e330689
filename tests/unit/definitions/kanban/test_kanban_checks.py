"""What an Implementor's work has to pass."""

from tests.unit.definitions.kanban.board import Board

from supervisor_ai.domain.run.gates import Area, GateKind, GatePolicy

GATES = """\
gates:
  lint: {command: lint}
  types: {command: types, depends_on: [lint]}
  slow: {command: slow, enabled: false}
"""


def names(board: Board, config: str, *steps: str) -> list[list[str]]:
    pinned = board.load(config)
    return [[gate.name for gate in pinned.gates(step)] for step in steps]


def test_guards_stand_behind_the_implementor_alone(board: Board) -> None:
    pinned = board.load()
    [files, tests] = pinned.gates("implementor-guard")
    assert (files.kind, files.policy) == (GateKind.AUTO_RUN_FILES, GatePolicy.ASK)
    assert (tests.kind, tests.policy) == (GateKind.TEST_INTEGRITY, GatePolicy.FEEDBACK)
    assert pinned.step("implementor-guard").asks_at_last
    assert [name for name in pinned.path if name.endswith("-guard")] == ["implementor-guard"]


def test_guards_follow_the_settings(board: Board) -> None:
    off = "gates: {auto_run_files: {enabled: false}, test_integrity: {enabled: false}}\n"
    assert board.load(off).step("implementor").next == "test"
    board.write({"roles/implementor.yaml": "config: {tdd: true}\nmay_change: [snapshots]\n"})
    pinned = board.load()
    found = pinned.gates("implementor-guard")
    assert found[-1].kind is GateKind.RED_BEFORE_GREEN
    assert {gate.may_change for gate in found} == {(Area.SNAPSHOTS,)}


def test_the_gates_are_those_of_the_default_workflow(board: Board) -> None:
    pinned = board.load("gates: {lint: {command: lint}, test: {command: pytest, min_tests: 3}}\n")
    assert pinned.path[4:7] == ["test", "lint", "land-task"]
    [test] = pinned.gates("test")
    assert (test.command, test.min_tests) == (("pytest",), 3)
    for name in ("test", "lint"):
        assert pinned.step(name).on_fail == "implementor"


FLOW = """\
steps:
  plan: {role: planner, next: work}
  work: {role: implementer, next: manager}
  manager: {gates: [types, lint, changelog], next: test, on_fail: work, max_retries: 1, timeout: 9s}
  test: {gate: test, next: again, on_fail: work}
  again: {gate: test, next: commit, on_fail: work}
  commit: {type: commit}
"""


def test_each_command_gate_comes_once_and_in_its_order(board: Board) -> None:
    board.write({"workflows/flow.yaml": FLOW})
    pinned = board.load(f"workflow: flow\n{GATES}")
    assert pinned.path[4:7] == ["manager_2", "test", "land-task"]
    step = pinned.step("manager_2")
    assert step.checks == ("manager_2/lint", "manager_2/types")
    assert (step.next, step.on_fail, step.max_retries) == ("test", "implementor", 1)
    assert [gate.depends_on for gate in pinned.gates("manager_2")] == [(), ("manager_2/lint",)]


def test_what_a_gate_depended_on_may_be_no_command(board: Board) -> None:
    flow = FLOW.replace("[types, lint, changelog]", "[types, changelog]")
    board.write({"workflows/flow.yaml": flow})
    gates = "gates: {types: {command: types, depends_on: [changelog]}}\n"
    pinned = board.load(f"workflow: flow\n{gates}")
    [types] = pinned.gates("manager_2")
    assert (types.name, types.depends_on) == ("types", ())


def test_gates_of_the_workflow_s_roles_are_among_them(board: Board) -> None:
    board.write({"roles/implementer.yaml": "gates: [{name: style, command: style}]\n"})
    assert board.load().path[4:7] == ["implement-style", "test", "land-task"]
    board.write({"roles/implementor.yaml": "gates: [{name: own, command: own}]\n"})
    pinned = board.load("kanban: {gates: [test]}\n")
    assert pinned.path[2:6] == ["implementor", "implementor-guard", "implementor-own", "test"]


def test_the_config_may_name_them(board: Board) -> None:
    config = f"{GATES}kanban: {{gates: [types, slow, test, lint]}}\n"
    assert board.load(config).path[4:7] == ["types", "test", "land-task"]
    assert names(board, config, "types", "test") == [["lint", "types"], ["test"]]
    apart = f"{GATES}kanban: {{gates: [lint, types]}}\n"
    assert names(board, apart, "lint", "types") == [["lint"], ["types"]]
    assert board.load("kanban: {gates: []}\n").step("implementor-guard").next == "land-task"


def test_a_default_workflow_that_lacks_a_gate_is_refused(board: Board) -> None:
    told = board.refusal("workflow: enterprise\n")
    assert "no gate " in told
    assert "`kanban: {gates: [...]}`" in told
    named = board.load("workflow: enterprise\nkanban: {gates: [test]}\n")
    assert named.path[4:6] == ["test", "land-task"]


def test_gates_that_cannot_judge_are_mistakes(board: Board) -> None:
    config = """\
gates:
  coverage: {command: "pytest --least={coverage}"}
kanban:
  gates: [test, claims, coverage, lint, tset, test]
"""
    assert board.refusal(config).splitlines()[1:] == [
        f"  .supervisor/config.yaml:5: kanban.gates[{number}]: {problem}"
        for number, problem in (
            (1, "the gate 'claims' compares lists of files, which nobody gives at a kanban"),
            (2, "the gate 'coverage' needs a number for {coverage}; write it into its command"),
            (
                3,
                "no gate 'lint' is configured; write into the config: "
                'gates: {lint: {command: "make lint"}}',
            ),
            (4, "unknown gate 'tset'; did you mean 'test'?"),
            (5, "names the gate 'test' twice"),
        )
    ]
