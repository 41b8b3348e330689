"""Every YAML block of the seeds, as it stands there, where a project would have it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from runpy import run_path
from typing import cast

import pytest
import yaml
from tests.unit.definitions.project_files import COMMIT, ProjectFiles
from tests.unit.definitions.seeds import (
    BLOCKS,
    COMMANDS,
    CONSOLE,
    FIXTURES,
    ORDERS,
    SEEDS,
    Block,
    marked,
)

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.feature.drafts import YamlDrafts
from supervisor_ai.definitions.feature.plan_files import YamlPlans
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.feature.plan.interfaces import interface_file
from supervisor_ai.drivers.feature.plan.model import Feature
from supervisor_ai.drivers.feature.ports import PlanAnswers
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS = frozenset({"claude", "codex", "gemini", "command"})
SURROUNDINGS = """\
cli: claude
gates:
  integration: {command: [make, integration]}
  ci: {command: [make, ci]}
  docs: {command: [make, docs]}
  lint: {command: [make, lint]}
  type_check: {command: [make, types]}
  coverage: {command: [measure, "--least={coverage}"]}
notifications:
  channels:
    slack: {kind: command, command: [tell-slack]}
people:
  tech_lead: [ann]
  security_team: [bob]
  devops_team: [cem]
"""
NEEDED = "name: base-reviewer\nversion: 1.1.0\ndescription: x\nextends: reviewer\n"
"""What the pack of the seed depends on."""
ROLES = {it.file: it.text for it in BLOCKS.values() if it.loads == "a role"}
BY_VERB = {"a feature"}
"""What no project has in `.supervisor/`, and a verb reads."""


@pytest.mark.parametrize("entry", [marked(it) for it in BLOCKS.values() if it.loads not in BY_VERB])
def test_a_block_loads_as_it_stands(entry: Block, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(SURROUNDINGS)
    if entry.loads == "an agent in markdown":
        draft = catalog({}, tmp_path).draft_role(entry.text, name="other")
        assert draft.name == "supervisor"
        files = {f".supervisor/roles/{draft.name}.yaml": draft.text}
        catalog(files, tmp_path).role(COMMIT, draft.name)
    elif entry.loads == "a phase of a feature":
        planned_by_a_tech_lead(entry.text)
    else:
        read_by_a_project(entry, tmp_path)


LACKING = {
    r"no gate '(\w+)' is configured": "gate {}",
    r"'\w+' is in the pack '(\w+)'": "pack {}",
    r"unknown channel '(\w+)'": "channel {}",
    r"names the group '(\w+)'": "people of {}",
    r"unknown step '(\w+)'": "step {}",
    r"unknown pack '([\w-]+)'": "pack {}",
    r"(\w+): unknown key": "key {}",
}
"""How a mistake says what is missing."""


@pytest.mark.parametrize(
    "entry",
    [pytest.param(it, id=it.name) for it in BLOCKS.values() if it.file.startswith(".supervisor/")],
)
def test_a_block_alone_needs_what_the_table_says(entry: Block, tmp_path: Path) -> None:
    files = {entry.file: entry.text}
    if "/packs/" in entry.file:
        files[".supervisor/config.yaml"] = "packs: [risk-manager]\n"
    found, said = catalog(files, tmp_path), ""
    try:
        for name in {None, Path(entry.file).stem} & {None, *names(found)}:
            found.load(COMMIT, workflow=name, cli=None)
        said = "\n".join(f"key {it}" for it in found.cautions(COMMIT) if entry.file in it)
    except InvalidInput as error:
        said = error.message
    lines = said.splitlines()
    lacking = {
        words.format(match[1]): None
        for line in lines
        for pattern, words in LACKING.items()
        if (match := re.search(pattern, line))
    }
    assert bool(said) == bool(entry.needs or entry.capability)
    assert entry.capability or tuple(sorted(lacking)) == entry.needs


def planned_by_a_tech_lead(text: str) -> None:
    """Answer with what the seed shows of one phase: the plan has its interfaces to lock."""
    head = {"status": "PLANNED", "summary": "One phase."}
    phases = {**head, "phases": [{"id": "login", "title": "Login"}]}
    contents = {**head, "phases": [yaml.safe_load(text)["phase_output"]]}
    given = PlanAnswers(
        feature="P1T5",
        task="User login",
        phases=json.dumps(phases),
        components=json.dumps(contents, default=str),
    )
    written = YamlDrafts(Path).write(given)
    for plan in (YamlPlans().read("plan.yaml", written), YamlPlans().read("P1T5.yaml", text)):
        assert plan.id == "P1T5"
        has_the_phase(plan)


def has_the_phase(plan: Feature) -> None:
    assert [it.name for it in plan.components] == ["user_model", "login_endpoint", "login_form"]
    assert [interface_file(it) for it in plan.interfaces] == [
        "types/LoginRequest.d.ts",
        "types/LoginResponse.d.ts",
        "api/login_endpoint.yaml",
    ]


def read_by_a_project(entry: Block, user: Path) -> None:
    """Load everything that a project with this file has, and see that the file is read."""
    found = catalog(around(entry, entry.whole), user)
    assert not [it for it in found.cautions(COMMIT) if entry.file in it]
    for name in {None, Path(entry.file).stem} & {None, *names(found)}:
        found.load(COMMIT, workflow=name, cli=None)
    spoiled = catalog(around(entry, f"{entry.whole}\nno_such_key: 1\n"), user)
    with pytest.raises(InvalidInput) as caught:
        spoiled.workflows(COMMIT)
    assert f"{entry.file}:" in caught.value.message
    assert "no_such_key" in caught.value.message


def around(entry: Block, text: str) -> dict[str, str]:
    """Return a project that has the seed's roles, and this file."""
    files = {**ROLES, entry.file: text}
    if entry.loads == "roles":
        # The seed has this role twice: once among the package's, once among a project's.
        del files[".supervisor/roles/ui_designer.yaml"]
    if "/packs/" in entry.file:
        switched = "packs: [risk-manager]\n"
        needed = ".supervisor/packs/base-reviewer/pack.yaml"
        files |= {".supervisor/config.yaml": switched, needed: NEEDED}
    return files


