"""Words of the configuration about kanbans; all that is imported of them to check a config."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

MAX_ITERATIONS: Final = 400
EXACT: Final = "exact"
MECHANICAL: Final = "mechanical_manager"
"""The adapter of the Manager that follows its rules without a model."""


class ManagerKind(StrEnum):
    """Who brings a kanban up to date."""

    MODEL = "model"
    BUILTIN = "builtin"
    """The rules themselves; also the name of the CLI that follows them."""


class KanbanSettings(Struct, frozen=True, kw_only=True):
    """What the config says about kanbans."""

    folder: str = "tasks"
    """Where the files of a new one go, as a path in the project."""
    manager: ManagerKind = ManagerKind.MODEL
    retry: str = EXACT
    """`exact`, or `with_error` where a worker is told what was wrong with its answer."""
    max_iterations: int = MAX_ITERATIONS
