"""The gates of a step: one or several, what they depend on, and what follows from them."""

from datetime import timedelta

import pytest
from tests.unit.definitions.workflows.flows import Flows

from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.gates import GateKind, GatePolicy, GateWord

FILE = ".supervisor/workflows/flow.yaml"
CONFIG = ".supervisor/config.yaml"
GATES = """\
gates:
  lint: {command: make lint}
  types: {command: make types, depends_on: [lint]}
  test: {command: make test, depends_on: [types], policy: feedback, min_tests: 2}
"""
FLOW = """\
steps:
  implement: {role: implementer, next: check}
  check: {CHECK, next: commit}
  commit: {type: commit}
"""


def flow(check: str, more: str = "") -> str:
    return more + FLOW.replace("CHECK", check)


def test_several_gates_of_a_step_run_side_by_side(flows: Flows) -> None:
    flows.config = "gates: {lint: {command: make lint}}\n"
    loaded = flows.load(flow=flow("gates: [lint, test], timeout: 5m"))
    step = loaded.step("check")
    assert (step.gate, step.checks) == (None, ("check/lint", "check/test"))
    assert [loaded.gate(key).name for key in step.checks] == ["lint", "test"]
    assert [loaded.gate(key).depends_on for key in step.checks] == [(), ()]
    assert {loaded.gate(key).timeout for key in step.checks} == {timedelta(minutes=5)}


def test_a_list_of_one_gate_is_that_gate(flows: Flows) -> None:
    loaded = flows.load(flow=flow("gates: [test]"))
    assert (loaded.step("check").gate, loaded.step("check").gates) == ("check", ())
    assert loaded.gate("check").name == "test"


def test_what_a_gate_depends_on_comes_along(flows: Flows) -> None:
    flows.config = GATES
    loaded = flows.load(flow=flow("gate: test"))
    step = loaded.step("check")
    assert step.checks == ("check/lint", "check/types", "check/test")
    assert loaded.gate("check/test").depends_on == ("check/types",)
    assert loaded.gate("check/types").depends_on == ("check/lint",)
    assert [loaded.gate(key).min_tests for key in step.checks] == [None, None, 2]


def test_a_gate_that_is_turned_off_is_left_out_of_several(flows: Flows) -> None:
    flows.config = GATES.replace("make types, ", "make types, enabled: false, ")
    step = flows.load(flow=flow("gates: [test, types, lint]")).step("check")
    assert step.checks == ("check/test", "check/lint")


def test_a_step_whose_only_gate_is_turned_off(flows: Flows) -> None:
    flows.config = "gates: {lint: {enabled: false}}\n"
    [found] = flows.mistakes(flow=flow("gate: lint"))
    assert found == (
        f"{FILE}:3: steps.check.gate: the gate 'lint' is turned off in {CONFIG}:2: gates.lint; "
        "turn it on, or write `disable: [check]`"
    )
    flows.config = "gates: {test: {enabled: false}}\n"
    assert flows.load("mvp").path
    assert "turned off" in flows.mistakes("standard")[0]


def test_a_hook_that_is_turned_off_is_no_step(flows: Flows) -> None:
    flows.config = "gates: {lint: {command: make lint, enabled: false}, type_check: {command: t}}\n"
    assert flows.load("standard").path[-2:] == ["type_check", "commit"]


def test_everything_that_a_gate_can_be_told(flows: Flows) -> None:
    flows.config = """\
gates:
  check_all:
    command: [check, all]
    timeout: 3m
    on_fail: warn
    env: {MODE: strict}
    allowed_writes: ["reports/**"]
    report: ./reports//junit.xml
    cache: false
    min_tests: 4
"""
    assert flows.load(flow=flow("gate: check_all")).gate("check") == Gate(
        name="check_all",
        command=("check", "all"),
        timeout=timedelta(minutes=3),
        is_advisory=True,
        min_tests=4,
        policy=GatePolicy.WARN,
        environment={"MODE": "strict"},
        allowed_writes=("reports/**",),
        report="reports/junit.xml",
        is_fresh=True,
    )


@pytest.mark.parametrize(
    ("said", "policy"),
    [
        ("on_fail: block", GatePolicy.BLOCK),
        ("on_fail: retry", GatePolicy.FEEDBACK),
        ("on_fail: warn", GatePolicy.WARN),
        ("policy: ask", GatePolicy.ASK),
        ("policy: feedback", GatePolicy.FEEDBACK),
        ("timeout: 1m", None),
    ],
)
def test_older_words_for_the_policy_mean_the_same(
    flows: Flows, said: str, policy: GatePolicy | None
) -> None:
    flows.config = f"gates: {{test: {{{said}}}}}\n"
    assert flows.load(flow=flow("gate: test")).gate("check").policy is policy


