"""The only serialiser of facts: canonical JSON, decoded by a table from type to class."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple, get_args

import msgspec

from supervisor_ai.control.slices import own_events
from supervisor_ai.domain.envelope import Actor, Envelope, Event, NewEvent
from supervisor_ai.domain.errors import InternalError, Unavailable
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.domain.project.events import ProjectEvent
from supervisor_ai.domain.run.events import RUN_EVENTS
from supervisor_ai.domain.session.events import SessionEvent
from supervisor_ai.store.upcasters import (
    UPCASTERS,
    RawEvent,
    Upcasters,
    current_revision,
    upcast,
)

EVENT_KINDS: Final[tuple[type[Event], ...]] = (
    *RUN_EVENTS,
    *get_args(ProjectEvent),
    *get_args(SessionEvent),
)
"""Of the kernel; drivers have more."""

_CANONICAL: Final = msgspec.json.Encoder(order="sorted")
_LINKED: Final = msgspec.json.Encoder()


class Record(NamedTuple):
    """A fact as the columns of the ledger hold it; the hash covers all the others."""

    seq: int
    stream: str
    version: int
    type: str
    revision: int
    payload: str
    recorded_at: str
    actor: str
    cause: str | None
    epoch: int
    hash: str


COLUMNS: Final = ", ".join(Record._fields)
RECORDS: Final = f"SELECT {COLUMNS} FROM events"  # noqa: S608 - our own names


class Written(NamedTuple):
    """A fact in the form that is written today."""

    type: str
    revision: int
    payload: str


class Sealed(msgspec.Struct, frozen=True):
    """A fact as it is kept and as it is seen."""

    record: Record
    envelope: Envelope


class EventPlace(msgspec.Struct, frozen=True):
    """Where and when a fact enters the ledger."""

    seq: int
    stream: StreamId
    version: int
    recorded_at: datetime
    epoch: int


def link(previous: str, columns: tuple[object, ...]) -> str:
    """Return the hash that chains a record's other columns to the record before it."""
    return sha256(_LINKED.encode((previous, *columns))).hexdigest()


def canonical(value: object) -> str:
    """Return a value as sorted, compact JSON."""
    return _CANONICAL.encode(value).decode()


@lru_cache(maxsize=16)
def instant(at: datetime) -> str:
    """Return a moment as text of fixed width, which sorts by time."""
    moved = at if at.tzinfo is UTC else at.astimezone(UTC)
    return moved.isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """Return the moment that a text of fixed width names."""
    return datetime.fromisoformat(text)


@lru_cache(maxsize=256)
def _written(actor: Actor) -> str:
    return canonical(actor)


@lru_cache(maxsize=256)
def _actor(text: str) -> Actor:
    return msgspec.json.decode(text, type=Actor)


class EventCodec:
    """Writes facts in today's form and reads them in every form they ever had."""

    def __init__(
        self,
        kinds: Iterable[type[Event]] = EVENT_KINDS,
        upcasters: Upcasters = UPCASTERS,
        more: Callable[[], Iterable[type[Event]]] = own_events,
    ) -> None:
        self._upcasters = upcasters
        self._more = more
        self._decoders: dict[str, msgspec.json.Decoder[Event]] = {}
        self._revisions: dict[str, int] = {}
        self._learn(kinds)

    def _learn(self, kinds: Iterable[type[Event]]) -> None:
        for kind in kinds:
            self._decoders[kind.__name__] = msgspec.json.Decoder(kind)
            self._revisions[kind.__name__] = current_revision(kind.__name__, self._upcasters)

    def _revision(self, kind: str) -> int | None:
        """Return today's revision of a type; those of drivers are learnt when one is met."""
        if kind not in self._revisions:
            self._learn(self._more())
        return self._revisions.get(kind)

    def encode(self, event: Event) -> Written:
        """Return a fact in today's form."""
        kind = type(event).__name__
        return Written(kind, self._known_revision(kind), canonical(event))

    def _known_revision(self, kind: str) -> int:
        revision = self._revision(kind)
        if revision is None:
            raise InternalError(f"Event type {kind!r} is not in the codec's table.")
        return revision

    def decode(self, kind: str, revision: int, payload: str) -> Event:
        """Return a fact, whatever version of ours wrote it."""
        if (kind, revision) in self._upcasters:
            raw = RawEvent(type=kind, revision=revision, fields=msgspec.json.decode(payload))
            raw = upcast(raw, self._upcasters)
            kind, revision, payload = raw.type, raw.revision, canonical(raw.fields)
        if self._revision(kind) != revision:
            raise _newer(kind, f"revision {revision}")
        event = self._decoders[kind].decode(payload)
        if canonical(event) != payload:
            _refuse_unknown_fields(kind, event, payload)
        return event

    def seal(self, new: NewEvent, place: EventPlace, *, previous: str) -> Sealed:
        """Chain a fact to the record before it."""
        event, kind = new.event, type(new.event).__name__
        revision = self._revisions.get(kind) or self._known_revision(kind)
        columns = (
            *(place.seq, place.stream, place.version, kind, revision, canonical(event)),
            # The facts of a batch share their moment and, nearly always, their actor.
            *(instant(place.recorded_at), _written(new.actor), new.cause, place.epoch),
        )
        digest = link(previous, columns)
        envelope = Envelope(
            seq=place.seq,
            stream=place.stream,
            version=place.version,
            event=event,
            recorded_at=place.recorded_at,
            actor=new.actor,
            cause=new.cause,
            epoch=place.epoch,
            hash=digest,
        )
        return Sealed(Record._make((*columns, digest)), envelope)

    def unseal(self, record: Record) -> Sealed:
        """Return a fact that was read."""
        try:
            return Sealed(record, self._envelope(record))
        except (msgspec.DecodeError, ValueError) as error:
            raise Unavailable(
                f"Event {record.seq} ({record.type}) of the ledger cannot be read: {error}.",
                hint="Look at the ledger: supervisor ledger verify",
            ) from error

    def _envelope(self, record: Record) -> Envelope:
        return Envelope(
            seq=record.seq,
            stream=StreamId(record.stream),
            version=record.version,
            event=self.decode(record.type, record.revision, record.payload),
            recorded_at=moment(record.recorded_at),
            actor=_actor(record.actor),
            cause=record.cause,
            epoch=record.epoch,
            hash=record.hash,
        )


def _refuse_unknown_fields(kind: str, event: Event, payload: str) -> None:
    """Accept fields that are missing and have a default; refuse those that we would lose."""
    unknown = _unknown(msgspec.json.decode(payload), msgspec.to_builtins(event), path="")
    if unknown is not None:
        raise _newer(kind, f"the field {unknown!r}")


def _unknown(written: object, understood: object, *, path: str) -> str | None:
    """Name the first field that was written and that today's class does not have."""
    if isinstance(written, dict) and isinstance(understood, dict):
        for name, value in written.items():
            if name not in understood:
                return f"{path}{name}"
            if deeper := _unknown(value, understood[name], path=f"{path}{name}."):
                return deeper
    if isinstance(written, list) and isinstance(understood, list | tuple):
        for value, known in zip(written, understood, strict=True):
            if deeper := _unknown(value, known, path=path):
                return deeper
    return None


def _newer(kind: str, what: str) -> Unavailable:
    return Unavailable(
        f"The ledger was written by a newer version: event {kind!r} with {what} is unknown here.",
        hint="Upgrade supervisor and try again.",
    )
