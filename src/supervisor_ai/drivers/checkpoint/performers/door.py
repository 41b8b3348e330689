"""The supervisor's door into a session: it reads everything, and writes what it may."""

from collections.abc import Iterable, Mapping
from typing import Final

from supervisor_ai.control.ports.session_files import SessionFiles
from supervisor_ai.control.sessions.bus import Bus, Post
from supervisor_ai.control.sessions.desk import SessionDesk, desk_of
from supervisor_ai.control.sessions.members import resident
from supervisor_ai.control.sessions.tasks import Tasks
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import ArtifactHash, SessionId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint.performers.context import WISDOM
from supervisor_ai.drivers.checkpoint.protocol.replies import Outgoing
from supervisor_ai.drivers.checkpoint.protocol.words import report_file
from supervisor_ai.drivers.checkpoint.wisdom import appended
from supervisor_ai.engine.world import Operation

_FOLDER: Final = Actor(kind=ActorKind.SERVICE, id="folder", via="files")
"""Whose word a file of the folder is: anybody's."""
REPLY: Final = "in_reply_to"
"""Names the message of the coordinator that a message of the supervisor is about."""


class SessionDoors:
    """Opens doors into sessions; what was folded for one operation is there for the next."""

    def __init__(self, files: SessionFiles) -> None:
        self._files = files
        self._desk: SessionDesk | None = None

    def open(self, operation: Operation, session: SessionId) -> "SessionDoor":
        """Open an operation's door; a process that stays reads only what is new."""
        if self._desk is None or self._desk.log is not operation.world.log:
            self._desk = desk_of(operation.world)
        return SessionDoor(operation, session, self._desk, self._files)


class SessionDoor:
    """One operation's way into a session."""

    def __init__(
        self, operation: Operation, session: SessionId, desk: SessionDesk, files: SessionFiles
    ) -> None:
        self.operation = operation
        self.session = session
        self.desk = desk
        self.actor = Actor(kind=ActorKind.RUNTIME, id=operation.run, via="engine", verified=True)
        self.bus = Bus(self.desk, session, resident(self.actor))
        self.tasks = Tasks(self.desk, session, resident(self.actor))
        self._view = self.desk.view(session)
        self._files = files

    def state(self) -> SessionState:
        """Return how the session stands now."""
        return self._view.refresh()

    @property
    def path(self) -> str:
        """Name the session's folder before the paths of its files; without one, the session."""
        opened = self.state().opened
        return (opened.folder if opened else None) or self.session

    def add(self, *events: s.SessionEvent) -> None:
        """Record facts of the session."""
        self._view.add(lambda _: events, self.actor)

    def say(
        self, message: Outgoing, about: int | None = None, *, is_one_of_many: bool = False
    ) -> int:
        """Say something to the coordinator, once for each operation; return its number.

        Where one visit answers many messages, once for each of them.
        """
        key = f"{self.operation.key}/{about}" if is_one_of_many else self.operation.key
        if self.state().is_closed:
            return 0
        said = self.state().number_of(key)
        if said is not None:
            return said
        reply: Mapping[str, object] = {} if about is None else {REPLY: f"MSG-{about:03}"}
        content: Mapping[str, object] = {"content": message.content} if message.content else {}
        post = Post(
            kind=message.kind,
            summary=message.summary,
            data={**content, **message.fields, **reply},
            to=message.to,
            key=key,
        )
        return int(self.bus.log(post).id.removeprefix("MSG-"))

    def move(self, task: str, status: TaskStatus) -> None:
        """Let the checkpoint's task stand elsewhere; in a closed session nothing moves."""
        if not self.state().is_closed:
            self.tasks.update(task, status=status)

    def take(self) -> SessionState:
        """Take in what has changed in the session's folder, by hash."""
        session = self.state()
        folder = self._place(session)
        if folder is None:
            return session
        changed: list[s.SessionEvent] = []
        for file in self._files.list(folder).files:
            known = session.files.get(file.path)
            if known == file.content:
                continue
            text = self._files.read(folder, file.path)
            kept = None if text is None else self.desk.keep(text)
            if kept is not None and kept != known:
                changed.append(s.FileImported(path=file.path, artifact=kept))
        if changed:
            self._view.add(lambda _: changed, _FOLDER)
        return self.state()

    @staticmethod
    def _place(session: SessionState) -> str | None:
        return None if session.opened is None else session.opened.folder

    def write_report(self, task: str, text: str) -> ArtifactHash:
        """Write the report of a checkpoint; the same report is written once."""
        path, kept = report_file(task), self.desk.keep(text)
        self._record(path, kept)
        folder = self._place(self.state())
        if folder is not None:
            name = path.removeprefix("artifacts/")
            self._files.write_report(folder, name, self.desk.text(kept))
        return kept

    def add_wisdom(self, path: str, entries: Iterable[str]) -> None:
        """Add entries to a file of wisdom, each of them once; nothing of it is taken away."""
        folder = self._place(self.state())
        if folder is None:
            self._record(path, self.desk.keep(appended(self.text(path), entries)))
            return
        for entry in entries:
            self._files.append_wisdom(
                folder, path.removeprefix(WISDOM), self.desk.redactor.redact(entry).text
            )
        self.take()

    def _record(self, path: str, kept: ArtifactHash) -> None:
        if self.state().files.get(path) != kept:
            self.add(s.FileImported(path=path, artifact=kept))

    def text(self, path: str) -> str:
        """Return a file of the session; nothing where it is not there."""
        kept = self.state().files.get(path)
        return "" if kept is None else self.desk.text(kept)
