"""What must follow a failed attempt: the same again, a person, or the end."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.sandbox import SandboxEnd

_PATIENT: Final = frozenset({SandboxEnd.TIMED_OUT, SandboxEnd.IDLE, SandboxEnd.SANDBOX_FAILED})
_HOPELESS: Final = frozenset(
    {
        SandboxEnd.OUTPUT_CAPPED,
        SandboxEnd.LIMIT_EXCEEDED,
        SandboxEnd.COMMAND_MISSING,
        SandboxEnd.SETUP_FAILED,
    }
)
_ANSWERS: Final = frozenset({FailureCategory.PARSING, FailureCategory.VALIDATION})


class Due(StrEnum):
    """What has to come next of a step."""

    TRY = "another try"
    ASK = "a question to a person"
    GIVE_UP = "the end of the run"
    NO_BUDGET = "the end of the run for want of budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """How often the same is asked again after a failure, and whether only after a rest."""

    retries: int
    otherwise: Due
    rests: bool


@dataclass(slots=True, kw_only=True)
class _Place:
    """Where a run stands in its workflow."""

    step: str = ""
    failures: int = 0
    due: Due = Due.TRY
    rests: bool = False

    def enter(self, step: str) -> None:
        self.step, self.failures = step, 0
        self.go_on()

    def go_on(self) -> None:
        self.due, self.rests = Due.TRY, False

    def fail(self, rule: _Rule) -> None:
        self.failures += 1
        self.due = Due.TRY if self.failures <= rule.retries else rule.otherwise
        self.rests = rule.rests


def bad_retries(run: RunId, envelopes: list[Envelope], documents: Documents) -> Iterator[str]:
    """Failures cost retries, exactly; losses cost none, and a person's yes is one more try.

    There is only one agent: where another one should go on, a person is asked.
    """
    place, definition = _Place(), None
    for envelope in envelopes:
        match envelope.event:
            case e.RunSubmitted(definition=pinned) | e.DefinitionMigrated(definition=pinned):
                definition = documents.load(pinned, Definition)
            case e.StepEntered(step=step):
                place.enter(step)
            case e.AttemptFailed() | e.AttemptSucceeded(meaning=Meaning.REFINE | Meaning.FAIL):
                place.fail(_rule(envelope.event, _limit(definition, place)))
            case e.AttemptSucceeded(meaning=Meaning.BLOCK):
                place.due = Due.ASK
            case e.ApprovalGiven():
                place.go_on()
            case e.TimerFired(timer=timer) if timer.startswith("retry/"):
                place.rests = False
            case event:
                yield from _surprises(run, event, place)


def _surprises(run: RunId, event: Event, place: _Place) -> Iterator[str]:
    """Tell what came although something else was due."""
    failed = f"{place.failures} failures of step {place.step!r}, after which {place.due} is due"
    match event:
        case e.AttemptStarted():
            if place.due is not Due.TRY:
                yield f"Run {run!r} tried again after {failed}."
            if place.rests:
                yield f"Run {run!r} did not rest before it tried again after {failed}."
        case e.ApprovalRequested(reason=ApprovalReason.BLOCKED) if place.due is not Due.ASK:
            yield f"Run {run!r} asked a person after {failed}."
        case e.StepPassed() if place.due is not Due.TRY:
            yield f"Run {run!r} went on after {failed}."
        case e.RunFailed(outcome=outcome) if outcome.kind is OutcomeKind.WORKER_FAILED:
            if place.due is not Due.GIVE_UP:
                yield f"Run {run!r} gave up after {failed}."
        case _:
            pass


def _rule(event: e.AttemptFailed | e.AttemptSucceeded, limit: int) -> _Rule:
    """Say what a failure costs; only what the script can bring about is known here."""
    if isinstance(event, e.AttemptSucceeded) or event.category in _ANSWERS:
        return _Rule(retries=limit, otherwise=Due.GIVE_UP, rests=False)
    if event.exit_code is not None:
        return _Rule(retries=min(limit, 1), otherwise=Due.ASK, rests=True)
    end = next(end for end in SandboxEnd if event.reason == f"It was {end}.")
    if end in _PATIENT:
        return _Rule(retries=limit, otherwise=Due.GIVE_UP, rests=True)
    otherwise = Due.ASK if end in _HOPELESS else Due.NO_BUDGET
    return _Rule(retries=0, otherwise=otherwise, rests=False)


def _limit(definition: Definition | None, place: _Place) -> int:
    assert definition is not None
    retries = definition.workflow.steps[StepName(place.step)].max_retries
    otherwise = definition.limits.step_max_retries
    assert otherwise is not None
    return otherwise if retries is None else retries
