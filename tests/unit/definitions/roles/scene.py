"""A user's and a project's files, read into what a run pins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.definitions import Loaded, Power
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.run.definition import Definition, Role
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS = frozenset({"claude", "codex", "gemini", "command"})


@dataclass
class Scene:
    """Role files by their place: `roles/x.yaml` is the project's, `~/roles/x.yaml` the user's."""

    directory: Path
    files: dict[str, str] = field(default_factory=dict)

    def write(self, files: Mapping[str, str]) -> "Scene":
        for name, text in files.items():
            if name.startswith("~/"):
                place = self.directory / name.removeprefix("~/")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
            else:
                self.files[f".supervisor/{name}"] = text
        return self

    @property
    def catalog(self) -> FileCatalog:
        texts = {CONFIG: "cli: claude\n", **self.files}
        return FileCatalog(cast("Repository", ProjectFiles(texts)), self.directory, ADAPTERS)

    def load(self, workflow: str = "standard", **roles: str) -> Loaded:
        return self.catalog.load(COMMIT, workflow=workflow, cli=None, roles=roles)

    def definition(self, workflow: str = "standard", **roles: str) -> Definition:
        return self.load(workflow, **roles).definition

    def role(self, name: str) -> Role:
        return self.catalog.role(COMMIT, name).role

    def said(self, name: str) -> dict[str, tuple[str, str]]:
        """Return what a role's files say, and where."""
        values = self.catalog.role(COMMIT, name).values
        return {
            value.key: (value.value, f"{self.short(value.file)}:{value.line}") for value in values
        }

    def powers(self) -> tuple[Power, ...]:
        return self.catalog.powers(COMMIT)

    def refusal(self) -> str:
        with pytest.raises(SupervisorError) as caught:
            self.catalog.roles(COMMIT)
        return self.short(caught.value.message)

    def short(self, text: str) -> str:
        return text.replace(str(self.directory), "~")
