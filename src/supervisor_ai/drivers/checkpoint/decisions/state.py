"""The supervisor's memory: where it stands in its life, and what the checkpoint is made of."""

from typing import TypeVar

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.decisions.definition import Residence
from supervisor_ai.drivers.checkpoint.lifecycle import Stage, advance
from supervisor_ai.drivers.moves.state import WorkflowState
from supervisor_ai.drivers.moves.state import evolve as evolve_steps

T = TypeVar("T")


def given(value: T | None) -> T:
    """Return what an earlier stage has left for this one."""
    if value is None:
        raise InternalError("A stage began before the one that it follows.")
    return value


class Cycle(Struct, frozen=True, kw_only=True):
    """What is known of the checkpoint that is being made."""

    request: k.RequestTaken
    context: ArtifactHash | None = None
    checks: k.ChecksJudged | None = None
    results: ArtifactHash | None = None
    report: k.ReportWritten | None = None
    decision: e.ApprovalGiven | e.ApprovalRefused | None = None


class Trouble(Struct, frozen=True, kw_only=True):
    """What could not be done."""

    problem: ArtifactHash
    message: int
    """The message that asked for it."""
    task: str | None = None
    """The checkpoint that was claimed."""


class ResidentState(Struct, frozen=True, kw_only=True):
    """Where a resident supervisor stands."""

    flow: WorkflowState
    """The steps that it goes through, as any workflow does."""
    residence: Residence
    stage: Stage = Stage.INIT
    is_called: bool = True
    """Whether there may be a message that was not read."""
    cursor: int = 0
    """The newest message that was seen to."""
    version: int = 0
    """How far the session's stream was read."""
    reports: int = 0
    accumulator: ArtifactHash | None = None
    loaded: ArtifactHash | None = None
    """What was loaded the last time."""
    cycle: Cycle | None = None
    postponed: k.RequestTaken | None = None
    """A request that came while a person decides about a block."""
    trouble: Trouble | None = None
    errors: int = 0
    shutdown: k.ShutdownTaken | None = None
    problem: ArtifactHash | None = None
    """Why there is no session to watch over."""

    @property
    def current(self) -> Cycle:
        """Return the checkpoint that is being made."""
        return given(self.cycle)


def evolve(state: ResidentState, event: Event) -> ResidentState:
    """Fold one recorded fact into the state."""
    state = replace(state, flow=evolve_steps(state.flow, event), stage=advance(state.stage, event))
    return _checked(_taken(_heard(state, event), event), event)


def _heard(state: ResidentState, event: Event) -> ResidentState:
    """Take in what is about the life between checkpoints."""
    match event:
        case k.SessionRead(accumulator=known, reports=reports):
            state = replace(state, accumulator=known, reports=reports)
            return replace(state, cursor=event.cursor, version=event.version)
        case k.SessionUnreadable(problem=problem):
            return replace(state, problem=problem)
        case e.SignalReceived() | k.BusReadLost():
            return replace(state, is_called=True)
        case k.BusReadStarted():
            return replace(state, is_called=False)
        case k.NothingHeard(cursor=cursor, version=version):
            return replace(state, cursor=cursor, version=version)
        case k.ErrorTold(number=number):
            return replace(state, errors=number, trouble=None)
        case _:
            return state


def _taken(state: ResidentState, event: Event) -> ResidentState:
    """Take in what the coordinator wants."""
    match event:
        case k.RequestTaken() if state.stage is Stage.POSTPONE:
            return replace(_seen_to(state, event), postponed=event)
        case k.RequestPostponed():
            return replace(state, postponed=None)
        case k.RequestTaken():
            return replace(_seen_to(state, event), cycle=Cycle(request=event))
        case k.ShutdownTaken():
            return replace(_seen_to(state, event), shutdown=event)
        case k.MessageRefused(message=message, problem=problem):
            trouble = Trouble(problem=problem, message=message)
            return replace(_seen_to(state, event), trouble=trouble)
        case _:
            return state


def _seen_to(
    state: ResidentState, event: k.RequestTaken | k.ShutdownTaken | k.MessageRefused
) -> ResidentState:
    """Go on from a message; the next one is looked for without being called."""
    return replace(state, cursor=event.message, version=event.version, is_called=True)


def _checked(state: ResidentState, event: Event) -> ResidentState:
    """Take in what is about the checkpoint that is being made."""
    match event:
        case k.ClaimRefused(problem=problem):
            return replace(state, trouble=_trouble(state, problem, is_claimed=False))
        case k.ContextUnreadable(problem=problem):
            return replace(state, trouble=_trouble(state, problem, is_claimed=True))
        case k.ContextLoaded(context=context):
            return replace(state, loaded=context, cycle=replace(state.current, context=context))
        case k.ChecksJudged():
            return replace(state, cycle=replace(state.current, checks=event))
        case k.JudgementsWeighed(results=results):
            return replace(state, cycle=replace(state.current, results=results))
        case k.ReportWritten():
            return replace(state, cycle=replace(state.current, report=event))
        case k.ContextAccumulated(accumulator=accumulator):
            return replace(state, accumulator=accumulator)
        case e.ApprovalGiven() | e.ApprovalRefused():
            return replace(state, cycle=replace(state.current, decision=event))
        case _:
            return state


def _trouble(state: ResidentState, problem: ArtifactHash, *, is_claimed: bool) -> Trouble:
    request = state.current.request
    task = request.task if is_claimed else None
    return Trouble(problem=problem, message=request.message, task=task)
