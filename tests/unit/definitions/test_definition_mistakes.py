"""Every mistake that a definition file can have, with the exact words the user reads."""
# ruff: noqa: E501 - each mistake is one line, as the user sees it

import contextlib
import json
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT, CONFIG, NOWHERE, ProjectFiles

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.engine.ports.workspaces import Repository

FLOW = ".supervisor/workflows/flow.yaml"


def problems(files: Mapping[str, str]) -> str:
    repository = cast("Repository", ProjectFiles(files))
    catalog = FileCatalog(repository, NOWHERE, frozenset({"command", "scripted"}))
    with pytest.raises(InvalidInput) as caught:
        catalog.powers(COMMIT)
    return caught.value.message


def test_all_mistakes_of_all_files_are_told_at_once() -> None:
    config = """\
cli: my_agent
clis:
  my_agent:
    adaptor: command
    command: python3 tools/agent.py
gates:
  test:
    command: 'make "test'
    timeout: soon
limits:
  step_max_retries: -1
  max_steps: 5
sandbox:
  ro_paths: [tools]
"""
    flow = """\
initial_step: plann
steps:
  plan:
    role: planer
    nxt: implement
  implement:
    role: implementer
    next: tset
  test:
    type: orchestrator_gate
    gate: test
    terminal: "yes"
"""
    files = {CONFIG: config, FLOW: flow, ".supervisor/workflows/other.yaml": "steps: {a: b: c}\n"}
    assert problems(files) == snapshot("""\
The definitions have 12 mistakes:
  .supervisor/config.yaml:4: clis.my_agent.adaptor: unknown key; did you mean 'adapter'?
  .supervisor/config.yaml:8: gates.test.command: cannot be split into words: No closing quotation
  .supervisor/config.yaml:9: gates.test.timeout: must be a duration such as 250ms, 30s, 45m, 2h or 14d, found 'soon'
  .supervisor/config.yaml:11: limits.step_max_retries: must be at least 0, found -1
  .supervisor/config.yaml:12: limits.max_steps: unknown key; did you mean 'workflow_max_steps'?
  .supervisor/config.yaml:14: sandbox.ro_paths[0]: must be an absolute path or begin with ~/, found 'tools'
  .supervisor/workflows/flow.yaml:1: initial_step: unknown step 'plann'; did you mean 'plan'?
  .supervisor/workflows/flow.yaml:4: steps.plan.role: unknown role 'planer'; did you mean 'planner'?
  .supervisor/workflows/flow.yaml:5: steps.plan.nxt: unknown key; did you mean 'next'?
  .supervisor/workflows/flow.yaml:8: steps.implement.next: unknown step 'tset'; did you mean 'test'?
  .supervisor/workflows/flow.yaml:12: steps.test.terminal: must be true or false, found 'yes'
  .supervisor/workflows/other.yaml:1:13: is not valid YAML: did not find expected ',' or '}'\
""")


def test_config_values_of_the_wrong_kind() -> None:
    config = """\
cli: [a]
workflow: 5
clis: [a]
gates:
  bad name: {command: make}
  test: make test
  empty: {command: []}
  numbers: {command: [python3, 8080]}
  none: {timeout: 5m}
roles:
  planer: {max_retries: 2}
  reviewer: {cli: 7, max_retries: 1000}
limits:
  output_bytes: 12.5
"""
    assert problems({CONFIG: config}) == snapshot("""\
The definitions have 12 mistakes:
  .supervisor/config.yaml:1: cli: must be text, found a list
  .supervisor/config.yaml:2: workflow: must be text, found 5
  .supervisor/config.yaml:3: clis: must be a mapping, found a list
  .supervisor/config.yaml:5: gates.bad name: 'bad name' is no usable name: letters, digits, '-' and '_', beginning with a letter
  .supervisor/config.yaml:6: gates.test: must be a mapping, found 'make test'
  .supervisor/config.yaml:7: gates.empty.command: is empty
  .supervisor/config.yaml:8: gates.numbers.command[1]: must be text, found 8080
  .supervisor/config.yaml:9: gates.none: has no command
  .supervisor/config.yaml:11: roles.planer: unknown role 'planer'; did you mean 'planner'?
  .supervisor/config.yaml:12: roles.reviewer.cli: must be text, found 7
  .supervisor/config.yaml:12: roles.reviewer.max_retries: must be at most 100, found 1000
  .supervisor/config.yaml:14: limits.output_bytes: must be a whole number, found 12.5\
""")


