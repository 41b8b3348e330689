"""Where graphs save their threads: facts in the ledger, texts beside it, without secrets."""

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Final

from supervisor_ai.control.slices import SliceStream
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import ArtifactHash, StreamId
from supervisor_ai.drivers.quality.threads import (
    THREAD_EVENTS,
    ThreadFact,
    ThreadState,
    ThreadWritesSaved,
    evolve,
    new_writes,
)
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.engine.ports.ledger import EventLog
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.streams.folded_stream import Fold
from supervisor_ai.engine.streams.shared_stream import SharedStream

_PREFIX: Final = "thread"
_LONGEST: Final = 200
_PAGE: Final = 1000
_FOLD: Final = Fold(name="thread", kind=ThreadState, evolve=evolve, code=(ThreadState,))
THREAD_STREAM: Final = SliceStream(prefix=_PREFIX, fold=_FOLD, events=THREAD_EVENTS)


class ThreadView(SharedStream[ThreadState, ThreadFact]):
    """A thread, folded as far as it was read, and the only way to add to it."""

    noun = "thread"


class ThreadDesk:
    """Saves threads of graphs and reads them again; threads of a process may share it."""

    def __init__(
        self,
        log: EventLog,
        artifacts: Artifacts,
        redactor: Redactor,
        actor: Actor,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._log = log
        self._artifacts = artifacts
        self._redactor = redactor
        self._actor = actor
        self._views: dict[str, ThreadView] = {}
        self._turn = Lock()
        self.close = close
        """Lets go of the ledger."""

    def redacted(self, text: str) -> str:
        """Take the secrets out of a text."""
        return self._redactor.redact(text).text

    def keep(self, texts: Sequence[str]) -> tuple[ArtifactHash, ...]:
        """Keep texts from which the secrets were taken; each is kept once."""
        return self._artifacts.put_all(texts)

    def text(self, artifact: ArtifactHash) -> str:
        """Return a text that was kept."""
        return self._artifacts.get(artifact)

    def thread(self, name: str) -> ThreadState:
        """Say how a thread stands."""
        return self._view(name).refresh()

    def add(self, name: str, *facts: ThreadFact) -> None:
        """Record what a graph saved; what is known already is not recorded again."""
        self._view(name).add(
            lambda state: [it for it in facts if not _is_known(state, it)], self._actor
        )

    def names(self) -> Iterator[str]:
        """Name all threads of the ledger."""
        seen: dict[str, None] = {}
        after = 0
        while page := self._log.read_all(after=after, limit=_PAGE):
            found = (THREAD_STREAM.owner_of(it.stream) for it in page)
            seen |= {name: None for name in found if name is not None}
            after = page[-1].seq
        return iter(seen)

    def _view(self, name: str) -> ThreadView:
        stream = thread_stream(name)
        with self._turn:
            if name not in self._views:
                self._views[name] = ThreadView(self._log, stream, _FOLD)
            return self._views[name]


def _is_known(thread: ThreadState, fact: ThreadFact) -> bool:
    if not isinstance(fact, ThreadWritesSaved):
        return False
    known = thread.namespace(fact.namespace).writes.get(fact.state, {})
    return not new_writes(fact, known)


def thread_stream(name: str) -> StreamId:
    """Name the stream that holds a thread's facts."""
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise InvalidInput(
            f"{name[:_LONGEST]!r} cannot be the name of a thread.",
            hint=f"Take 1 to {_LONGEST} printable characters, such as a run's number.",
        )
    return StreamId(f"{_PREFIX}:{name}")
