"""What an Implementor's work has to pass."""

import pytest
from tests.unit.definitions.kanban.board import Board

from supervisor_ai.domain.run.gates import Area, GateKind, GatePolicy

GUARD = "implementor-guard"
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
    assert found[-1].kind == GateKind.RED_BEFORE_GREEN
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


def test_each_gate_comes_once_and_in_its_order(board: Board) -> None:
    board.write({"workflows/flow.yaml": FLOW})
    pinned = board.load(f"workflow: flow\n{GATES}")
    assert pinned.path[4:7] == ["manager_2", "test", "land-task"]
    step = pinned.step("manager_2")
    assert step.checks == ("manager_2/lint", "manager_2/changelog", "manager_2/types")
    assert (step.next, step.on_fail, step.max_retries) == ("test", "implementor", 1)
    needs = [gate.depends_on for gate in pinned.gates("manager_2")]
    assert needs == [(), (), ("manager_2/lint",)]


def test_a_gate_of_the_same_name_that_runs_something_else_is_another(board: Board) -> None:
    own = FLOW.replace("manager: {gates: [types, lint, changelog]", "test_2: {command: mine")
    own = own.replace("next: manager", "next: test_2").replace("  test:", "  mine:")
    own = own.replace("next: test,", "next: mine,").replace("test_2", "test")
    board.write({"workflows/flow.yaml": own})
    pinned = board.load("workflow: flow\n")
    assert pinned.path[4:7] == ["test", "mine", "land-task"]
    assert [pinned.gates(name)[0].command for name in ("test", "mine")] == [
        ("mine",),
        ("make", "test"),
    ]


def test_gates_that_run_no_command_of_their_own_count_too(board: Board) -> None:
    every = "[changelog, mutation, red_before_green, auto_run_files, test_integrity, claims]"
    board.write({"workflows/flow.yaml": FLOW.replace("[types, lint, changelog]", every)})
    found = board.load("workflow: flow\n").gates("manager_2")
    assert {gate.name: (gate.kind, gate.policy) for gate in found} == {
        "changelog": (GateKind.CHANGELOG, None),
        "mutation": (GateKind.MUTATION, GatePolicy.WARN),
        "red_before_green": (GateKind.RED_BEFORE_GREEN, GatePolicy.FEEDBACK),
        "auto_run_files": (GateKind.AUTO_RUN_FILES, GatePolicy.ASK),
        "test_integrity": (GateKind.TEST_INTEGRITY, GatePolicy.FEEDBACK),
    }
    by_name = {gate.name: gate for gate in found}
    assert by_name["mutation"].command == by_name["red_before_green"].command == ("make", "test")


def test_what_a_gate_depended_on_may_be_left_out(board: Board) -> None:
    flow = FLOW.replace("[types, lint, changelog]", "[types, claims]")
    board.write({"workflows/flow.yaml": flow})
    gates = "gates: {types: {command: types, depends_on: [claims]}}\n"
    pinned = board.load(f"workflow: flow\n{gates}")
    [types] = pinned.gates("manager_2")
    assert (types.name, types.depends_on) == ("types", ())


def test_the_policies_are_those_of_the_workflow(board: Board) -> None:
    own = """\
gates:
  lint: {policy: block}
  test_integrity: {policy: warn}
  auto_run_files: {enabled: false}
"""
    board.write({"workflows/flow.yaml": f"{own}{FLOW}"})
    pinned = board.load(f"workflow: flow\n{GATES}")
    assert pinned.gates("manager_2")[0].policy is GatePolicy.BLOCK
    [tests] = pinned.gates("implementor-guard")
    assert (tests.kind, tests.policy) == (GateKind.TEST_INTEGRITY, GatePolicy.WARN)
    named = board.load(f"workflow: flow\n{GATES}kanban: {{gates: [lint]}}\n")
    assert named.gates("lint")[0].policy is None
    assert len(named.gates("implementor-guard")) == 2


@pytest.mark.parametrize(
    ("config", "role", "is_red"),
    [("tdd: true", "", True), ("tdd: false", "", False), ("tdd: false", "tdd: true", True)],
)
def test_who_works_test_first_does_so_at_kanbans(
    board: Board, config: str, role: str, *, is_red: bool
) -> None:
    flow = FLOW.replace("role: implementer", f"role: implementer, config: {{{config}}}")
    board.write({"workflows/flow.yaml": flow, "roles/implementor.yaml": f"config: {{{role}}}\n"})
    guards = [gate.kind for gate in board.load(f"workflow: flow\n{GATES}").gates(GUARD)]
    assert (GateKind.RED_BEFORE_GREEN in guards) is is_red
    named = board.load(f"workflow: flow\n{GATES}kanban: {{gates: [lint]}}\n").gates(GUARD)
    assert (GateKind.RED_BEFORE_GREEN in [gate.kind for gate in named]) is bool(role)


def test_nothing_of_the_package_s_own_workflows_gets_lost(board: Board) -> None:
    gates = "gates: {docs: {command: docs}, lint: {command: lint}}\n"
    pinned = board.load(f"workflow: open_source\n{gates}")
    guard = [gate.name for gate in pinned.gates(GUARD)]
    assert guard == ["auto_run_files", "test_integrity", "red_before_green"]
    behind = [gate.name for name in pinned.path[4:-3] for gate in pinned.gates(name)]
    assert behind == ["test", "docs", "changelog", "lint"]


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
    kinds = "kanban: {gates: [changelog, mutation, red_before_green, test_integrity]}\n"
    assert board.load(kinds).path[4:8] == [
        *("changelog", "mutation", "red_before_green", "test_integrity")
    ]
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
