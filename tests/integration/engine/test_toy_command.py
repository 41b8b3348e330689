"""A toy slice is configured, run and shown by the command line, without touching the kernel."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result
from tests.e2e.command import User, make_user
from tests.integration.engine.toy_adapters import BAKER
from tests.integration.engine.toy_slice import BakerDriver

from supervisor_ai.bootstrap.projects import open_preflight, read_settings
from supervisor_ai.cli.main import supervisor
from supervisor_ai.control.slice_names import registered
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.registry import SLICES

BREAD: Final = ".supervisor/workflows/bread.yaml"
WORKFLOW: Final = """\
name: bread
description: A loaf
initial_step: oven
steps:
  oven:
    type: bake
    description: rye
    terminal: true
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[User]:
    made = make_user(tmp_path / "user", tmp_path / "state")
    for name in set(os.environ) - set(made.environment):
        monkeypatch.delenv(name)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    with registered(BAKER):
        yield made


def call(user: User, *words: str) -> Result:
    arguments = ["-C", str(user.repository), *words]
    return CliRunner().invoke(supervisor, arguments, standalone_mode=False)


def said(user: User, *words: str) -> str:
    result = call(user, *words)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    return result.stdout


def test_a_whole_run_by_its_own_verb(user: User) -> None:
    user.commit({".supervisor/config.yaml": "bakery: {flour: rye}\n"})
    run = said(user, BakerDriver.name, "bake", "--loaves", "2").strip()
    told = said(user, "events", run)
    assert told.count("a golden loaf comes out") == 2
    assert "completed" in said(user, "status", run)


def test_its_key_of_the_config_is_shown_with_its_place(user: User) -> None:
    user.commit({".supervisor/config.yaml": "bakery: {flour: rye}\n"})
    assert "bakery.flour" in said(user, "config", "show", "--origin")


def test_a_wrong_word_at_its_key_is_a_mistake_with_its_place(user: User) -> None:
    user.commit({".supervisor/config.yaml": "bakery:\n  flour: 3\n"})
    result = call(user, BakerDriver.name, "bake")
    assert isinstance(result.exception, InvalidInput)
    assert "config.yaml:2: bakery.flour" in result.exception.message


def test_its_kind_of_gate_is_listed_and_looks_at_a_change(user: User) -> None:
    user.commit({".supervisor/config.yaml": "gates: {price_list: {}}\n"})
    user.commit({"bread.py": "PRICE = 3\n"})
    assert "price_list" in said(user, "gate", "list")
    result = call(user, "gate", "check", "price_list", "--json")
    found = json.loads(result.stdout)["check"]
    assert (found["kind"], found["verdict"]) == ("price_list", "failed")
    assert [it["rule"] for it in found["findings"]] == ["changelog_missing"]


def test_its_verb_stands_on_the_help_page(user: User) -> None:
    assert f"  {BakerDriver.name}" in call(user, "--help").stdout
    names = list(supervisor.verbs)
    slices = [word for it in SLICES if it.verb for word in (it.name, *it.further_verbs)]
    assert names[names.index("run") :][: len(slices) + 2] == ["run", *slices, BakerDriver.name]


def test_its_kind_of_step_stands_in_the_file_of_a_workflow(user: User) -> None:
    user.commit({BREAD: WORKFLOW})
    assert "bakes" in said(user, "workflow", "graph", "bread")
    assert "bake a loaf" in said(user, "workflow", "show", "bread")
    assert "oven" in said(user, "run", "Bread", "--workflow", "bread", "--dry-run")
    assert "a golden loaf comes out" in said(user, "events", _run(user))


def _run(user: User) -> str:
    """Run the workflow of bread."""
    told = said(user, "run", "Bread", "--workflow", "bread", "--yes", "--json")
    shown = json.loads(told)["run"]
    assert shown["status"] == "completed"
    return str(shown["id"])


def test_its_kind_of_step_may_say_what_it_understands(user: User) -> None:
    user.commit({BREAD: WORKFLOW.replace("type: bake", "type: bake\n    timeout: 5m")})
    result = call(user, "workflow", "show", "bread")
    assert isinstance(result.exception, InvalidInput)
    assert "timeout: has no meaning for a step of type 'bake'" in result.exception.message


def test_its_kind_of_step_is_known_only_while_it_is_registered(user: User) -> None:
    user.commit({BREAD: WORKFLOW.replace("type: bake", "type: fry")})
    result = call(user, "workflow", "show", "bread")
    assert isinstance(result.exception, InvalidInput)
    assert "'feature_plan' or 'bake', found 'fry'" in result.exception.message


def test_a_driver_without_steps_of_its_own_resolves_nothing(user: User) -> None:
    commit = CommitSha(user.commit())
    catalog = open_preflight(user.repository, read_settings()).catalog
    with pytest.raises(InternalError, match="'toy-baker' pins nothing but workflows"):
        catalog.resolve_for(BakerDriver.name, commit, None)


def test_what_is_no_section_is_refused() -> None:
    odd = BAKER._replace(name="odd", section="supervisor_ai.domain.errors:InvalidInput")
    with registered(odd), pytest.raises(InternalError, match="is no section of the config"):
        slice_sections()
