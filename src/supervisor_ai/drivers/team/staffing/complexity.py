"""How heavy work is, computed from what is known about it and never felt."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct


class TeamComplexity(StrEnum):
    """How much care a team's work needs."""

    SIMPLE = "SIMPLE"
    MEDIUM = "MEDIUM"
    COMPLEX = "COMPLEX"


class WorkTraits(Struct, frozen=True, kw_only=True):
    """What is known about the work of a team."""

    layers: int = 1
    """How many layers it touches: interface, service, storage."""
    tasks: int = 1
    files: int = 1
    longest_chain: int = 1
    """How many tasks wait for each other in a row; one: none does."""
    changes_behaviour: bool = False
    changes_shared_behaviour: bool = False
    is_near_sensitive_code: bool = False
    is_sensitive_code: bool = False
    """Whether it changes code of authentication or payment itself."""
    has_gold_standard: bool = True
    """Whether the project has an example to follow."""


class MediumTrigger(StrEnum):
    """A reason to take more care."""

    TWO_LAYERS = "2+ layers"
    BEHAVIOUR = "changes existing behaviour"
    NEAR_SENSITIVE = "near sensitive areas"
    THREE_TASKS = "3+ tasks"
    DEPENDENCIES = "dependencies between tasks"
    FIVE_FILES = "5+ files"


class ComplexTrigger(StrEnum):
    """A reason that is enough by itself to take the most care."""

    THREE_LAYERS = "3 layers"
    SHARED_BEHAVIOUR = "changes shared behaviour"
    SENSITIVE_CODE = "direct auth or payment code"
    FIVE_TASKS = "5+ tasks"
    CHAIN = "chain of 3 tasks"
    NO_GOLD_STANDARD = "no gold standard"
    TEN_FILES = "10+ files"


MEDIUM_TRIGGERS: Final[Mapping[MediumTrigger, Callable[[WorkTraits], bool]]] = {
    MediumTrigger.TWO_LAYERS: lambda it: it.layers >= 2,  # noqa: PLR2004 - the rule itself
    MediumTrigger.BEHAVIOUR: lambda it: it.changes_behaviour,
    MediumTrigger.NEAR_SENSITIVE: lambda it: it.is_near_sensitive_code,
    MediumTrigger.THREE_TASKS: lambda it: it.tasks >= 3,  # noqa: PLR2004 - the rule itself
    MediumTrigger.DEPENDENCIES: lambda it: it.longest_chain > 1,
    MediumTrigger.FIVE_FILES: lambda it: it.files >= 5,  # noqa: PLR2004 - the rule itself
}
COMPLEX_TRIGGERS: Final[Mapping[ComplexTrigger, Callable[[WorkTraits], bool]]] = {
    ComplexTrigger.THREE_LAYERS: lambda it: it.layers >= 3,  # noqa: PLR2004 - the rule itself
    ComplexTrigger.SHARED_BEHAVIOUR: lambda it: it.changes_shared_behaviour,
    ComplexTrigger.SENSITIVE_CODE: lambda it: it.is_sensitive_code,
    ComplexTrigger.FIVE_TASKS: lambda it: it.tasks >= 5,  # noqa: PLR2004 - the rule itself
    ComplexTrigger.CHAIN: lambda it: it.longest_chain >= 3,  # noqa: PLR2004 - the rule itself
    ComplexTrigger.NO_GOLD_STANDARD: lambda it: not it.has_gold_standard,
    ComplexTrigger.TEN_FILES: lambda it: it.files >= 10,  # noqa: PLR2004 - the rule itself
}
_MEDIUM_FROM: Final = 2
_COMPLEX_FROM: Final = 4


class ComplexityFinding(Struct, frozen=True, kw_only=True):
    """How heavy work is, and why."""

    complexity: TeamComplexity
    medium: tuple[MediumTrigger, ...]
    complex: tuple[ComplexTrigger, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return the triggers in words."""
        return tuple(it.value for it in (*self.medium, *self.complex))


def complexity_of(traits: WorkTraits) -> ComplexityFinding:
    """Count the triggers; one of the complex ones is enough."""
    medium = tuple(it for it, holds in MEDIUM_TRIGGERS.items() if holds(traits))
    heavy = tuple(it for it, holds in COMPLEX_TRIGGERS.items() if holds(traits))
    if heavy or len(medium) >= _COMPLEX_FROM:
        found = TeamComplexity.COMPLEX
    else:
        found = TeamComplexity.MEDIUM if len(medium) >= _MEDIUM_FROM else TeamComplexity.SIMPLE
    return ComplexityFinding(complexity=found, medium=medium, complex=heavy)
