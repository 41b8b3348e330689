"""What slices add to the words and files of definitions, found by their registered names."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from supervisor_ai.control.slice_names import (
    SliceName,
    SliceRoles,
    register,
    registered_slices,
)
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.answers import MEANINGS, AnswerWord
from supervisor_ai.domain.run.definition import StepKind, StepWord
from supervisor_ai.drivers.registry import SLICES

register(SLICES)


def slices() -> tuple[SliceName, ...]:
    """Return all slices that are registered, in their order."""
    return tuple(registered_slices().values())


def step_words() -> tuple[StepWord, ...]:
    """Name the kinds of steps that the file of a workflow may have."""
    added = (step for it in slices() for step in it.steps)
    shared = (StepKind.ROLE, StepKind.GATE, StepKind.HUMAN, StepKind.COMMIT, StepKind.PULL_REQUEST)
    return (*shared, *(StepWord(step.word) for step in added if step.decider is not None))


def answer_words() -> tuple[AnswerWord, ...]:
    """Name the kinds of answers that a role may give."""
    return (*MEANINGS, *(AnswerWord(word) for own in _own_roles() for word in own.answers))


def roles_of_slice(answer: str) -> SliceRoles | None:
    """Return what holds for roles with an answer that only one driver has; None: it is shared."""
    return next((own for own in _own_roles() if answer in own.answers), None)


def answers_of_slices() -> frozenset[str]:
    """Name the answers that only the roles of one driver give."""
    return frozenset(answer for own in _own_roles() for answer in own.answers)


def own_adapters() -> dict[str, str]:
    """Name the workers of slices that nobody can choose, each with what to do instead."""
    return {name: advice for it in slices() for name, advice in it.adapters.items()}


def slice_directories() -> tuple[Path, ...]:
    """Find the definitions that come with slices."""
    return tuple(_directory(it.definitions) for it in slices() if it.definitions is not None)


def _own_roles() -> Iterator[SliceRoles]:
    return (it.roles for it in slices() if it.roles is not None)


def _directory(package: str) -> Path:
    # Only looked for: what it would import is not needed to read its files.
    spec = find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise InternalError(f"{package} is no package with definitions.")
    return Path(spec.submodule_search_locations[0]) / "builtin"
