"""How a feature stands: its phases and components, what is critical, and why something waits."""

from collections.abc import Mapping

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.queries.first_failures import first_failure
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.decisions.unlocks import held_components
from supervisor_ai.drivers.feature.definition import FeatureDefinition
from supervisor_ai.drivers.feature.interfaces.checks import failed_checks, idle_checks
from supervisor_ai.drivers.feature.parts import Part
from supervisor_ai.drivers.feature.plan.claims import undeclared
from supervisor_ai.drivers.feature.plan.detection import DetectedEdge
from supervisor_ai.drivers.feature.plan.graph import critical_path, graph_of, remaining
from supervisor_ai.drivers.feature.plan.model import (
    AT_WORK,
    DONE,
    Component,
    ComponentId,
    ComponentStatus,
    Feature,
    FeaturePhase,
    FeatureStatus,
    PhaseStatus,
)
from supervisor_ai.drivers.feature.plan.rollup import (
    FeatureProgress,
    feature_status,
    phase_status,
    progress_of,
    status_of,
)
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits, durations_of
from supervisor_ai.drivers.feature.plan.waits import waits_of
from supervisor_ai.drivers.feature.queries.interface_views import (
    Forms,
    InterfaceValidation,
    InterfaceView,
    interface_view,
    validations,
    with_form,
)
from supervisor_ai.drivers.feature.queries.made_views import MadePartView, made_parts
from supervisor_ai.drivers.feature.runs import FeatureRun, children_of, newest_of, state_of
from supervisor_ai.drivers.feature.state import LOCKING, FeatureState


class ComponentView(Struct, frozen=True, kw_only=True):
    """A component of a feature."""

    id: str
    name: str
    title: str
    status: ComponentStatus
    run: RunId | None
    """The run that builds it, or built it last."""
    files: tuple[str, ...]
    depends_on: tuple[str, ...]
    why: str | None
    """Why it waits, or has failed."""
    is_critical: bool
    """Whether it is on the longest way that is still to go."""
    interfaces: tuple[InterfaceValidation, ...] = ()
    """Who looked at the interfaces together with what it built last."""
    undeclared: tuple[str, ...] = ()
    """The files that it has written, and that its plan does not name."""


class PhaseView(Struct, frozen=True, kw_only=True):
    """A phase of a feature."""

    id: str
    name: str
    title: str
    sequence: int
    start_when: str
    status: PhaseStatus
    components: tuple[ComponentView, ...]
    interfaces: tuple[InterfaceView, ...]


class FeatureView(Struct, frozen=True, kw_only=True):
    """A feature as its plan and its newest run tell it."""

    id: str
    title: str
    status: FeatureStatus
    progress: FeatureProgress
    critical_path: tuple[str, ...]
    phases: tuple[PhaseView, ...]
    run: RunId | None = None
    run_status: RunStatus | None = None
    branch: str | None = None
    commit: CommitSha | None = None
    is_paused: bool = False
    made: tuple[MadePartView, ...] = ()
    """What nobody builds, as far as it has begun: other projects, interfaces, what is published."""
    problem: str | None = None
    """What went wrong that belongs to no component: interfaces, or a phase that stays."""
    usage: Usage = NO_USAGE
    """What the runs of its components have consumed so far."""
    unplanned: tuple[DetectedEdge, ...] = ()
    """What the code of a feature that is built needs, and the plan does not say."""
    seconds_left: int | None = None
    """How long it takes on, judged by the components that are done; None: nobody can tell."""


class FeatureRow(Struct, frozen=True, kw_only=True):
    """A feature in a list."""

    id: str
    title: str
    status: FeatureStatus
    progress: FeatureProgress
    run: RunId | None = None


def plan_view(feature: Feature, limits: ParallelLimits) -> FeatureView:
    """Show a plan that nobody has begun to build."""
    return _view(feature, limits, None, None, {})


def standing_view(feature: Feature, limits: ParallelLimits, records: Records | None) -> FeatureView:
    """Show a feature as its newest run has it; before there is one, as it is planned."""
    newest = newest_of(records, feature.id)
    if records is None or newest is None:
        return plan_view(feature, limits)
    return run_view(records, newest)


