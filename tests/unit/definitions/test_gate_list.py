"""The gates that there are, and one of them by itself."""

from pathlib import Path
from typing import cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.definitions import Catalog, GateSummary
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.gates import GateKind, GatePolicy
from supervisor_ai.engine.ports.workspaces import Repository

GATES = """\
gates:
  lint: {command: make lint, policy: warn}
  coverage: {command: "cover {coverage}"}
  own: {command: own, depends_on: [lint], enabled: false}
"""
NAMES = [
    *("test", "lint", "type_check", "format_check", "coverage", "security", "docs", "ci"),
    *("integration", "red_before_green", "mutation"),
    *("changelog", "claims", "auto_run_files", "test_integrity"),
]


def catalog(directory: Path, config: str = GATES) -> Catalog:
    files = cast("Repository", ProjectFiles({CONFIG: config}))
    return FileCatalog(files, directory, frozenset({"claude"}))


def test_every_gate_is_listed_with_what_is_missing(tmp_path: Path) -> None:
    found = {gate.name: gate for gate in catalog(tmp_path).gates(COMMIT)}
    assert list(found) == [*NAMES, "own"]
    assert all(found[name].description for name in NAMES)
    assert found["lint"] == GateSummary(
        name="lint",
        description="A linter finds nothing",
        kind="command",
        command=("make", "lint"),
        policy="warn",
        file=CONFIG,
        line=2,
        origin="project",
    )
    assert found["docs"] == GateSummary(
        name="docs",
        description="The documentation can be built",
        kind="command",
        missing='write into the config: gates: {docs: {command: "make docs-check"}}',
    )
    claims, own = found["claims"], found["own"]
    assert (claims.kind, claims.policy, claims.command) == ("claims", "feedback", ())
    assert (claims.origin, claims.missing) == ("built-in", None)
    assert (own.is_enabled, own.description) == (False, "")
    assert found["mutation"].command == ("make", "test")


def test_a_gate_that_lost_its_command_says_so(tmp_path: Path) -> None:
    found = catalog(tmp_path, "gates: {own: {enabled: false}}\n").gates(COMMIT)
    assert found[-1].missing == 'write into the config: gates: {own: {command: "make own"}}'


def test_a_gate_by_itself(tmp_path: Path) -> None:
    gates = catalog(tmp_path)
    lint, red = gates.gate(COMMIT, "lint"), gates.gate(COMMIT, "red_before_green")
    assert (lint.command, lint.policy, lint.depends_on) == (("make", "lint"), GatePolicy.WARN, ())
    assert (red.kind, red.command) == (GateKind.RED_BEFORE_GREEN, ("make", "test"))
    assert gates.gate(COMMIT, "own").depends_on == ()


@pytest.mark.parametrize(
    ("name", "kind", "hint"),
    [
        ("docs", InvalidInput, "Write into the config: gates: {docs: "),
        ("lnit", NotFound, "Did you mean 'lint'?"),
        ("xyz", NotFound, "Gates: auto_run_files, changelog, ci"),
        ("coverage", InvalidInput, "Write the number into the command"),
        ("empty", InvalidInput, "Write into the config: gates: {empty: "),
    ],
)
def test_a_gate_that_cannot_be_had(
    tmp_path: Path, name: str, kind: type[Exception], hint: str
) -> None:
    with pytest.raises(kind) as caught:
        catalog(tmp_path, f"{GATES}  empty: {{enabled: false}}\n").gate(COMMIT, name)
    assert hint in str(getattr(caught.value, "hint", ""))