def test_a_config_that_is_no_mapping() -> None:
    assert problems({CONFIG: "- a\n- b\n"}) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:1: must be a mapping, found a list\
""")


def test_mistakes_of_clis() -> None:
    config = """\
clis:
  a: {adapter: command}
  b: {adapter: scripted}
  c: {adapter: scripted, script: missing.yaml}
  d: {adapter: scripted, script: ../outside.yaml}
  e: {adapter: scripted, script: broken.json}
  f: {adapter: scripted, script: broken.yaml}
  g: {adapter: command, command: x, env: {SUPERVISOR_RUN: y, "A B": z, N: 1}}
"""
    files = {CONFIG: config, "broken.json": '{"a": 1, "a": 2}', "broken.yaml": "a: [\n"}
    assert problems(files) == snapshot("""\
The definitions have 9 mistakes:
  .supervisor/config.yaml:2: clis.a.command: is missing; the adapter 'command' needs it
  .supervisor/config.yaml:3: clis.b.script: is missing; the adapter 'scripted' needs it
  .supervisor/config.yaml:4: clis.c.script: names 'missing.yaml', but in the commit is no such file
  .supervisor/config.yaml:5: clis.d.script: names '../outside.yaml', but in the commit is no such file
  .supervisor/config.yaml:6: clis.e.script: names 'broken.json', which is not valid JSON: the key 'a' is given twice
  .supervisor/config.yaml:8: clis.g.env.A B: 'A B' is no name of an environment variable
  .supervisor/config.yaml:8: clis.g.env.N: must be text, found 1
  .supervisor/config.yaml:8: clis.g.env.SUPERVISOR_RUN: variables that begin with SUPERVISOR_ are set by supervisor itself
  broken.yaml:1: is not valid YAML: did not find expected node content\
""")


def test_a_project_may_not_name_variables_of_the_users_machine() -> None:
    config = """\
clis:
  a:
    adapter: command
    command: ["sh", "-c", "echo ${SUPERVISOR_RUN}"]
    env:
      PLAIN: value
      STOLEN: Bearer ${ANTHROPIC_API_KEY}
"""
    assert problems({CONFIG: config}) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:7: clis.a.env.STOLEN: ${ANTHROPIC_API_KEY} names a variable of your machine; only your own config may do that\
""")


def test_chosen_names_that_lead_nowhere() -> None:
    config = """\
cli: my_agnt
workflow: standardx
clis:
  my_agent: {adapter: command, command: x}
roles:
  reviewer: {cli: other}
"""
    assert problems({CONFIG: config}) == snapshot("""\
The definitions have 3 mistakes:
  .supervisor/config.yaml:1: cli: unknown CLI 'my_agnt'; did you mean 'my_agent'?
  .supervisor/config.yaml:2: workflow: unknown workflow 'standardx'; did you mean 'standard'?
  .supervisor/config.yaml:6: roles.reviewer.cli: unknown CLI 'other' (known: my_agent)\
""")


