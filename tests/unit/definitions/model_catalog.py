"""A catalog whose config says which models are used."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from tests.unit.definitions.project_files import ProjectFiles

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.engine.ports.workspaces import Repository


def catalog(project: Mapping[str, str], user: Path) -> FileCatalog:
    repository = cast("Repository", ProjectFiles(project))
    return FileCatalog(
        repository, user, frozenset({"api", "command"}), missing=("claude", "codex", "gemini")
    )
