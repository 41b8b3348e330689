"""The picture of a run: one fold of its events into how its steps, gates and waits stand.

The tables of the ledger, the steps of a fork and every face that shows a run agree with it. Events
about a step that was never entered change nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import WORST_FIRST, RunStatus, StepStatus, Verdict

_RUN_STATUSES: Final[Mapping[type[Event], RunStatus]] = {
    e.RunStarted: RunStatus.RUNNING,
    e.RunWaiting: RunStatus.WAITING,
    e.RunContinued: RunStatus.RUNNING,
    e.RunCompleted: RunStatus.COMPLETED,
    e.RunFailed: RunStatus.FAILED,
    e.RunCancelled: RunStatus.CANCELLED,
}
_STEP_STATUSES: Final[Mapping[type[Event], StepStatus]] = {
    e.StepEntered: StepStatus.RUNNING,
    e.StepPassed: StepStatus.PASSED,
    e.StepFailed: StepStatus.FAILED,
    e.StepSkipped: StepStatus.SKIPPED,
    e.ApprovalRequested: StepStatus.WAITING,
    e.ApprovalGiven: StepStatus.RUNNING,
    e.ApprovalLapsed: StepStatus.RUNNING,
    e.ApprovalRefused: StepStatus.RUNNING,
    e.ChangeEdited: StepStatus.RUNNING,
}
_VERDICTS: Final[Mapping[type[Event], str]] = {
    e.StepSkipped: "skipped",
    e.LaunchRefused: ":kind",
    e.AttemptSucceeded: ":said",
    e.AttemptFailed: ":category",
    e.ApprovalGiven: "approved",
    e.ApprovalLapsed: "approved",
    e.ApprovalRefused: "rejected",
    e.ChangeEdited: "edited",
    e.PullRequestOpened: "opened",
    e.PullRequestSeen: ":standing",
}
"""What stands as the last verdict on a step: a word, or after a colon a field of the event."""
_ACTIVE: Final = frozenset({StepStatus.RUNNING, StepStatus.WAITING})
_LEFT: Final = frozenset({StepStatus.PASSED, StepStatus.FAILED, StepStatus.SKIPPED})


@dataclass(slots=True, kw_only=True)
class GatePicture:
    """A gate in a slot of a visit; without a verdict while it is under way."""

    gate: str
    verdict: Verdict | None = None


@dataclass(slots=True, kw_only=True)
class StepPicture:
    """How a step stands."""

    step: StepName
    role: str | None = None
    status: StepStatus = StepStatus.PENDING
    visits: int = 0
    attempts: int = 0
    last_verdict: str | None = None
    since: datetime | None = None
    """When the present visit began."""
    spent: timedelta = timedelta()
    """How long the visits took that are over."""

    def elapsed(self, now: datetime) -> timedelta:
        """Return how long the step has taken, the present visit included."""
        return self.spent + (now - self.since if self.since else timedelta())

    def leave(self, status: StepStatus, at: datetime) -> None:
        """End the present visit."""
        self.status, self.spent, self.since = status, self.elapsed(at), None


@dataclass(slots=True)
class Picture:
    """How a run stands after the events that were seen."""

    status: RunStatus = RunStatus.QUEUED
    steps: dict[StepName, StepPicture] = field(default_factory=dict)
    """Those that were entered, in the order of their first visits."""
    _reason: str | None = None
    _parking: dict[TimerName, datetime] = field(default_factory=dict)
    _gates: dict[tuple[StepName, int], dict[int, GatePicture]] = field(default_factory=dict)

    @property
    def waits_for(self) -> str | None:
        """Say what the run waits for, if it waits."""
        return self._reason if self.status is RunStatus.WAITING else None

    @property
    def waits_until(self) -> datetime | None:
        """Say when the run goes on by itself, where it waits for a time."""
        is_waiting = self.status is RunStatus.WAITING
        return min(self._parking.values(), default=None) if is_waiting else None

    @property
    def gates_under_way(self) -> int:
        """Count the gates that have begun and not ended."""
        return sum(it.verdict is None for slots in self._gates.values() for it in slots.values())

    def gates(self, step: StepName, visit: int) -> tuple[GatePicture, ...]:
        """Return the gates of a visit in the order in which their slots were first used."""
        return tuple(self._gates.get((step, visit), {}).values())

    def see(self, event: Event, at: datetime) -> None:
        """Fold one more event, recorded at this moment."""
        self._see_run(event, at)
        self._see_gate(event)
        if isinstance(event, e.StepEntered):
            self.steps.setdefault(event.step, StepPicture(step=event.step))
        if isinstance(event, e.PlacedEvent) and event.step in self.steps:
            self._see_step(self.steps[event.step], event, at)

    def _see_run(self, event: Event, at: datetime) -> None:
        self.status = _RUN_STATUSES.get(type(event), self.status)
        match event:
            case e.RunWaiting(reason=reason):
                self._reason = reason
            case e.TimerSet(timer=timer, due=due, parks=True):
                self._parking[timer] = due
            case (
                e.TimerSet(timer=timer) | e.TimerFired(timer=timer) | e.TimerCancelled(timer=timer)
            ):
                self._parking.pop(event.timer, None)
            case e.RunCompleted():
                self._parking.clear()
            case e.RunFailed():
                self._stop(StepStatus.FAILED, at)
            case e.RunCancelled():
                self._stop(StepStatus.CANCELLED, at)
            case _:
                pass

    def _stop(self, status: StepStatus, at: datetime) -> None:
        """Give everything that was under way the end that the run gives it."""
        self._parking.clear()
        for step in self.steps.values():
            if step.status in _ACTIVE:
                step.leave(status, at)
        for slots in self._gates.values():
            for gate in slots.values():
                gate.verdict = gate.verdict or Verdict.NOT_RUN

    def _see_gate(self, event: Event) -> None:
        match event:
            case e.GateStarted(gate=gate):
                slots = self._gates.setdefault((event.step, event.visit), {})
                slots[event.slot] = GatePicture(gate=gate)
            case e.GateEnded(verdict=verdict):
                self._end_gate(event, verdict)
            case e.GateLost() | e.GateCancelled():
                self._end_gate(event, Verdict.NOT_RUN)
            case _:
                pass

    def _end_gate(self, event: e.PlacedEvent, verdict: Verdict) -> None:
        gate = self._gates.get((event.step, event.visit), {}).get(event.slot)
        if gate is not None:
            gate.verdict = gate.verdict or verdict

    def _see_step(self, step: StepPicture, event: e.PlacedEvent, at: datetime) -> None:
        step.status = _STEP_STATUSES.get(type(event), step.status)
        verdict = _VERDICTS.get(type(event), event.step_verdict)
        if verdict is not None:
            field_name = verdict.removeprefix(":")
            is_field = field_name != verdict
            step.last_verdict = str(getattr(event, field_name)) if is_field else verdict
        match event:
            case e.StepEntered(visit=visit):
                step.visits, step.since = visit, at
            case e.AttemptStarted(role=role):
                step.role, step.attempts = role, step.attempts + 1
            case e.GateEnded(visit=visit):
                step.last_verdict = self._worst(event.step, visit)
            case _ if step.status in _LEFT:
                step.leave(step.status, at)
            case _:
                pass

    def _worst(self, step: StepName, visit: int) -> str | None:
        """Let the worst verdict of a visit stand for all of its gates."""
        said = [it.verdict for it in self.gates(step, visit) if it.verdict is not None]
        return min(said, key=WORST_FIRST.index).value if said else None
