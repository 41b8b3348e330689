"""Lines of a live log: the sentences about a run's events, the newest at the end."""

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.control.sentences import describe, is_routine, place
from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import NO_USAGE, Usage

_WORDS: Final = 500
_EVIDENCE: Final = 100
_EVIDENT: Final = (
    e.BaselineEnded,
    e.ClaimsRefuted,
    e.FilesLeftOut,
    e.WriteRefused,
    e.EgressRefused,
)


class Tone(StrEnum):
    """Whether something is as it should be."""

    GOOD = "good"
    BAD = "bad"
    ASKS = "asks"
    PLAIN = "plain"


_TONES: Final[dict[type[Event], Tone]] = {
    e.RunCompleted: Tone.GOOD,
    e.StepPassed: Tone.GOOD,
    e.ApprovalGiven: Tone.GOOD,
    e.IntegrationLanded: Tone.GOOD,
    e.RunFailed: Tone.BAD,
    e.StepFailed: Tone.BAD,
    e.AttemptFailed: Tone.BAD,
    e.ApprovalRefused: Tone.BAD,
    e.ClaimsRefuted: Tone.BAD,
    e.EgressRefused: Tone.BAD,
    e.WriteRefused: Tone.BAD,
    e.IntegrationRefused: Tone.BAD,
    e.ApprovalRequested: Tone.ASKS,
    e.RunWaiting: Tone.ASKS,
}


class LogLine(Struct, frozen=True, kw_only=True):
    """What happened, where and when, in plain words."""

    seq: int
    at: datetime
    where: str
    words: str
    tone: Tone
    is_routine: bool


class RunLog:
    """The last lines of one run, and what its workers have spent by role; never more than so many.

    Events are taken in by their order in the ledger, each once.
    """

    def __init__(self, *, kept: int) -> None:
        self._lines: deque[LogLine] = deque(maxlen=kept)
        self._evidence: deque[LogLine] = deque(maxlen=_EVIDENCE)
        self.spent: dict[str, Usage] = {}
        self.seen = 0

    def take(self, envelopes: Iterable[Envelope]) -> None:
        """Take in events of the run."""
        for envelope in envelopes:
            if envelope.seq <= self.seen:
                continue
            self.seen = envelope.seq
            line = log_line(envelope)
            self._lines.append(line)
            if isinstance(envelope.event, _EVIDENT):
                self._evidence.append(line)
            self._spend(envelope.event)

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """Return the last lines in order."""
        return tuple(self._lines)

    @property
    def evidence(self) -> tuple[LogLine, ...]:
        """Return what speaks for or against the change besides its gates."""
        return tuple(self._evidence)

    def _spend(self, event: Event) -> None:
        if isinstance(event, e.AttemptSucceeded | e.AttemptFailed):
            before = self.spent.get(event.role, NO_USAGE)
            self.spent[event.role] = before.plus(event.usage)


def log_line(envelope: Envelope) -> LogLine:
    """Say what happened."""
    event = envelope.event
    return LogLine(
        seq=envelope.seq,
        at=envelope.recorded_at,
        where=place(event),
        words=_words(envelope),
        tone=_tone(event),
        is_routine=is_routine(event),
    )


def _words(envelope: Envelope) -> str:
    """Say what happened; who watches must not fail at a word that nobody knows here."""
    try:
        return describe(envelope.event)[:_WORDS]
    except SupervisorError:
        return envelope.type


def _tone(event: Event) -> Tone:
    if isinstance(event, e.GateEnded):
        return Tone.GOOD if event.verdict is Verdict.PASSED else Tone.BAD
    return _TONES.get(type(event), Tone.PLAIN)
