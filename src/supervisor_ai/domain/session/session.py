"""What is known of a session by its events."""

from typing import assert_never

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import Member
from supervisor_ai.domain.session.tasks import SessionTask
from supervisor_ai.domain.structs import replace


class SessionState(Struct, frozen=True, kw_only=True):
    """A session, folded; what was said is counted, and read elsewhere."""

    opened: s.SessionOpened | None = None
    is_closed: bool = False
    messages: int = 0
    keys: dict[str, int] = field(default_factory=dict)
    """The numbers of the messages that must not be logged twice."""
    states: dict[str, ArtifactHash] = field(default_factory=dict)
    """How each sender stands, as it said last."""
    tasks: dict[str, SessionTask] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    files: dict[str, ArtifactHash] = field(default_factory=dict)
    resident: RunId | None = None
    """The run that listens to what is said to the supervisor."""


def evolve(session: SessionState, event: Event) -> SessionState:
    """Fold one recorded fact into the session."""
    if not isinstance(event, s.SessionEvent):
        raise InternalError(f"{type(event).__name__} is no fact of a session.")
    return _evolve(session, event)


def _evolve(session: SessionState, event: s.SessionEvent) -> SessionState:  # noqa: C901 - one case per fact
    match event:
        case s.SessionOpened():
            return replace(session, opened=event)
        case s.SessionClosed():
            return replace(session, is_closed=True)
        case s.MemberAdded(member=name, role=role, token=token):
            member = Member(name=name, role=role, token=token)
            return replace(session, members={**session.members, name: member})
        case s.MemberRemoved(member=name):
            left = {key: at for key, at in session.members.items() if key != name}
            return replace(session, members=left)
        case s.MessageLogged():
            return _logged(session, event)
        case s.TaskAdded():
            return _with_task(session, _added(event))
        case s.TaskMoved(task=name, status=status, owner=owner):
            task = session.tasks[name]
            return _with_task(session, replace(task, status=status, owner=owner or task.owner))
        case s.FileImported(path=path, artifact=artifact):
            return replace(session, files={**session.files, path: artifact})
        case s.CallRefused():
            return session
        case s.ResidentStarted(run=run):
            return replace(session, resident=run)
        case s.ResidentStopped(run=run):
            return replace(session, resident=None) if session.resident == run else session
        case _:
            assert_never(event)


def _logged(session: SessionState, event: s.MessageLogged) -> SessionState:
    keys, states = session.keys, session.states
    if event.key:
        keys = {**keys, event.key: event.number}
    if event.state is not None:
        states = {**states, event.sender: event.state}
    return replace(session, messages=event.number, keys=keys, states=states)


def _added(event: s.TaskAdded) -> SessionTask:
    return SessionTask(
        task=event.task,
        subject=event.subject,
        owner=event.owner,
        blocked_by=event.blocked_by,
    )


def _with_task(session: SessionState, task: SessionTask) -> SessionState:
    return replace(session, tasks={**session.tasks, task.task: task})
