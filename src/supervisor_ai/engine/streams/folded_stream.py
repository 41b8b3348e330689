"""A stream that no run owns, folded as far as it was read."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.engine.folds import fold_name
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.ledger import CachedState, EventLog, StateCache

State = TypeVar("State")


class Fold(Struct, Generic[State], frozen=True, kw_only=True):
    """How the facts of a kind of stream add up."""

    name: str
    kind: type[State]
    evolve: Callable[[State, Event], State]
    code: tuple[type, ...] = ()
    """Classes from where its code lies, if that is not in the domain."""

    @property
    def code_name(self) -> str:
        """Name the folding code: another code would fold another state."""
        return fold_name(self.name, *self.code)

    def again(
        self, log: EventLog, stream: StreamId, documents: Documents, *, upto: int
    ) -> CachedState:
        """Fold a stream from its beginning, as it would be kept at a version."""
        state, version = self.kind(), 0
        for envelope in log.read(stream, upto=upto):
            state, version = self.evolve(state, envelope.event), envelope.version
        return CachedState(version=version, fold=self.code_name, state=documents.encode(state))


class FoldedStream(Generic[State]):
    """What is known of a stream; what was kept of it makes a long one quick to read."""

    def __init__(
        self,
        log: EventLog,
        stream: StreamId,
        fold: Fold[State],
        cache: StateCache | None = None,
        documents: Documents | None = None,
    ) -> None:
        self._log = log
        self._stream = stream
        self._fold = fold
        self._cache = cache
        self._documents = documents
        self._kept = 0
        self._turn = Lock()
        self.version = 0
        self.state = fold.kind()
        self._restore()

    def refresh(self) -> State:
        """Read what is new and return how things stand now."""
        return self.read_on()[0]

    def read_on(self) -> tuple[State, int]:
        """Return how things stand now, and at which version; threads read one after the other."""
        with self._turn:
            for envelope in self._log.read(self._stream, after=self.version):
                self.state = self._fold.evolve(self.state, envelope.event)
                self.version = envelope.version
            return self.state, self.version

    def keep(self, *, every: int) -> None:
        """Keep what was folded, if it is worth it."""
        with self._turn:
            state, version = self.state, self.version
        if self._cache is None or self._documents is None or version - self._kept < every:
            return
        encoded = self._documents.encode(state)
        kept = CachedState(version=version, fold=self._fold.code_name, state=encoded)
        self._cache.save(self._stream, kept)
        self._kept = version

    def _restore(self) -> None:
        if self._cache is None or self._documents is None:
            return
        cached = self._cache.load(self._stream, fold=self._fold.code_name)
        if cached is not None:
            self.state = self._documents.decode(cached.state, self._fold.kind)
            self.version = self._kept = cached.version
