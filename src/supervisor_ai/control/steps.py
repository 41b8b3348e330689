"""Where a run's steps stand; a fork's steps include those of the past that it shares."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from supervisor_ai.control.records import Records
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId, StepName, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.facts import ForkPoint
from supervisor_ai.domain.run.status import StepStatus
from supervisor_ai.engine.ports.queries import StepRow

ACTIVE: Final = frozenset({StepStatus.RUNNING, StepStatus.WAITING})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """A step of a run."""

    step: StepName
    role: str | None
    status: StepStatus
    visits: int
    attempts: int
    last_verdict: str | None


Steps = dict[StepName, StepView]


def view_steps(records: Records, run: RunId) -> tuple[StepView, ...]:
    """Return a run's steps in the order of their first visit."""
    origin = _origin(records, run)
    if origin is None:
        return tuple(_view(row) for row in records.queries.steps(run))
    steps: Steps = {}
    for event in _shared_past(records, run, upto=None):
        steps = _evolve(steps, event)
    return tuple(steps.values())


def _origin(records: Records, run: RunId) -> ForkPoint | None:
    for envelope in records.log.read(run_stream(run), upto=1):
        if isinstance(envelope.event, e.RunSubmitted):
            return envelope.event.fork
    return None


def _shared_past(records: Records, run: RunId, upto: int | None) -> Iterator[Event]:
    origin = _origin(records, run)
    if origin is not None:
        yield from _shared_past(records, origin.run, origin.version)
    for envelope in records.log.read(run_stream(run), upto=upto):
        yield envelope.event


def _view(row: StepRow) -> StepView:
    return StepView(
        step=row.step,
        role=row.role,
        status=row.status,
        visits=row.visits,
        attempts=row.attempts,
        last_verdict=row.last_verdict,
    )


def _evolve(steps: Steps, event: Event) -> Steps:
    match event:
        case e.RunFailed():
            return _stopped(steps, StepStatus.FAILED)
        case e.RunCancelled():
            return _stopped(steps, StepStatus.CANCELLED)
        case e.PlacedEvent(step=name) if not isinstance(event, e.ChildStarted):
            fresh = _view(_unvisited(name))
            return {**steps, name: _moved(steps.get(name, fresh), event)}
        case _:
            return steps


def _moved(step: StepView, event: e.PlacedEvent) -> StepView:  # noqa: C901 - one case per fact
    match event:
        case e.StepEntered(visit=visit):
            return replace(step, status=StepStatus.RUNNING, visits=visit)
        case e.StepPassed():
            return replace(step, status=StepStatus.PASSED)
        case e.StepFailed():
            return replace(step, status=StepStatus.FAILED)
        case e.StepSkipped():
            return replace(step, status=StepStatus.SKIPPED, last_verdict="skipped")
        case e.LaunchRefused(kind=kind):
            return replace(step, last_verdict=kind.value)
        case e.AttemptStarted(role=role):
            return replace(step, role=role, attempts=step.attempts + 1)
        case e.AttemptSucceeded(said=said):
            return replace(step, last_verdict=said)
        case e.AttemptFailed(category=category):
            return replace(step, last_verdict=category.value)
        case e.GateEnded(verdict=verdict):
            return replace(step, last_verdict=verdict.value)
        case e.KanbanRead(phase=phase):
            return replace(step, last_verdict=phase.value)
        case e.KanbanUnreadable():
            return replace(step, last_verdict="unreadable")
        case e.ApprovalRequested():
            return replace(step, status=StepStatus.WAITING)
        case e.ApprovalGiven():
            return replace(step, status=StepStatus.RUNNING, last_verdict="approved")
        case e.ApprovalRefused():
            return replace(step, status=StepStatus.RUNNING, last_verdict="rejected")
        case _:
            return step


def _unvisited(name: StepName) -> StepRow:
    return StepRow(
        step=name, role=None, status=StepStatus.PENDING, visits=0, attempts=0, last_verdict=None
    )


def _stopped(steps: Steps, status: StepStatus) -> Steps:
    return {
        name: replace(step, status=status) if step.status in ACTIVE else step
        for name, step in steps.items()
    }
