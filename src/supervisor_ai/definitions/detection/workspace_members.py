"""Workspaces of packages: one lock file at the top, and members below it."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.definitions.detection.facts import TOP, Facts, ProjectFact

UV: Final = "toml:tool.uv.workspace"
_NODE: Final = ("package:workspaces", "file:pnpm-workspace.yaml")
_SCRIPT: Final = "script:"


def member_facts(facts: Facts) -> Iterator[ProjectFact]:
    """Find `members:NAME` at each top of packages whose members have a script of that name."""
    tops = {fact.directory for name in _NODE for fact in facts.named(name)}
    for top in sorted(tops):
        for fact in facts:
            if fact.name.startswith(_SCRIPT) and _is_below(fact.directory, top):
                name = fact.name.removeprefix(_SCRIPT)
                yield ProjectFact(name=f"members:{name}", evidence=fact.evidence, place=top)


def is_workspace(facts: Facts) -> bool:
    """Tell whether the top of a project is one of members."""
    return facts.in_directory(TOP).evidence((UV, *_NODE)) is not None


def python_members(facts: Facts) -> tuple[str, ...]:
    """Name the directories of a workspace of uv that hold a package of it."""
    if facts.in_directory(TOP).evidence([UV]) is None:
        return ()
    found = (fact.directory for fact in facts.named("file:pyproject.toml"))
    return tuple(place for place in dict.fromkeys(found) if place != TOP)


def _is_below(place: str, top: str) -> bool:
    return place != top and PurePosixPath(place).is_relative_to(top)
