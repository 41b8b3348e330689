"""One role's way through a visit: its attempts, what it was told and what came of it."""

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import AttemptStatus, FailureCategory
from supervisor_ai.domain.run.values import Feedback, FeedbackKind
from supervisor_ai.domain.structs import replace

ATTEMPT_FLOW: Final[Flow[AttemptStatus]] = {
    (AttemptStatus.STARTED, e.ContextPacked): AttemptStatus.STARTED,
    (AttemptStatus.STARTED, e.KnowledgeInjected): AttemptStatus.STARTED,
    (AttemptStatus.STARTED, e.PromptSent): AttemptStatus.STARTED,
    (AttemptStatus.STARTED, e.AttemptSucceeded): AttemptStatus.SUCCEEDED,
    (AttemptStatus.STARTED, e.AttemptFailed): AttemptStatus.FAILED,
    (AttemptStatus.STARTED, e.AttemptCancelled): AttemptStatus.CANCELLED,
    (AttemptStatus.STARTED, e.AttemptLost): AttemptStatus.LOST,
}
_OF_AN_ATTEMPT: Final = tuple({kind for _, kind in ATTEMPT_FLOW})

SlotNews = (
    e.AttemptSucceeded | e.AttemptFailed | e.AttemptLost | e.ApprovalGiven | e.ApprovalRefused
)
"""What came of an attempt, or of the question that it led to."""


class Approach(Struct, frozen=True, kw_only=True):
    """How an attempt is made: by whom, how much of the task, and knowing what."""

    cli: str
    level: Level = Level.PRIMARY
    is_told: bool = True
    turn: int = 0


class Slot(Struct, frozen=True, kw_only=True):
    """Where one role stands in a visit."""

    number: int = 1
    attempts: int = 0
    attempt: AttemptStatus | None = None
    approach: Approach | None = None
    """How the last attempt is made, or would be if it had permission to start."""
    is_asked: bool = False
    """Whether the next attempt is decided, and only its permission to start is missing."""
    leave: e.LaunchAllowed | None = None
    refusal: e.LaunchRefused | None = None
    refusals: int = 0
    failures: int = 0
    """How often this agent has failed at this level; a wait for its limit is no failure."""
    retry: Feedback | None = None
    """What was wrong the last time."""
    told: Feedback | None = None
    """What the last attempt heard of those before it."""
    nonce: str = ""
    """What the answer of the last attempt repeats, or of one that waits for permission to start."""
    news: SlotNews | None = None

    @property
    def level(self) -> Level:
        """Say how much of the task the last attempt is asked for."""
        return self.approach.level if self.approach else Level.PRIMARY


def evolve(slot: Slot, event: e.PlacedEvent) -> Slot:  # noqa: C901 - one case per fact
    """Fold one recorded fact into the slot that it belongs to."""
    slot = _moved(slot, event)
    match event:
        case e.LaunchRequested():
            return replace(_approached(slot, event), is_asked=True)
        case e.LaunchAllowed():
            return replace(slot, leave=event)
        case e.LaunchRefused():
            return replace(slot, refusal=event, refusals=slot.refusals + 1)
        case e.LaunchWithdrawn():
            return replace(slot, is_asked=False)
        case e.AttemptStarted():
            started = replace(_approached(slot, event), is_asked=False, leave=None)
            return replace(started, attempts=event.attempt, attempt=AttemptStatus.STARTED)
        case e.AttemptSucceeded():
            return _succeeded(replace(slot, news=event), event)
        case e.AttemptFailed():
            return _failed(replace(slot, news=event), event)
        case e.AttemptLost() | e.ApprovalRefused():
            return replace(slot, news=event)
        case e.ApprovalRequested():
            return replace(slot, news=None)
        case e.ApprovalGiven(note=note):
            heard = replace(slot, news=event)
            return heard if note is None else replace(heard, retry=_from_person(event, note))
        case _:
            return slot


def under(slot: Slot, clis: Collection[str]) -> Slot:
    """Go on under another definition; who is not known there does not go on."""
    if slot.approach is None or slot.approach.cli in clis:
        return slot
    return replace(slot, approach=None, is_asked=False, leave=None, refusal=None, failures=0)


def _moved(slot: Slot, event: e.PlacedEvent) -> Slot:
    """Move the attempt that the slot is in."""
    if not isinstance(event, _OF_AN_ATTEMPT):
        return slot
    if slot.attempt is None:
        raise InternalError(f"The end of an attempt of {event.step!r} came before it started.")
    return replace(slot, attempt=step(ATTEMPT_FLOW, slot.attempt, event))


def _approached(slot: Slot, event: e.LaunchRequested | e.AttemptStarted) -> Slot:
    approach = Approach(cli=event.cli, level=event.level, is_told=event.is_told, turn=event.turn)
    before = slot.approach or approach
    is_new = (before.cli, before.level) != (approach.cli, approach.level)
    return replace(
        slot,
        approach=approach,
        told=slot.retry if approach.is_told else slot.told,
        nonce=event.nonce,
        refusal=None,
        failures=0 if is_new else slot.failures,
        news=None,
    )


def _succeeded(slot: Slot, event: e.AttemptSucceeded) -> Slot:
    if event.meaning not in {Meaning.REFINE, Meaning.FAIL}:
        return slot
    category = FailureCategory.LOGIC if event.meaning is Meaning.FAIL else None
    words = Feedback(
        kind=FeedbackKind.WORKER, source=event.step, artifact=event.feedback, category=category
    )
    return replace(slot, retry=words, failures=slot.failures + 1)


def _failed(slot: Slot, event: e.AttemptFailed) -> Slot:
    words = Feedback(
        kind=FeedbackKind.FORMAT,
        source=event.step,
        artifact=event.feedback,
        category=event.category,
    )
    is_fault = event.action is not Action.PARK
    return replace(slot, retry=words, failures=slot.failures + (1 if is_fault else 0))


def _from_person(event: e.ApprovalGiven, note: ArtifactHash) -> Feedback:
    return Feedback(kind=FeedbackKind.PERSON, source=event.step, artifact=note)
