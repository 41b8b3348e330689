"""The world around a ledger under test: time, two processes, and facts to write."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, Event, NewEvent
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, StreamId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import Cancel, InboxCommand
from supervisor_ai.domain.run.status import Outcome, OutcomeKind
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.gates import Verdicts
from supervisor_ai.engine.ports.ledger import (
    Batch,
    EventLog,
    Inbox,
    Lease,
    Leases,
    StateCache,
    StreamAppend,
    WakeQueue,
)

RUN: Final = RunId("r1")
OTHER: Final = RunId("r2")
TTL: Final = timedelta(seconds=30)
BEGIN: Final = datetime(2030, 1, 1, tzinfo=UTC)
RUNTIME: Final = Actor(kind=ActorKind.RUNTIME, id="owner", via="test", verified=True)


class StillClock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self._passed = timedelta()

    def now(self) -> datetime:
        """Return the time of day."""
        return BEGIN + self._passed

    def boottime(self) -> float:
        """Return the seconds since the machine started."""
        return 1000 + self._passed.total_seconds()

    async def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.advance(timedelta(seconds=seconds))

    def advance(self, duration: timedelta) -> None:
        """Let time pass."""
        self._passed += duration


class LedgerView(Protocol):
    """One process's view of the ledger."""

    @property
    def events(self) -> EventLog:
        """Return the event log."""
        ...

    @property
    def leases(self) -> Leases:
        """Return the leases."""
        ...

    @property
    def inbox(self) -> Inbox:
        """Return the inbox."""
        ...

    @property
    def cache(self) -> StateCache:
        """Return the state cache."""
        ...

    @property
    def wakes(self) -> WakeQueue:
        """Return the queue of wakes."""
        ...

    @property
    def verdicts(self) -> Verdicts:
        """Return the verdicts that were given before."""
        ...


class LedgerHarness(Protocol):
    """A ledger that two processes have opened, and the world around it."""

    @property
    def clock(self) -> StillClock:
        """Return the clock that the ledger reads."""
        ...

    @property
    def first(self) -> LedgerView:
        """Return the view of the first process."""
        ...

    @property
    def second(self) -> LedgerView:
        """Return the view of the second process."""
        ...

    def process(self, view: LedgerView) -> Process:
        """Identify the process that has the view."""
        ...

    def kill_first(self) -> None:
        """Let the first process die without a word."""
        ...


@contextmanager
def refused(kind: type[SupervisorError], *words: str) -> Iterator[None]:
    """Expect an error of exactly this kind whose message has the words."""
    try:
        yield
    except SupervisorError as error:
        if type(error) is kind and all(word in error.message for word in words):
            return
        raise AssertionError(f"{kind.__name__} with {words} was expected, not {error!r}") from error
    raise AssertionError(f"{kind.__name__} was expected")


def birth() -> e.RunSubmitted:
    """Make a run's first fact."""
    return e.RunSubmitted(
        task=ArtifactHash("t" * 64),
        driver="workflow",
        workflow="standard",
        definition=ArtifactHash("d" * 64),
        base=None,
        branch=None,
        identity=None,
        parent=None,
        root=RUN,
    )


def started() -> e.RunStarted:
    """Make the fact that a run began."""
    return e.RunStarted(driver="workflow", parent=None, root=RUN)


def completed() -> e.RunCompleted:
    """Make the fact that a run reached its goal."""
    return e.RunCompleted(outcome=Outcome(kind=OutcomeKind.DONE, reason="It is done."))


def batch(stream: StreamId, expected: int, *events: Event, lease: Lease | None = None) -> Batch:
    """Put facts for one stream into a batch."""
    new = tuple(NewEvent(event=event, actor=RUNTIME) for event in events)
    append = StreamAppend(stream=stream, expected=expected, events=new)
    return Batch(appends=(append,), lease=lease)


def letter(key: str, run: RunId = RUN) -> InboxCommand:
    """Write an inbox command to a run."""
    return InboxCommand(key=LetterKey(key), run=run, command=Cancel(), actor=RUNTIME, sent_at=BEGIN)


class OnLedger:
    """What the tests of a ledger say again and again."""

    harness: LedgerHarness

    @property
    def events(self) -> EventLog:
        """Return the first process's event log."""
        return self.harness.first.events

    def submit(self, run: RunId = RUN, *more: Event) -> None:
        """Begin a run in the ledger."""
        self.events.append(batch(run_stream(run), 0, birth(), *more))

    def acquire(self, view: LedgerView, run: RunId = RUN) -> Lease:
        """Take a run as the process of a view."""
        process = self.harness.process(view)
        return view.leases.acquire(run, owner=f"owner {process.pid}", process=process, ttl=TTL)

    def stream(self, run: RunId = RUN) -> list[Envelope]:
        """Read a run's stream as the second process."""
        return list(self.harness.second.events.read(run_stream(run)))
