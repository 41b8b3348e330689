"""Events of the ledger, read all at once or followed as they come."""

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from msgspec import Raw

from supervisor_ai.control.records import Records
from supervisor_ai.control.slices import own_events
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.project.events import ProjectEvent
from supervisor_ai.domain.run.events import (
    RUN_EVENTS,
    FilesLeftOut,
    PullRequestOpened,
    RunCancelled,
    RunCompleted,
    RunFailed,
)
from supervisor_ai.domain.session.events import SessionEvent
from supervisor_ai.tools.text import nearest

_PAGE = 1000
_ENDINGS = (RunCompleted, RunFailed, RunCancelled)


def known_types(names: Sequence[str]) -> frozenset[str]:
    """Return the types of facts that are asked for; refuse one that no fact can have."""
    if not names:
        return frozenset()  # To know them all, every slice is imported.
    shared = (*get_args(ProjectEvent), *get_args(SessionEvent))
    known = {kind.__name__ for kind in (*RUN_EVENTS, *own_events(), *shared)}
    for name in names:
        if name not in known:
            near = nearest(name, known)
            raise InvalidInput(
                f"There is no type of events {name!r}.",
                hint=f"Did you mean {near!r}?" if near else "See docs/reference/events.md.",
            )
    return frozenset(names)


def event_record(records: Records, envelope: Envelope) -> dict[str, object]:
    """Return a fact as every door shows it."""
    return {
        "seq": envelope.seq,
        "stream": envelope.stream,
        "version": envelope.version,
        "type": envelope.type,
        "payload": Raw(records.documents.encode(envelope.event)),
        "recorded_at": envelope.recorded_at,
        "actor": envelope.actor,
        "cause": envelope.cause,
        "epoch": envelope.epoch,
        "hash": envelope.hash,
    }


def read_events(records: Records, run: RunId | None, *, after: int = 0) -> Iterator[Envelope]:
    """Return the facts after a sequence number, of one run or of all streams."""
    if run is None:
        return _read_all(records, after)
    stream = records.log.read(run_stream(run))
    return (envelope for envelope in stream if envelope.seq > after)


def follow_events(
    records: Records, run: RunId | None, *, after: int = 0, pause: Callable[[], None]
) -> Iterator[Envelope]:
    """Return the facts as they come, until the run ends; without a run, for ever."""
    if run is None:
        return _follow_all(records, after, pause)
    return _follow_run(records, run, after, pause)


def find_pull_request(records: Records, run: RunId) -> str | None:
    """Return the address of the pull request that a run opened last."""
    events = (envelope.event for envelope in records.log.read(run_stream(run)))
    urls = [event.url for event in events if isinstance(event, PullRequestOpened)]
    return urls[-1] if urls else None


def find_left_out(records: Records, run: RunId) -> tuple[FilesLeftOut, ...]:
    """Return what workers of a run left and could not be kept."""
    events = (envelope.event for envelope in records.log.read(run_stream(run)))
    return tuple(event for event in events if isinstance(event, FilesLeftOut))


def _read_all(records: Records, after: int) -> Iterator[Envelope]:
    while page := records.log.read_all(after=after, limit=_PAGE):
        yield from page
        after = page[-1].seq


def _follow_all(records: Records, after: int, pause: Callable[[], None]) -> Iterator[Envelope]:
    while True:
        for envelope in _read_all(records, after):
            yield envelope
            after = envelope.seq
        pause()


def _follow_run(
    records: Records, run: RunId, after: int, pause: Callable[[], None]
) -> Iterator[Envelope]:
    version = 0
    while True:
        for envelope in records.log.read(run_stream(run), after=version):
            version = envelope.version
            if envelope.seq > after:
                yield envelope
            if isinstance(envelope.event, _ENDINGS):
                return
        pause()