def test_a_gate_that_sends_back_finds_its_way(flows: Flows) -> None:
    flows.config = GATES
    assert flows.load(flow=flow("gate: test")).arrows("check") == ("commit", "implement", None)
    assert flows.load(flow=flow("gate: lint")).arrows("check") == ("commit", None, None)
    early = "steps: {check: {gates: [test], next: end}, end: {role: implementer}}\n"
    assert flows.mistakes(flow=early) == [
        f"{FILE}:1: steps.check.gates: the gate 'test' sends its findings back (policy: feedback), "
        "but no step before it writes; name one: `on_fail: STEP`"
    ]


def test_a_workflow_has_gates_of_its_own(flows: Flows) -> None:
    flows.config = "gates: {lint: {command: make lint, env: {A: b}, timeout: 2m}}\n"
    parent = flow("gates: [lint, own]", "gates: {own: {command: own}, lint: {command: pedantic}}\n")
    child = "extends: parent\ngates: {own: {policy: ask}}\n"
    loaded = flows.load(parent=parent, flow=child)
    lint, own = loaded.gate("check/lint"), loaded.gate("check/own")
    # Another command does not run with what was meant for the first one.
    assert (lint.command, lint.environment, lint.timeout) == (
        ("pedantic",),
        {},
        timedelta(minutes=2),
    )
    assert (own.command, own.policy) == (("own",), GatePolicy.ASK)
    assert "unknown gate 'own'" in flows.mistakes(flow=flow("gate: own"))[0]


def test_the_gates_of_a_step_are_laid_over_the_parents(flows: Flows) -> None:
    flows.config = GATES
    child = "extends: standard\nsteps: {test: {gates: [lint, types]}}\n"
    assert flows.load(flow=child).step("test").checks == ("test/lint", "test/types")
    back = "extends: parent\nsteps: {test: {command: make quick}}\n"
    loaded = flows.load(parent=child, flow=back)
    assert (loaded.step("test").checks, loaded.gate("test").command) == (
        ("test",),
        ("make", "quick"),
    )


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ("gate: test, gates: [lint]", "steps.check.gates: contradicts `gate`; give one of the two"),
        ("command: make, gates: [lint]", "steps.check.gates: contradicts `command`; give one"),
        ("command: make, gate: lint", "steps.check.gate: contradicts `command`; give one"),
        ("gates: [lint, lint]", "steps.check.gates: names a gate twice"),
        ("gates: [lint, ci]", "steps.check.gates: no gate 'ci' is configured; write into the"),
        ("gates: [lint, tset]", "steps.check.gates: unknown gate 'tset'; did you mean 'test'?"),
        ("gates: []", "steps.check.gates: "),
    ],
)
def test_what_a_gate_step_cannot_say(flows: Flows, check: str, problem: str) -> None:
    flows.config = GATES
    found = flows.mistakes(flow=flow(check))
    assert any(line.startswith(f"{FILE}:3: {problem}") for line in found), found


def test_mistakes_of_gates_are_told_at_once(flows: Flows) -> None:
    flows.config = """\
gates:
  a: {command: a, depends_on: [b]}
  b: {command: b, depends_on: [c]}
  c: {command: c, depends_on: [a]}
  d: {command: d, depends_on: [nothing, lint]}
  e: {policy: block, on_fail: warn, command: e}
  claims: {command: trust me}
  f: {timeout: 3m}
"""
    own = flow("gate: a", "gates:\n  x: {command: x, depends_on: [y]}\n  z: {timeout: 1m}\n")
    found = flows.mistakes(flow=own)
    assert found[0].startswith(f"{CONFIG}:3: gates.a.depends_on: goes round in a circle: a -> b ->")
    assert [line.partition(": ")[2] for line in found[1:]] == [
        "gates.e: has both `policy` and `on_fail`, which mean the same; give one",
        "gates.claims.command: has no meaning: the gate 'claims' looks at the change itself; "
        "give your command another name",
        "gates.f: has no command",
        "gates.z: has no command",
    ]
    flows.config = flows.config.replace("  e: {policy: block, on_fail: warn, command: e}\n", "")
    assert sorted(line for line in flows.mistakes(flow=own) if "depends_on" in line)[1:] == [
        f"{CONFIG}:6: gates.d.depends_on: no gate 'lint' is configured; write into the config: "
        'gates: {lint: {command: "make lint"}}',
        f"{CONFIG}:6: gates.d.depends_on: unknown gate 'nothing' (known: a, auto_run_files, b, c, "
        "changelog, claims, d, f, mutation, red_before_green, test, test_integrity)",
        f"{FILE}:2: gates.x.depends_on: unknown gate 'y' (known: a, auto_run_files, b, c, "
        "changelog, claims, d, f, mutation, red_before_green, test, test_integrity, x, z)",
    ]


