"""What happens next to a feature: components start, are merged one at a time, and are done."""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import (
    AwaitSignal,
    CommitStyle,
    Effect,
    Integrate,
    RunGate,
    StartRun,
)
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import ENDED, Outcome, OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.run.values import Base, Feedback, FeedbackKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.definition import merge_gates
from supervisor_ai.drivers.feature.effects import PrepareMerge, WriteAssignment, WriteInterfaces
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.plan.interfaces import locked_files
from supervisor_ai.drivers.feature.plan.model import (
    AT_WORK,
    DONE,
    ComponentId,
    ComponentStatus,
)
from supervisor_ai.drivers.feature.plan.rollup import status_of
from supervisor_ai.drivers.feature.plan.scheduler import Scheduler
from supervisor_ai.drivers.feature.plan.terms import terms_of, territory_of
from supervisor_ai.drivers.feature.state import LOCKING, FeatureState, Part, PartStage, step_of
from supervisor_ai.drivers.moves.attempts import base_of

T = TypeVar("T")
SIGNAL: Final = "word"
"""What a feature waits for that cannot go on by itself."""
_GOOD: Final = frozenset({Verdict.PASSED, Verdict.WARNED})
_IN_QUEUE: Final = frozenset({PartStage.QUEUE, PartStage.GATES, PartStage.LAND, PartStage.DONE})


def decide(run: Run, state: FeatureState) -> Decision:
    """Say the first thing that is to be done now; the engine asks again until there is nothing."""
    rules = (_come_home, _hear, _skip, _advance, _lock, _start, _end)
    return next((it for rule in rules if (it := rule(run, state)) is not None), Decision())


def _come_home(run: Run, state: FeatureState) -> Decision | None:
    del run
    if state.is_home:
        return None
    entered = e.StepEntered(step=FEATURE, visit=1, start=state.tip.commit)
    return Decision(events=(entered,))


def _hear(run: Run, state: FeatureState) -> Decision | None:
    """Stop waiting when a person said something."""
    is_waiting = any(isinstance(it, e.SignalAwaited) for it in run.open.values())
    if not is_waiting:
        return None
    heard = e.SignalHeard(step=FEATURE, visit=1)
    return Decision(events=(heard,)) if state.is_called else Decision()


def _skip(run: Run, state: FeatureState) -> Decision | None:
    del run
    for name in state.skips:
        part = state.part(name)
        reason = "A person wants to do without it."
        step, visit = step_of(name), part.visit + 1
        entered = e.StepEntered(step=step, visit=visit, start=state.tip.commit)
        skipped = e.StepSkipped(step=step, visit=visit, reason=reason)
        return Decision(events=(entered, skipped))
    return None


def _advance(run: Run, state: FeatureState) -> Decision | None:
    """Take each component that has begun a step further; only the first of the queue is merged."""
    busy = {it.step for it in run.open.values() if isinstance(it, e.Intent)}
    for name, part in state.parts.items():
        if step_of(name) in busy:
            continue
        rule = _RULES.get(part.stage)
        decision = None if rule is None else rule(run, state, name)
        if decision is not None:
            return decision
    return None


_Rule = Callable[[Run, FeatureState, ComponentId], Decision | None]


