"""The desk of sessions: what every call on one needs, and how a new one is opened."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.ports.sessions import SessionQueries, SessionRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.stream_queries import StreamQueries
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash, SessionId, StreamId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import check_word
from supervisor_ai.domain.session.members import Member
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.traffic import Traffic
from supervisor_ai.engine.ports.artifacts import Artifacts, Documents
from supervisor_ai.engine.ports.ledger import EventLog, StateCache
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.streams.session_view import SessionView
from supervisor_ai.engine.world import World
from supervisor_ai.tools.text import nearest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)

_SHOWN: Final = 5


class Caller(Struct, frozen=True, kw_only=True):
    """Who makes a call, and through which door."""

    member: Member
    actor: Actor


class NewSession(Struct, frozen=True, kw_only=True):
    """What a session is to be."""

    name: str
    team: str
    pipeline: str
    requirement: str
    supervision: bool = True
    folder: str | None = None
    reaches_all: bool = False


class SessionDesk(Struct, frozen=True, kw_only=True):
    """The ports that calls on sessions act through."""

    log: EventLog
    artifacts: Artifacts
    documents: Documents
    redactor: Redactor
    queries: SessionQueries
    now: Callable[[], datetime]
    cache: StateCache | None = None
    views: dict[SessionId, SessionView] = field(default_factory=dict)
    """What was folded before, so that a process that stays reads only what is new."""
    streams: dict[StreamId, object] = field(default_factory=dict)
    """The same of the streams that slices have of their own."""
    traffic: dict[tuple[SessionId, str], Traffic] = field(default_factory=dict)
    """What members have asked of this process in the last minute."""

    def view(self, session: SessionId) -> SessionView:
        """Return a session as far as it is known; what is new is read when it is refreshed."""
        known = self.views.get(session)
        if known is None:
            known = SessionView(self.log, session, self.cache, self.documents)
            self.views[session] = known
        return known

    def keep(self, text: str) -> ArtifactHash:
        """Keep a text without its secrets."""
        return self.artifacts.put(self.redactor.redact(text).text)

    def text(self, artifact: ArtifactHash) -> str:
        """Return what was kept; what was erased once says nothing any more."""
        try:
            return self.artifacts.get(artifact)
        except NotFound:
            return ""


def open_desk(project: OpenProject) -> SessionDesk:
    """Open the sessions of a project."""
    return desk_of(project.world, project.records.sessions)


def desk_of(world: World, queries: SessionQueries | None = None) -> SessionDesk:
    """Open the sessions of a world; without tables, they are read from their streams."""
    return SessionDesk(
        log=world.log,
        artifacts=world.artifacts,
        documents=world.documents,
        redactor=world.redactor,
        queries=queries or StreamQueries(log=world.log),
        now=world.clock.now,
        cache=world.cache,
    )


def open_session(desk: SessionDesk, wanted: NewSession, actor: Actor) -> SessionId:
    """Begin a session; its name must be new."""
    name, opened = SessionId(wanted.name), opened_fact(desk, wanted)
    desk.view(name).add(lambda session: (new_session(session, name, opened),), actor)
    return name


def opened_fact(desk: SessionDesk, wanted: NewSession) -> s.SessionOpened:
    """Check what a session is to be, and keep what it is for."""
    if _NAME.fullmatch(wanted.name) is None:
        raise InvalidInput(
            f"{wanted.name[:80]!r} is no name of a session.",
            hint="Letters, digits, '_', '.' and '-', 64 characters at most.",
        )
    return s.SessionOpened(
        team=check_word("team", wanted.team),
        pipeline=check_word("pipeline", wanted.pipeline),
        requirement=desk.keep(wanted.requirement),
        supervision=wanted.supervision,
        folder=wanted.folder,
        reaches_all=wanted.reaches_all,
    )


def new_session(session: SessionState, name: str, opened: s.SessionOpened) -> s.SessionOpened:
    """Refuse a name that is taken."""
    if session.opened is not None:
        raise InvalidInput(f"There is a session {name!r} already.", hint="Choose another name.")
    return opened


def close_session(desk: SessionDesk, session: SessionId, actor: Actor) -> None:
    """Let nothing be added any more; closing twice is harmless."""
    view = desk.view(require_session(desk, session))
    view.add(lambda now: () if now.is_closed else (s.SessionClosed(),), actor)


def require_session(desk: SessionDesk, name: str) -> SessionId:
    """Refuse a session that was never opened."""
    session = SessionId(name)
    if desk.view(session).refresh().opened is not None:
        return session
    near = nearest(name, [row.id for row in desk.queries.sessions()])
    raise NotFound(
        f"There is no session {name[:80]!r}.",
        hint=f"Did you mean {near!r}?" if near else "List them: supervisor session list",
    )


def find_session(desk: SessionDesk, name: str | None) -> SessionId:
    """Return the session that is named, or the only one that is open."""
    if name is not None:
        return require_session(desk, name)
    open_ones = [row.id for row in desk.queries.sessions() if row.closed_at is None]
    if not open_ones:
        raise NotFound(
            "No session is open in this project.", hint="Make one: supervisor session new NAME"
        )
    if len(open_ones) > 1:
        shown = ", ".join(open_ones[:_SHOWN]) + (", …" if len(open_ones) > _SHOWN else "")
        raise InvalidInput(f"{len(open_ones)} sessions are open: {shown}.", hint="Name one.")
    return open_ones[0]


def list_sessions(desk: SessionDesk) -> tuple[SessionRow, ...]:
    """Return all sessions, the newest first."""
    return tuple(desk.queries.sessions())
