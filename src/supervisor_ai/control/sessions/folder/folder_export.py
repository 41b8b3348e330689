"""Export of a session into its folder: messages are added, and no file is written over that is new.

What somebody else put into `team-session.json` and `meta.json` stays there; only what the ledger
knows better is replaced, and only where the file is as it was read or written last.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import Final

from supervisor_ai.control.ports.sessions import MessageFilter
from supervisor_ai.control.sessions.bus import kept_json, message_of
from supervisor_ai.control.sessions.folder.folder_desk import (
    CACHE_INDEX,
    FOLDERS,
    JSON_BYTES,
    MESSAGES,
    MESSAGES_BYTES,
    META,
    ROLE_STATES,
    TEAM,
    FolderDesk,
    FolderFindings,
    FolderReport,
    begins_as,
    is_as_marked,
    read_object,
)
from supervisor_ai.control.sessions.folder.message_lines import line_key
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.session.events import SessionOpened
from supervisor_ai.domain.session.session import FileMark, SessionState
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.json_value import BadJson, json_line

_EVERYTHING: Final = 1 << 30
_NOTHING: Final = FileMark(content=sha256(b"").hexdigest(), size=0)
_NO_ENTRIES: Final = b'{\n  "entries": []\n}\n'


def export_folder(desk: FolderDesk) -> FolderReport:
    """Write what the ledger knows of a session into its folder."""
    session = desk.desk.view(desk.session).refresh()
    if session.opened is None:
        raise NotFound(f"There is no session {desk.session!r}.")
    desk.folders.prepare(desk.folder, FOLDERS)
    export = _Export(desk, session)
    export.attempt(export.add_messages)
    export.attempt(partial(export.merge, META, {ROLE_STATES: export.states()}))
    export.attempt(partial(export.merge, TEAM, export.team(session.opened)))
    for path, content in export.missing_files():
        export.attempt(partial(export.restore, path, content))
    return export.findings.report()


class _Export:
    """One export of one session."""

    def __init__(self, desk: FolderDesk, session: SessionState) -> None:
        self._desk = desk
        self._session = session
        self.findings = FolderFindings()

    def attempt(self, write: Callable[[], None]) -> None:
        """Write a file; what cannot be written is told, and the others are."""
        try:
            write()
        except (Conflict, InvalidInput) as error:
            self.findings.conflicts.append(error.message)

    def add_messages(self) -> None:
        """Add the messages that the file does not have; nothing in it is ever touched."""
        content = self._fetch(MESSAGES, MESSAGES_BYTES) or b""
        mark = self._desk.mark(self._session, MESSAGES) or _NOTHING
        if not begins_as(content, mark):
            words = "was rewritten or shortened since it was read last; what it lacks is added"
            self.findings.notes.append(f"{MESSAGES} {words}.")
            mark = _NOTHING
        new = self._lines(content, after=mark.messages)
        if new:
            gap = b"\n" if content and not content.endswith(b"\n") else b""
            new = gap + new
            self._desk.folders.append(self._desk.folder, MESSAGES, new)
            self.findings.files.append(MESSAGES)
        self._mark_messages(content, new, mark)

    def _lines(self, content: bytes, *, after: int) -> bytes:
        there = {line_key(line) for line in content.split(b"\n")}
        keys = self._session.numbered_keys()
        wanted = MessageFilter(last=_EVERYTHING, after=after)
        new = []
        for row in self._desk.desk.queries.messages(self._desk.session, wanted):
            if keys.get(row.number) in there:
                continue
            line = json_line(message_of(self._desk.desk, row).record()).encode()
            if line_key(line) not in there:
                new.append(line + b"\n")
        self.findings.messages = len(new)
        return b"".join(new)

    def _mark_messages(self, content: bytes, new: bytes, mark: FileMark) -> None:
        """Remember what is in the file, unless others wrote what is still to be read."""
        after = self._fetch(MESSAGES, MESSAGES_BYTES) or b""
        is_read = len(content) == mark.size and after.startswith(content + new)
        synced = self._desk.synced(MESSAGES, content + new, messages=self._session.messages)
        if is_read and (synced.size, synced.messages) != (mark.size, mark.messages):
            self._desk.record([synced])

    def merge(self, path: str, ours: Mapping[str, object]) -> None:
        """Let a JSON file say what we know, and leave what else it says."""
        content = self._fetch(path, JSON_BYTES)
        try:
            before = {} if content is None else read_object(content)
        except BadJson as error:
            raise Conflict(f"{path} is left as it is: {plain(str(error))}.") from error
        after = {**before, **{key: _joined(before.get(key), it) for key, it in ours.items()}}
        if content is not None and after == before:
            return
        mark = self._desk.mark(self._session, path)
        if content is not None and not is_as_marked(content, mark):
            newer = "it is newer than what was read or written last"
            raise Conflict(f"{path} is left as it is: {newer}. Import first.")
        text = json.dumps(after, ensure_ascii=False, indent=2)
        self._write(path, f"{text}\n".encode(), content)

    def states(self) -> dict[str, object]:
        """Return how all stand."""
        states = self._session.states.items()
        return {name: kept_json(self._desk.desk, kept) for name, kept in states}

    def team(self, opened: SessionOpened) -> dict[str, object]:
        """Return what there is to know of the session."""
        desk, session = self._desk.desk, self._session
        return {
            "session_id": self._desk.session,
            "team_name": opened.team,
            "pipeline": opened.pipeline,
            "requirement": desk.text(opened.requirement),
            "supervision": opened.supervision,
            "status": "closed" if session.is_closed else "open",
            "members": [
                {"name": it.name, "role": it.role.value} for it in session.members.values()
            ],
            "tasks": [
                {
                    "id": it.task,
                    "subject": desk.text(it.subject),
                    "status": it.status.value,
                    "owner": it.owner,
                    "blocked_by": list(it.blocked_by),
                }
                for it in session.tasks.values()
            ],
        }

    def missing_files(self) -> Iterator[tuple[str, bytes]]:
        """Return what was imported elsewhere, and an empty index."""
        for path, artifact in self._session.files.items():
            if path != TEAM and self._desk.mark(self._session, path) is None:
                yield path, self._desk.desk.text(artifact).encode()
        if self._fetch(CACHE_INDEX, JSON_BYTES) is None:
            yield CACHE_INDEX, _NO_ENTRIES

    def restore(self, path: str, content: bytes) -> None:
        """Write a file that the folder does not have."""
        found = self._fetch(path, JSON_BYTES)
        if found is None:
            self._write(path, content, None)
        elif found != content:
            raise Conflict(f"{path} is left as it is: it is other than what was imported.")

    def _write(self, path: str, content: bytes, before: bytes | None) -> None:
        expected = None if before is None else sha256(before).hexdigest()
        self._desk.folders.replace(self._desk.folder, path, content, expected=expected)
        self._desk.record([self._desk.synced(path, content)])
        self.findings.files.append(path)

    def _fetch(self, path: str, most: int) -> bytes | None:
        return self._desk.folders.fetch(self._desk.folder, path, most)


def _joined(theirs: object, ours: object) -> object:
    """Put what we know over what is there; lists and single values are replaced."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return {**theirs, **ours}
    return ours
