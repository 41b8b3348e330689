"""A project whose workflow files come and go."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.definitions import Loaded
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS: Final = frozenset({"claude", "codex", "gemini", "command"})
GUARD: Final = "-guard"
GATES: Final = """\
gates:
  integration: {command: [make, integration]}
  ci: {command: [make, ci]}
  docs: {command: [make, docs]}
  coverage: {command: [measure, "--least={coverage}"]}
"""


@dataclass(frozen=True)
class Flow:
    """A workflow that was read."""

    loaded: Loaded

    @property
    def path(self) -> list[str]:
        """Name the steps in their order, without the guards that stand behind those who write."""
        steps = self.loaded.definition.workflow.steps
        return [name for name in steps if not name.endswith(GUARD)]

    def step(self, name: str) -> Step:
        return self.loaded.definition.workflow.steps[StepName(name)]

    def gate(self, name: str) -> Gate:
        return self.loaded.definition.gates[name]

    def arrows(self, name: str) -> tuple[str | None, str | None, str | None]:
        """Return where a step leads: next, after a failure, after a rejection."""
        step, following = self.step(name), self.step(name).next
        if following is not None and following.endswith(GUARD):
            following = self.step(following).next
        return following, step.on_fail, step.on_reject


class Flows:
    """Reads workflows of a project that has these files."""

    def __init__(self, user: Path, config: str = GATES) -> None:
        self._user = user
        self.config = config

    def catalog(self, **files: str) -> FileCatalog:
        texts = {f".supervisor/workflows/{name}.yaml": text for name, text in files.items()}
        texts[CONFIG] = f"cli: claude\n{self.config}"
        repository = cast("Repository", ProjectFiles(texts))
        return FileCatalog(repository, self._user, ADAPTERS)

    def load(self, workflow: str | None = "flow", **files: str) -> Flow:
        return Flow(self.catalog(**files).load(COMMIT, workflow=workflow, cli=None))

    def mistakes(self, workflow: str | None = "flow", **files: str) -> list[str]:
        """Return what is wrong, one line for each."""
        with pytest.raises(InvalidInput) as caught:
            self.load(workflow, **files)
        return [line.strip() for line in caught.value.message.splitlines()[1:]]
