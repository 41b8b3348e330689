"""A served session whose team only writes files: heard by a look, answered in the files."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.control.sessions.folder_scene import HOME, MESSAGES, FolderScene, record
from tests.unit.control.sessions.session_desk import ADA
from typing_extensions import override

from supervisor_ai.control.ports.sessions import SessionRow
from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import NewSession, open_session
from supervisor_ai.control.sessions.folder.folder_watch import FolderWatch
from supervisor_ai.control.sessions.stream_queries import StreamQueries
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.structs import replace

RUN = RunId("r1")
NOW = datetime(2030, 1, 1, tzinfo=UTC)


class KnownSessions(StreamQueries, frozen=True, kw_only=True):
    """Reads messages from the stream, and knows of one session."""

    row: SessionRow

    @override
    def sessions(self) -> Sequence[SessionRow]:
        return (self.row,)


class CountingFolders(MemorySessionFolders):
    """Folders that count what is read, on a disk that may be gone."""

    def __init__(self) -> None:
        super().__init__()
        self.fetches = 0
        self.is_gone = False

    @override
    def fetch(self, folder: str, path: str, most: int) -> bytes | None:
        self.fetches += 1
        if self.is_gone:
            raise Unavailable("The disk is gone.")
        return super().fetch(folder, path, most)


class WatchScene(FolderScene):
    """A session with a folder, and who looks at it."""

    def __init__(self, resident: RunId | None = RUN, closed_at: datetime | None = None) -> None:
        super().__init__()
        wanted = NewSession(
            name="S2", team="blue", pipeline="full", requirement="A file.", folder=HOME
        )
        self.session = open_session(self.desk, wanted, ADA)
        known = SessionRow(
            id=self.session,
            team="blue",
            pipeline="full",
            requirement=ArtifactHash("x"),
            supervision=True,
            folder=HOME,
            resident=resident,
            opened_at=NOW,
            closed_at=closed_at,
        )
        queries = KnownSessions(log=self.world.log, row=known)
        self.desk = replace(self.desk, queries=queries)
        self.disk = CountingFolders()
        self.files = self.disk.files.setdefault(HOME, {})
        started = (s.ResidentStarted(run=RUN),)
        self.desk.view(self.session).add(lambda _: started, ADA)
        self.watch = FolderWatch(self.desk, self.disk, ADA, lambda run: run == RUN)

    def lines(self) -> list[str]:
        found = self.files.get(MESSAGES, b"").decode().splitlines()
        return [json.loads(it)["summary"] for it in found]


@pytest.fixture
def scene() -> WatchScene:
    return WatchScene()


def test_a_line_wakes_who_listens_and_the_answer_stands_behind_it(scene: WatchScene) -> None:
    scene.say(record("Look, please.", sender="coordinator", to="supervisor"))
    scene.watch.look()
    [letter] = scene.world.inbox.pending(RUN)
    assert letter.key == f"{scene.session}/MSG-001"
    scene.bus().log(Post(kind="message", summary="Here it is."))
    assert scene.lines() == ["Look, please."]
    scene.watch.look()
    assert scene.lines() == ["Look, please.", "Here it is."]
    scene.watch.look()
    assert [it[2] for it in scene.said()] == ["Look, please.", "Here it is."]


def test_a_look_at_what_has_not_changed_reads_nothing(scene: WatchScene) -> None:
    scene.say(record("one"))
    scene.watch.look()
    scene.watch.look()
    scene.disk.fetches = 0
    for _ in range(3):
        assert scene.watch.look() == ()
    assert scene.disk.fetches == 0


def test_where_nobody_writes_files_none_is_written(scene: WatchScene) -> None:
    scene.bus().log(Post(kind="message", summary="By a tool."))
    scene.watch.look()
    assert MESSAGES not in scene.files
    assert scene.disk.fetches == 0


def test_a_broken_line_is_told_once_and_the_others_are_heard(scene: WatchScene) -> None:
    scene.files[MESSAGES] = b"nonsense\n"
    scene.say(record("one"))
    [note] = scene.watch.look()
    assert note.startswith(".msg/messages.jsonl:1 is not taken")
    assert scene.watch.look() == ()
    assert scene.said() == [("writer", "progress", "one")]


@pytest.mark.parametrize(
    "scene", [WatchScene(closed_at=NOW), WatchScene(None), WatchScene(RunId("r2"))]
)
def test_sessions_that_nobody_serves_here_are_left_alone(scene: WatchScene) -> None:
    scene.say(record("one"))
    assert scene.watch.look() == ()
    assert scene.said() == []


def test_what_fails_is_told_and_tried_again(scene: WatchScene) -> None:
    scene.say(record("one"))
    scene.disk.is_gone = True
    assert scene.watch.look() == ("The disk is gone.",)
    scene.disk.is_gone = False
    assert scene.watch.look() == ()
    assert scene.said() == [("writer", "progress", "one")]