def names(found: FileCatalog) -> list[str]:
    return [it.name for it in found.workflows(COMMIT)]


def catalog(files: Mapping[str, str], user: Path) -> FileCatalog:
    return FileCatalog(cast("Repository", ProjectFiles(files)), user, ADAPTERS)


def test_a_block_that_was_cut_has_no_other_mistake(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(SURROUNDINGS)
    [entry] = [it for it in BLOCKS.values() if it.cut]
    with pytest.raises(InvalidInput) as caught:
        catalog(around(entry, entry.text), tmp_path).workflows(COMMIT)
    [mistake] = caught.value.message.splitlines()[1:]
    assert "integration_test_gate.next: unknown step 'review'" in mistake


def test_the_table_names_every_fixture_and_no_other() -> None:
    files = {it.name for it in FIXTURES.iterdir() if it.suffix != CONSOLE}
    assert set(BLOCKS) == files - {"table.yaml", COMMANDS}
    lines = (FIXTURES / COMMANDS).read_text().splitlines()
    assert [f"{it.name} {it.says}" for it in ORDERS.values()] == lines


@pytest.mark.skipif(SEEDS is None, reason="the seeds are not beside this checkout")
def test_the_fixtures_are_what_the_seeds_say() -> None:
    taken = run_path(str(FIXTURES.parents[2] / "scripts" / "seed_blocks.py"))["taken"](SEEDS)
    assert {name: (FIXTURES / name).read_text() for name in taken} == taken
    assert set(BLOCKS) == {it for it in taken if not it.endswith(CONSOLE)} - {COMMANDS}
