"""The roles that work on kanbans, and where they do not belong."""

import pytest
from tests.unit.definitions.kanban.board import Board
from tests.unit.definitions.project_files import COMMIT

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import StepName

PACK = "name: mine\nversion: 1.0.0\ndescription: Mine\nroles: [architect]\n"
ROLES = ("architect", "implementor", "manager")


def test_they_are_listed_and_shown(board: Board) -> None:
    catalog = board.catalog()
    listed = {role.name: role for role in catalog.roles(COMMIT)}
    assert [(listed[name].answer, listed[name].writes, listed[name].origin) for name in ROLES] == [
        ("agent", True, "built-in"),
        ("agent", True, "built-in"),
        ("manager", True, "built-in"),
    ]
    for name in ROLES:
        detail = catalog.role(COMMIT, name)
        assert detail.role.name == name
        assert f"builtin/roles/{name}.yaml" in {value.file for value in detail.values}
        assert "supervisor-answer" in catalog.agent_text(COMMIT, name).text


def test_an_agent_elsewhere_cannot_say_that_it_is_one_of_them(board: Board) -> None:
    catalog = board.catalog()
    draft = catalog.draft_role(catalog.agent_text(COMMIT, "architect").text, name="other")
    assert "answer: implementation" in draft.text


def test_a_project_changes_them(board: Board) -> None:
    board.write(
        {
            "roles/architect.yaml": "instructions: Draw pictures.\ncli: codex\n",
            "prompts/own.j2": '{{ task }}\n{% include "_output_schema.j2" %}\n',
            "roles/implementor.yaml": "template: own.j2\nhides: [secret/**]\n",
        }
    )
    roles = board.load().definition.roles
    assert roles["architect"].instructions.endswith("\n\nDraw pictures.\n")
    assert roles["architect"].cli == "codex"
    assert roles["implementor"].template.startswith("{{ task }}\n")
    assert roles["implementor"].hides == ("secret/**",)
    assert board.load("roles: {manager: {cli: codex}}").definition.roles["manager"].cli == "codex"


def test_a_pack_changes_them(board: Board) -> None:
    board.write(
        {
            "packs/mine/pack.yaml": PACK,
            "packs/mine/roles/architect.yaml": "instructions: From a pack.\n",
        }
    )
    roles = board.load("packs: [mine]").definition.roles
    assert roles["architect"].instructions.endswith("\n\nFrom a pack.\n")


def test_they_stay_what_they_are(board: Board) -> None:
    board.write(
        {
            "roles/architect.yaml": "writes: false\n",
            "roles/implementor.yaml": "answer: implementation\n",
            "roles/manager.yaml": "optional: true\n",
        }
    )
    assert board.refusal().splitlines()[1:] == [
        "  .supervisor/roles/architect.yaml:1: writes: must be true for a role that works on"
        " kanbans: it writes into their files",
        "  .supervisor/roles/implementor.yaml:1: answer: gives the answer 'implementation' to a"
        " role whose answer is 'agent'; give it another name",
        "  .supervisor/roles/manager.yaml:1: optional: must not be true for a role that writes:"
        " work that nobody did would pass",
    ]


def test_no_step_of_a_workflow_is_theirs(board: Board) -> None:
    board.write(
        {
            "roles/mine.yaml": "extends: architect\n",
            "workflows/flow.yaml": """\
steps:
  a: {role: architect, next: b}
  b: {roles: [reviewer, manager], next: c}
  c: {role: mine, next: d}
  d: {role: implementur, next: e}
  e: {approvers: {simple: [architect, archi]}}
""",
        }
    )
    told = board.refusal()
    flow = ".supervisor/workflows/flow.yaml"
    assert f"{flow}:2: steps.a.role: names 'architect', a role for kanbans, not for steps" in told
    assert f"{flow}:3: steps.b.roles: names 'manager', a role for kanbans, not for steps" in told
    assert f"{flow}:4: steps.c.role: names 'mine', a role for kanbans, not for steps" in told
    assert (
        f"{flow}:5: steps.d.role: unknown role 'implementur'; did you mean 'implementer'?" in told
    )
    assert "'architect' (simple, medium, complex) gives the answer 'agent'" in told
    assert "did you mean 'architect'" not in told


def test_no_run_is_given_them_for_a_step(board: Board) -> None:
    catalog = board.catalog()

    def load(**roles: str) -> None:
        catalog.load(COMMIT, workflow="standard", cli=None, roles=roles)

    with pytest.raises(InvalidInput, match="answers with the state of a kanban's task"):
        load(implement="architect")
    with pytest.raises(InvalidInput, match="answers with the tasks of a kanban"):
        load(plan="manager")
    with pytest.raises(InvalidInput, match="has a role that answers as 'architect' does"):
        load(**{"*": "architect"})
    for written, meant in (("implementr", "implementer"), ("archi", "architect")):
        with pytest.raises(NotFound) as caught:
            load(implement=written)
        assert caught.value.hint == f"Did you mean {meant!r}?"


def test_a_step_understands_the_kanbans_spelling_of_its_own_role(board: Board) -> None:
    flow = "steps:\n  a: {role: implementor, next: b}\n  b: {type: commit, terminal: true}\n"
    board.write({"workflows/flow.yaml": flow})
    loaded = board.catalog().load(COMMIT, workflow="flow", cli=None, roles={})
    assert loaded.definition.workflow.steps[StepName("a")].role == "implementer"
    chosen = {"implement": "implementor"}
    loaded = board.catalog().load(COMMIT, workflow="standard", cli=None, roles=chosen)
    assert loaded.definition.workflow.steps[StepName("implement")].role == "implementer"


def test_every_try_begins_afresh(board: Board) -> None:
    told = board.refusal("continuity: {continuation_roles: [planner, architect]}")
    assert told.splitlines()[1:] == [
        "  .supervisor/config.yaml:2: continuity.continuation_roles[1]: the role 'architect' works"
        " on kanbans, where every try begins afresh"
    ]


def test_a_template_must_say_the_same_every_time(board: Board) -> None:
    board.write(
        {
            "roles/architect.yaml": "template: own.j2\n",
            "prompts/own.j2": '{{ task }}, try {{ attempt }}\n{% include "_output_schema.j2" %}\n',
        }
    )
    assert board.refusal() == (
        ".supervisor/roles/architect.yaml:1: template: the template speaks of `attempt`, but at a "
        "kanban every try is told exactly the same."
    )
    roles = board.load("kanban: {retry: with_error}").definition.roles
    assert "try {{ attempt }}" in roles["architect"].template
