"""Gates as lists show them, and one gate by itself."""

from collections.abc import Iterator

from supervisor_ai.control.ports.definitions import GateSummary
from supervisor_ai.definitions.config.gate_build import make_gate
from supervisor_ai.definitions.config.gates import ConfiguredGate
from supervisor_ai.definitions.config.known_gates import TEST, known_gates, line_to_write
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.sources.mistakes import suggestion
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.gates import WITH_COMMAND, GateKind


def gate_summaries(settings: EffectiveSettings) -> tuple[GateSummary, ...]:
    """List all gates: those that are known by name, then the others."""
    return tuple(_summaries(settings))


def find_gate(name: str, settings: EffectiveSettings, *, stale: str | None) -> Gate:
    """Return a gate by itself; `stale` says that the checkout configures others."""
    setting = settings.gates.get(name)
    if setting is None and name in known_gates():
        raise InvalidInput(f"No gate {name!r} is configured.", hint=stale or _hint(name))
    if setting is None:
        known = sorted({*settings.gates, *known_gates()})
        near = suggestion(name, known)
        meant = f"Did you mean {near!r}?" if near else f"Gates: {', '.join(known)}."
        message = f"Gate {name!r} was asked for, but there is no such gate."
        raise NotFound(message, hint=stale or meant)
    gate = _made(name, setting, settings)
    if not _is_runnable(gate):
        lender = name if gate.kind == GateKind.COMMAND else TEST
        message = f"The gate {name!r} cannot be run: the gate {lender!r} has no command."
        raise InvalidInput(message, hint=_hint(lender))
    if any("{coverage}" in word for word in gate.command):
        message = f"The gate {name!r} needs a number for {{coverage}}, which only a step has."
        raise InvalidInput(message, hint="Write the number into the command, or run a workflow.")
    return gate


def _summaries(settings: EffectiveSettings) -> Iterator[GateSummary]:
    for name, known in known_gates().items():
        setting = settings.gates.get(name)
        if setting is None:
            yield GateSummary(
                name=name,
                description=known.description,
                kind=known.kind,
                missing=line_to_write(name),
            )
        else:
            yield _summary(name, known.description, setting, settings)
    for name, setting in sorted(settings.gates.items()):
        if name not in known_gates():
            yield _summary(name, "", setting, settings)


def _summary(
    name: str, description: str, setting: ConfiguredGate, settings: EffectiveSettings
) -> GateSummary:
    gate = _made(name, setting, settings)
    return GateSummary(
        name=name,
        description=description,
        kind=gate.kind,
        command=gate.command,
        policy=gate.policy.value if gate.policy else None,
        is_enabled=setting.is_enabled,
        file=setting.place.file,
        line=setting.place.line,
        origin=setting.origin.value,
        missing=None if _is_runnable(gate) else line_to_write(name),
    )


def _made(name: str, setting: ConfiguredGate, settings: EffectiveSettings) -> Gate:
    limit = settings.limits.step_timeout
    return make_gate(name, setting, settings.gates, limit=limit)


def _is_runnable(gate: Gate) -> bool:
    return bool(gate.command) or gate.kind not in WITH_COMMAND


def _hint(name: str) -> str:
    line = line_to_write(name)
    return f"{line[0].upper()}{line[1:]}"