def _assign(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    del run
    part, feature = state.part(name), state.definition.feature
    if state.is_paused:
        return None
    if name == LOCKING:
        return _do(
            WriteInterfaces(
                step=step_of(name), visit=part.visit, feature=feature, onto=state.tip.commit
            )
        )
    return _do(
        WriteAssignment(
            step=step_of(name),
            visit=part.visit,
            feature=feature,
            component=name,
            feedback=part.feedback,
        )
    )


def _begin(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Start the run of a component, from where the branch stands now."""
    part, definition = state.part(name), state.definition
    branch = run.birth.branch or base_of(run.birth).ref
    return _do(
        StartRun(
            step=step_of(name),
            visit=part.visit,
            driver=definition.child_driver,
            workflow=definition.child_workflows[name],
            task=_known(part.task),
            definition=definition.children[name],
            base=Base(ref=branch, sha=state.tip.commit, tree=state.tip.tree),
        )
    )


def _merge(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Merge the first of the queue; the others wait until it has landed or is sent back."""
    del run
    part = state.part(name)
    if state.queue[0] != name or state.is_paused:
        return None
    return _do(
        PrepareMerge(
            step=step_of(name),
            visit=part.visit,
            child=_known(part.child),
            onto=state.tip.commit,
            tree=state.tip.tree,
            locked=locked_files(state.definition.feature),
        )
    )


def _test(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Run the gates on the merged files, one after the other, until one fails."""
    part, gates = state.part(name), merge_gates(state.definition)
    for slot, gate in enumerate(gates, 1):
        said = part.verdicts.get(slot)
        if said is None:
            return _do(_gate(run, state, name, slot))
        if said.verdict not in _GOOD and not gate.only_warns:
            return _back(state, name, said)
    return _do(_landing(run, state, name))


def _gate(run: Run, state: FeatureState, name: ComponentId, slot: int) -> RunGate:
    definition, part = state.definition, state.part(name)
    merged, origin = _known(part.snapshot), base_of(run.birth).sha
    return RunGate(
        step=step_of(name),
        visit=part.visit,
        slot=slot,
        gate=merge_gates(definition)[slot - 1],
        snapshot=merged.commit,
        tree=merged.tree,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        output_bytes=definition.limits.output_bytes,
        origin=origin,
        vouched=origin,
        harness=definition.harness,
    )


def _landing(run: Run, state: FeatureState, name: ComponentId) -> Integrate:
    part = state.part(name)
    return Integrate(
        step=step_of(name),
        visit=part.visit,
        snapshot=_known(part.snapshot).commit,
        branch=run.birth.branch or "",
        base=base_of(run.birth).sha,
        expected=state.landed,
        task=_known(part.task),
        style=CommitStyle(),
        is_signed=state.definition.git.sign_commits,
    )


def _back(state: FeatureState, name: ComponentId, said: e.GateEnded) -> Decision:
    """Send a component whose merge is red back with the gate's own words."""
    reason = f"Gate {said.gate!r} does not pass on the merged files: {said.reason}"
    told = tuple(it for it in (said.feedback or said.output,) if it is not None)
    part = replace(state.part(name), feedback=told)
    if said.verdict is Verdict.NOT_RUN:
        return _failed(name, part, reason)
    return _again(state, name, part, reason)


def _return(run: Run, state: FeatureState, name: ComponentId) -> Decision:
    del run
    part = state.part(name)
    return _again(state, name, part, part.reason)


def _again(state: FeatureState, name: ComponentId, part: Part, reason: str) -> Decision:
    """Let a component be built once more, as long as that may go on."""
    failed = e.StepFailed(step=step_of(name), visit=part.visit, reason=reason)
    if part.returns >= state.definition.max_returns or name == LOCKING:
        return Decision(events=(failed,))
    return Decision(events=(failed, _entered(state, name, part)))


def _pass(run: Run, state: FeatureState, name: ComponentId) -> Decision:
    del run
    passed = e.StepPassed(step=step_of(name), visit=state.part(name).visit)
    return Decision(events=(passed,))


def _stop(run: Run, state: FeatureState, name: ComponentId) -> Decision:
    del run
    part = state.part(name)
    return _failed(name, part, part.reason)


def _failed(name: ComponentId, part: Part, reason: str) -> Decision:
    failed = e.StepFailed(step=step_of(name), visit=part.visit, reason=reason)
    return Decision(events=(failed,))


_RULES: Final[dict[PartStage, _Rule]] = {
    PartStage.ASSIGN: _assign,
    PartStage.START: _begin,
    PartStage.QUEUE: _merge,
    PartStage.GATES: _test,
    PartStage.BACK: _return,
    PartStage.DONE: _pass,
    PartStage.STOP: _stop,
}


def _lock(run: Run, state: FeatureState) -> Decision | None:
    """Put the interfaces on the branch before anybody builds."""
    del run
    if not state.definition.feature.interfaces:
        return None
    part = state.part(LOCKING)
    if part.status in DONE:
        return None
    if part.status is not ComponentStatus.PENDING or state.is_paused:
        return None
    return _enter(state, LOCKING)


def _start(run: Run, state: FeatureState) -> Decision | None:
    """Start the component that is most urgent among those that can start."""
    del run
    has_interfaces = bool(state.definition.feature.interfaces)
    if state.is_paused or (has_interfaces and state.part(LOCKING).status not in DONE):
        return None
    name = next(_ready(state), None)
    return None if name is None else _enter(state, name)


def _ready(state: FeatureState) -> Iterator[ComponentId]:
    """Ask the scheduler; what waits to be merged needs its files, and no slot."""
    definition = state.definition
    feature, statuses = definition.feature, state.statuses
    queued = sum(
        state.part(it.id).stage in _IN_QUEUE and state.part(it.id).status in AT_WORK
        for it in feature.components
    )
    terms = terms_of(feature, definition.slots)
    terms = replace(terms, slots=terms.slots + queued, first=state.first)
    scheduler, territory = Scheduler(terms, state.lengths), territory_of(feature)
    for it in feature.components:
        status = status_of(statuses, it.id)
        if status in DONE:
            scheduler.complete(it.id)
        elif status in AT_WORK:
            scheduler.start(it.id)
            scheduler.touch(it.id, territory.touched(state.part(it.id).touched))
        elif status is not ComponentStatus.PENDING:
            scheduler.stop(it.id)
    yield from map(ComponentId, scheduler.next())


def _enter(state: FeatureState, name: ComponentId) -> Decision:
    return Decision(events=(_entered(state, name, state.part(name)),))


def _entered(state: FeatureState, name: ComponentId, part: Part) -> e.StepEntered:
    """Begin a component, with what was said about it before."""
    told = (Feedback(kind=FeedbackKind.GATE, source=name, artifact=it) for it in part.feedback)
    return e.StepEntered(
        step=step_of(name),
        visit=part.visit + 1,
        start=state.tip.commit,
        feedback=tuple(told),
    )


def _end(run: Run, state: FeatureState) -> Decision | None:
    """End when everything is done; wait for a person when nothing goes on by itself."""
    if run.open or any(status not in ENDED for status in run.children.values()):
        return None
    components = state.definition.feature.components
    statuses = [status_of(state.statuses, it.id) for it in components]
    if all(it in DONE for it in statuses):
        passed = e.StepPassed(step=FEATURE, visit=1)
        skipped = statuses.count(ComponentStatus.SKIPPED)
        reason = f"{len(components) - skipped} components are on {run.birth.branch}."
        if skipped:
            reason = f"{reason} {skipped} were skipped."
        outcome = Outcome(kind=OutcomeKind.DONE, reason=reason)
        ending = Ending(status=RunStatus.COMPLETED, outcome=outcome, degraded=bool(skipped))
        return Decision(events=(passed,), ending=ending)
    return _do(AwaitSignal(step=StepName(FEATURE), visit=1, signal=SIGNAL))


def _do(*effects: Effect) -> Decision:
    return Decision(effects=effects)


def _known(value: T | None) -> T:
    if value is None:
        raise InternalError("A component is at a stage that it cannot have come to.")
    return value
