"""The gates that a gate step runs."""

from collections.abc import Iterator

from supervisor_ai.definitions.config.gate_build import in_step, make_gate
from supervisor_ai.definitions.config.gate_order import unknown_gate, with_needed
from supervisor_ai.definitions.config.gates import ConfiguredGate
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.overlay.tree import ValueNode
from supervisor_ai.definitions.schema.gates import MOST_GATES
from supervisor_ai.definitions.templates.step_notes import StepNotes
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.structs import replace

_WAYS = ("command", "gate", "gates")


def read_gates(
    notes: StepNotes, settings: EffectiveSettings, *, are_gates_known: bool
) -> dict[str, Gate]:
    """Return the gates of a step by key; none, with the mistake noted, where there is none."""
    shape = notes.draft.shape
    said = [key for key in _WAYS if getattr(shape, key) is not None]
    if len(said) > 1:
        notes.add(said[-1], f"contradicts `{said[0]}`; give one of the two")
    if shape.command is not None:
        return {notes.draft.name: _own_gate(notes, tuple(shape.command), settings)}
    if not said:
        problem = "is missing; an orchestrator gate needs a `command` or the name of a `gate`"
        notes.add_gap("command", problem)
        return {}
    known = list(_usable(notes, settings, said[-1], are_gates_known=are_gates_known))
    names = with_needed(known, settings.gates)
    if len(names) > MOST_GATES:
        notes.add(said[-1], f"leads to {len(names)} gates; at most {MOST_GATES} are allowed")
    made = {
        name: (
            _gate(notes, name, settings, is_alone=len(names) == 1),
            settings.gates[name].depends_on,
        )
        for name in names
    }
    return in_step(notes.draft.name, made)


def _usable(
    notes: StepNotes, settings: EffectiveSettings, key: str, *, are_gates_known: bool
) -> Iterator[str]:
    """Name the gates of the step that are there; what is turned off is left out of several."""
    names = notes.draft.checks
    if len(set(names)) < len(names):
        notes.add(key, "names a gate twice")
    are_all_off = all(name in settings.gates for name in names) and not any(
        settings.gates[name].is_enabled for name in names
    )
    for name in dict.fromkeys(names):
        setting = settings.gates.get(name)
        if setting is None:
            if are_gates_known:
                notes.add_unknown(key, "gate", name, unknown_gate(name, settings.gates))
        elif are_all_off:
            problem = f"the gate {name!r} is turned off in {setting.place.text}"
            advice = f"turn it on, or write `disable: [{notes.draft.name}]`"
            notes.add_unknown(key, "gate", name, f"{problem}; {advice}")
        elif setting.is_enabled:
            yield name


def _own_gate(notes: StepNotes, command: tuple[str, ...], settings: EffectiveSettings) -> Gate:
    source, name = notes.draft.source("command"), notes.draft.name
    said = ValueNode(value={}, at=source.location("command"))
    setting = ConfiguredGate(node=said, command=command)
    made = make_gate(name, setting, {}, limit=settings.limits.step_timeout)
    return _on_terms(notes, replace(made, kind=GateKind.COMMAND), is_alone=True)


def _gate(notes: StepNotes, name: str, settings: EffectiveSettings, *, is_alone: bool) -> Gate:
    setting, limit = settings.gates[name], settings.limits.step_timeout
    made = make_gate(name, setting, settings.gates, limit=limit)
    return _on_terms(notes, made, is_alone=is_alone)


def _on_terms(notes: StepNotes, gate: Gate, *, is_alone: bool) -> Gate:
    """Ask of a gate what its step asks; of several, those count tests whose name says so."""
    terms, command = notes.draft.terms, gate.command
    for key, number in terms.numbers.items():
        command = tuple(word.replace(f"{{{key}}}", str(number)) for word in command)
    if any("{coverage}" in word for word in command):
        notes.add("gate", "needs a number for {coverage}; say `config: {coverage: 80}` at a step")
    counts = is_alone or gate.counts_tests
    return replace(
        gate,
        command=command,
        timeout=notes.draft.shape.timeout or gate.timeout,
        min_tests_each=terms.min_tests_each if counts else None,
        judges=StepName(terms.judges) if counts and terms.judges else None,
    )
