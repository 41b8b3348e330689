"""The gates that an Implementor's work has to pass."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from supervisor_ai.definitions.gate_making import in_step, make_gate
from supervisor_ai.definitions.gate_order import with_needed
from supervisor_ai.definitions.kanban import steps
from supervisor_ai.definitions.library import Library
from supervisor_ai.definitions.mistakes import Mistakes
from supervisor_ai.definitions.resolution import role_gated
from supervisor_ai.definitions.settings import Settings
from supervisor_ai.definitions.step_chains import free_name, gate_step
from supervisor_ai.definitions.workflows import ReadWorkflow
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow
from supervisor_ai.domain.run.gates import GateKind

Needed = dict[str, tuple[Gate, tuple[str, ...]]]
"""Gates by their names, each with the names of those that come before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """Gate steps in their order, and their gates by the keys that they name."""

    steps: tuple[Step, ...] = ()
    gates: Mapping[str, Gate]


def find_checks(library: Library) -> Checks:
    """Return the gates that the config names for kanbans, else those of the default workflow."""
    named = library.settings.kanban.gates
    if named is None:
        return _gathered(_of_default(library))
    return _gathered(_configured([name for name, _ in named], library.settings))


def _gathered(found: Iterator[tuple[Step, Needed]]) -> Checks:
    made: dict[StepName, Step] = {}
    gates: dict[str, Gate] = {}
    for model, needed in found:
        name = free_name(model.name, {*steps.RESERVED, *made})
        own = in_step(name, needed)
        gates |= own
        made[name] = replace(
            gate_step(name, own),
            on_fail=steps.IMPLEMENTOR,
            max_retries=model.max_retries,
            asks_at_last=model.asks_at_last,
            timeout=model.timeout,
            description=f"The work passes {', '.join(needed)}",
        )
    return Checks(steps=tuple(made.values()), gates=gates)


def _configured(names: list[str], settings: Settings) -> Iterator[tuple[Step, Needed]]:
    """Make a step of each gate, together with what it depends on and has not run yet."""
    gates, limit = settings.gates, settings.limits.step_timeout
    done: set[str] = set()
    for name in names:
        if name in done or not gates[name].is_enabled:
            continue
        wanted = [it for it in with_needed([name], gates) if it not in done]
        done.update(wanted)
        made = {
            it: (make_gate(it, gates[it], gates, limit=limit), gates[it].depends_on)
            for it in wanted
        }
        yield Step(name=StepName(name), kind=StepKind.GATE), made


def _of_default(library: Library) -> Iterator[tuple[Step, Needed]]:
    """Take over the gate steps of the default workflow, as far as they run commands."""
    chosen = library.settings.workflow
    read = library.workflows.get(chosen.name) if chosen else None
    if read is None:
        return
    _refuse_gaps(read)
    gated = role_gated(library, read, read.workflow)
    done: set[str] = set()
    for step in _path(gated.workflow):
        made = {
            gate.name: (gate, needs)
            for gate, needs in _commands(step, gated.gates)
            if gate.name not in done
        }
        done |= made.keys()
        if made:
            yield step, made


def _commands(step: Step, gates: Mapping[str, Gate]) -> Iterator[tuple[Gate, tuple[str, ...]]]:
    for key in step.checks:
        gate = gates[key]
        if gate.kind is GateKind.COMMAND:
            yield replace(gate, depends_on=()), tuple(gates[it].name for it in gate.depends_on)


def _refuse_gaps(read: ReadWorkflow) -> None:
    """Refuse a workflow with a gate that nobody has configured: work would pass unseen."""
    mistakes = Mistakes()
    for missing in read.missing:
        if missing.what == "gate":
            advice = "or say what kanbans have to pass: `kanban: {gates: [...]}`"
            mistakes.add(missing.place, f"{missing.problem}; {advice}")
    if mistakes:
        raise mistakes.error()


def _path(workflow: Workflow) -> Iterator[Step]:
    """Follow a workflow from its beginning to its end."""
    seen: set[StepName] = set()
    name: StepName | None = workflow.initial_step
    while name is not None and name not in seen:
        seen.add(name)
        yield workflow.steps[name]
        name = workflow.steps[name].next
