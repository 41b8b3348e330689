"""Words that verbs of sessions share: which session is meant, and how it is shown."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.tables import columns, folded, labelled, local_time
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import ErrorKind, InvalidInput
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from supervisor_ai.cli.invocation import Invocation
    from supervisor_ai.control.sessions.folder.folder_desk import FolderReport
    from supervisor_ai.control.sessions.session_pages import SessionPage, SessionTaskLine
    from supervisor_ai.control.sessions.start import SessionOffice
    from supervisor_ai.domain.ids import SessionId

session_argument = click.argument("session", metavar="[SESSION]", required=False)
session_option = click.option(
    "-s", "--session", metavar="SESSION", help="Which session; by default the only open one."
)
directory_option = click.option(
    "--dir", "directory", metavar="DIR", help="The team's own folder, not the session's."
)
_CONFLICT: Final = ERROR_EXIT_CODES[ErrorKind.CONFLICT]


def open_office(invocation: "Invocation", session: str | None) -> "tuple[SessionOffice, SessionId]":
    """Open the sessions of the project and find the one that is meant."""
    from supervisor_ai.control.sessions.desk import find_session

    office = invocation.session_office()
    return office, find_session(office.desk, session)


def split_words(words: "Sequence[str]", what: str) -> tuple[str | None, str]:
    """Tell the name of a session, which may be left out, from what follows it."""
    match tuple(words):
        case (word,):
            return None, word
        case (session, word):
            return session, word
        case _:
            raise InvalidInput(
                f"Expected [SESSION] {what}, found {len(words)} words.",
                hint=f"Where one session is open, {what} is enough.",
            )


def absolute(invocation: "Invocation", directory: str | None) -> str | None:
    """Name a directory without doubt, as seen from where the call acts."""
    from os.path import normpath

    if directory is None:
        return None
    # A link on the way stays one: it is not followed inside a checkout.
    return normpath(Path.cwd() / invocation.directory / directory)


def report_folders(session: str, reports: "dict[str, FolderReport]", *, as_json: bool) -> int:
    """Print what came of an import or an export; conflicts are for a person to look at."""
    if as_json:
        write_json({"session": session, **reports})
    for word, report in reports.items():
        if not as_json:
            files = f", {counted(len(report.files), 'file')}" if report.files else ""
            write(f"{session}: {word} {counted(report.messages, 'message')}{files}.")
        for note in report.notes:
            say(f"note: {plain(note)}")
        for conflict in report.conflicts:
            say(f"conflict: {plain(conflict)}")
    return _CONFLICT if any(it.conflicts for it in reports.values()) else DONE


def page_lines(page: "SessionPage", place: str | None) -> "Iterator[str]":
    """Show one session."""
    shown = page.summary
    checks = "supervised" if shown.supervision else "not supervised"
    rows = [
        ("for", one_line(page.requirement)),
        ("team", shown.team),
        ("pipeline", f"{shown.pipeline}, {checks}"),
        ("tasks", f"{shown.tasks_completed} of {shown.tasks_total} completed"),
        ("messages", str(shown.messages)),
        ("members", ", ".join(f"{it.name} ({it.role})" for it in page.members) or "none"),
        ("files", f"{len(page.files)} imported"),
        ("folder", place or "none"),
        ("opened", local_time(shown.opened_at)),
    ]
    yield from folded([f"{shown.id}  {shown.status}", ""])
    yield from labelled(rows)
    yield ""
    yield from (f"  {line}" for line in task_lines(page.tasks))


def task_lines(tasks: "Sequence[SessionTaskLine]") -> list[str]:
    """Show tasks under each other."""
    rows = [("TASK", "STATUS", "OWNER", "WAITS FOR", "SUBJECT")]
    rows += [
        (it.id, it.status.value, it.owner, ", ".join(it.waits_for), one_line(it.subject))
        for it in tasks
    ]
    return columns(rows)
