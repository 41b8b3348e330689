"""A session as faces show it."""

from datetime import datetime

from msgspec import Struct

from supervisor_ai.control.ports.sessions import SessionRow
from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.tasks import SessionTask, TaskStatus


class SessionTaskLine(Struct, frozen=True, kw_only=True):
    """A task of a session, with whether it can be begun."""

    id: str
    subject: str
    status: TaskStatus
    owner: str
    blocked_by: tuple[str, ...]
    waits_for: tuple[str, ...]
    """Which of those it waits for are not completed yet."""


class MemberLine(Struct, frozen=True, kw_only=True):
    """Who takes part."""

    name: str
    role: str


class SessionSummary(Struct, frozen=True, kw_only=True):
    """A session in a list."""

    id: SessionId
    status: str
    """`open` or `closed`."""
    team: str
    pipeline: str
    supervision: bool
    folder: str | None
    resident: RunId | None
    """The run that listens as the supervisor."""
    opened_at: datetime
    closed_at: datetime | None
    messages: int
    tasks_completed: int
    tasks_total: int


class SessionPage(Struct, frozen=True, kw_only=True):
    """Everything about one session but its messages."""

    summary: SessionSummary
    requirement: str
    members: tuple[MemberLine, ...]
    tasks: tuple[SessionTaskLine, ...]
    files: tuple[str, ...]
    """What was imported, by path."""


def summaries(desk: SessionDesk) -> tuple[SessionSummary, ...]:
    """Return all sessions, the newest first."""
    return tuple(_summary(row, desk.view(row.id).refresh()) for row in desk.queries.sessions())


def show_session(desk: SessionDesk, name: SessionId) -> SessionPage:
    """Return one session."""
    row = next((it for it in desk.queries.sessions() if it.id == name), None)
    if row is None:
        raise NotFound(f"There is no session {name!r}.")
    session = desk.view(name).refresh()
    return SessionPage(
        summary=_summary(row, session),
        requirement=desk.text(row.requirement),
        members=tuple(
            MemberLine(name=it.name, role=it.role.value) for it in session.members.values()
        ),
        tasks=tuple(_task(desk, session, task) for task in session.tasks.values()),
        files=tuple(sorted(session.files)),
    )


def _summary(row: SessionRow, session: SessionState) -> SessionSummary:
    completed = [it for it in session.tasks.values() if it.status is TaskStatus.COMPLETED]
    return SessionSummary(
        id=row.id,
        status="open" if row.closed_at is None else "closed",
        team=row.team,
        pipeline=row.pipeline,
        supervision=row.supervision,
        folder=row.folder,
        resident=row.resident,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        messages=session.messages,
        tasks_completed=len(completed),
        tasks_total=len(session.tasks),
    )


def _task(desk: SessionDesk, session: SessionState, task: SessionTask) -> SessionTaskLine:
    done = TaskStatus.COMPLETED
    return SessionTaskLine(
        id=task.task,
        subject=desk.text(task.subject),
        status=task.status,
        owner=task.owner,
        blocked_by=task.blocked_by,
        waits_for=tuple(it for it in task.blocked_by if session.tasks[it].status is not done),
    )