def run_view(records: Records, run: FeatureRun) -> FeatureView:
    """Show a feature as a run has it."""
    state = state_of(records, run)
    state = replace(
        state, parts={name: _with_words(records, it) for name, it in state.parts.items()}
    )
    rows = {row.id: row for row in children_of(records, run.row)}
    waiting = {child: row.status for child, row in rows.items()}
    view = _view(run.definition.feature, run.definition.slots, run, state, waiting)
    spent = NO_USAGE
    for row in rows.values():
        spent = spent.plus(row.usage)
    return replace(view, usage=spent, seconds_left=_left(run.definition, state, rows))


def _with_words(records: Records, part: Part) -> Part:
    """Let people see what a tool printed that looked at the interfaces, not only that it did."""
    checks = part.checks if part.status is ComponentStatus.FAILED else None
    bad = (*failed_checks(checks or ()), *idle_checks(checks or ()))
    printed = [first_failure(records.text(it.report)) for it in bad if it.report is not None]
    return replace(part, reason=" ".join((part.reason, *filter(None, printed[:1]))))


def _left(
    definition: FeatureDefinition, state: FeatureState, rows: Mapping[RunId, RunRow]
) -> int | None:
    """Say how long what is left takes at least, if it takes as long as what is done."""
    took = [
        (rows[part.child].updated_at - rows[part.child].created_at).total_seconds()
        for part in state.parts.values()
        if part.status is ComponentStatus.COMPLETED
        and part.child is not None
        and part.child in rows
    ]
    feature, statuses = definition.feature, state.statuses
    left = [it.id for it in feature.components if status_of(statuses, it.id) not in DONE]
    if not took or not left:
        return None if left else 0
    usual = sum(took) / len(took)
    longest = max(remaining(graph_of(feature), dict.fromkeys(left, usual)).values())
    return round(max(longest, usual * len(left) / definition.slots.max_parallel))


def with_forms(view: FeatureView, forms: Forms) -> FeatureView:
    """Add what a parser says about the texts of the interfaces."""
    phases = tuple(
        replace(
            phase,
            interfaces=tuple(
                with_form(it, forms[it.name]) if it.name in forms else it for it in phase.interfaces
            ),
        )
        for phase in view.phases
    )
    return replace(view, phases=phases)


def row_of(view: FeatureView) -> FeatureRow:
    """Show a feature in a list."""
    return FeatureRow(
        id=view.id, title=view.title, status=view.status, progress=view.progress, run=view.run
    )


def _view(
    feature: Feature,
    limits: ParallelLimits,
    run: FeatureRun | None,
    state: FeatureState | None,
    children: Mapping[RunId, RunStatus],
) -> FeatureView:
    statuses = _statuses(feature, state, children, run)
    touched = {} if state is None else {name: it.touched for name, it in state.parts.items()}
    others = {ComponentId(it.name): it.status for it in made_parts(state)}
    whys = waits_of(feature, {**statuses, **others}, limits, touched=touched)
    held = None if state is None or run is None else _held_up(state, run)
    if held is not None:
        whys = {name: why if _is_final(why) else held for name, why in whys.items()}
    done = frozenset(it.id for it in feature.components if status_of(statuses, it.id) in DONE)
    critical = critical_path(graph_of(feature), durations_of(feature, {}), done=done)
    if state is not None:
        whys |= {
            it: f"waits for the interface {name}, which is unlocked"
            for it, name in held_components(state).items()
            if status_of(statuses, it) is ComponentStatus.PENDING
        }
    made = _Making(statuses, whys, frozenset(critical), state)
    return FeatureView(
        id=feature.id,
        title=feature.title,
        status=_status(feature, statuses, run, state),
        progress=progress_of(feature, statuses),
        critical_path=critical,
        phases=tuple(made.phase(it) for it in feature.phases),
        run=None if run is None else run.row.id,
        run_status=None if run is None else run.row.status,
        branch=None if run is None else run.row.branch,
        commit=None if state is None else state.landed,
        is_paused=state is not None and state.is_paused,
        made=made_parts(state),
        problem=None if state is None else _problem(state),
    )


