"""A session of the terminal UI, opened from the command line."""

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.control.exit_codes import INTERRUPTED
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from supervisor_ai.control.commands.run_start import PreparedRun
    from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
    from supervisor_ai.control.ports.user_merges import UserMerges
    from supervisor_ai.tui.session import Session, SessionEnd


_DUMB: Final = "dumb"
_COLOURS: Final = 8


def start_on_screen(invocation: Invocation, prepared: "PreparedRun") -> int:
    """Submit a run, drive it behind the screen, and report when the person has left."""
    from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
    from supervisor_ai.cli.foreground.progress import PlainProgress
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.run_start import submit

    project = invocation.project()
    run = run_interruptibly(submit(project, prepared, queued=False))
    end = open_session(invocation, mouse=True).show(submitted=run)
    say_left(invocation, end)
    if run in end.left:
        return INTERRUPTED
    progress = PlainProgress(verbose=False)
    attendance = ForegroundRun(
        invocation=invocation, project=project, progress=progress, as_json=False
    )
    return attendance.report(run)


def say_left(invocation: Invocation, end: "SessionEnd") -> None:
    """Say what a person who has left the screen should know."""
    for notice in end.notices:
        say(f"error: {one_line(notice)}")
    for run in end.left:
        say(f"Interrupted. Go on with: {invocation.command} resume {run}")


def open_session(invocation: Invocation, *, mouse: bool) -> "Session":
    """Set the desk up for this project."""
    from supervisor_ai.cli.editor import edit_copies
    from supervisor_ai.tui.session import Session

    return Session(
        place=str(invocation.directory.resolve()),
        command=invocation.command,
        records=invocation.records,
        preflight=invocation.preflight,
        project=invocation.project,
        port=invocation.port,
        start=invocation.directory,
        merges=lambda: _open_merges(invocation),
        knowledge=lambda: _open_knowledge(invocation),
        editor=edit_copies,
        has_terminal=sys.stdin.isatty,
        mouse=mouse,
        has_colours=not os.environ.get("NO_COLOR") and _shows_colours(),
    )


@contextmanager
def _open_merges(invocation: Invocation) -> "Iterator[UserMerges]":
    from supervisor_ai.bootstrap.projects import open_merges

    with open_merges(invocation.directory, invocation.settings) as merges:
        yield merges.for_user()


def _open_knowledge(invocation: Invocation) -> "KnowledgeOffice":
    from supervisor_ai.bootstrap.projects import open_knowledge

    return open_knowledge(invocation.directory, invocation.settings)


def require_terminal() -> None:
    """Refuse where nobody could see the screen or press a key."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput(
            "The terminal UI needs a terminal, and stdin or stdout is none.",
            hint="For programs: supervisor status --json, supervisor events --follow --json",
        )
    if os.environ.get("TERM") == _DUMB:
        raise InvalidInput(
            f"The terminal UI needs a terminal that can be drawn on, and TERM is {_DUMB!r}.",
            hint="See all runs: supervisor status; answer them: supervisor approvals",
        )


def _shows_colours() -> bool:
    """Ask the table of terminals; one that nobody knows is a new one, and those have colours."""
    import curses

    try:
        curses.setupterm(fd=sys.stdout.fileno())
    except curses.error:
        return True
    return curses.tigetnum("colors") >= _COLOURS
