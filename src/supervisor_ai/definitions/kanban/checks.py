"""The gates and other checks that an Implementor's work has to pass."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.slice_names import registered_step
from supervisor_ai.definitions.config.gate_build import in_step, make_gate
from supervisor_ai.definitions.config.gate_order import with_needed
from supervisor_ai.definitions.config.gates import Gates
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.config.step_chains import free_name, gate_step
from supervisor_ai.definitions.kanban import steps
from supervisor_ai.definitions.kanban.settings import KANBAN
from supervisor_ai.definitions.library import Library
from supervisor_ai.definitions.resolution import guarding_of, role_gated
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.state import IMPLEMENTOR

Needed = dict[str, tuple[Gate, tuple[str, ...]]]
"""Gates by their names, each with the names of those that come before it."""
_LEFT_OUT: Final = frozenset({GateKind.CLAIMS, GateKind.COMPLEXITY})
"""What needs lists of files, which nobody gives at a kanban, and what only approvers need."""


class Checks(Struct, frozen=True, kw_only=True):
    """Gate steps in their order, and their gates by the keys that they name."""

    steps: tuple[Step, ...] = ()
    gates: Mapping[str, Gate]
    known: Gates
    """The gates as they are configured where these come from: the guard takes its own there."""
    is_test_first: bool = False
    """Whether new tests must have failed before, whatever the role says."""


def find_checks(library: Library) -> Checks:
    """Return the gates that the config names for kanbans, else those of the default workflow."""
    settings = library.settings
    named, default = settings.section(KANBAN).gates, _default(library)
    if named is not None:
        return _gathered(_configured([name for name, _ in named], settings), settings.gates)
    if default is None:
        return Checks(gates={}, known=settings.gates)
    _refuse_gaps(default)
    checks = _gathered(_of_workflow(library, default), default.particulars.gates)
    return replace(checks, is_test_first=_is_test_first(library, default))


def _default(library: Library) -> ReadWorkflow | None:
    chosen = library.settings.workflow
    return library.workflows.get(chosen.name) if chosen else None


def _gathered(found: Iterator[tuple[Step, Needed]], known: Gates) -> Checks:
    made: dict[StepName, Step] = {}
    gates: dict[str, Gate] = {}
    for model, needed in found:
        name = free_name(model.name, {*steps.RESERVED, *made})
        if model.kind != StepKind.GATE:
            made[name] = replace(model, name=name, on_reject=IMPLEMENTOR)
            continue
        own = in_step(name, needed)
        gates |= own
        made[name] = replace(
            gate_step(name, own),
            on_fail=IMPLEMENTOR,
            max_retries=model.max_retries,
            asks_at_last=model.asks_at_last,
            timeout=model.timeout,
            description=f"The work passes {', '.join(needed)}",
        )
    return Checks(steps=tuple(made.values()), gates=gates, known=known)


def _configured(names: list[str], settings: EffectiveSettings) -> Iterator[tuple[Step, Needed]]:
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


def _of_workflow(library: Library, read: ReadWorkflow) -> Iterator[tuple[Step, Needed]]:
    """Take over the gates that a workflow runs, those of its roles included; each comes once."""
    gated = role_gated(library, read, read.workflow)
    done: list[Gate] = []  # two gates may share a name and run something else
    for step in _path(gated.workflow):
        made = {
            gate.name: (gate, needs)
            for gate, needs in _usable(step, gated.gates)
            if gate not in done
        }
        done += [gate for gate, _ in made.values()]
        if made or _is_of_slice(step):
            yield step, made


def _is_of_slice(step: Step) -> bool:
    """Tell whether another slice decides at the step, in whatever workflow."""
    registered = registered_step(step.kind)
    return registered is not None and registered.decider is not None


def _usable(step: Step, gates: Mapping[str, Gate]) -> Iterator[tuple[Gate, tuple[str, ...]]]:
    for key in step.checks:
        gate = gates[key]
        if gate.kind not in _LEFT_OUT:
            yield replace(gate, depends_on=()), tuple(gates[it].name for it in gate.depends_on)


def _is_test_first(library: Library, read: ReadWorkflow) -> bool:
    """Tell whether anybody who writes code there works test first."""
    guarding = guarding_of(library, read)
    writing = ((step, guarding.writer(step)) for step in _path(read.workflow))
    return any(role and guarding.is_test_first(step, role) for step, role in writing)


def _refuse_gaps(read: ReadWorkflow) -> None:
    """Refuse a workflow with a gate that nobody has configured: work would pass unseen."""
    mistakes = FileMistakes()
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
