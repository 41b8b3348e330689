"""A project on whose kanban somebody wants to work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.definitions import Loaded
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition, Gate, Step
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import WantedKanban
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS: Final = frozenset({"claude", "codex", "command", "scripted", "mechanical_manager"})
PLACE: Final = KanbanPlace(file="tasks/0-kanban-limits.md")


@dataclass(frozen=True)
class Pinned:
    """What a run on the kanban pins."""

    loaded: Loaded

    @property
    def definition(self) -> Definition:
        return self.loaded.definition

    @property
    def path(self) -> list[str]:
        return list(self.definition.workflow.steps)

    def step(self, name: str) -> Step:
        return self.definition.workflow.steps[StepName(name)]

    def gates(self, name: str) -> list[Gate]:
        return [self.definition.gates[key] for key in self.step(name).checks]


@dataclass
class Board:
    """The user's config and the project's files, which come and go."""

    user: Path
    files: dict[str, str] = field(default_factory=dict)

    def write(self, files: Mapping[str, str]) -> "Board":
        self.files |= {f".supervisor/{name}": text for name, text in files.items()}
        return self

    def catalog(self, config: str = "") -> FileCatalog:
        texts = {CONFIG: f"cli: claude\n{config}", **self.files}
        return FileCatalog(cast("Repository", ProjectFiles(texts)), self.user, ADAPTERS)

    def load(
        self,
        config: str = "",
        *,
        instruction: str = "",
        cli: str | None = None,
        manager: str | None = None,
        place: KanbanPlace = PLACE,
    ) -> Pinned:
        catalog = self.catalog(config)
        wanted = WantedKanban(place=place, instruction=instruction, cli=cli, manager=manager)
        return Pinned(catalog.resolve_for("kanban", COMMIT, wanted))

    def refusal(self, config: str = "", *, manager: str | None = None) -> str:
        with pytest.raises(SupervisorError) as caught:
            self.load(config, manager=manager)
        return caught.value.message.replace(str(self.user), "~")
