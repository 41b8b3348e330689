"""The ways in which a project's commands may work here, and the gates that they make there."""

import re
import shlex
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.project_survey import (
    DetectedGate,
    GateSuggestion,
    WorkspaceWay,
    all_of,
)
from supervisor_ai.definitions.detection.commands import CommandFinder, suggestions
from supervisor_ai.definitions.detection.facts import TOP, Facts
from supervisor_ai.definitions.detection.installs import installs
from supervisor_ai.definitions.detection.table import DetectionTable
from supervisor_ai.definitions.detection.workspace_members import is_workspace
from supervisor_ai.domain.structs import replace

_SAFE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,100}")
_TEST: Final = "test"
_MOST: Final = 12


def detect_ways(
    table: DetectionTable, facts: Facts, files: Collection[str], built: tuple[str, ...] = ()
) -> tuple[WorkspaceWay, ...]:
    """Find the gates as the workspace is, and as each set-up of the installers would make it.

    What a build made in the checkout is copied where the tests do not work without it.
    """
    places = [place for place in facts.directories if place == TOP or _SAFE.fullmatch(place)]
    found = installs(table, facts, places)
    levels = 1 + max((len(it.rule.ways) for it in found), default=0)
    bare = CommandFinder(table=table, facts=facts, files=files, installs=found)
    ways = tuple(_way(replace(bare, level=level), places) for level in range(levels))
    copied = tuple(replace(way, include=(*way.include, *built)) for way in ways)
    return (*ways[:1], *copied) if built else ways


def _way(finder: CommandFinder, places: list[str]) -> WorkspaceWay:
    gates: list[DetectedGate] = []
    for kind in finder.table.commands:
        given = {place: suggestions(finder, kind, place) for place in places}
        gates += _gates(
            kind,
            {place: each for place, each in given.items() if each},
            has_members=is_workspace(finder.facts),
        )
    used = [it for it in finder.installs if it.rule.ways and finder.level]
    ways = [(it, it.way(finder.level)) for it in used]
    setups = [it.moved(way.setup, finder.facts) for it, way in ways if way.setup]
    return WorkspaceWay(
        gates=tuple(gates),
        setup=_joined(setups),
        egress=_all(host for _, way in ways for host in way.egress),
        cache_key=_all(name for it, _ in ways for name in it.cache_key(finder.level, finder.facts)),
        cache_paths=_all(name for it, _ in ways for name in it.cache_paths(finder.level)),
        caches=_all(name for _, way in ways for name in way.caches),
        include=_all(name for it, way in ways if it.place == TOP for name in way.include),
        needs=_all(name for _, way in ways for name in way.needs),
    )


def _all(words: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _joined(setups: list[tuple[str, ...]]) -> tuple[str, ...]:
    if len(setups) <= 1:
        return setups[0] if setups else ()
    return ("sh", "-c", " && ".join(map(shlex.join, setups)))


def _gates(
    kind: str, found: dict[str, tuple[GateSuggestion, ...]], *, has_members: bool
) -> Iterator[DetectedGate]:
    if TOP in found or len(found) == 1:
        [(first, *others)] = [found[place] for place in list(found)[:1]]
        below = {place: each for place, each in found.items() if place != TOP}
        if has_members and TOP in found and kind == _TEST:
            others += map(_suggested, islice(_gates(kind, below, has_members=False), 1))
        yield _gate(kind, first, others)
        return
    outer = [place for place in found if not any(_is_below(place, other) for other in found)]
    parts: dict[str, DetectedGate] = {}
    for place in outer[:_MOST]:
        first, *others = found[place]
        name = f"{kind}_{re.sub(r'[^A-Za-z0-9]+', '_', place).strip('_')}"[:60]
        parts.setdefault(name, _gate(name, first, others))
    if kind == _TEST and parts:
        yield all_of(kind, tuple(parts.values()))
    yield from parts.values()


def _suggested(gate: DetectedGate) -> GateSuggestion:
    return GateSuggestion(
        command=gate.command,
        directory=TOP,
        evidence=gate.evidence[0],
        environment=gate.environment,
    )


def _is_below(place: str, other: str) -> bool:
    return place != other and PurePosixPath(place).is_relative_to(other)


def _gate(name: str, first: GateSuggestion, others: list[GateSuggestion]) -> DetectedGate:
    return DetectedGate(
        name=name,
        command=first.command,
        environment=first.environment,
        evidence=(first.evidence,),
        others=tuple(others),
    )
