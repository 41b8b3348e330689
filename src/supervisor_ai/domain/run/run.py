"""The run's own machine: what is true of every run, whatever its driver."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash, EffectKey, RunId, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import Effect
from supervisor_ai.domain.run.operations import UnderWay, is_outcome, operation_key, wait_of
from supervisor_ai.domain.run.status import ENDED, Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace

_LIFE: Final[dict[tuple[RunStatus, type], RunStatus]] = {
    (RunStatus.QUEUED, e.RunStarted): RunStatus.RUNNING,
    (RunStatus.RUNNING, e.RunWaiting): RunStatus.WAITING,
    (RunStatus.WAITING, e.RunContinued): RunStatus.RUNNING,
    (RunStatus.RUNNING, e.RunCompleted): RunStatus.COMPLETED,
    **{
        (status, event): ending
        for status in RunStatus
        if status not in ENDED
        for event, ending in (
            (e.RunFailed, RunStatus.FAILED),
            (e.RunCancelled, RunStatus.CANCELLED),
        )
    },
}
_BUDGET: Final = e.LaunchRequested.waits_for
_ALWAYS: Final = (
    *(e.RunOwned, e.CancelRequested, e.CommandRefused, e.DefinitionMigrated),
    e.SignalReceived,
)
_OF_PEOPLE: Final = (e.RequestAnswered, e.ApprovalCounted, e.CommentMade)
# A run that looked whether anything is new, and found nothing, waits on.
_WHILE_WAITING: Final = (*_OF_PEOPLE, e.PermitGranted, e.TimerFired, e.TimerSet, e.ChildEnded)
_WHILE_RUNNING: Final = (
    *(e.PlacedEvent, e.PermitGranted, e.TimerFired, e.ChildEnded),
    *(e.TimerSet, e.TimerCancelled, e.PermitRequested, e.PermitReleased, e.ChildCancelRequested),
)


def _stays(status: RunStatus, kinds: Iterable[type]) -> dict[tuple[RunStatus, type], RunStatus]:
    return {(status, kind): status for kind in kinds}


RUN_FLOW: Final[Flow[RunStatus]] = {
    **_LIFE,
    # A permit that nobody else may have is taken together with the run's first fact.
    **_stays(RunStatus.QUEUED, (*_ALWAYS, e.PermitGranted)),
    **_stays(RunStatus.WAITING, (*_ALWAYS, *_WHILE_WAITING)),
    **_stays(RunStatus.RUNNING, (*_ALWAYS, *_WHILE_RUNNING)),
}


class Run(Struct, frozen=True, kw_only=True):
    """What is known of a run by its events."""

    id: RunId
    birth: e.RunSubmitted
    definition: ArtifactHash
    status: RunStatus = RunStatus.QUEUED
    outcome: Outcome | None = None
    degraded: bool = False
    open: dict[EffectKey, UnderWay] = field(default_factory=dict)
    timers: dict[TimerName, e.TimerSet] = field(default_factory=dict)
    fired: frozenset[TimerName] = frozenset()
    permits: frozenset[str] = frozenset()
    children: dict[RunId, RunStatus] = field(default_factory=dict)
    votes: tuple[str, ...] = ()
    """Those who have said yes to the question that is open, where one yes is not enough."""
    comments: int = 0
    """How many comments on lines there were so far."""

    @property
    def is_ended(self) -> bool:
        """Tell whether nothing can happen any more."""
        return self.status in ENDED

    @property
    def approval(self) -> e.ApprovalRequested | None:
        """Return the question that a person has not answered yet."""
        for intent in self.open.values():
            if isinstance(intent, e.ApprovalRequested):
                return intent
        return None


class Ending(Struct, frozen=True, kw_only=True):
    """How the driver wants the run to end."""

    status: RunStatus
    outcome: Outcome
    degraded: bool = False


class Decision(Struct, frozen=True, kw_only=True):
    """What happens next: facts to record, then deeds to do, or the end."""

    events: tuple[e.RunEvent, ...] = ()
    effects: tuple[Effect, ...] = ()
    ending: Ending | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether the driver has nothing to say now."""
        return not (self.events or self.effects or self.ending)


def attempt_of(run: Run, end: e.AttemptEnd) -> e.AttemptStarted:
    """Return the attempt under way whose end a fact is."""
    for intent in run.open.values():
        if isinstance(intent, e.AttemptStarted) and is_outcome(end, intent):
            return intent
    raise InternalError(f"An attempt of {end.step!r} ended, but none was under way.")


def submit(run: RunId, birth: e.RunSubmitted) -> Run:
    """Begin a run with its first fact."""
    return Run(id=run, birth=birth, definition=birth.definition)


def evolve(run: Run, event: Event) -> Run:
    """Fold one recorded fact into the run."""
    status = step(RUN_FLOW, run.status, event)
    if status is not run.status:
        run = replace(run, status=status)
    return _placed(run, event) if isinstance(event, e.PlacedEvent) else _unplaced(run, event)