def test_steps_that_contradict_themselves() -> None:
    flow = """\
steps:
  nothing: {description: says nothing, next: both}
  both: {role: planner, command: make, next: gate}
  gate: {type: orchestrator_gate, role: planner, next: human}
  human: {type: human_gate, timeout: 5m, on_fail: both, next: plan}
  plan: {role: planner, on_reject: both, gate: test, next: odd}
  odd: {type: role, gate_type: orchestrator, next: double}
  double: {gate: test, command: make lint, next: save}
  save: {type: commit, max_retries: 1, terminal: true, next: both}
"""
    assert problems({FLOW: flow}) == snapshot("""\
The definitions have 14 mistakes:
  .supervisor/workflows/flow.yaml:2: steps.nothing.type: is missing, and so are `role`, `gate` and `command`
  .supervisor/workflows/flow.yaml:3: steps.both.command: has no meaning for a step of type 'role'
  .supervisor/workflows/flow.yaml:3: steps.both.next: never reaches an end: both -> gate -> human -> plan -> odd -> double -> save -> both
  .supervisor/workflows/flow.yaml:4: steps.gate.command: is missing; an orchestrator gate needs a `command` or the name of a `gate`
  .supervisor/workflows/flow.yaml:4: steps.gate.role: has no meaning for a step of type 'orchestrator_gate'
  .supervisor/workflows/flow.yaml:5: steps.human.on_fail: has no meaning for a step of type 'human_gate'
  .supervisor/workflows/flow.yaml:5: steps.human.timeout: has no meaning for a step of type 'human_gate'
  .supervisor/workflows/flow.yaml:6: steps.plan.gate: has no meaning for a step of type 'role'; make the gate a step of its own
  .supervisor/workflows/flow.yaml:6: steps.plan.on_reject: has no meaning: the role 'planner' never rejects
  .supervisor/workflows/flow.yaml:7: steps.odd.gate_type: contradicts the type 'role'
  .supervisor/workflows/flow.yaml:7: steps.odd.role: is missing
  .supervisor/workflows/flow.yaml:8: steps.double.gate: contradicts `command`; give one of the two
  .supervisor/workflows/flow.yaml:9: steps.save.max_retries: has no meaning for a step of type 'commit'
  .supervisor/workflows/flow.yaml:9: steps.save.next: contradicts `terminal: true`\
""")


def test_a_step_in_the_middle_needs_a_next_one() -> None:
    flow = """\
steps:
  plan:
    role: planner
  implement:
    role: implementer
    next: commit
  commit:
    type: commit
"""
    assert problems({FLOW: flow}) == snapshot("""\
The definitions have a mistake:
  .supervisor/workflows/flow.yaml:2: steps.plan.next: is missing; name the next step or write `terminal: true`\
""")


def test_names_of_steps_gates_and_roles_are_checked() -> None:
    flow = """\
initial_step: planx
steps:
  plan: {role: planner, next: implement}
  implement: {role: implementer_fats, next: verify}
  verify: {type: orchestrator_gate, gate: tests, next: lint, on_fail: implementx}
  lint: {type: orchestrator_gate, gate: zzz, next: review}
  review: {role: reviewer, next: commit, on_reject: nowhere_at_all}
  commit: {type: commit, terminal: true}
"""
    assert problems({FLOW: flow}) == snapshot("""\
The definitions have 6 mistakes:
  .supervisor/workflows/flow.yaml:1: initial_step: unknown step 'planx'; did you mean 'plan'?
  .supervisor/workflows/flow.yaml:4: steps.implement.role: unknown role 'implementer_fats'; did you mean 'implementer_fast'?
  .supervisor/workflows/flow.yaml:5: steps.verify.gate: unknown gate 'tests'; did you mean 'test'?
  .supervisor/workflows/flow.yaml:5: steps.verify.on_fail: unknown step 'implementx'; did you mean 'implement'?
  .supervisor/workflows/flow.yaml:6: steps.lint.gate: unknown gate 'zzz' (known: auto_run_files, changelog, claims, mutation, red_before_green, test, test_integrity)
  .supervisor/workflows/flow.yaml:7: steps.review.on_reject: unknown step 'nowhere_at_all' (known: plan, implement, verify, lint, review, commit)\
""")


def test_a_circle_of_next_steps_is_named() -> None:
    flow = """\
steps:
  start: {role: planner, next: a}
  a: {role: planner, next: b}
  b: {role: planner, next: c}
  c: {role: planner, next: a}
  alone: {role: planner, next: alone}
  commit: {type: commit}
"""
    assert problems({FLOW: flow}) == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/workflows/flow.yaml:3: steps.a.next: never reaches an end: a -> b -> c -> a
  .supervisor/workflows/flow.yaml:6: steps.alone.next: never reaches an end: alone -> alone\
""")


def test_steps_that_no_arrow_leads_to() -> None:
    flow = """\
steps:
  plan: {role: planner, next: commit}
  forgotten: {role: implementer, next: commit}
  commit: {type: commit}
"""
    assert problems({FLOW: flow}) == snapshot("""\
