"""The package's, the user's and a project's files, read together."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.definitions import Loaded
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.workspaces import Repository

ADAPTERS = frozenset({"claude", "codex", "gemini", "command"})
FLOW = ".supervisor/workflows/flow.yaml"


class Layers:
    """A user's directory, and projects that come and go."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def user(self, config: str) -> None:
        """Write the user's own config."""
        (self.directory / "config.yaml").write_text(config)

    def load(
        self, project: str = "", files: Mapping[str, str] | None = None, workflow: str = "standard"
    ) -> Loaded:
        """Load a workflow of a project with this config."""
        texts = {CONFIG: f"cli: claude\n{project}", **(files or {})}
        repository = cast("Repository", ProjectFiles(texts))
        catalog = FileCatalog(repository, self.directory, ADAPTERS)
        return catalog.load(COMMIT, workflow=workflow, cli=None)

    def mistakes(self, project: str = "", files: Mapping[str, str] | None = None) -> str:
        """Return what is wrong, without the path of the user's directory."""
        with pytest.raises(InvalidInput) as caught:
            self.load(project, files)
        return caught.value.message.replace(str(self.directory), "USER")