def _placed(run: Run, event: e.PlacedEvent) -> Run:
    """Fold a fact that has its place in a step."""
    match event:
        case e.IntentEnded():
            return _ended(run, event)
        case e.ApprovalRequested():
            return _opened(replace(run, votes=()), event)
        case e.Intent():
            return _opened(run, event)
        case e.ApprovalCounted(person=person):
            return replace(run, votes=(*run.votes, person))
        case e.CommentMade(number=number):
            return replace(run, comments=number)
        case e.ChildStarted(child=child):
            return replace(run, children={**run.children, child: RunStatus.QUEUED})
        case _:
            return run


def _unplaced(run: Run, event: Event) -> Run:
    """Fold a fact about the run as a whole."""
    match event:
        case e.PermitRequested():
            return _opened(run, event)
        case e.TimerSet() | e.TimerFired() | e.TimerCancelled():
            return _timed(run, event)
        case e.PermitGranted(permit=permit):
            is_asked = run.status is not RunStatus.QUEUED
            asked = e.PermitRequested(permit=permit, limit=0)
            return replace(_closed(run, asked) if is_asked else run, permits=run.permits | {permit})
        case e.PermitReleased(permit=permit):
            return replace(run, permits=run.permits - {permit})
        case e.ChildEnded(child=child, status=status):
            return replace(run, children={**run.children, child: status})
        case e.DefinitionMigrated(definition=definition):
            return replace(run, definition=definition)
        case e.RunCompleted(outcome=outcome, degraded=degraded):
            return replace(run, outcome=outcome, degraded=degraded, open={}, timers={})
        case e.RunFailed(outcome=outcome) | e.RunCancelled(outcome=outcome):
            return replace(run, outcome=outcome, open={}, timers={})
        case _:
            return run


def _opened(run: Run, intent: UnderWay) -> Run:
    return replace(run, open={**run.open, operation_key(run.id, intent): intent})


def _closed(run: Run, like: UnderWay) -> Run:
    key = operation_key(run.id, like)
    if key not in run.open:
        raise InternalError(f"Operation {key!r} ended, but it was not under way.")
    return replace(run, open={name: at for name, at in run.open.items() if name != key})


def _ended(run: Run, event: e.IntentEnded) -> Run:
    """Close the operation whose outcome the event is, if it is under way."""
    for key, intent in run.open.items():
        if is_outcome(event, intent):
            return replace(run, open={name: at for name, at in run.open.items() if name != key})
    return run


def _timed(run: Run, event: e.TimerSet | e.TimerFired | e.TimerCancelled) -> Run:
    rest = {name: timer for name, timer in run.timers.items() if name != event.timer}
    if isinstance(event, e.TimerSet):
        return replace(run, timers={**rest, event.timer: event}, fired=run.fired - {event.timer})
    fired = {event.timer} if isinstance(event, e.TimerFired) else set()
    return replace(run, timers=rest, fired=run.fired | fired)


def settle(run: Run, *, budget: str | None = None) -> tuple[e.RunEvent, ...]:
    """Say so when a run begins to wait for a person, a time or a budget, or ceases to."""
    reason = _only_wait(run, budget)
    if run.status is RunStatus.RUNNING and reason:
        return (e.RunWaiting(reason=reason),)
    if run.status is RunStatus.WAITING and not reason:
        return (e.RunContinued(),)
    return ()


def _only_wait(run: Run, budget: str | None) -> str | None:
    """Say what a run waits for that can do nothing else; None: something is under way, or due."""
    waits: list[str] = []
    for intent in run.open.values():
        reason = wait_of(intent)
        if reason is None:
            return None
        waits.append(f"a budget: {budget}" if budget and reason == _BUDGET else reason)
    if any(status not in ENDED for status in run.children.values()):
        return None
    waits += ["a timer" for timer in run.timers.values() if timer.parks]
    return waits[0] if waits else None


def ending_event(ending: Ending) -> e.RunCompleted | e.RunFailed | e.RunCancelled:
    """State the end that the driver or a person wants."""
    match ending.status:
        case RunStatus.COMPLETED:
            return e.RunCompleted(outcome=ending.outcome, degraded=ending.degraded)
        case RunStatus.CANCELLED:
            return e.RunCancelled(outcome=ending.outcome)
        case _:
            return e.RunFailed(outcome=ending.outcome)


def cancelled() -> Ending:
    """End a run because somebody asked for it."""
    outcome = Outcome(kind=OutcomeKind.CANCELLED, reason="The run was cancelled.")
    return Ending(status=RunStatus.CANCELLED, outcome=outcome)


def withdraw(run: Run) -> tuple[e.LaunchWithdrawn, ...]:
    """State that no request of the run counts any more that was made under other terms."""
    return tuple(
        e.LaunchWithdrawn(
            step=asked.step, visit=asked.visit, slot=asked.slot, attempt=asked.attempt
        )
        for asked in run.open.values()
        if isinstance(asked, e.LaunchRequested)
    )


def cancel_operation(intent: UnderWay) -> e.RunEvent | None:
    """State that an operation under way was stopped because its run ends."""
    match intent:
        case e.AttemptStarted(step=at, visit=visit, slot=slot, attempt=attempt):
            return e.AttemptCancelled(step=at, visit=visit, slot=slot, attempt=attempt)
        case e.GateStarted(step=at, visit=visit, slot=slot, gate=gate):
            return e.GateCancelled(step=at, visit=visit, slot=slot, gate=gate)
        case _:
            return None
