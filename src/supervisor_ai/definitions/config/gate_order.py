"""Which gates run before which: what `depends_on` brings along, and where it leads nowhere."""

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Final

from supervisor_ai.definitions.config.gates import Gates
from supervisor_ai.definitions.config.known_gates import kind_of_gate, known_gates, line_to_write
from supervisor_ai.definitions.sources.mistakes import FileMistakes, unknown
from supervisor_ai.domain.run.gates import GateKind

_MOST_CIRCLES: Final = 10


def check_gates(
    gates: Gates, names: Iterable[str], mistakes: FileMistakes, *, are_gates_known: bool
) -> None:
    """Note which of the named gates cannot be run, and which wait for one that is not there."""
    for name in names:
        gate = gates[name]
        kind = kind_of_gate(name, has_command=gate.command is not None)
        is_damaged = mistakes.any_below(gate.place.file, gate.place.key)
        needs_command = kind == GateKind.COMMAND and gate.is_enabled
        if needs_command and gate.command is None and not is_damaged:
            mistakes.add(gate.place, "has no command")
        if are_gates_known:
            _check_depends(name, gates, mistakes)


def check_circles(gates: Gates, mistakes: FileMistakes) -> None:
    """Note gates that wait for each other."""
    left = {name: [it for it in gate.depends_on if it in gates] for name, gate in gates.items()}
    for _ in range(_MOST_CIRCLES):
        circle = _circle(left)
        if not circle:
            return
        first = min(circle, key=list(gates).index)
        at = circle.index(first)
        around = " -> ".join([*circle[at:], *circle[:at], first])
        gate = gates[first]
        mistakes.add(gate.depends_at or gate.place, f"goes round in a circle: {around}")
        left = {name: needs for name, needs in left.items() if name not in circle}


def with_needed(names: Iterable[str], gates: Gates) -> list[str]:
    """Name the gates and all that they depend on, none before what it depends on."""
    found: dict[str, tuple[str, ...]] = {}
    waiting = list(dict.fromkeys(names))
    for name in waiting:
        if name not in found:
            found[name] = _needs(name, gates)
            waiting.extend(found[name])
    try:
        return list(TopologicalSorter(found).static_order())
    except CycleError:
        return list(found)


def unknown_gate(name: str, gates: Gates) -> str:
    """Say that a gate is not configured, and what to do about it."""
    if name in known_gates():
        return f"no gate {name!r} is configured; {line_to_write(name)}"
    return unknown("gate", name, sorted(gates))


def _needs(name: str, gates: Gates) -> tuple[str, ...]:
    return tuple(it for it in gates[name].depends_on if it in gates and gates[it].is_enabled)


def _check_depends(name: str, gates: Gates, mistakes: FileMistakes) -> None:
    gate = gates[name]
    for it in gate.depends_on:
        if it not in gates:
            mistakes.add(gate.depends_at or gate.place, unknown_gate(it, gates))


def _circle(needs: dict[str, list[str]]) -> list[str]:
    known = ((name, [it for it in of if it in needs]) for name, of in needs.items())
    try:
        TopologicalSorter(dict(known)).prepare()
    except CycleError as error:
        # Each member is needed by the next one, and the last repeats the first.
        return [str(member) for member in reversed(error.args[1][1:])]
    return []
