"""The desk of a session's folder: whose it is, where it is, and what was synced with it before."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.session import FileMark, SessionState, mark_name
from supervisor_ai.tools.json_value import BadJson, JsonValue, read_json
from supervisor_ai.tools.text import counted

MESSAGES: Final = ".msg/messages.jsonl"
META: Final = ".msg/meta.json"
TEAM: Final = "team-session.json"
CACHE_INDEX: Final = "explorations/cache-index.json"
WISDOM: Final = "wisdom/"
ROLE_STATES: Final = "role_state"
FOLDERS: Final = ("spec", "plan", "artifacts", "wisdom", "explorations", "discussions", ".msg")
MESSAGES_BYTES: Final = 64 << 20
JSON_BYTES: Final = 4 << 20
_MOST_NOTES: Final = 50
FROM_FILE: Final = Actor(kind=ActorKind.WORKER, id="file", via="file", verified=False)
"""Who speaks in a file: nobody knows."""


class FolderReport(Struct, frozen=True, kw_only=True):
    """What came of an import or an export."""

    messages: int = 0
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """What was left alone, and has to be looked at by a person."""
    notes: tuple[str, ...] = ()


class FolderFindings:
    """Collects what an import or an export has to say."""

    def __init__(self) -> None:
        self.messages = 0
        self.files: list[str] = []
        self.conflicts: list[str] = []
        self.notes: list[str] = []

    def report(self) -> FolderReport:
        """Return all of it; of very many notes the first ones."""
        more = len(self.notes) - _MOST_NOTES
        rest = (f"{counted(more, 'more note')}.",) if more > 0 else ()
        return FolderReport(
            messages=self.messages,
            files=tuple(self.files),
            conflicts=tuple(self.conflicts),
            notes=(*self.notes[:_MOST_NOTES], *rest),
        )


class FolderDesk(Struct, frozen=True, kw_only=True):
    """A session, and the folder that it is synced with."""

    desk: SessionDesk
    session: SessionId
    folders: SessionFolders
    folder: str
    actor: Actor
    """Who asks for it."""

    def mark(self, session: SessionState, path: str) -> FileMark | None:
        """Return how a file was when it was read or written last."""
        return session.marks.get(mark_name(self.folder, path))

    def fetch(self, path: str, most: int, findings: FolderFindings) -> bytes | None:
        """Return what a file holds; what cannot be read is a conflict, and as good as absent."""
        try:
            return self.folders.fetch(self.folder, path, most)
        except InvalidInput as error:
            findings.conflicts.append(error.message)
            return None

    def synced(self, path: str, content: bytes, *, messages: int = 0) -> s.FileSynced:
        """Say that a file and the ledger know the same."""
        return s.FileSynced(
            folder=self.folder,
            path=path,
            content=sha256(content).hexdigest(),
            size=len(content),
            messages=messages,
        )

    def record(self, events: Sequence[s.SessionEvent], actor: Actor | None = None) -> None:
        """Add facts about files."""
        if events:
            self.desk.view(self.session).add(lambda _: events, actor or self.actor)


def open_folder(
    desk: SessionDesk,
    session: SessionId,
    folders: SessionFolders,
    directory: str | None,
    actor: Actor,
) -> FolderDesk:
    """Open the folder of a session, or another directory that somebody names."""
    opened = desk.view(session).refresh().opened
    if opened is None:
        raise NotFound(f"There is no session {session!r}.")
    folder = opened.folder if directory is None else folders.choose(session, directory)
    if folder is None:
        raise NotFound(
            f"The session {session!r} has no folder.", hint="Name a directory: --dir DIR"
        )
    return FolderDesk(desk=desk, session=session, folders=folders, folder=folder, actor=actor)


def begins_as(content: bytes, mark: FileMark) -> bool:
    """Tell whether a file only grew since it was read or written last."""
    beginning = content[: mark.size]
    return len(beginning) == mark.size and sha256(beginning).hexdigest() == mark.content


def is_as_marked(content: bytes, mark: FileMark | None) -> bool:
    """Tell whether a file is as it was."""
    return mark is not None and len(content) == mark.size and begins_as(content, mark)


def read_object(content: bytes) -> Mapping[str, JsonValue]:
    """Read a file that is one JSON object; BadJson says why it is none."""
    try:
        value = read_json(content.decode())
    except UnicodeDecodeError as error:
        raise BadJson("it is not UTF-8 text") from error
    if not isinstance(value, dict):
        raise BadJson("it is no object")
    return value
