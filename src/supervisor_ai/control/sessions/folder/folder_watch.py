"""Looking at the folders of sessions while their supervisors are served.

A team that only writes files gets its answers in its files: what is new in `messages.jsonl` is
taken as by an import, and what is said in such a session is written there as by an export. A look
at a folder in which nothing has happened costs a few questions and reads no file.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.session_files import FileGlimpse, SessionFolders
from supervisor_ai.control.ports.sessions import SessionRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.desk import SessionDesk, open_desk
from supervisor_ai.control.sessions.folder.folder_desk import (
    MESSAGES,
    FolderDesk,
    FolderFindings,
    open_folder,
)
from supervisor_ai.control.sessions.folder.folder_export import export_folder
from supervisor_ai.control.sessions.folder.message_import import MessageImport
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId, SessionId

LOOK_EVERY: Final = timedelta(seconds=1)
_MOST_NOTES: Final = 5


class _Seen(Struct, frozen=True, kw_only=True):
    """How a session and its file were when they were looked at last."""

    file: FileGlimpse | None = None
    messages: int = 0


class FolderWatch:
    """Looks at the folders of the sessions that somebody serves."""

    def __init__(
        self,
        desk: SessionDesk,
        folders: SessionFolders,
        actor: Actor,
        serves: Callable[[RunId], bool],
    ) -> None:
        self._desk = desk
        self._folders = folders
        self._actor = actor
        self._serves = serves
        self._seen: dict[SessionId, _Seen] = {}

    def look(self) -> tuple[str, ...]:
        """Take what was said in files, and answer in them; return what people should know."""
        told: list[str] = []
        for row in self._desk.queries.sessions():
            if self._is_served(row):
                try:
                    told += self._look_at(row.id)
                except SupervisorError as error:
                    told.append(error.message)
        return tuple(dict.fromkeys(told))

    def _is_served(self, row: SessionRow) -> bool:
        is_open = row.closed_at is None and row.folder is not None
        return is_open and row.resident is not None and self._serves(row.resident)

    def _look_at(self, name: SessionId) -> Iterable[str]:
        """Import what is new in the file, then export where others say something in files.

        What was seen is remembered only when all of it was done: what fails is tried again.
        """
        folder = open_folder(self._desk, name, self._folders, None, self._actor)
        glimpse = self._folders.glimpse(folder.folder, MESSAGES)
        known = self._seen.get(name, _Seen())
        findings = FolderFindings()
        if glimpse is not None and glimpse != known.file:
            MessageImport(folder, findings).take_messages()
        session = self._desk.view(name).refresh()
        conflicts: tuple[str, ...] = ()
        if session.lines and session.messages > known.messages:
            conflicts = export_folder(folder).conflicts
            glimpse = self._settled(folder, glimpse)
        self._seen[name] = _Seen(file=glimpse, messages=session.messages)
        return (*findings.report().notes[:_MOST_NOTES], *conflicts[:_MOST_NOTES])

    def _settled(self, folder: FolderDesk, before: FileGlimpse | None) -> FileGlimpse | None:
        """Know the file as we left it, unless somebody else has written meanwhile."""
        mark = folder.mark(self._desk.view(folder.session).refresh(), MESSAGES)
        now = self._folders.glimpse(folder.folder, MESSAGES)
        is_ours = mark is not None and now is not None and now.size == mark.size
        return now if is_ours else before


@asynccontextmanager
async def following(project: OpenProject, serves: Callable[[RunId], bool]) -> AsyncIterator[None]:
    """Look at folders now and then, meanwhile; a look that fails is made again."""
    if project.folders is None:
        yield
        return
    watch = FolderWatch(open_desk(project), project.folders(), project.actor, serves)
    task = asyncio.create_task(_keep_looking(project, watch), name="folders")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep_looking(project: OpenProject, watch: FolderWatch) -> None:
    told: set[str] = set()
    while True:
        # A long file must not keep the owner of a run from renewing its lease.
        for words in await asyncio.to_thread(watch.look):
            if words not in told:
                told.add(words)
                project.tell(words)
        await project.world.clock.sleep(LOOK_EVERY.total_seconds())
