"""A session at the terminal: the desk is set up, the UI runs, and all is left in good order."""

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec import Struct

from supervisor_ai.control.dashboard.change_views import read_change, read_notes
from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
from supervisor_ai.control.dashboard.panels import read_panel
from supervisor_ai.control.dashboard.task_lists import read_tasks
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import Records, unknown_run
from supervisor_ai.control.slices import TaskDesk
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.structs import replace
from supervisor_ai.tui.app import SupervisorTui
from supervisor_ai.tui.deeds import ProjectDeeds
from supervisor_ai.tui.desk import Desk
from supervisor_ai.tui.feed_thread import FeedThread
from supervisor_ai.tui.outputs import OutputTails
from supervisor_ai.tui.painter import ConfinedPainter
from supervisor_ai.tui.terminal_watch import TerminalWatch

VIA: Final = "tui"
"""Through which door a person acts, as the ledger records it."""
_HANG_UP: Final = 128 + signal.SIGHUP


class Session(Struct, frozen=True, kw_only=True):
    """What a person who opens the UI brings along."""

    place: str
    command: str
    records: Callable[[], Records | None]
    preflight: Callable[[], Preflight]
    project: Callable[[OutputTails], OpenProject]
    port: Callable[[str, str], object]
    start: Path
    """The directory in which the person typed the command."""
    merges: Callable[[], AbstractContextManager[UserMerges]]
    knowledge: Callable[[], KnowledgeOffice]
    editor: Callable[[Mapping[str, str]], Mapping[str, bytes]]
    has_terminal: Callable[[], bool]
    mouse: bool = True
    has_colours: bool = True

    def show(self, *, first: RunId | None = None, submitted: RunId | None = None) -> "SessionEnd":
        """Show the UI until the person leaves; a run that was just submitted is driven here."""
        deeds = ProjectDeeds(self._opened, self.merges)
        kept = _KeptRecords(self.records)
        desk = self._desk(kept, deeds)
        if submitted is not None:
            deeds.begin(submitted)
        watch = TerminalWatch(self.has_terminal, partial(_hang_up, deeds))
        watch.start()
        try:
            ui = SupervisorTui(
                desk, first=submitted or first, has_colours=self.has_colours, hurry=watch.hurry
            )
            ui.run(mouse=self.mouse)
        finally:
            left = deeds.close()
            watch.stop()
        # Of a run that has ended, whoever drives it may still be tidying up.
        left = tuple(run for run in left if kept.require(run).find(run).status not in ENDED)
        return SessionEnd(left=left, notices=deeds.notices())

    def _desk(self, kept: "_KeptRecords", deeds: ProjectDeeds) -> Desk:
        preflight = cache(self.preflight)
        return Desk(
            place=self.place,
            command=self.command,
            news=FeedThread(kept.find),
            deeds=deeds,
            panel=lambda run: read_panel(kept.require(run), run),
            change=lambda run: read_change(kept.require(run), preflight().repository, run),
            notes=lambda run: read_notes(kept.require(run), run),
            paint=ConfinedPainter().paint,
            tasks=lambda run: read_tasks(
                TaskDesk(records=kept.require(run), preflight=preflight(), start=self.start),
                run,
                self.port,
            ),
            knowledge=self.knowledge,
            editor=self.editor,
            find=lambda name: kept.require(name).find(name).id,
            now=partial(datetime.now, UTC),
        )

    def _opened(self, outputs: OutputTails) -> OpenProject:
        return replace(self.project(outputs), via=VIA)


def _hang_up(deeds: ProjectDeeds) -> None:
    """Leave what is driven here in good order, and go without a word that nobody could read."""
    deeds.close()
    os._exit(_HANG_UP)


class SessionEnd(Struct, frozen=True, kw_only=True):
    """What a person should know who has left the UI."""

    left: tuple[RunId, ...]
    """Runs that were driven here and have not ended."""
    notices: tuple[str, ...]
    """What went wrong and was not read."""


class _KeptRecords:
    """The ledger, opened for readers once there is one."""

    def __init__(self, open_records: Callable[[], Records | None]) -> None:
        self._open = open_records
        self._lock = Lock()
        self._kept: Records | None = None

    def find(self) -> Records | None:
        """Return the ledger, if there is one by now."""
        with self._lock:
            self._kept = self._kept or self._open()
            return self._kept

    def require(self, name: str) -> Records:
        """Return the ledger in which a run is looked for."""
        found = self.find()
        if found is None:
            raise unknown_run(name)
        return found
