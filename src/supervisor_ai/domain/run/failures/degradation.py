"""Graceful degradation: where all of it does not succeed, less is asked for and shown as less."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Final


class Level(StrEnum):
    """How much of a task is asked for, most first."""

    PRIMARY = "primary"
    SIMPLIFIED = "simplified"
    MINIMAL = "minimal"


LEVELS: Final = tuple(Level)
INSTRUCTIONS: Final[Mapping[Level, str]] = {
    Level.PRIMARY: "",
    Level.SIMPLIFIED: (
        "Implement ONLY the core functionality. "
        "Skip edge cases, error handling, and optimizations. "
        "We'll add those in a follow-up task."
    ),
    Level.MINIMAL: (
        "Create stub implementations that satisfy the interface. "
        "Add TODO comments for actual logic. "
        "This is a placeholder for manual implementation."
    ),
}
"""What a worker is told besides its task."""


def next_level(level: Level, allowed: Collection[Level]) -> Level | None:
    """Return the level after a failed one: the next simpler one that is allowed."""
    simpler = LEVELS[LEVELS.index(level) + 1 :]
    return next((candidate for candidate in simpler if candidate in allowed), None)


def is_degraded(levels: Iterable[Level]) -> bool:
    """Tell whether a result is less than what was asked for."""
    return worst(levels) is not Level.PRIMARY


def worst(levels: Iterable[Level]) -> Level:
    """Return the level of a whole whose parts were done at these levels."""
    return max(levels, key=LEVELS.index, default=Level.PRIMARY)
