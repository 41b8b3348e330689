"""The ledger and the artifacts in memory: the same promises, no disk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import Busy, LeaseLost, NotFound, StaleVersion
from supervisor_ai.domain.ids import (
    ArtifactHash,
    LetterKey,
    RunId,
    StreamId,
    TimerName,
    stream_run,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import Process
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.gates import GivenVerdict
from supervisor_ai.engine.ports.ledger import Batch, CachedState, Head, Lease, StreamAppend, Wake
from supervisor_ai.store.codec import EventCodec, EventPlace

_STATUSES: Final[dict[type, RunStatus]] = {
    e.RunSubmitted: RunStatus.QUEUED,
    e.RunStarted: RunStatus.RUNNING,
    e.RunWaiting: RunStatus.WAITING,
    e.RunContinued: RunStatus.RUNNING,
    e.RunCompleted: RunStatus.COMPLETED,
    e.RunFailed: RunStatus.FAILED,
    e.RunCancelled: RunStatus.CANCELLED,
}


class _Holder(Struct, frozen=True, kw_only=True):
    lease: Lease
    process: Process
    expires: float
    is_released: bool = False


@dataclass(slots=True, kw_only=True)
class _Known:
    """What the queue of wakes has to know of a run."""

    status: RunStatus
    timers: dict[TimerName, datetime] = field(default_factory=dict)


class MemoryLedger:
    """A ledger that several processes of a simulation share.

    It is the event log, the leases, the inbox, the state cache, the queue of wakes and what is
    known of verdicts in one;
    whether an owner lives is for `is_alive` to say.
    """

    def __init__(self, clock: Clock, *, is_alive: Callable[[Process], bool]) -> None:
        self._clock = clock
        self._is_alive = is_alive
        self._codec = EventCodec()
        self._events: list[Envelope] = []
        self._streams: dict[StreamId, list[Envelope]] = {}
        self._known: dict[RunId, _Known] = {}
        self._holders: dict[RunId, _Holder] = {}
        self._letters: dict[LetterKey, InboxCommand] = {}
        self._taken: set[LetterKey] = set()
        self._wakes: dict[tuple[RunId, int], Wake] = {}
        self._states: dict[tuple[StreamId, str], CachedState] = {}
        self._verdicts: dict[str, GivenVerdict] = {}

    # The event log

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        """Commit the batch and return its events with their places in the chain."""
        epoch = self._check_lease(batch.lease) if batch.lease else 0
        envelopes = self._sealed(batch.appends, epoch)
        for envelope in envelopes:
            self._keep(envelope)
        if batch.lease is not None:
            own = {letter.key for letter in self.pending(batch.lease.run)}
            self._taken |= own.intersection(batch.taken)
        for letter in batch.sent:
            self.put(letter)
        for wake in batch.wakes:
            self.submit(wake)
        return envelopes

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        """Read one stream in order, by version; `upto` is included."""
        yield from self._streams.get(stream, [])[after:upto]

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        """Read all streams in global order, by sequence number."""
        return self._events[after : after + limit]

    def head(self) -> Head:
        """Return the newest link of the chain."""
        if not self._events:
            return Head(seq=0, hash="")
        return Head(seq=self._events[-1].seq, hash=self._events[-1].hash)

    def has_some(self, beginning: str) -> bool:
        """Tell whether there is a verdict or baseline whose key begins so."""
        ended = (it.event for it in self._events)
        keys = (it.key for it in ended if isinstance(it, (e.GateEnded, e.BaselineEnded)))
        return any(key is not None and key.startswith(beginning) for key in keys)

    def find(self, key: str) -> GivenVerdict | None:
        """Return the newest verdict with the key."""
        return self._verdicts.get(key)

    def find_baseline(self, key: str) -> e.BaselineEnded | None:
        """Return the newest baseline with the key."""
        found = (it.event for it in reversed(self._events))
        return next((it for it in found if isinstance(it, e.BaselineEnded) and it.key == key), None)

    def _sealed(self, appends: Sequence[StreamAppend], epoch: int) -> tuple[Envelope, ...]:
        """Check everything before anything is kept."""
        head, now = self.head(), self._clock.now()
        versions: dict[StreamId, int] = {}
        sealed: list[Envelope] = []
        for append in appends:
            version = versions.get(append.stream, len(self._streams.get(append.stream, [])))
            if version != append.expected:
                raise StaleVersion(
                    f"Stream {append.stream!r} is at version {version}, not at {append.expected}.",
                    hint="Read the stream again and decide anew.",
                )
            for new in append.events:
                version += 1
                place = EventPlace(head.seq + 1, append.stream, version, now, epoch)
                envelope = self._codec.seal(new, place, previous=head.hash).envelope
                head = Head(seq=envelope.seq, hash=envelope.hash)
                sealed.append(envelope)
            versions[append.stream] = version
        return tuple(sealed)

    def _keep(self, envelope: Envelope) -> None:
        self._events.append(envelope)
        self._streams.setdefault(envelope.stream, []).append(envelope)
        run, event = stream_run(envelope.stream), envelope.event
        if run is None:
            return
        if isinstance(event, e.GateEnded) and event.key is not None and not event.is_reused:
            self._verdicts[event.key] = GivenVerdict(run=run, ended=event)
        if isinstance(event, e.RunSubmitted):
            self._known[run] = _Known(status=RunStatus.QUEUED)
        if run in self._known:
            known = self._known[run]
            known.status = _STATUSES.get(type(event), known.status)
            if isinstance(event, e.TimerSet):
                known.timers[event.timer] = event.due
            elif isinstance(event, e.TimerFired | e.TimerCancelled):
                known.timers.pop(event.timer, None)

    # Leases

    def acquire(self, run: RunId, *, owner: str, process: Process, ttl: timedelta) -> Lease:
        """Take the run with a higher epoch than ever before; a dead owner is taken over at once."""
        holder = self._holders.get(run)
        if holder is not None and self._is_living(holder):
            raise Busy(
                f"Run {run!r} is driven by {holder.lease.owner!r} "
                f"(process {holder.process.pid}, epoch {holder.lease.epoch}).",
                hint=f"Watch it: supervisor events {run} --follow; "
                f"or stop it: supervisor cancel {run}",
            )
        lease = Lease(run=run, owner=owner, epoch=holder.lease.epoch + 1 if holder else 1)
        expires = self._clock.boottime() + ttl.total_seconds()
        self._holders[run] = _Holder(lease=lease, process=process, expires=expires)
        return lease

    def renew(self, lease: Lease, *, ttl: timedelta) -> None:
        """Keep the run; raises LeaseLost when somebody else has it."""
        self._check_lease(lease)
        expires = self._clock.boottime() + ttl.total_seconds()
        self._holders[lease.run] = replace(self._holders[lease.run], expires=expires)

    def release(self, lease: Lease) -> None:
        """Give the run back; harmless when it is not ours any more."""
        holder = self._holders.get(lease.run)
        if holder is not None and holder.lease.epoch == lease.epoch:
            self._holders[lease.run] = replace(holder, is_released=True)

    def _check_lease(self, lease: Lease) -> int:
        holder = self._holders.get(lease.run)
        if holder is None or holder.is_released or holder.lease.epoch != lease.epoch:
            raise LeaseLost(
                f"Run {lease.run!r} is not owned by {lease.owner!r} any more: "
                f"its lease with epoch {lease.epoch} has been taken over or given back.",
                hint=f"See who drives it now: supervisor status {lease.run}",
            )
        return lease.epoch

    def _is_living(self, holder: _Holder) -> bool:
        is_fresh = not holder.is_released and self._clock.boottime() < holder.expires
        return is_fresh and self._is_alive(holder.process)

    # The inbox

    def put(self, letter: InboxCommand) -> bool:
        """Keep the inbox command; False when one with its key was sent before."""
        is_new = letter.key not in self._letters
        self._letters.setdefault(letter.key, letter)
        return is_new

    def pending(self, run: RunId) -> Sequence[InboxCommand]:
        """Return the inbox commands that were not taken yet, oldest first."""
        return [
            letter
            for key, letter in self._letters.items()
            if letter.run == run and key not in self._taken
        ]

    # The state cache

    def load(self, stream: StreamId, *, fold: str) -> CachedState | None:
        """Return the newest state that the same folding code made."""
        return self._states.get((stream, fold))

    def save(self, stream: StreamId, cached: CachedState) -> None:
        """Keep a state, unless a newer one is there."""
        kept = self._states.get((stream, cached.fold))
        if kept is None or kept.version <= cached.version:
            self._states[stream, cached.fold] = cached

    # The queue of wakes

    def submit(self, wake: Wake) -> None:
        """Ask for a run to be driven; asking twice for one wake is harmless."""
        self._wakes.setdefault((wake.run, wake.number), wake)

    def due(self, *, now: datetime) -> Sequence[Wake]:
        """Return the wakes whose time has come, oldest first."""
        return [wake for wake in self._wakes.values() if _is_due(wake, now)]

    def next_due(self) -> datetime | None:
        """Return the earliest time that a wake waits for."""
        times = (wake.not_before for wake in self._wakes.values())
        return min((time for time in times if time is not None), default=None)

    def done(self, wake: Wake) -> None:
        """Forget exactly this wake."""
        self._wakes.pop((wake.run, wake.number), None)

    def orphans(self, *, now: datetime) -> Sequence[RunId]:
        """Return runs that could go on, but have neither a living owner nor a wake.

        A wake that is still to come does not help a run whose owner died, nor one that a letter
        or a timer calls now.
        """
        return [run for run, known in self._known.items() if self._is_orphan(run, known, now)]

    def _is_orphan(self, run: RunId, known: _Known, now: datetime) -> bool:
        wakes = [wake for wake in self._wakes.values() if wake.run == run]
        if known.status in ENDED or any(_is_due(wake, now) for wake in wakes):
            return False
        is_called = bool(self.pending(run)) or any(due <= now for due in known.timers.values())
        if not is_called and known.status is RunStatus.WAITING:
            return False
        holder = self._holders.get(run)
        if holder is None or holder.is_released:
            return is_called or not wakes
        return not self._is_living(holder)


def _is_due(wake: Wake, now: datetime) -> bool:
    return wake.not_before is None or wake.not_before <= now


class MemoryArtifacts:
    """Texts by their content; an erased one leaves None behind."""

    def __init__(self) -> None:
        self._texts: dict[ArtifactHash, str | None] = {}

    def put(self, text: str) -> ArtifactHash:
        """Keep a text."""
        content = text.encode(errors="backslashreplace")
        artifact = ArtifactHash(sha256(content).hexdigest())
        self._texts.setdefault(artifact, content.decode())
        return artifact

    def put_all(self, texts: Sequence[str]) -> tuple[ArtifactHash, ...]:
        """Keep many texts."""
        return tuple(map(self.put, texts))

    def get(self, artifact: ArtifactHash) -> str:
        """Return the text; raises NotFound when it never existed or was erased."""
        if artifact not in self._texts:
            raise NotFound(f"There is no artifact {artifact!r}.")
        text = self._texts[artifact]
        if text is None:
            raise NotFound(f"Artifact {artifact!r} was erased.")
        return text

    def writer(self) -> "MemoryArtifactWriter":
        """Begin an artifact whose content comes piece by piece."""
        return MemoryArtifactWriter(self)

    def erase(self, artifact: ArtifactHash) -> None:
        """Remove the content for ever; the name stays known as erased."""
        if artifact not in self._texts:
            raise NotFound(f"There is no artifact {artifact!r}.")
        self._texts[artifact] = None


class MemoryArtifactWriter:
    """An artifact on its way to its name."""

    def __init__(self, artifacts: MemoryArtifacts) -> None:
        self._artifacts = artifacts
        self._pieces: list[str] = []

    def write(self, text: str) -> None:
        """Add text."""
        self._pieces.append(text)

    def finish(self) -> ArtifactHash:
        """Name it by its content."""
        return self._artifacts.put("".join(self._pieces))

    def abandon(self) -> None:
        """Forget what was written; harmless after `finish`."""
        self._pieces.clear()
