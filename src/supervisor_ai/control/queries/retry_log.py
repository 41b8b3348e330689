"""Retry log: failed attempts with what was expected, what was received and what was done."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from supervisor_ai.control.queries.logs import LogFilter, require_visited
from supervisor_ai.control.records import Records
from supervisor_ai.control.registered_kinds import answer_meanings
from supervisor_ai.control.slices import AttemptWords, definition_of, find_slice
from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.failures.retries import MoveKind
from supervisor_ai.domain.run.failures.retry_notes import RetryEntry, retry_log
from supervisor_ai.domain.run.policies import policy_of
from supervisor_ai.domain.run.status import FailureCategory

Schemas = Callable[[AnswerWord], str]
"""Writes down the form that a kind of answer has to have."""

_BadEnd = e.AttemptFailed | e.AttemptSucceeded
_Start = e.LaunchRequested | e.AttemptStarted
_Attempt = tuple[StepName, int, int, int]
_UNDONE: Final = frozenset({Meaning.REFINE, Meaning.FAIL})
_FORMAT_ERRORS: Final = frozenset({FailureCategory.VALIDATION, FailureCategory.PARSING})
_WAIT: Final = "retry/"
"""How the name of a timer begins that the same attempt waits for."""
_REST: Final = "rest/"
"""Likewise, where an attempt may not start before its breaker or its budget has rested."""
_KEPT: Final = 3_000


class _Setback(Struct, frozen=True, kw_only=True):
    """An attempt that failed or left its work undone, and all that came after it."""

    started: e.AttemptStarted
    ended: Envelope
    end: _BadEnd
    definition: ArtifactHash
    later: Sequence[Envelope]
    earlier: Sequence[Envelope]

    @property
    def category(self) -> FailureCategory:
        """Say why it failed; what a worker itself calls unfinished is a matter of logic."""
        end = self.end
        return end.category if isinstance(end, e.AttemptFailed) else FailureCategory.LOGIC


@dataclass(slots=True, kw_only=True)
class RetryLogKeeper:
    """Keeps the retry logs of runs up to date in their files; a failure costs nobody a run."""

    schemas: Schemas
    tell: Callable[[str], None]
    _has_told: bool = field(default=False, init=False)

    def keep(self, records: Records, run: RunId) -> None:
        """Write what the ledger says of a run's failed attempts; tell once where that fails."""
        try:
            entries = read_retries(records, run, LogFilter(), self.schemas)
            if entries:
                records.retry_logs.write(run, retry_log(entries))
        except SupervisorError as error:
            if not self._has_told:
                self._has_told = True
                self.tell(" ".join(filter(None, (error.message, error.hint))))


def read_retries(
    records: Records, run: RunId, wanted: LogFilter, schemas: Schemas
) -> tuple[RetryEntry, ...]:
    """Return what was made of a run's failed attempts, in the order in which they ended."""
    require_visited(records, run, wanted.step)
    envelopes = tuple(records.log.read(run_stream(run)))
    birth = next(it.event for it in envelopes if isinstance(it.event, e.RunSubmitted))
    return tuple(
        _entry(records, setback, birth, schemas)
        for setback in _setbacks(envelopes)
        if wanted.accepts(setback.end.step, setback.end.visit, setback.end.attempt)
    )


def _setbacks(envelopes: Sequence[Envelope]) -> Iterator[_Setback]:
    definition = ArtifactHash("")
    started: dict[_Attempt, tuple[e.AttemptStarted, ArtifactHash]] = {}
    for index, envelope in enumerate(envelopes):
        event = envelope.event
        match event:
            case e.RunSubmitted(definition=pinned) | e.DefinitionMigrated(definition=pinned):
                definition = pinned
            case e.AttemptStarted():
                started[_attempt(event)] = (event, definition)
            case e.AttemptFailed() | e.AttemptSucceeded() if _is_bad(event, started):
                begun, under = started[_attempt(event)]
                yield _Setback(
                    started=begun,
                    ended=envelope,
                    end=event,
                    definition=under,
                    later=envelopes[index + 1 :],
                    earlier=envelopes[:index],
                )
            case _:
                pass


def _is_bad(end: _BadEnd, started: Container[_Attempt]) -> bool:
    """Tell whether an attempt of this very run was of no use; a fork may end one of another."""
    is_undone = isinstance(end, e.AttemptFailed) or end.meaning in _UNDONE
    return is_undone and _attempt(end) in started


