"""Words of the configuration about kanbans; all that is imported of them to check a config."""

from enum import StrEnum
from typing import Final

MAX_ITERATIONS: Final = 400
MECHANICAL: Final = "mechanical_manager"
"""The adapter of the Manager that follows its rules without a model."""


class ManagerKind(StrEnum):
    """Who brings a kanban up to date."""

    MODEL = "model"
    BUILTIN = "builtin"
    """The rules themselves; also the name of the CLI that follows them."""