def test_a_step_does_not_run_gates_without_end(flows: Flows) -> None:
    lines = [f"  g{at}: {{command: g, depends_on: [g{at + 1}]}}" for at in range(20)]
    flows.config = "\n".join(["gates:", *lines, "  g20: {command: g}\n"])
    assert "leads to 21 gates; at most 16" in flows.mistakes(flow=flow("gate: g0"))[0]


@pytest.mark.parametrize(
    ("name", "said", "kind", "command"),
    [
        ("claims", "", GateKind.CLAIMS, ()),
        ("changelog", "", GateKind.CHANGELOG, ()),
        ("changelog", "command: check-log", GateKind.COMMAND, ("check-log",)),
        ("red_before_green", "", GateKind.RED_BEFORE_GREEN, ("pytest",)),
        ("mutation", "command: quick", GateKind.MUTATION, ("quick",)),
        ("complexity", "command: radon", GateKind.COMMAND, ("radon",)),
    ],
)
def test_gates_that_are_known_by_name(
    flows: Flows, name: str, said: str, kind: GateWord, command: tuple[str, ...]
) -> None:
    flows.config = (
        f"gates:\n  test: {{command: pytest, timeout: 7m, env: {{A: b}}}}\n  {name}: {{{said}}}\n"
    )
    gate = flows.load(flow=flow(f"gate: {name}")).gate("check")
    assert (gate.kind, gate.command) == (kind, command)
    is_borrowed = command == ("pytest",)
    assert (gate.timeout == timedelta(minutes=7), gate.environment == {"A": "b"}) == (
        is_borrowed,
        is_borrowed,
    )


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("unit_tests", True),
        ("e2e", True),
        ("Spec-run", True),
        ("lint", False),
        ("contest", False),
        ("security", False),
    ],
)
def test_gates_whose_name_speaks_of_tests(flows: Flows, name: str, *, counts: bool) -> None:
    flows.config = f"gates: {{{name}: {{command: make}}}}\n"
    assert flows.load(flow=flow(f"gate: {name}")).gate("check").counts_tests is counts


def test_tests_are_counted_by_the_gate_that_runs_them(flows: Flows) -> None:
    flows.config = GATES
    text = flow("gates: [lint, test]").replace(
        "role: implementer,", "role: implementer, config: {min_tests_per_component: 5},"
    )
    loaded = flows.load(flow=text)
    assert {
        loaded.gate(key).name: loaded.gate(key).min_tests_each
        for key in loaded.step("check").checks
    } == {
        "lint": None,
        "types": None,
        "test": 5,
    }


@pytest.mark.parametrize(
    ("word", "policy"),
    [("warn", "warn"), ("retry", "feedback"), ("block", "block"), ("feedback", "feedback")],
)
def test_a_policy_is_no_step(flows: Flows, word: str, policy: str) -> None:
    known = "(known: implement, check, commit)"
    assert flows.mistakes(flow=flow(f"gate: test, on_fail: {word}")) == [
        f"{FILE}:3: steps.check.on_fail: unknown step {word!r} {known}; "
        f"a gate's policy is written `policy: {policy}` at the gate"
    ]
    assert flows.mistakes(flow=flow(f"role: reviewer, on_reject: {word}")) == [
        f"{FILE}:3: steps.check.on_reject: unknown step {word!r} {known}"
    ]


def test_a_step_may_have_the_name_of_a_policy(flows: Flows) -> None:
    named = flow("gate: test, on_fail: retry").replace("implement:", "retry:")
    assert flows.load(flow=named).step("check").on_fail == "retry"


def test_a_list_of_gates_is_not_empty(flows: Flows) -> None:
    assert flows.mistakes(flow=flow("gates: []")) == [
        f"{FILE}:3: steps.check.gates: must have at least 1 entry, found 0"
    ]