def _status(
    feature: Feature,
    statuses: Mapping[ComponentId, ComponentStatus],
    run: FeatureRun | None,
    state: FeatureState | None,
) -> FeatureStatus:
    """Roll everything up; interfaces that cannot be locked are a failure of the whole."""
    if state is not None and state.part(LOCKING).status is ComponentStatus.FAILED:
        return FeatureStatus.FAILED
    is_over = run is not None and run.row.status is RunStatus.COMPLETED
    return feature_status(feature, statuses, is_begun=run is not None, is_over=is_over)


def _problem(state: FeatureState) -> str | None:
    locking = state.part(LOCKING)
    if locking.status is ComponentStatus.FAILED:
        return f"The interfaces could not be locked: {locking.reason}"
    return f"A phase could not be taken back: {state.problem}" if state.problem else None


def _is_final(why: str) -> bool:
    """Tell whether a component would wait all the same, whatever holds up the whole feature."""
    return why.startswith("blocked:")


def _held_up(state: FeatureState, run: FeatureRun) -> str | None:
    """Say what keeps the whole feature from going on; None: nothing."""
    if run.row.status in ENDED:
        return f"the run is {run.row.status.value}"
    locking = state.part(LOCKING)
    if state.clearance.assessed is not None and state.clearance.cleared is None:
        return "waits for the approval of the plan"
    if state.undoing is not None:
        return f"waits until {state.undoing.phase} is taken back"
    if locking.status is ComponentStatus.FAILED:
        return f"waits for the interfaces, which could not be locked: {locking.reason}"
    if state.definition.feature.interfaces and locking.status not in DONE:
        return "waits for the interfaces"
    return "the feature is paused" if state.is_paused else None


def _statuses(
    feature: Feature,
    state: FeatureState | None,
    children: Mapping[RunId, RunStatus],
    run: FeatureRun | None,
) -> dict[ComponentId, ComponentStatus]:
    """Tell where components stand; a run that waits for a person makes it a review."""
    if state is None or run is None:
        return {}
    found = state.statuses
    for it in feature.components:
        child = state.part(it.id).child
        status = found.get(it.id)
        if run.row.status in ENDED and status in AT_WORK:
            found[it.id] = ComponentStatus.CANCELLED
        elif (
            status is ComponentStatus.IMPLEMENTING
            and child is not None
            and children.get(child) is RunStatus.WAITING
        ):
            found[it.id] = ComponentStatus.REVIEW
    return found


class _Making:
    """Makes the views of one feature."""

    def __init__(
        self,
        statuses: Mapping[ComponentId, ComponentStatus],
        whys: Mapping[ComponentId, str],
        critical: frozenset[str],
        state: FeatureState | None,
    ) -> None:
        self._statuses = statuses
        self._whys = whys
        self._critical = critical
        self._state = state

    def phase(self, phase: FeaturePhase) -> PhaseView:
        return PhaseView(
            id=phase.id,
            name=phase.name,
            title=phase.title,
            sequence=phase.sequence,
            start_when=phase.start_when.value,
            status=phase_status(phase, self._statuses),
            components=tuple(map(self._component, phase.components)),
            interfaces=tuple(interface_view(it, self._state) for it in phase.interfaces),
        )

    def _component(self, component: Component) -> ComponentView:
        part = None if self._state is None else self._state.part(component.id)
        status = status_of(self._statuses, component.id)
        return ComponentView(
            id=component.id,
            name=component.name,
            title=component.title,
            status=status,
            run=None if part is None else part.child,
            files=component.files,
            depends_on=component.depends_on,
            why=_own_reason(part, status) or self._whys.get(component.id),
            is_critical=component.id in self._critical,
            interfaces=() if part is None else validations(part.checks or ()),
            undeclared=() if part is None else undeclared(component.files, part.touched),
        )


def _own_reason(part: Part | None, status: ComponentStatus) -> str | None:
    """Say why a component has failed, or who waits for a person."""
    if part is None:
        return None
    if status is ComponentStatus.REVIEW:
        return f"run {part.child} waits for a person"
    return part.reason if status is ComponentStatus.FAILED else None
