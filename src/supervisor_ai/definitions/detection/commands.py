"""What a gate runs in a directory, as the installers there start programs."""

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.project_survey import GateSuggestion, ManifestEvidence
from supervisor_ai.definitions.detection.facts import TOP, Facts
from supervisor_ai.definitions.detection.installs import Install, nearest
from supervisor_ai.definitions.detection.python_layout import source_directories, unittest_words
from supervisor_ai.definitions.detection.table import DetectionTable, Words
from supervisor_ai.definitions.detection.workspace_members import python_members

WORKSPACE: Final = "{workspace}"
_PLACE: Final = "{place}"
_PYTHON: Final = ("python3",)
_TESTED: Final = frozenset({"test", "coverage"})
_PYTHON_SIGNS: Final = ("tests:pytest", "tests:plain", "layout:src", "layout:lib")
_NODE: Final[Mapping[str, Words]] = {
    "node": ("npm",),
    "exec": ("npx", "--offline", "--no-install"),
    "members": (),
}
_MEMBERS: Final = "{members}"


class CommandFinder(Struct, frozen=True, kw_only=True):
    """What is known about the project, and the level of set-up that is asked about."""

    table: DetectionTable
    facts: Facts
    files: Collection[str]
    installs: tuple[Install, ...]
    level: int = 0


def suggestions(finder: CommandFinder, kind: str, place: str) -> tuple[GateSuggestion, ...]:
    """Write the commands that a gate may have in a directory, the first choice first."""
    here = finder.facts.in_directory(place)
    found: list[GateSuggestion] = []
    for rule in finder.table.commands[kind]:
        evidence = here.evidence(rule.when)
        is_possible = _MEMBERS not in rule.run or _node(finder, place, "members")
        if evidence is not None and is_possible:
            words = tuple(_filled(finder, rule.run, place, evidence))
            moved = words if place == TOP else ("env", "-C", place, *words)
            found.append(
                GateSuggestion(
                    command=moved,
                    directory=place,
                    evidence=evidence,
                    environment=_environment(finder, kind, place),
                )
            )
    return tuple(found)


def _filled(
    finder: CommandFinder, words: Words, place: str, evidence: ManifestEvidence
) -> Iterator[str]:
    for word in words:
        match word:
            case "{python}":
                yield from (*_interpreter(finder, place), "-m")
            case "{interpreter}":
                yield from _interpreter(finder, place)
            case "{unittest}":
                yield from unittest_words(place, evidence.file, finder.files)
            case "{node}" | "{exec}" | "{members}":
                yield from _node(finder, place, word.strip("{}"))
            case _:
                yield word


def _interpreter(finder: CommandFinder, place: str) -> Words:
    install = nearest(finder.installs, "python", place)
    if install is None or not (finder.level and install.rule.ways):
        return _PYTHON
    made = install.way(finder.level).interpreter
    up = os.path.relpath(install.place, place)
    return tuple(word if up == TOP else str(PurePosixPath(up, word)) for word in made) or _PYTHON


def _node(finder: CommandFinder, place: str, slot: str) -> Words:
    install = nearest(finder.installs, "node", place)
    rule = install.rule if install else None
    words = {"node": rule.node, "exec": rule.exec, "members": rule.members} if rule else _NODE
    return words[slot]


def _environment(finder: CommandFinder, kind: str, place: str) -> dict[str, str]:
    """Name where imports begin, so that no installed copy of the project comes before its files."""
    given: dict[str, str] = {}
    here = finder.facts.in_directory(place)
    is_python = nearest(finder.installs, "python", place) or here.evidence(_PYTHON_SIGNS)
    if kind in _TESTED and is_python:
        given["PYTHONPATH"] = ":".join(_imported(finder.facts, place))
    for install in finder.installs if finder.level else ():
        for name, value in (
            install.way(finder.level).environment if install.rule.ways else {}
        ).items():
            given[name] = value.replace(_PLACE, _inside(install.place, TOP))
    return given


def _imported(facts: Facts, place: str) -> Iterator[str]:
    """Name where the imports of a directory begin; members of a workspace import each other."""
    for each in dict.fromkeys((place, *python_members(facts))):
        yield from (_inside(each, it) for it in source_directories(facts.in_directory(each)))


def _inside(place: str, name: str) -> str:
    return str(PurePosixPath(WORKSPACE, place, name))
