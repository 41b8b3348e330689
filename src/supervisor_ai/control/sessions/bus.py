"""The message bus of a session: what members say to each other, and how they stand."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from math import isfinite
from typing import Final, NoReturn

from msgspec import Struct

from supervisor_ai.control.ports.sessions import MessageFilter, MessageRow
from supervisor_ai.control.sessions.desk import Caller, SessionDesk
from supervisor_ai.control.sessions.stream_queries import message_row
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, SessionId
from supervisor_ai.domain.redaction.trees import redact_tree
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Signal
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import Draft, log_message, require
from supervisor_ai.domain.session.members import (
    COORDINATOR,
    EVERYBODY,
    SUPERVISOR,
    MemberPermission,
)
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.streams.session_view import SessionView

STATE_UPDATE: Final = "state_update"
MESSAGE: Final = "message"
"""The signal that wakes who listens."""
USUAL: Final = 20
MOST: Final = 100
SUMMARY_LENGTH: Final = 2_000
_DATA: Final = 65_536
_DEPTH: Final = 20
_LARGEST: Final = (1 << 63) - 1
"""Programs that read JSON know no larger number."""
_ID: Final = re.compile(r"MSG-([0-9]{1,9})", re.ASCII)

Json = object
Data = Mapping[str, Json]


class Post(Struct, frozen=True, kw_only=True):
    """Something to be said."""

    kind: str
    summary: str
    data: Data | None = None
    to: str = COORDINATOR
    sender: str | None = None
    """Who says it; None: the caller."""
    key: str = ""
    """What makes saying it twice harmless."""


class Message(Struct, frozen=True, kw_only=True):
    """Something that was said."""

    id: str
    ts: datetime
    sender: str
    to: str
    type: str
    summary: str
    data: Data | None

    def record(self) -> dict[str, Json]:
        """Return it as every door shows it."""
        return {
            "id": self.id,
            "ts": self.ts.isoformat(),
            "from": self.sender,
            "to": self.to,
            "type": self.type,
            "summary": self.summary,
            "data": self.data,
        }


class BusStatus(Struct, frozen=True, kw_only=True):
    """How much was said, by whom."""

    messages: int
    by_sender: dict[str, dict[str, int]]
    tasks: dict[str, int]
    newest: Message | None


class Bus:
    """One session's messages, as one caller may use them."""

    def __init__(self, desk: SessionDesk, session: SessionId, caller: Caller) -> None:
        self._desk = desk
        self._session = session
        self._caller = caller

    @cached_property
    def _view(self) -> SessionView:
        # Who only reads messages needs no fold of the session.
        return self._desk.view(self._session)

    def log(self, post: Post) -> Message:
        """Say something to one member; said twice with one key, it is one message."""
        kept = _checked(self._desk, post)
        sender = post.sender or self._caller.member.voice
        actor = self._caller.actor
        letters = partial(wake_letters, self._desk, self._session, actor)
        added = self._view.add(lambda now: self._decide(now, kept, sender), actor, letters)
        said = [message_row(it, it.event) for it in added if isinstance(it.event, s.MessageLogged)]
        row = said[0] if said else self._row(self._view.state.number_of(post.key) or 0)
        return self._message(row)

    def broadcast(self, post: Post) -> Message:
        """Say something to all."""
        return self.log(_to_all(post))

    def read(self, name: str) -> Message:
        """Return one message."""
        require(self._caller.member, MemberPermission.READ)
        found = _ID.fullmatch(name)
        if found is None:
            raise InvalidInput(f"{name[:80]!r} is no name of a message.", hint="Example: MSG-001")
        return self._message(self._row(int(found[1])))

    def list(
        self,
        *,
        last: int = USUAL,
        sender: str | None = None,
        to: str | None = None,
        kind: str | None = None,
        after: int = 0,
    ) -> tuple[Message, ...]:
        """Return the newest messages, oldest first; no more than a hundred."""
        require(self._caller.member, MemberPermission.READ)
        if last < 1:
            raise InvalidInput(f"{last} is no number of messages.")
        wanted = MessageFilter(last=min(last, MOST), sender=sender, to=to, kind=kind, after=after)
        return tuple(map(self._message, self._desk.queries.messages(self._session, wanted)))

    def status(self) -> BusStatus:
        """Count what was said and where the tasks stand."""
        require(self._caller.member, MemberPermission.READ)
        by_sender: dict[str, dict[str, int]] = {}
        for sender, kind, number in self._desk.queries.counts(self._session):
            by_sender.setdefault(sender, {})[kind] = number
        tasks: dict[str, int] = {}
        session = self._view.refresh()
        for task in session.tasks.values():
            tasks[task.status.value] = tasks.get(task.status.value, 0) + 1
        newest = self.list(last=1)
        return BusStatus(
            messages=session.messages,
            by_sender=by_sender,
            tasks=tasks,
            newest=newest[0] if newest else None,
        )

    def get_state(self, role: str | None = None) -> dict[str, Json]:
        """Return how members stand, as they said last; of one, or of all by their names."""
        require(self._caller.member, MemberPermission.READ)
        states = self._view.refresh().states
        if role is None:
            return {name: self._json(kept) for name, kept in states.items()}
        if role not in states:
            raise NotFound(f"{role[:80]!r} has said nothing about how it stands.")
        return self._json(states[role])

    def delete(self) -> NoReturn:
        """Refuse: what was said is never unsaid."""
        raise _append_only("delete a message")

    def clear(self) -> NoReturn:
        """Refuse: what was said is never unsaid."""
        raise _append_only("clear the messages")

    def _decide(
        self, session: SessionState, kept: "_Kept", sender: str
    ) -> Sequence[s.SessionEvent]:
        draft = Draft(
            sender=sender,
            to=kept.to,
            kind=kept.kind,
            body=kept.body,
            state=self._merged(session, kept, sender),
            key=kept.key,
        )
        logged = log_message(session, self._caller.member, draft)
        return () if logged is None else (logged,)

    def _merged(self, session: SessionState, kept: "_Kept", sender: str) -> ArtifactHash | None:
        """Return how a sender stands after what it says now, which adds to what it said before."""
        if kept.kind != STATE_UPDATE:
            return None
        known = session.states.get(sender)
        before = {} if known is None else self._json(known)
        return self._desk.artifacts.put(json.dumps({**before, **kept.data}, sort_keys=True))

    def _row(self, number: int) -> MessageRow:
        row = self._desk.queries.message(self._session, number)
        if row is None:
            raise NotFound(f"The session has no message {message_name(number)!r}.")
        return row

    def _message(self, row: MessageRow) -> Message:
        return message_of(self._desk, row)

    def _json(self, kept: ArtifactHash) -> dict[str, Json]:
        return kept_json(self._desk, kept)


