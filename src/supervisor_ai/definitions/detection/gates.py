"""The gates that a project's own commands make."""

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.project_survey import DetectedGate, GateSuggestion
from supervisor_ai.definitions.detection.facts import TOP, Facts
from supervisor_ai.definitions.detection.table import DetectionTable, InstallerRule, Words

_SAFE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,100}")
_TEST: Final = "test"
_MOST: Final = 12
_SLOTS: Final = ("python", "interpreter", "node", "exec")


def detect_gates(table: DetectionTable, facts: Facts) -> tuple[DetectedGate, ...]:
    """Make gates of the commands that the table finds; the top of the project comes first."""
    places = [place for place in facts.directories if place == TOP or _SAFE.fullmatch(place)]
    gates: list[DetectedGate] = []
    for kind in table.commands:
        found = {place: _suggestions(table, facts, kind, place) for place in places}
        gates += _gates(kind, {place: given for place, given in found.items() if given})
    return tuple(gates)


def _gates(kind: str, found: dict[str, tuple[GateSuggestion, ...]]) -> Iterator[DetectedGate]:
    if TOP in found or len(found) == 1:
        [(first, *others)] = [found[place] for place in list(found)[:1]]
        yield _gate(kind, first, others)
        return
    outer = [place for place in found if not any(_is_below(place, other) for other in found)]
    chosen = [found[place] for place in outer[:_MOST]]
    if kind == _TEST and chosen:
        yield _all_of(kind, [first for first, *_ in chosen])
    taken: set[str] = set()
    for first, *others in chosen:
        name = f"{kind}_{re.sub(r'[^A-Za-z0-9]+', '_', first.directory).strip('_')}"[:60]
        if name not in taken:
            taken.add(name)
            yield _gate(name, first, others)


def _is_below(place: str, other: str) -> bool:
    return place != other and PurePosixPath(place).is_relative_to(other)


def _gate(name: str, first: GateSuggestion, others: list[GateSuggestion]) -> DetectedGate:
    return DetectedGate(
        name=name, command=first.command, evidence=(first.evidence,), others=tuple(others)
    )


def _all_of(kind: str, parts: list[GateSuggestion]) -> DetectedGate:
    """Let one gate stand for the parts of a project that has none at its top."""
    script = " && ".join(shlex.join(part.command) for part in parts)
    evidence = tuple(part.evidence for part in parts)
    return DetectedGate(name=kind, command=("sh", "-c", script), evidence=evidence)


def _suggestions(
    table: DetectionTable, facts: Facts, kind: str, place: str
) -> tuple[GateSuggestion, ...]:
    here = facts.in_directory(place)
    found: list[GateSuggestion] = []
    for rule in table.commands[kind]:
        evidence = here.evidence(rule.when)
        if evidence is not None:
            words = tuple(_filled(rule.run, table, facts, place))
            moved = words if place == TOP else ("env", "-C", place, *words)
            found.append(GateSuggestion(command=moved, directory=place, evidence=evidence))
    return tuple(found)


def _filled(words: Words, table: DetectionTable, facts: Facts, place: str) -> Iterator[str]:
    for word in words:
        slot = word.strip("{}")
        if word == f"{{{slot}}}" and slot in _SLOTS:
            yield from _slot(slot, table, facts, place)
        else:
            yield word


def _slot(slot: str, table: DetectionTable, facts: Facts, place: str) -> Words:
    """Find how a package manager starts a program: the nearest one upwards counts."""
    offered = [(installer, _words(installer, slot)) for installer in table.installers.values()]
    for above in (place, *(str(parent) for parent in PurePosixPath(place).parents)):
        here = facts.in_directory(above)
        for installer, words in offered:
            if words and not installer.fallback and here.evidence(installer.when) is not None:
                return words
    return next(words for installer, words in offered if words and installer.fallback)


def _words(installer: InstallerRule, slot: str) -> Words:
    by_slot: dict[str, Words] = {
        "python": installer.python,
        "interpreter": installer.interpreter,
        "node": installer.node,
        "exec": installer.exec,
    }
    return by_slot[slot]
