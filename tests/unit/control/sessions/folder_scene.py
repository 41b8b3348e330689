"""A session with a folder in memory, which a team of agents may fill as it likes."""

import json

from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.control.sessions.session_desk import ADA, SessionScene

from supervisor_ai.control.sessions.folder.folder_desk import FolderDesk, FolderReport
from supervisor_ai.control.sessions.folder.folder_export import export_folder
from supervisor_ai.control.sessions.folder.folder_import import import_folder
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import session_stream

HOME = "/team"
MESSAGES = ".msg/messages.jsonl"
META = ".msg/meta.json"
TEAM = "team-session.json"


class FolderScene(SessionScene):
    """The session, its folder, and what an import or an export makes of them."""

    def __init__(self) -> None:
        super().__init__()
        self.folders = MemorySessionFolders()
        self.files = self.folders.files.setdefault(HOME, {})

    def folder(self, name: str = HOME) -> FolderDesk:
        return FolderDesk(
            desk=self.desk, session=self.session, folders=self.folders, folder=name, actor=ADA
        )

    def take(self, name: str = HOME) -> FolderReport:
        return import_folder(self.folder(name))

    def give(self, name: str = HOME) -> FolderReport:
        return export_folder(self.folder(name))

    def say(self, *records: object) -> None:
        """Let somebody add lines to the file of messages."""
        lines = "".join(f"{json.dumps(it)}\n" for it in records)
        self.files[MESSAGES] = self.files.get(MESSAGES, b"") + lines.encode()

    def said(self) -> list[tuple[str, str, str]]:
        return [(it.sender, it.type, it.summary) for it in self.bus().list(last=100)]

    def facts(self, kind: str) -> list[Envelope]:
        stream = session_stream(self.session)
        return [it for it in self.world.log.read(stream) if it.type == kind]


def record(summary: str, sender: str = "writer", **more: object) -> dict[str, object]:
    return {"from": sender, "type": "progress", "summary": summary, **more}
