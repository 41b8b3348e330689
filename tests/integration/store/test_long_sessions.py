"""A session with many messages: an answer costs what is asked for, not what was ever said."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.control.sessions.counting_log import CountingArtifacts, CountingLog
from tests.unit.control.sessions.session_desk import ADA, SessionScene

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.folder.folder_desk import FolderDesk
from supervisor_ai.control.sessions.folder.folder_import import import_folder
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.files.artifacts import FileArtifacts
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.world import fake_world

MANY = 10_000
WORKERS = 5
KEPT_EVERY = 500
"""How far behind a folded state that was kept may be."""


class LongSession:
    """A session on the disk with all its lines imported."""

    def __init__(self, ledger: SqliteLedger, place: Path) -> None:
        self.artifacts = CountingArtifacts(FileArtifacts(place / "artifacts"))
        self.log = CountingLog(ledger.events)
        world = fake_world()
        self.scene = SessionScene(
            replace(world, log=self.log, cache=ledger.cache, artifacts=self.artifacts)
        )
        self.scene.desk = replace(self.scene.desk, queries=ledger.sessions)
        folders = MemorySessionFolders()
        folders.files["/team"] = {".msg/messages.jsonl": b"".join(map(_line, range(MANY)))}
        self.folder = FolderDesk(
            desk=self.scene.desk,
            session=self.scene.session,
            folders=folders,
            folder="/team",
            actor=ADA,
        )
        before = self.log.appends
        self.taken = import_folder(self.folder).messages
        self.transactions = self.log.appends - before

    def forget(self) -> None:
        """Be a process that has just begun, and count from here."""
        self.scene.desk = replace(self.scene.desk, views={})
        self.count()

    def count(self) -> None:
        self.log.events = self.artifacts.reads = 0


def _line(number: int) -> bytes:
    record = {
        "from": f"w{number % WORKERS}",
        "type": "state_update" if number % 4 == 0 else "progress",
        "summary": f"message {number}",
        "data": {f"k{number % 3}": number},
    }
    return json.dumps(record).encode() + b"\n"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongSession]:
    place = tmp_path_factory.mktemp("long")
    world = fake_world()
    ledger = open_ledger(place, clock=world.clock, processes=world.processes, anchor=world.anchor)
    yield LongSession(ledger, place)
    ledger.close()


def test_ten_thousand_lines_are_a_few_transactions(long: LongSession) -> None:
    assert (long.taken, long.transactions) == (MANY, MANY // 1_000 + 1)
    assert long.artifacts.batches == MANY // 1_000


def test_a_list_reads_the_messages_that_it_shows(long: LongSession) -> None:
    long.forget()
    assert len(long.scene.bus().list()) == 20
    assert (long.log.events, long.artifacts.reads) == (0, 20)


def test_states_are_read_one_for_each_role(long: LongSession) -> None:
    long.forget()
    states = long.scene.bus().get_state()
    assert len(states) == long.artifacts.reads == WORKERS
    assert long.log.events <= KEPT_EVERY
    long.count()
    assert long.scene.bus().get_state() == states
    assert (long.log.events, long.artifacts.reads) == (0, WORKERS)


def test_one_more_message_reads_itself(long: LongSession) -> None:
    long.scene.bus().get_state()
    long.count()
    long.scene.bus().log(Post(kind="progress", summary="one more"))
    assert (long.log.events, long.artifacts.reads) == (1, 1)


def test_a_second_import_looks_at_nothing_again(long: LongSession) -> None:
    long.count()
    assert import_folder(long.folder).messages == 0
    assert long.artifacts.reads == 0
