"""Prompt templates of the user and the project."""
# ruff: noqa: E501 - mistakes are told in one line each

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.model_catalog import catalog
from tests.unit.definitions.project_files import COMMIT, CONFIG

from supervisor_ai.domain.errors import InvalidInput

PROJECT = "cli: a\nclis: {a: {adapter: command, command: [agent]}}\n"
OWN = 'Be the {{ role.name }}.\n{{ task | fenced("task") }}\n{% include "_output_schema.j2" %}\n'


def template(role: str, files: dict[str, str], place: Path) -> str:
    loaded = catalog({CONFIG: PROJECT, **files}, place).load(COMMIT, workflow=None, cli=None)
    return loaded.definition.roles[role].template


def refusal(files: dict[str, str], place: Path) -> str:
    with pytest.raises(InvalidInput) as raised:
        template("planner", files, place)
    return raised.value.message


def test_a_project_replaces_a_template_of_the_package(tmp_path: Path) -> None:
    found = template("planner", {".supervisor/prompts/planning.j2": OWN}, tmp_path)
    assert found.startswith("Be the {{ role.name }}.")
    assert '"COMPLETE"' in found


def test_a_part_is_replaced_in_all_templates(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "_base.j2").write_text("Mine: {{ task }}\n")
    for role in ("planner", "implementer", "reviewer"):
        assert "Mine: {{ task }}" in template(role, {}, tmp_path)


def test_a_role_uses_a_template_of_its_project(tmp_path: Path) -> None:
    files = {
        ".supervisor/prompts/mine.j2": OWN,
        ".supervisor/roles/planner.yaml": "template: mine.j2\n",
    }
    assert template("planner", files, tmp_path).startswith("Be the")


def test_a_template_may_have_names_of_its_own_in_one_branch(tmp_path: Path) -> None:
    own = f"{{% if task %}}{{% set loud = task | upper %}}{{{{ loud }}}}{{% endif %}}\n{OWN}"
    found = template("planner", {".supervisor/prompts/planning.j2": own}, tmp_path)
    assert found.startswith("{% if task %}")


def test_every_mistake_of_a_template_is_said_at_once(tmp_path: Path) -> None:
    files = {
        ".supervisor/prompts/planning.j2": "Hello.\n{{ tsk }}\n",
        ".supervisor/prompts/broken.j2": 'a\n{% if %}\n{% include "_output_schema.j2" %}\n',
        ".supervisor/prompts/lost.j2": '{% include "nowhere.j2" %}\n{% include "schema.json" %}\n',
        ".supervisor/prompts/odd.j2": '{% extends "x" %}\n{% include "schema.json" %}\n',
        ".supervisor/prompts/_round.j2": '{% include "_round.j2" %}\n',
        ".supervisor/prompts/_long.j2": "x" * 70_000,
    }
    assert refusal(files, tmp_path) == snapshot("""\
The definitions have 7 mistakes:
  .supervisor/prompts/_long.j2:1: has 70000 characters; at most 65536 are allowed
  .supervisor/prompts/_round.j2:1: includes itself
  .supervisor/prompts/broken.j2:2: is no template: Expected an expression, got 'end of statement block'
  .supervisor/prompts/lost.j2:1: unknown template 'nowhere.j2' (known: _base.j2, _feedback.j2, _kanban_items.j2, _kanban_log.j2, _kanban_status.j2, _long.j2, _loop_base.j2, _output_schema.j2, _project_knowledge.j2, _round.j2, _supervisor_rules.j2, broken.j2, checkpoint_judge.j2, code_style.j2, design_review.j2, feature_components.j2, feature_phases.j2, implement.j2, internaliser.j2, kanban_architect.j2, kanban_implementor.j2, kanban_manager.j2, loop_assessor.j2, loop_implementor.j2, loop_planner.j2, loop_qa.j2, loop_researcher.j2, loop_scope.j2, loop_summarizer.j2, lost.j2, odd.j2, planning.j2, review_strict.j2, ui_design.j2)
  .supervisor/prompts/odd.j2:1: only `{% include "NAME" %}` on a line of its own is understood
  .supervisor/prompts/planning.j2:1: never says how to answer; include "_output_schema.j2"
  .supervisor/prompts/planning.j2:1: unknown variable 'tsk'; did you mean 'task'?\
""")


def test_what_cannot_be_bounded_is_refused_with_its_line(tmp_path: Path) -> None:
    schema = '{% include "schema.json" %}\n'
    files = {
        ".supervisor/prompts/a.j2": f"{schema}\n{{% macro f() %}}{{{{ f() }}}}{{% endmacro %}}",
        ".supervisor/prompts/b.j2": f"{schema}\n\n{{{{ task | center(1000000000) }}}}",
        ".supervisor/prompts/c.j2": schema + "{{" + "(" * 5000 + ")" * 5000 + "}}",
    }
    assert refusal(files, tmp_path) == snapshot("""\
The definitions have 3 mistakes:
  .supervisor/prompts/a.j2:3: `macro` is not understood: what it makes could not be bounded
  .supervisor/prompts/b.j2:4: the filter 'center' is not known
  .supervisor/prompts/c.j2:1: is nested too deeply\
""")


def test_templates_that_include_each_other_do_not_grow_without_end(tmp_path: Path) -> None:
    files = {
        f".supervisor/prompts/p{number}.j2": f'{{% include "p{number + 1}.j2" %}}\n' * 2
        for number in range(30)
    }
    said = refusal({**files, ".supervisor/prompts/p30.j2": "x" * 9}, tmp_path)
    assert "p0.j2:1: is too long with all that it includes" in said


def test_what_cannot_be_rendered_is_said_when_it_is_read(tmp_path: Path) -> None:
    looping = OWN + "{% for number in range(9) %}{% endfor %}\n"
    said = refusal({".supervisor/prompts/planning.j2": looping}, tmp_path)
    assert "unknown variable 'range'" in said