def _entry(
    records: Records, setback: _Setback, birth: e.RunSubmitted, schemas: Schemas
) -> RetryEntry:
    definition = records.documents.load(setback.definition, definition_of(birth.driver))
    started, end = setback.started, setback.end
    step, role = definition.workflow.steps[end.step], definition.roles[started.role]
    words = _words(birth.driver, definition, setback)
    return RetryEntry(
        at=setback.ended.recorded_at,
        role=words.role,
        task=records.text(birth.task) if words.task is None else words.task,
        attempt=end.attempt,
        max_retries=policy_of(definition, step, role).max_attempts - 1,
        category=setback.category,
        move=_move(setback),
        expected=_expected(setback.category, definition.roles[started.role].answer, schemas),
        received=_received(records, setback),
        reason=_reason(end),
        step=end.step,
        visit=end.visit,
        cli=started.cli,
    )


def _words(driver: str, definition: Definition, setback: _Setback) -> AttemptWords:
    found = find_slice(driver)
    if found is None:
        return AttemptWords(role=setback.started.role)
    earlier = [envelope.event for envelope in setback.earlier]
    return found.attempt_words(definition, setback.started, earlier)


def _expected(category: FailureCategory, kind: AnswerWord, schemas: Schemas) -> str:
    if category in _FORMAT_ERRORS:
        return schemas(kind)
    words = [word for word, meaning in answer_meanings(kind).items() if meaning is Meaning.PASS]
    return f"A valid answer with the status {' or '.join(words)}."


def _received(records: Records, setback: _Setback) -> str:
    """Return the answer, the output that held none, or what went wrong instead."""
    end = setback.end
    if isinstance(end, e.AttemptSucceeded):
        return _ending(records.text(end.answer))
    is_format = setback.category in _FORMAT_ERRORS
    return _ending(records.text(end.transcript if is_format else end.feedback))


def _ending(text: str) -> str:
    if len(text) <= _KEPT:
        return text
    return f"[… {len(text) - _KEPT} characters left out …]\n{text[-_KEPT:]}"


def _reason(end: _BadEnd) -> str:
    return end.reason if isinstance(end, e.AttemptFailed) else f"The worker answered {end.said}."


def _move(setback: _Setback) -> MoveKind | None:
    """Read what was done off the facts that followed; what was only intended counts last."""
    events = [it.event for it in setback.later if _concerns(setback.end, it.event)]
    refused = {_attempt(event) for event in events if isinstance(event, e.LaunchRefused)}
    intended = [it for it in events if isinstance(it, e.LaunchRequested)]
    in_vain = [launch for launch in intended if _attempt(launch) in refused]
    done = [event for event in events if event not in in_vain]
    moves = (_move_by(event, setback.started) for event in (*done, *in_vain))
    return next((move for move in moves if move is not None), None)


def _move_by(event: Event, before: e.AttemptStarted) -> MoveKind | None:
    match event:
        case e.LaunchRequested() | e.AttemptStarted():
            return _again(before, event)
        case e.TimerSet(timer=timer) if timer.startswith(_REST):
            return None
        case e.TimerSet(parks=True):
            return MoveKind.PARK
        case e.TimerSet(timer=timer) if timer.startswith(_WAIT):
            return MoveKind.RETRY_SAME
        case e.ApprovalRequested():
            return MoveKind.ESCALATE
        case e.StepSkipped():
            return MoveKind.SKIP
        case e.StepFailed() | e.RunFailed():
            return MoveKind.GIVE_UP
        case _:
            return None


def _again(before: e.AttemptStarted, after: _Start) -> MoveKind:
    """Compare two attempts: by whom, how much of the task, and told what."""
    if after.cli != before.cli:
        return MoveKind.FAIL_OVER
    if after.level is not before.level:
        return MoveKind.DEGRADE
    return MoveKind.RETRY_WITH_FEEDBACK if after.is_told else MoveKind.RETRY_SAME


def _concerns(end: _BadEnd, event: Event) -> bool:
    """Tell whether a fact belongs to the same place, or to the whole run."""
    place = (end.step, end.visit, end.slot)
    return not isinstance(event, e.PlacedEvent) or (event.step, event.visit, event.slot) == place


def _attempt(event: _Start | _BadEnd | e.LaunchRefused) -> _Attempt:
    return event.step, event.visit, event.slot, event.attempt
