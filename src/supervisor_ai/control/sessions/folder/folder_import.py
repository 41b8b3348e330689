"""Import of a session's folder: what is known is known by its hash, and nothing is taken twice."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.control.ports.session_files import SessionFile
from supervisor_ai.control.sessions.folder.folder_desk import (
    WISDOM,
    FolderDesk,
    FolderFindings,
    FolderReport,
    begins_as,
)
from supervisor_ai.control.sessions.folder.message_import import MessageImport
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import require_open
from supervisor_ai.domain.session.session import SessionState

_FILES: Final = 200
"""How many files come into the ledger at once."""
_FILE_BYTES: Final = 1 << 20


def import_folder(desk: FolderDesk) -> FolderReport:
    """Take what is new in a session's folder into the ledger."""
    findings = FolderFindings()
    session = desk.desk.view(desk.session).refresh()
    require_open(session)
    messages = MessageImport(desk, findings)
    messages.take_messages()
    messages.take_states()
    listing = desk.folders.list(desk.folder)
    findings.notes += listing.notes
    changed = [file for file in listing.files if not _is_known(file, desk, session)]
    for at in range(0, len(changed), _FILES):
        _take_files(desk, session, changed[at : at + _FILES], findings)
    return findings.report()


def _is_known(file: SessionFile, desk: FolderDesk, session: SessionState) -> bool:
    mark = desk.mark(session, file.path)
    return mark is not None and (mark.content, mark.size) == (file.content, file.size)


def _take_files(
    desk: FolderDesk,
    session: SessionState,
    files: Sequence[SessionFile],
    findings: FolderFindings,
) -> None:
    taken: list[tuple[str, bytes, str]] = []
    for file in files:
        content = desk.fetch(file.path, _FILE_BYTES, findings)
        text = None if content is None else _text(desk, session, file.path, content, findings)
        if content is not None and text is not None:
            taken.append((file.path, content, text))
    redact = desk.desk.redactor.redact
    kept = desk.desk.artifacts.put_all([redact(text).text for _, _, text in taken])
    events: list[s.SessionEvent] = []
    for (path, content, _), artifact in zip(taken, kept, strict=True):
        events += (s.FileImported(path=path, artifact=artifact), desk.synced(path, content))
        findings.files.append(path)
    desk.record(events)


def _text(
    desk: FolderDesk,
    session: SessionState,
    path: str,
    content: bytes,
    findings: FolderFindings,
) -> str | None:
    """Return what a file says; None, with the reason told, where it is not taken."""
    mark = desk.mark(session, path)
    if path.startswith(WISDOM) and mark is not None and not begins_as(content, mark):
        findings.conflicts.append(
            f"{path} is not taken: it is append-only, and an earlier part of it was changed."
        )
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        findings.notes.append(f"{path} is not taken: it is not UTF-8 text.")
        return None
