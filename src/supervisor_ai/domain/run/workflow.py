"""The workflow driver's memory: where one task stands in its state machine."""

from dataclasses import dataclass, field, replace
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import Definition, Role, Step
from supervisor_ai.domain.run.degradation import Level
from supervisor_ai.domain.run.diagnosis import Action
from supervisor_ai.domain.run.facts import Feedback, FeedbackKind, Snapshot
from supervisor_ai.domain.run.loops import Trace, Trail
from supervisor_ai.domain.run.status import AttemptStatus, FailureCategory, StepStatus

_UNDER_WAY: Final = (
    e.LaunchRequested,
    e.LaunchAllowed,
    e.LaunchRefused,
    e.AttemptStarted,
    e.AttemptSucceeded,
    e.AttemptFailed,
    e.AttemptCancelled,
    e.AttemptLost,
    e.GateStarted,
    e.GateEnded,
    e.GateLost,
    e.GateCancelled,
    e.IntegrationStarted,
    e.IntegrationLanded,
    e.IntegrationRefused,
    e.IntegrationLost,
    e.PromptSent,
    e.SetupEnded,
    e.EgressRefused,
)

STEP_FLOW: Final[Flow[StepStatus]] = {
    (StepStatus.PENDING, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.PASSED, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.FAILED, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.SKIPPED, e.StepEntered): StepStatus.RUNNING,
    (StepStatus.RUNNING, e.ApprovalRequested): StepStatus.WAITING,
    (StepStatus.WAITING, e.ApprovalGiven): StepStatus.RUNNING,
    (StepStatus.WAITING, e.ApprovalRefused): StepStatus.RUNNING,
    (StepStatus.RUNNING, e.StepPassed): StepStatus.PASSED,
    (StepStatus.RUNNING, e.StepFailed): StepStatus.FAILED,
    (StepStatus.RUNNING, e.StepSkipped): StepStatus.SKIPPED,
    **{(StepStatus.RUNNING, kind): StepStatus.RUNNING for kind in _UNDER_WAY},
}

ATTEMPT_FLOW: Final[Flow[AttemptStatus]] = {
    (AttemptStatus.STARTED, e.PromptSent): AttemptStatus.STARTED,
    (AttemptStatus.STARTED, e.AttemptSucceeded): AttemptStatus.SUCCEEDED,
    (AttemptStatus.STARTED, e.AttemptFailed): AttemptStatus.FAILED,
    (AttemptStatus.STARTED, e.AttemptCancelled): AttemptStatus.CANCELLED,
    (AttemptStatus.STARTED, e.AttemptLost): AttemptStatus.LOST,
}
_STARTED: Final = AttemptStatus.STARTED
_OF_AN_ATTEMPT: Final = tuple({kind for _, kind in ATTEMPT_FLOW})