The definitions have a mistake:
  .supervisor/workflows/flow.yaml:3: steps.forgotten: cannot be reached: no step leads here\
""")


def test_other_mistakes_of_workflow_files() -> None:
    files = {
        ".supervisor/workflows/empty.yaml": "",
        ".supervisor/workflows/no_steps.yaml": "workflow:\n  steps: {}\n",
        ".supervisor/workflows/named.yaml": "name: other\nsteps: {plan: {role: planner}}\n",
        ".supervisor/workflows/short.yml": "steps: {}\n",
        ".supervisor/workflows/bad name.yaml": "steps: {}\n",
        ".supervisor/workflows/seed.yaml": "workflow:\n  steps:\n    a: {role: x, parallel: true}\n",
        ".supervisor/workflows/README.md": "not a definition",
    }
    assert problems(files) == snapshot("""\
The definitions have 7 mistakes:
  .supervisor/workflows/bad name.yaml:1: 'bad name' is no usable name: letters, digits, '-' and '_', beginning with a letter
  .supervisor/workflows/empty.yaml:1: must be a mapping, found nothing
  .supervisor/workflows/named.yaml:1: name: is 'other', but the file is called 'named'
  .supervisor/workflows/no_steps.yaml:2: workflow.steps: is empty; a workflow needs a step
  .supervisor/workflows/seed.yaml:3: workflow.steps.a.parallel: has no meaning for one role; name several: `roles: [...]`
  .supervisor/workflows/seed.yaml:3: workflow.steps.a.role: unknown role 'x' (known: documenter, implementer, implementer_fast, investigator, planner, reviewer, reviewer_codex, reviewer_gemini, security_auditor, security_auditor_external, tech_lead, test_engineer)
  .supervisor/workflows/short.yml:1: is not read; rename it to short.yaml\
""")


def test_a_broken_config_does_not_make_its_names_unknown() -> None:
    config = "gates:\n  lint: {commandx: make lint}\n"
    flow = "steps: {lint: {gate: lint}}\n"
    assert problems({CONFIG: config, FLOW: flow}) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:2: gates.lint.commandx: unknown key; did you mean 'command'?\
""")


def test_a_file_with_thousands_of_mistakes_tells_the_first() -> None:
    config = json.dumps({f"x{number}": 1 for number in range(20_000)})
    message = problems({CONFIG: config})
    assert message.count("\n") == 201
    assert f"{CONFIG}:1: has 20000 mistakes; the first 200 are listed" in message


words = st.sampled_from(
    ["a", "plan", "planner", "reviewer", "test", "make test", "5m", "role", "command", "/x", "${X}"]
)
keys = st.sampled_from(
    [
        *("cli", "workflow", "clis", "gates", "limits", "roles", "sandbox", "ro_paths", "adapter"),
        *("command", "env", "script", "timeout", "max_retries", "step_timeout", "output_bytes"),
        *("name", "initial_step", "steps", "type", "gate_type", "role", "gate", "next", "on_fail"),
        *("on_reject", "terminal", "a", "plan", "test", "bad name", ""),
    ]
)


def mapping(values: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(keys, values, max_size=5)


leaves = st.one_of(st.none(), st.booleans(), st.integers(), words)
trees = st.recursive(
    leaves, lambda inner: st.one_of(st.lists(inner, max_size=3), mapping(inner)), max_leaves=15
)


sections = st.fixed_dictionaries(
    {},
    optional={key: mapping(mapping(trees)) for key in ("clis", "gates", "roles", "steps")}
    | {"limits": mapping(trees), "sandbox": mapping(trees), "initial_step": words, "cli": words},
)


@settings(max_examples=25)
@given(sections, sections | st.fixed_dictionaries({"workflow": sections}))
def test_no_file_makes_the_catalogue_fail(
    config: dict[str, object], flow: dict[str, object]
) -> None:
    files = {CONFIG: json.dumps(config), FLOW: json.dumps(flow)}
    catalog = FileCatalog(cast("Repository", ProjectFiles(files)), NOWHERE, frozenset({"command"}))
    with contextlib.suppress(InvalidInput, NotFound):
        catalog.load(COMMIT, workflow="flow", cli=None)
