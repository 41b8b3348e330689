"""The gate that a gate step runs."""

from datetime import timedelta

from supervisor_ai.definitions.mistakes import unknown
from supervisor_ai.definitions.settings import Settings
from supervisor_ai.definitions.templates.kit import EXAMPLES, line_to_write
from supervisor_ai.definitions.templates.step_notes import StepNotes
from supervisor_ai.domain.run.definition import Gate


def read_gate(notes: StepNotes, settings: Settings, *, are_gates_known: bool) -> Gate | None:
    """Return the gate of a step; None, with the mistake noted, where there is none."""
    shape = notes.draft.shape
    limit = settings.limits.step_timeout
    if shape.command is not None and shape.gate is not None:
        notes.add("gate", "contradicts `command`; give one of the two")
    if shape.command is not None:
        return _gate(notes, notes.draft.name, tuple(shape.command), limit)
    if shape.gate is None:
        problem = "is missing; an orchestrator gate needs a `command` or the name of a `gate`"
        notes.add_gap("command", problem)
        return None
    setting = settings.gates.get(shape.gate)
    if setting is None:
        if are_gates_known:
            notes.add_unknown("gate", "gate", shape.gate, _unknown(shape.gate, settings))
        return None
    return _gate(notes, shape.gate, setting.command or (), setting.timeout or limit)


def _gate(notes: StepNotes, name: str, command: tuple[str, ...], timeout: timedelta) -> Gate:
    terms = notes.draft.terms
    for key, number in terms.numbers.items():
        command = tuple(word.replace(f"{{{key}}}", str(number)) for word in command)
    if any("{coverage}" in word for word in command):
        notes.add("gate", "needs a number for {coverage}; say `config: {coverage: 80}` at a step")
    return Gate(
        name=name,
        command=command,
        timeout=notes.draft.shape.timeout or timeout,
        min_tests=terms.min_tests,
    )


def _unknown(gate: str, settings: Settings) -> str:
    if gate in EXAMPLES:
        return f"no gate {gate!r} is configured; {line_to_write(gate)}"
    return unknown("gate", gate, sorted(settings.gates))
