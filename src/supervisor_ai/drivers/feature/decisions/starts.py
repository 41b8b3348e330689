"""Which part of a feature begins next, and with what."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.effects import StartRun
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.decisions.entries import enter_part, known_value, perform
from supervisor_ai.drivers.feature.decisions.look import look_at_merged
from supervisor_ai.drivers.feature.decisions.notes import notes_for
from supervisor_ai.drivers.feature.decisions.preparations import make_part, preparation
from supervisor_ai.drivers.feature.decisions.unlocks import held_components
from supervisor_ai.drivers.feature.definition import WATCHED
from supervisor_ai.drivers.feature.effects import LookAtTouched, WriteAssignment
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.parts import PartStage
from supervisor_ai.drivers.feature.plan.model import AT_WORK, DONE, ComponentId, ComponentStatus
from supervisor_ai.drivers.feature.plan.scheduler import Scheduler
from supervisor_ai.drivers.feature.plan.terms import terms_of, territory_of
from supervisor_ai.drivers.feature.state import FeatureState, is_component, is_made, step_of
from supervisor_ai.drivers.moves.attempts import base_of

_IN_QUEUE: Final = frozenset(
    {
        *(PartStage.QUEUE, PartStage.GATES, PartStage.SEARCH),
        *(PartStage.NEEDLESS, PartStage.BACK, PartStage.DONE),
    }
)


def assign_part(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Write down what a component's run is asked for; what nobody builds is made."""
    part, feature = state.part(name), state.definition.feature
    if state.is_resting:
        return None
    if name == WATCHED:
        return perform(look_at_merged(run, state))
    if is_made(name):
        return make_part(state, name)
    return perform(
        WriteAssignment(
            step=step_of(name),
            visit=part.visit,
            feature=feature,
            component=name,
            feedback=part.feedback,
            is_reopened=part.is_reopened,
            notes=notes_for(state, name),
        )
    )


def begin_run(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Start the run of a component, from where the branch stands now."""
    part, definition = state.part(name), state.definition
    branch = run.birth.branch or base_of(run.birth).ref
    return perform(
        StartRun(
            step=step_of(name),
            visit=part.visit,
            driver=definition.child_driver,
            workflow=definition.child_workflows[name],
            task=known_value(part.task),
            definition=definition.children[name],
            base=Base(
                ref=branch,
                sha=state.tip.commit,
                tree=state.tip.tree,
                knowledge=state.knowledge,
            ),
        )
    )


def enter_preparation(run: Run, state: FeatureState) -> Decision | None:
    """Put other projects and the interfaces on the branch before anybody builds."""
    del run
    name = preparation(state)
    if name is None or state.part(name).status is not ComponentStatus.PENDING or state.is_resting:
        return None
    return enter_part(state, name)


def enter_look(run: Run, state: FeatureState) -> Decision | None:
    """Let quality supervisors look at what was merged, one look at a time."""
    del run
    is_new = state.landed is not None and state.landed != state.watched
    is_idle = state.part(WATCHED).status not in AT_WORK
    if not (state.definition.is_supervised and is_new and is_idle) or state.is_paused:
        return None
    return enter_part(state, WATCHED)


def start_component(run: Run, state: FeatureState) -> Decision | None:
    """Start the component that is most urgent among those that can start.

    Before one starts beside others, somebody looks at what these have changed by now.
    """
    if state.is_resting or preparation(state) is not None:
        return None
    name = next(_ready(state), None)
    if name is None:
        return None
    at_work = dict(_unmerged_runs(state))
    if not at_work or state.is_looked:
        return enter_part(state, name)
    if any(isinstance(it, f.TouchedFilesLookStarted) for it in run.open.values()):
        return None
    return perform(LookAtTouched(step=FEATURE, visit=1, children=at_work))


def _unmerged_runs(state: FeatureState) -> Iterator[tuple[ComponentId, RunId]]:
    """Name the runs of components at work of which no merge has told yet what they changed."""
    for name, part in state.parts.items():
        is_open = part.status in AT_WORK and part.snapshot is None
        if is_open and part.child is not None and is_component(name):
            yield name, part.child


def _ready(state: FeatureState) -> Iterator[ComponentId]:
    """Ask the scheduler; what waits to be merged needs its files, and no slot."""
    definition = state.definition
    feature = definition.feature
    queued = sum(
        state.part(it.id).stage in _IN_QUEUE and state.part(it.id).status in AT_WORK
        for it in feature.components
    )
    terms = terms_of(feature, definition.slots)
    terms = replace(terms, slots=terms.slots + queued, first=state.first)
    scheduler, territory = Scheduler(terms, state.lengths), territory_of(feature)
    nodes = [ComponentId(it) for it in terms.graph.needs if it not in terms.graph.gates]
    stands, held = {node: state.part(node).status for node in nodes}, held_components(state)
    # What is done comes first: it makes others ready, which may have begun or failed already.
    for node in [it for it in nodes if stands[it] in DONE]:
        scheduler.complete(node)
    for node in nodes:
        if stands[node] in AT_WORK:
            scheduler.start(node)
            scheduler.touch(node, territory.touched(state.part(node).touched))
        elif stands[node] not in DONE and (
            stands[node] is not ComponentStatus.PENDING or node in held
        ):
            scheduler.stop(node)
    yield from map(ComponentId, scheduler.next())
