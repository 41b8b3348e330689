"""What is known of a session by its events."""

from typing import Final, assert_never

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import Member
from supervisor_ai.domain.session.tasks import SessionTask
from supervisor_ai.domain.structs import replace

LINE_KEY: Final = "file:"
"""How the keys of messages begin that came from a line of a file; the hash of the line follows."""


class FileMark(Struct, frozen=True, kw_only=True):
    """How a file of a folder was when it was read or written last."""

    content: str
    size: int
    messages: int = 0


class SessionState(Struct, frozen=True, kw_only=True):
    """A session, folded; what was said is counted, and read elsewhere."""

    opened: s.SessionOpened | None = None
    is_closed: bool = False
    messages: int = 0
    keys: dict[str, int] = field(default_factory=dict)
    """The numbers of the messages that must not be logged twice."""
    lines: dict[str, dict[str, int]] = field(default_factory=dict)
    """The same for lines of files, of which there may be many: by the beginnings of their hashes,
    so that one more copies few of them."""
    states: dict[str, ArtifactHash] = field(default_factory=dict)
    """How each sender stands, as it said last."""
    tasks: dict[str, SessionTask] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    files: dict[str, ArtifactHash] = field(default_factory=dict)
    marks: dict[str, FileMark] = field(default_factory=dict)
    """How the files of folders were, by `mark_name`."""
    resident: RunId | None = None
    """The run that listens to what is said to the supervisor."""

    def number_of(self, key: str) -> int | None:
        """Return which message has a key; None: none has it."""
        if key.startswith(LINE_KEY):
            return self.lines.get(_shelf(key), {}).get(key)
        return self.keys.get(key)

    def numbered_keys(self) -> dict[int, str]:
        """Return the keys of messages by their numbers."""
        shelves = (self.keys, *self.lines.values())
        return {number: key for shelf in shelves for key, number in shelf.items()}


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
        case s.MemberAdded(member=name, role=role, token=token, awaits_delivery=awaits):
            member = Member(name=name, role=role, token=token, awaits_delivery=awaits)
            return replace(session, members={**session.members, name: member})
        case s.TokenDelivered(member=name):
            member = replace(session.members[name], awaits_delivery=False)
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
        case s.FileSynced():
            return replace(session, marks={**session.marks, **_marked(event)})
        case s.CallRefused():
            return session
        case s.ResidentStarted(run=run):
            return replace(session, resident=run)
        case s.ResidentStopped(run=run):
            return replace(session, resident=None) if session.resident == run else session
        case _:
            assert_never(event)


def _logged(session: SessionState, event: s.MessageLogged) -> SessionState:
    states = session.states
    if event.state is not None:
        states = {**states, event.sender: event.state}
    session = replace(session, messages=event.number, states=states)
    return _keyed(session, event.key, event.number) if event.key else session


def _keyed(session: SessionState, key: str, number: int) -> SessionState:
    if not key.startswith(LINE_KEY):
        return replace(session, keys={**session.keys, key: number})
    shelf = _shelf(key)
    known = session.lines.get(shelf, {})
    return replace(session, lines={**session.lines, shelf: {**known, key: number}})


def _shelf(key: str) -> str:
    return key.removeprefix(LINE_KEY)[:2]


def mark_name(folder: str, path: str) -> str:
    """Name a file of a folder; no folder's name has a line break."""
    return f"{folder}\n{path}"


def _marked(event: s.FileSynced) -> dict[str, FileMark]:
    mark = FileMark(content=event.content, size=event.size, messages=event.messages)
    return {mark_name(event.folder, event.path): mark}


def _added(event: s.TaskAdded) -> SessionTask:
    return SessionTask(
        task=event.task,
        subject=event.subject,
        owner=event.owner,
        blocked_by=event.blocked_by,
    )


def _with_task(session: SessionState, task: SessionTask) -> SessionState:
    return replace(session, tasks={**session.tasks, task.task: task})