class _Kept(Struct, frozen=True, kw_only=True):
    """What is said, with its texts kept."""

    to: str
    kind: str
    body: ArtifactHash
    data: Data
    key: str


def message_of(desk: SessionDesk, row: MessageRow) -> Message:
    """Read what a message says."""
    body = kept_json(desk, row.body)
    data = body.get("data")
    return Message(
        id=message_name(row.number),
        ts=_said_at(body, row.logged_at),
        sender=row.sender,
        to=row.to,
        type=row.kind,
        summary=str(body.get("summary", "[erased]")),
        data=data if isinstance(data, dict) else None,
    )


def _said_at(body: dict[str, Json], logged_at: datetime) -> datetime:
    """Return when it was said, as far as a file can be believed: never later than it was read."""
    ts = body.get("ts")
    return min(datetime.fromisoformat(ts), logged_at) if isinstance(ts, str) else logged_at


def kept_json(desk: SessionDesk, kept: ArtifactHash) -> dict[str, Json]:
    """Return a JSON object that was kept; what was erased says nothing."""
    found = json.loads(desk.text(kept) or "{}")
    return found if isinstance(found, dict) else {}


class Body(Struct, frozen=True, kw_only=True):
    """What a message says, checked, without its secrets."""

    text: str
    """As it is kept."""
    data: Data


def body_of(desk: SessionDesk, summary: str, data: Data | None, ts: str | None = None) -> Body:
    """Check what somebody wants to say, and take the secrets out of it."""
    if len(summary) > SUMMARY_LENGTH:
        raise InvalidInput(
            f"The summary has {len(summary)} characters; {SUMMARY_LENGTH} are allowed.",
            hint="Put the rest into the data or into an artifact.",
        )
    told = desk.redactor.redact(plain(summary)).text
    _require_json(data)
    named = {str(key): it for key, it in (data or {}).items()}
    kept = None if data is None else redact_tree(named, lambda it: desk.redactor.redact(it).text)
    size = len(json.dumps(kept))
    if size > _DATA:
        raise InvalidInput(
            f"The data has {size} bytes; {_DATA} are allowed.", hint="Write a file and name it."
        )
    body = {"summary": told, "data": kept} | ({} if ts is None else {"ts": ts})
    text = json.dumps(body, sort_keys=True)
    return Body(text=text, data=kept if isinstance(kept, dict) else {})


def _checked(desk: SessionDesk, post: Post) -> _Kept:
    body = body_of(desk, post.summary, post.data)
    return _Kept(
        to=post.to,
        kind=post.kind,
        body=desk.artifacts.put(body.text),
        data=body.data,
        key=post.key,
    )


def wake_letters(
    desk: SessionDesk,
    name: SessionId,
    actor: Actor,
    session: SessionState,
    events: Sequence[s.SessionEvent],
) -> Sequence[InboxCommand]:
    """Wake who listens to what is said to the supervisor: one letter for all of it is enough."""
    if session.resident is None:
        return ()
    heard = [it for it in events if isinstance(it, s.MessageLogged) and it.to == SUPERVISOR]
    return [
        InboxCommand(
            key=LetterKey(f"{name}/{message_name(it.number)}"),
            run=session.resident,
            command=Signal(signal=MESSAGE),
            actor=actor,
            sent_at=desk.now(),
        )
        for it in heard[-1:]
    ]


def _require_json(value: Json, depth: int = 0) -> None:
    """Refuse what is no JSON, or is nested too deep."""
    if depth > _DEPTH:
        raise InvalidInput(f"The data is nested more than {_DEPTH} deep.")
    match value:
        case Mapping():
            for it in value.values():
                _require_json(it, depth + 1)
        case list() | tuple():
            for it in value:
                _require_json(it, depth + 1)
        case None | bool() | str():
            return
        case int() if abs(value) <= _LARGEST:
            return
        case float() if isfinite(value):
            return
        case _:
            raise InvalidInput(f"{str(value)[:80]!r} is no JSON.")


def _to_all(post: Post) -> Post:
    return Post(
        kind=post.kind,
        summary=post.summary,
        data=post.data,
        to=EVERYBODY,
        sender=post.sender,
        key=post.key,
    )


def message_name(number: int) -> str:
    """Name a message as every door does."""
    return f"MSG-{number:03}"


def _append_only(what: str) -> Denied:
    return Denied(
        f"Nobody can {what}: the bus is append-only, as the ledger is that it is kept in.",
        hint="Log a message that corrects it; `supervisor ledger erase` removes a leaked text.",
    )
