"""Which agent works as which role: the role's own, or the default of the config."""

from typing import cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, NOWHERE, ProjectFiles

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS = frozenset({"claude", "codex", "gemini", "command"})
OWN = "roles: {reviewer_codex: {cli: 'claude:opus'}}\n"


def load(config: str, missing: tuple[str, ...] = ()) -> tuple[dict[str, str], tuple[str, ...]]:
    config += "\ngates: {test: {command: [make]}, ci: {command: [make, ci]}}\n"
    repository = cast("Repository", ProjectFiles({CONFIG: config}))
    catalog = FileCatalog(repository, NOWHERE, ADAPTERS, missing=missing)
    loaded = catalog.load(COMMIT, workflow="double_review", cli=None)
    rows = {it.name: it.cli for it in catalog.roles(COMMIT)}
    agents = {name: role.cli for name, role in loaded.definition.roles.items()}
    assert agents.items() <= rows.items()
    return agents, loaded.notes


@pytest.mark.parametrize(
    ("config", "missing", "agents"),
    [
        ("", (), ["claude", "gemini", "codex"]),
        ("cli: codex", (), ["codex", "gemini", "codex"]),
        (OWN, (), ["claude", "gemini", "claude:opus"]),
        ("cli: codex", ("gemini",), ["codex", "codex", "codex"]),
        (
            "cli: me\nclis: {me: {adapter: command, command: [me]}}",
            ("codex",),
            ["me", "gemini", "me"],
        ),
        (
            "clis: {codex: {adapter: command, command: [me]}}",
            ("codex",),
            ["claude", "gemini", "codex"],
        ),
        ("", ("claude", "gemini", "codex"), ["claude", "gemini", "codex"]),
    ],
)
def test_an_agent_of_a_role_comes_before_the_default(
    config: str, missing: tuple[str, ...], agents: list[str]
) -> None:
    found, _ = load(config, missing)
    assert [found[it] for it in ("planner", "reviewer_gemini", "reviewer_codex")] == agents


def test_two_reviews_by_one_agent_and_who_stands_in_are_told() -> None:
    assert load("cli: codex")[1] == ()
    _, notes = load("cli: codex", ("gemini",))
    assert [note.split(" cli: ")[1] for note in notes] == [
        "gemini is not installed; codex works as reviewer_gemini",
        "reviewer_gemini and reviewer_codex are one agent with one model, codex, at the step "
        "'review'; give one of them another `cli:` under `roles:`",
    ]