News = (
    e.AttemptSucceeded
    | e.AttemptFailed
    | e.AttemptLost
    | e.GateEnded
    | e.GateLost
    | e.ApprovalGiven
    | e.ApprovalRefused
    | e.IntegrationLanded
    | e.IntegrationRefused
    | e.IntegrationLost
)
"""Outcomes that the driver has not acted on yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """What happened at one step so far."""

    status: StepStatus = StepStatus.PENDING
    visits: int = 0
    attempts: int = 0
    setbacks: int = 0
    verdict: str | None = None
    level: Level = Level.PRIMARY
    """How much of it was done by the attempt that succeeded last."""
    turns: int = 0
    """How many attempts began with the role's own earlier answers."""
    said: tuple[ArtifactHash, ...] = ()
    """The answers of its attempts, as far back as a continuation may reach."""
    trail: Trail = field(default_factory=Trail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approach:
    """How an attempt is made: by whom, how much of the task, and knowing what."""

    cli: str
    level: Level = Level.PRIMARY
    is_told: bool = True
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The visit that the run is in."""

    step: StepName
    number: int
    start: CommitSha
    feedback: tuple[Feedback, ...] = ()
    attempts: int = 0
    attempt: AttemptStatus | None = None
    approach: Approach | None = None
    """How the last attempt is made, or would be if it had leave to start."""
    is_asked: bool = False
    """Whether the next attempt is decided, and only its leave to start is missing."""
    leave: e.LaunchAllowed | None = None
    refusal: e.LaunchRefused | None = None
    failures: int = 0
    """How often this agent has failed at this level; a wait for its limit is no failure."""
    retry: Feedback | None = None
    """What was wrong the last time."""
    told: Feedback | None = None
    """What the last attempt heard of those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowState:
    """Where a task stands."""

    definition: Definition
    head: Snapshot
    visit: Visit | None = None
    news: News | None = None
    steps: dict[StepName, StepRecord] = field(default_factory=dict)
    answers: dict[StepName, ArtifactHash] = field(default_factory=dict)
    landed: CommitSha | None = None

    @property
    def visits(self) -> int:
        """Count the visits to all steps."""
        return sum(record.visits for record in self.steps.values())

    def record(self, name: StepName) -> StepRecord:
        """Return what happened at the step so far."""
        return self.steps.get(name, StepRecord())

    def role(self, name: StepName) -> Role:
        """Return the role that does the step."""
        return self.definition.roles[self.at(name).role or ""]

    def at(self, name: StepName) -> Step:
        """Return the step's definition."""
        return self.definition.workflow.steps[name]


def evolve(state: WorkflowState, event: Event) -> WorkflowState:
    """Fold one recorded fact into the state."""
    if not isinstance(event, e.PlacedEvent) or isinstance(event, e.ChildStarted):
        return state
    record = state.record(event.step)
    record = replace(record, status=step(STEP_FLOW, record.status, event))
    state = _attempted(state, event)
    state, record = _applied(state, record, event)
    return replace(state, steps={**state.steps, event.step: record})


def _attempted(state: WorkflowState, event: e.PlacedEvent) -> WorkflowState:
    """Move the attempt that the visit is in."""
    if isinstance(event, e.LaunchRequested | e.AttemptStarted):
        return replace(state, visit=_approached(current_visit(state), event))
    if not isinstance(event, _OF_AN_ATTEMPT):
        return state
    visit = current_visit(state)
    if visit.attempt is None:
        raise InternalError(f"The end of an attempt of {event.step!r} came before it started.")
    return replace(state, visit=replace(visit, attempt=step(ATTEMPT_FLOW, visit.attempt, event)))


def _approached(visit: Visit, event: e.LaunchRequested | e.AttemptStarted) -> Visit:
    approach = Approach(cli=event.cli, level=event.level, is_told=event.is_told, turn=event.turn)
    before = visit.approach or approach
    is_new = (before.cli, before.level) != (approach.cli, approach.level)
    visit = replace(
        visit,
        approach=approach,
        told=visit.retry if approach.is_told else visit.told,
        refusal=None,
        failures=0 if is_new else visit.failures,
    )
    if isinstance(event, e.LaunchRequested):
        return replace(visit, is_asked=True)
    return replace(visit, attempts=event.attempt, attempt=_STARTED, is_asked=False, leave=None)


def _applied(  # noqa: C901 - one case per fact
    state: WorkflowState, record: StepRecord, event: e.PlacedEvent
) -> tuple[WorkflowState, StepRecord]:
    match event:
        case e.StepEntered():
            return _entered(state, event), replace(record, visits=event.visit)
        case e.StepPassed():
            return replace(state, news=None), replace(record, setbacks=0)
        case e.StepFailed():
            return replace(state, news=None), replace(record, setbacks=record.setbacks + 1)
        case e.StepSkipped():
            return replace(state, news=None), replace(record, verdict="skipped")
        case e.LaunchRequested():
            return replace(state, news=None), record
        case e.LaunchAllowed():
            return replace(state, visit=replace(current_visit(state), leave=event)), record
        case e.LaunchRefused():
            return replace(state, visit=replace(current_visit(state), refusal=event)), record
        case e.AttemptStarted(turn=turn):
            record = replace(record, turns=max(record.turns, turn))
            return replace(state, news=None), replace(record, attempts=record.attempts + 1)
        case e.AttemptSucceeded():
            return _succeeded(state, event), _answered(state, record, event)
        case e.AttemptFailed(category=category):
            state = _failed(state, event)
            return replace(state, news=event), replace(record, verdict=category.value)
        case e.GateEnded(verdict=verdict):
            return replace(state, news=event), replace(record, verdict=verdict.value)
        case e.ApprovalGiven(note=note):
            if note is not None:
                words = Feedback(kind=FeedbackKind.PERSON, source=event.step, artifact=note)
                state = _told(state, words)
            return replace(state, news=event), replace(record, verdict="approved")
        case e.ApprovalRefused():
            return replace(state, news=event), replace(record, verdict="rejected")
        case e.IntegrationLanded(commit=commit):
            return replace(state, news=event, landed=commit), record
        case e.AttemptLost() | e.GateLost() | e.IntegrationLost() | e.IntegrationRefused():
            return replace(state, news=event), record
        case e.GateStarted() | e.IntegrationStarted() | e.ApprovalRequested():
            return replace(state, news=None), record
        case _:
            return state, record


def current_visit(state: WorkflowState) -> Visit:
    """Return the visit that the run is in."""
    if state.visit is None:
        raise InternalError("A fact about a step came before the step was entered.")
    return state.visit


def _entered(state: WorkflowState, event: e.StepEntered) -> WorkflowState:
    visit = Visit(
        step=event.step,
        number=event.visit,
        start=event.start or state.head.commit,
        feedback=event.feedback,
    )
    return replace(state, visit=visit, news=None)


def _succeeded(state: WorkflowState, event: e.AttemptSucceeded) -> WorkflowState:
    state = replace(state, news=event)
    if event.meaning in {Meaning.REFINE, Meaning.FAIL}:
        category = FailureCategory.LOGIC if event.meaning is Meaning.FAIL else None
        told = Feedback(
            kind=FeedbackKind.WORKER,
            source=event.step,
            artifact=event.feedback,
            category=category,
        )
        return _set_back(state, told)
    if event.meaning is not Meaning.PASS:
        return state
    role = state.role(event.step)
    head = event.snapshot if role.writes else state.head
    return replace(state, head=head, answers={**state.answers, event.step: event.answer})


def _answered(state: WorkflowState, record: StepRecord, event: e.AttemptSucceeded) -> StepRecord:
    visit, role = current_visit(state), state.role(event.step)
    trail = record.trail.record(_trace(visit, event)) if role.can_edit else record.trail
    said = (*record.said, event.answer)[-role.continuations :] if role.continuations else ()
    level = visit.approach.level if visit.approach else Level.PRIMARY
    return replace(record, verdict=event.said, level=level, said=said, trail=trail)


def _trace(visit: Visit, event: e.AttemptSucceeded) -> Trace:
    """Remember the files together with what the worker had been told about the ones before."""
    told = (*visit.feedback, *((visit.retry,) if visit.retry else ()))
    return Trace(tree=event.snapshot.tree, words=" ".join(each.artifact for each in told))


def _failed(state: WorkflowState, event: e.AttemptFailed) -> WorkflowState:
    told = Feedback(
        kind=FeedbackKind.FORMAT,
        source=event.step,
        artifact=event.feedback,
        category=event.category,
    )
    if event.action is Action.PARK:
        return _told(state, told)
    return _set_back(state, told)


def _set_back(state: WorkflowState, feedback: Feedback) -> WorkflowState:
    visit = current_visit(state)
    told = _told(state, feedback)
    return replace(told, visit=replace(current_visit(told), failures=visit.failures + 1))


def _told(state: WorkflowState, feedback: Feedback) -> WorkflowState:
    return replace(state, visit=replace(current_visit(state), retry=feedback))
