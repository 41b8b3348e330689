"""A run's stream, folded: what is true of the run now, and what its driver decides."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.errors import NotFound, Unavailable
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.events import DefinitionMigrated, RunSubmitted
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.engine.folds import fold_name
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.driver import Driver
from supervisor_ai.engine.ports.ledger import CachedState, EventLog, StateCache

State = TypeVar("State")
Pinned = TypeVar("Pinned")


class Playback(Protocol):
    """A run whose events are folded one by one, whatever its driver."""

    run: Run

    @property
    def fold(self) -> str:
        """Name the folding code."""
        ...

    def apply(self, event: Event) -> None:
        """Fold one fact."""
        ...

    def decide(self) -> Decision:
        """Ask the driver what happens next."""
        ...

    def copy(self) -> "Playback":
        """Return another one that stands where this one does, to try facts on."""
        ...

    def fork(self, run: RunId, birth: RunSubmitted) -> None:
        """Become another run that begins with what happened so far."""
        ...

    def migration_problems(self, definition: ArtifactHash) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        ...

    def encode(self) -> bytes:
        """Return the folded state for the cache."""
        ...

    def restore(self, encoded: bytes) -> None:
        """Take the folded state from the cache."""
        ...


Opener = Callable[[RunId, RunSubmitted, Documents], Playback]
"""Begins a playback with a run's first fact."""


class _DrivenPlayback(Generic[State, Pinned]):
    def __init__(
        self,
        driver: Driver[State, Pinned],
        documents: Documents,
        run: RunId,
        birth: RunSubmitted,
    ) -> None:
        self._driver = driver
        self._documents = documents
        self.run = machine.submit(run, birth)
        pinned = documents.load(birth.definition, driver.definition_type)
        self._state = driver.begin(birth, pinned)

    @property
    def fold(self) -> str:
        return fold_name(self._driver.name, type(self._driver))

    def apply(self, event: Event) -> None:
        self.run = machine.evolve(self.run, event)
        self._state = self._driver.evolve(self._state, event)
        if isinstance(event, DefinitionMigrated):
            pinned = self._documents.load(event.definition, self._driver.definition_type)
            self._state = self._driver.migrate(self._state, pinned)

    def decide(self) -> Decision:
        return self._driver.decide(self.run, self._state)

    def copy(self) -> Playback:
        # Run and state never change; only what holds them does.
        return copy(self)

    def fork(self, run: RunId, birth: RunSubmitted) -> None:
        is_changed = birth.definition != self.run.definition
        self.run = machine.submit(run, birth)
        self._state = self._driver.fork(self._state)
        if is_changed:
            pinned = self._documents.load(birth.definition, self._driver.definition_type)
            self._state = self._driver.migrate(self._state, pinned)
        if is_changed or (birth.fork is not None and birth.fork.note is not None):
            self._state = self._driver.evolve(self._state, birth)

    def migration_problems(self, definition: ArtifactHash) -> tuple[str, ...]:
        pinned = self._documents.load(definition, self._driver.definition_type)
        return self._driver.migration_problems(self._state, pinned)

    def encode(self) -> bytes:
        parts = (self._documents.encode(self.run), self._documents.encode(self._state))
        return b"\n".join(parts)

    def restore(self, encoded: bytes) -> None:
        run, _, state = encoded.partition(b"\n")
        decoded = self._documents.decode(state, self._driver.state_type)
        self.run = self._documents.decode(run, Run)
        self._state = decoded


def opener(driver: Driver[State, Pinned]) -> Opener:
    """Let runs of a driver be played back."""

    def begin(run: RunId, birth: RunSubmitted, documents: Documents) -> Playback:
        return _DrivenPlayback(driver, documents, run, birth)

    return begin


class Player(Struct, frozen=True, kw_only=True):
    """Plays runs back from the ledger."""

    log: EventLog
    documents: Documents
    drivers: Mapping[str, Opener]
    cache: StateCache | None = None

    def play(self, run: RunId, *, upto: int | None = None) -> tuple[Playback, int]:
        """Fold a run's stream; return it with the version that it stands at."""
        playback = self._begin(run)
        version = 1
        cached = self._cached(run, playback) if upto is None else None
        if cached is not None and _is_restored(playback, cached):
            version = cached.version
        for envelope in self.log.read(run_stream(run), after=version, upto=upto):
            playback.apply(envelope.event)
            version = envelope.version
        return playback, version

    def save(self, playback: Playback, version: int) -> None:
        """Keep a folded state so that the next play is quick."""
        if self.cache is not None:
            cached = CachedState(version=version, fold=playback.fold, state=playback.encode())
            self.cache.save(run_stream(playback.run.id), cached)

    def _begin(self, run: RunId) -> Playback:
        birth = _birth(run, self.log.read(run_stream(run), upto=1))
        if birth.fork is None:
            return self._open(run, birth)
        playback = self._prefix(birth.fork)
        playback.fork(run, birth)
        return playback

    def _prefix(self, point: ForkPoint) -> Playback:
        playback, _ = self.play(point.run, upto=point.version)
        return playback

    def _open(self, run: RunId, birth: RunSubmitted) -> Playback:
        begin = self.drivers.get(birth.driver)
        if begin is None:
            known = ", ".join(sorted(self.drivers))
            raise NotFound(
                f"Run {run!r} needs the driver {birth.driver!r}; known drivers: {known}.",
                hint="Upgrade supervisor, or install the plug-in that has the driver.",
            )
        return begin(run, birth, self.documents)

    def _cached(self, run: RunId, playback: Playback) -> CachedState | None:
        if self.cache is None:
            return None
        return self.cache.load(run_stream(run), fold=playback.fold)


def _is_restored(playback: Playback, cached: CachedState) -> bool:
    """Take a cached state over; one that cannot be read is only a cache."""
    try:
        playback.restore(cached.state)
    except Unavailable:
        return False
    return True


def _birth(run: RunId, first: Iterable[Envelope]) -> RunSubmitted:
    for envelope in first:
        if isinstance(envelope.event, RunSubmitted):
            return envelope.event
    raise NotFound(
        f"There is no run {run!r} in this project.", hint="List the runs: supervisor status"
    )
