"""The folder of one team: `state.md` and `DECISIONS.md`, written by one writer, without secrets."""

import hashlib
from collections.abc import Callable, Collection
from typing import Final

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.team.folder.decisions_page import append_note, new_decisions
from supervisor_ai.drivers.team.folder.model import (
    DECISIONS_FILE,
    STATE_FILE,
    StateLook,
)
from supervisor_ai.drivers.team.folder.state_reader import look_at
from supervisor_ai.drivers.team.text.messages import (
    MESSAGES_FILE,
    ReadMessages,
    read_messages,
    without_secrets,
)
from supervisor_ai.drivers.team.text.notes import DecisionNote, RefusedNote
from supervisor_ai.drivers.team.text.report import AlertType

MOST_BYTES: Final = 8 << 20
_MOST_MESSAGES: Final = 64 << 10
_LINE: Final = 400
_TRIES: Final = 3
_IGNORED: Final = b"*\n"
_IGNORE_FILE: Final = ".gitignore"


class Shelf:
    """Reads and writes the files of a team; a text from outside loses its secrets first."""

    def __init__(
        self,
        folders: SessionFolders,
        *,
        folder: str,
        redact: Callable[[str], Redacted],
    ) -> None:
        self._folders = folders
        self._folder = folder
        self._redact = redact

    @property
    def place(self) -> str:
        """Say where the folder is, for people."""
        return self._folders.place(self._folder)

    def line(self, text: str) -> str:
        """Make a text from outside one clean line that a state page can hold."""
        flat = " ".join(plain(without_secrets(self._redact, text)).split())
        shown = "".join(it if it.isprintable() else "\N{REPLACEMENT CHARACTER}" for it in flat)
        return shown[:_LINE].strip()

    def furnish(self, team: str) -> None:
        """Make the folder, out of git's sight, with DECISIONS.md; what is there already stays."""
        self._folders.prepare(self._folder)
        for name, content in (
            (_IGNORE_FILE, _IGNORED),
            (DECISIONS_FILE, new_decisions(team).encode()),
        ):
            if self._content(name) is None:
                self._folders.replace(self._folder, name, content, expected=None)

    def content(self) -> bytes | None:
        """Return what is in the place of `state.md`, so that an edit can be kept."""
        return self._content(STATE_FILE)

    def messages(self) -> ReadMessages:
        """Read the team's own words for messages, where there is a file of them."""
        try:
            content = self._folders.fetch(self._folder, MESSAGES_FILE, _MOST_MESSAGES)
        except InvalidInput as error:
            return ReadMessages(problems=(f"{MESSAGES_FILE}: {error.message}",))
        return read_messages("" if content is None else content.decode(errors="replace"))

    def look(self, expected: str | None, known: Collection[str] = ()) -> StateLook:
        """Compare `state.md` with what was written last, and with what was written before."""
        return look_at(self.content(), expected, known)

    def write_text(self, text: str, *, replaces: str | None) -> None:
        """Let a page appear whole; raise Conflict where another file than `replaces` is there."""
        content = text.encode()
        if self._content(STATE_FILE) != content:
            self._folders.replace(self._folder, STATE_FILE, content, expected=replaces)

    @staticmethod
    def hash_of(text: str) -> str:
        """Return the SHA-256 of a page, as a look finds it."""
        return _sha256(text.encode())

    def note(self, note: DecisionNote) -> RefusedNote | None:
        """Append a note to `DECISIONS.md`; None: it is there, once."""
        clean = replace(note, text=without_secrets(self._redact, note.text))
        for _ in range(_TRIES):
            refused = self._try_note(clean)
            if not isinstance(refused, Conflict):
                return refused
        return _refused(f"Somebody else writes {DECISIONS_FILE} all the time.")

    def _try_note(self, note: DecisionNote) -> RefusedNote | Conflict | None:
        content = self._content(DECISIONS_FILE)
        if content is None:
            return RefusedNote(
                event=AlertType.DECISIONS_MARKER_MISSING,
                reason=f"There is no regular file {DECISIONS_FILE} in the folder of the team.",
            )
        changed = append_note(content, note)
        if isinstance(changed, RefusedNote):
            return changed
        if changed == content:
            return None
        try:
            self._folders.replace(self._folder, DECISIONS_FILE, changed, expected=_sha256(content))
        except Conflict as changed_meanwhile:
            return changed_meanwhile
        return None

    def put(self, name: str, text: str) -> str:
        """Write a file beside the others, such as the report of a teardown; return its place."""
        content = without_secrets(self._redact, text).encode()
        found = self._content(name)
        if found != content:
            expected = None if found is None else _sha256(found)
            self._folders.replace(self._folder, name, content, expected=expected)
        return f"{self.place}/{name}"

    def _content(self, name: str) -> bytes | None:
        return self._folders.fetch(self._folder, name, MOST_BYTES)


def _refused(reason: str) -> RefusedNote:
    return RefusedNote(event=AlertType.DECISIONS_SCOPE_VIOLATION, reason=reason)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
