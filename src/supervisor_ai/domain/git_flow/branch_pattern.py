"""Patterns of branch names: holes that are filled for each run, and git's rules for the rest."""

import re
from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.slugs import slug_of

BRANCH_PATTERN: Final = "ai/{run_id}-{slug}"
_KNOWN: Final = ("run_id", "slug", "task_id", "description")
_UNIQUE: Final = frozenset({"run_id", "task_id"})
_HOLE: Final = re.compile(r"\{([^{}]*)\}")
_EMPTY: Final = re.compile(r"[-_.]*\{(?:slug|description)\}")
_LONGEST: Final = 120
_SAMPLE: Final = {"run_id": "r", "slug": "s", "task_id": "task-001", "description": "d"}


def pattern_mistake(pattern: str) -> str | None:
    """Say what is wrong with a pattern; None: every name that is made of it is one for git."""
    holes = _HOLE.findall(pattern)
    unknown = next((hole for hole in holes if hole not in _KNOWN), None)
    if unknown is not None:
        known = ", ".join(f"{{{hole}}}" for hole in _KNOWN)
        return f"there is no placeholder {{{unknown}}}; there are {known}"
    if len(pattern) > _LONGEST:
        return f"has more than {_LONGEST} characters"
    if _UNIQUE.isdisjoint(holes):
        return "gives two tasks with the same words the same branch; put {run_id} or {task_id} in"
    return ref_mistake(_filled(pattern, _SAMPLE))


def ref_mistake(name: str) -> str | None:
    """Say why git would not have a branch of this name."""
    parts = name.split("/")
    found = next(filter(None, (_flaw(part) for part in parts)), None)
    if found is not None:
        return f"is no name of a branch for git: {found}"
    if name.startswith("-") or name.endswith(".") or name in {"@", "HEAD"}:
        return f"is no name of a branch for git: {name!r} begins, ends or is as none may"
    return None


def _flaw(part: str) -> str | None:
    if not part:
        return "it has a '/' too many"
    if part.startswith(".") or part.endswith(".lock"):
        return f"{part!r} begins with '.' or ends with '.lock'"
    if ".." in part or "@{" in part:
        return f"{part!r} has '..' or '@{{' in it"
    wrong = next((it for it in part if it <= " " or it in "~^:?*[\\\x7f{}"), None)
    return None if wrong is None else f"{part!r} has {wrong!r} in it"


def needs_number(pattern: str) -> bool:
    """Tell whether the project's tasks are counted for such names."""
    return "{task_id}" in pattern


def branch_name(pattern: str, run: RunId, task: str, number: int | None = None) -> str:
    """Name a run's branch so that a person recognises the task."""
    slug = slug_of(task.strip().partition("\n")[0])
    words = {"run_id": run, "slug": slug, "description": slug, "task_id": task_id(number or 1)}
    # Of a task without a letter that fits, nothing is left of what would show it.
    return _filled(pattern if slug else _EMPTY.sub("", pattern).strip("-_./"), words)


def task_id(number: int) -> str:
    """Name a task by its number in the project."""
    return f"task-{number:03d}"


def _filled(pattern: str, words: Mapping[str, str]) -> str:
    return _HOLE.sub(lambda hole: words[hole[1]], pattern)
