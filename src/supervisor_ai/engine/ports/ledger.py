"""The ledger: streams of facts, leases, the inbox and wakes, in one transaction."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.envelope import Envelope, NewEvent
from supervisor_ai.domain.ids import LetterKey, RunId, StreamId
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.values import Process


class Lease(Struct, frozen=True, kw_only=True):
    """The right to write a run's stream, until somebody takes it with a higher epoch."""

    run: RunId
    owner: str
    epoch: int


class StreamAppend(Struct, frozen=True, kw_only=True):
    """Events for one stream that must still be at the expected version (0: it must be new)."""

    stream: StreamId
    expected: int
    events: tuple[NewEvent, ...]


class Wake(Struct, frozen=True, kw_only=True):
    """A request to drive a run, not before a time; idempotent on (run, number)."""

    run: RunId
    number: int
    not_before: datetime | None = None


class Batch(Struct, frozen=True, kw_only=True):
    """Everything that one transaction changes: all of it or nothing."""

    appends: tuple[StreamAppend, ...] = ()
    lease: Lease | None = None
    taken: tuple[LetterKey, ...] = ()
    sent: tuple[InboxCommand, ...] = ()
    wakes: tuple[Wake, ...] = ()


class Head(Struct, frozen=True, kw_only=True):
    """The newest link of the hash chain; sequence 0 when the ledger is empty."""

    seq: int
    hash: str


class EventLog(Protocol):
    """Append-only streams in one global order."""

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        """Commit the batch and return its events with their places in the chain, at one moment.

        Raises LeaseLost when the lease is not the newest for its run, StaleVersion when a
        stream is not at its expected version, Unavailable when the ledger cannot be written.
        """
        ...

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        """Read one stream in order, by version; `upto` is included."""
        ...

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        """Read all streams in global order, by sequence number."""
        ...

    def head(self) -> Head:
        """Return the newest link of the chain."""
        ...


class Leases(Protocol):
    """At most one owner per run."""

    def acquire(self, run: RunId, *, owner: str, process: Process, ttl: timedelta) -> Lease:
        """Take the run, with a higher epoch than ever before; a dead owner is taken over at once.

        Raises Busy, naming the owner, while a living owner's lease lasts.
        """
        ...

    def renew(self, lease: Lease, *, ttl: timedelta) -> None:
        """Keep the run; raises LeaseLost when somebody else has it."""
        ...

    def release(self, lease: Lease) -> None:
        """Give the run back; harmless when it is not ours any more."""
        ...


class Inbox(Protocol):
    """Commands of other processes, kept until the owner takes them in a batch."""

    def put(self, letter: InboxCommand) -> bool:
        """Keep the inbox command; False when one with its key was sent before."""
        ...

    def pending(self, run: RunId) -> Sequence[InboxCommand]:
        """Return the inbox commands that were not taken yet, oldest first."""
        ...


class CachedState(Struct, frozen=True, kw_only=True):
    """A folded state as bytes, valid for one version of the folding code."""

    version: int
    fold: str
    state: bytes


class StateCache(Protocol):
    """Folded states at intervals; only a cache, never a truth."""

    def load(self, stream: StreamId, *, fold: str) -> CachedState | None:
        """Return the newest state that the same folding code made."""
        ...

    def save(self, stream: StreamId, cached: CachedState) -> None:
        """Keep a state; older ones of the stream may be forgotten."""
        ...


class WakeQueue(Protocol):
    """Runs that somebody should drive."""

    def submit(self, wake: Wake) -> None:
        """Ask for a run to be driven; asking twice for one wake is harmless."""
        ...

    def due(self, *, now: datetime) -> Sequence[Wake]:
        """Return the wakes whose time has come, oldest first."""
        ...

    def next_due(self) -> datetime | None:
        """Return the earliest time that a wake waits for."""
        ...

    def done(self, wake: Wake) -> None:
        """Forget exactly this wake."""
        ...

    def orphans(self, *, now: datetime) -> Sequence[RunId]:
        """Return runs that could go on, but have neither a living owner nor a wake.

        A run could go on when it is queued or running, when a letter waits for it, or when a
        timer of it is due.
        """
        ...
