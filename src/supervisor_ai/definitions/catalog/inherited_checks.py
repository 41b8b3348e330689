"""The gates that work has to pass where no file of a workflow says so: those of the default one."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.slice_names import registered_step
from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import guarding_of, role_gated
from supervisor_ai.definitions.config.gate_build import in_step, make_gate
from supervisor_ai.definitions.config.gate_order import with_needed
from supervisor_ai.definitions.config.gates import Gates
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.config.step_chains import free_name, gate_step
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Gate, Step, StepKind, Workflow
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.structs import replace

Needed = dict[str, tuple[Gate, tuple[str, ...]]]
"""Gates by their names, each with the names of those that come before it."""
LISTED: Final = frozenset({GateKind.COMPLEXITY})
"""What only approvers need."""
UNLISTED: Final = LISTED | {GateKind.CLAIMS}
"""The same, and what needs lists of files, where nobody gives any."""


class CheckWish(Struct, frozen=True, kw_only=True):
    """Who looks for checks of the work of a step."""

    section: str
    """Which key of the config may name gates."""
    plural: str
    """What has to pass them, as many."""
    named: tuple[str, ...] | None
    """The gates that the config names there; None: those of the default workflow."""
    back: StepName
    """Who hears what is wrong."""
    reserved: tuple[StepName, ...]
    """What no step of somebody else may be called."""
    left_out: frozenset[str] = UNLISTED
    """Kinds of gates that do not count there."""


class Checks(Struct, frozen=True, kw_only=True):
    """Gate steps in their order, and their gates by the keys that they name."""

    steps: tuple[Step, ...] = ()
    gates: Mapping[str, Gate]
    known: Gates
    """The gates as they are configured where these come from: the guard takes its own there."""
    is_test_first: bool = False
    """Whether new tests must have failed before, whatever the role says."""


def find_checks(library: Library, wish: CheckWish) -> Checks:
    """Return the gates that the config names, else those of the default workflow."""
    settings, default = library.settings, _default(library)
    if wish.named is not None:
        found = _configured(list(wish.named), settings)
        return _gathered(found, settings.gates, wish)
    if default is None:
        return Checks(gates={}, known=settings.gates)
    _refuse_gaps(default, wish)
    found = _of_workflow(library, default, wish)
    checks = _gathered(found, default.particulars.gates, wish)
    return replace(checks, is_test_first=_is_test_first(library, default))


def _default(library: Library) -> ReadWorkflow | None:
    chosen = library.settings.workflow
    return library.workflows.get(chosen.name) if chosen else None


def _gathered(found: Iterator[tuple[Step, Needed]], known: Gates, wish: CheckWish) -> Checks:
    made: dict[StepName, Step] = {}
    gates: dict[str, Gate] = {}
    for model, needed in found:
        name = free_name(model.name, {*wish.reserved, *made})
        if model.kind != StepKind.GATE:
            made[name] = replace(model, name=name, on_reject=wish.back)
            continue
        own = in_step(name, needed)
        gates |= own
        made[name] = replace(
            gate_step(name, own),
            on_fail=wish.back,
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


def _of_workflow(
    library: Library, read: ReadWorkflow, wish: CheckWish
) -> Iterator[tuple[Step, Needed]]:
    """Take over the gates that a workflow runs, those of its roles included; each comes once."""
    gated = role_gated(library, read, read.workflow)
    done: list[Gate] = []  # two gates may share a name and run something else
    for step in _path(gated.workflow):
        made = {
            gate.name: (gate, needs)
            for gate, needs in _usable(step, gated.gates, wish)
            if gate not in done
        }
        done += [gate for gate, _ in made.values()]
        if made or _is_of_slice(step):
            yield step, made


def _is_of_slice(step: Step) -> bool:
    """Tell whether another slice decides at the step, in whatever workflow."""
    registered = registered_step(step.kind)
    return registered is not None and registered.decider is not None


def _usable(
    step: Step, gates: Mapping[str, Gate], wish: CheckWish
) -> Iterator[tuple[Gate, tuple[str, ...]]]:
    for key in step.checks:
        gate = gates[key]
        if gate.kind not in wish.left_out:
            yield replace(gate, depends_on=()), tuple(gates[it].name for it in gate.depends_on)


def _is_test_first(library: Library, read: ReadWorkflow) -> bool:
    """Tell whether anybody who writes code there works test first."""
    guarding = guarding_of(library, read)
    writing = ((step, guarding.writer(step)) for step in _path(read.workflow))
    return any(role and guarding.is_test_first(step, role) for step, role in writing)


def _refuse_gaps(read: ReadWorkflow, wish: CheckWish) -> None:
    """Refuse a workflow with a gate that nobody has configured: work would pass unseen."""
    mistakes = FileMistakes()
    for missing in read.missing:
        if missing.what == "gate":
            advice = f"or say what {wish.plural} have to pass: `{wish.section}: {{gates: [...]}}`"
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
