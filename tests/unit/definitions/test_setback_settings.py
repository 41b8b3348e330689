"""What the files say about failures: who goes on, how often, and how long a limit is waited for."""

from collections.abc import Mapping
from datetime import timedelta
from typing import cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, NOWHERE, ProjectFiles

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS = frozenset({"claude", "codex", "gemini", "command"})


def load(config: str, files: Mapping[str, str] | None = None, workflow: str = "mvp") -> Definition:
    repository = cast("Repository", ProjectFiles({CONFIG: config, **(files or {})}))
    catalog = FileCatalog(repository, NOWHERE, ADAPTERS)
    return catalog.load(COMMIT, workflow=workflow, cli=None).definition


def refusal(config: str, files: Mapping[str, str] | None = None) -> str:
    with pytest.raises(InvalidInput) as caught:
        load(config, files)
    return caught.value.message


def test_a_cli_may_name_its_model() -> None:
    loaded = load("cli: claude:opus-4.1")
    assert loaded.clis["claude:opus-4.1"].adapter == "claude"
    assert loaded.roles["planner"].cli == "claude:opus-4.1"
    configured = load("cli: a:big\nclis: {a: {adapter: command, command: [agent]}}")
    assert configured.clis["a:big"].command == ("agent",)


@pytest.mark.parametrize("written", ["claude:", "claude: opus", "1:a", "a:b c"])
def test_no_agents(written: str) -> None:
    with pytest.raises(ValueError, match="is no usable name"):
        scalars.agent(written)


def test_agents_follow_each_other_for_all_roles_or_for_one() -> None:
    loaded = load(
        "cli: claude\nfallback: [codex, claude]\nroles: {planner: {fallback: [gemini:pro, codex]}}"
    )
    assert loaded.roles["implementer_fast"].fallback == ("claude",)
    assert loaded.roles["planner"].fallback == ("gemini:pro", "codex")
    assert set(loaded.clis) == {"claude", "codex", "gemini:pro"}


def test_who_follows_must_be_known() -> None:
    assert "fallback[1]: unknown CLI 'codx'" in refusal("cli: claude\nfallback: [codex, codx]")


def test_policies_and_parking_are_laid_over() -> None:
    loaded = load(
        "cli: claude\nretry_policies: {default: {initial_delay: 5s}, mine: {max_attempts: 7}}\n"
        "parking: {enabled: false, longest: 1d}"
    )
    assert loaded.retries["default"].initial_delay == timedelta(seconds=5)
    assert loaded.retries["mine"].max_attempts == 7
    assert loaded.retries["aggressive"].max_attempts == 5
    assert (loaded.parking.is_allowed, loaded.parking.longest) == (False, timedelta(days=1))


FLOW = """\
steps:
  build: {role: implementer, retry_policy: POLICY, next: commit}
  commit: {type: commit, terminal: true}
"""


def test_a_step_names_its_policy() -> None:
    path = ".supervisor/workflows/mine.yaml"
    loaded = load("cli: claude", {path: FLOW.replace("POLICY", "aggressive")}, "mine")
    assert loaded.workflow.steps[StepName("build")].retry_policy == "aggressive"
    told = refusal("cli: claude", {path: FLOW.replace("POLICY", "eager")})
    assert "steps.build.retry_policy: unknown retry policy 'eager'" in told
