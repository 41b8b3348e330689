"""A session is written into its folder: nothing of others is lost, and nothing is written twice."""

import json

import pytest
from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.control.sessions.folder_scene import (
    HOME,
    MESSAGES,
    META,
    TEAM,
    FolderScene,
    record,
)
from tests.unit.control.sessions.session_desk import ADA

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import close_session
from supervisor_ai.control.sessions.folder.folder_desk import FolderDesk, open_folder
from supervisor_ai.control.sessions.folder.folder_export import export_folder
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.control.sessions.tasks import NewTask
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session.members import MemberRole


@pytest.fixture
def scene() -> FolderScene:
    scene = FolderScene()
    scene.tasks().add(NewTask(task="DRAFT-001", subject="Write", owner="writer"))
    scene.bus().log(Post(kind="state_update", summary="so", data={"n": 1}, sender="writer"))
    return scene


def lines(scene: FolderScene, folder: str = HOME) -> list[dict[str, object]]:
    text = scene.folders.files[folder][MESSAGES].decode()
    return [json.loads(line) for line in text.splitlines()]


def test_all_of_a_session_is_written(scene: FolderScene) -> None:
    Members(scene.desk, scene.session, ADA).add("writer", MemberRole.WORKER)
    report = scene.give()
    assert (report.messages, report.conflicts) == (1, ())
    assert lines(scene) == [scene.bus().read("MSG-001").record()]
    assert json.loads(scene.files[META]) == {"role_state": {"writer": {"n": 1}}}
    assert json.loads(scene.files[TEAM]) == {
        "session_id": "S1",
        "team_name": "blue",
        "pipeline": "spec-only",
        "requirement": "A health endpoint.",
        "supervision": True,
        "status": "open",
        "members": [{"name": "writer", "role": "worker"}],
        "tasks": [
            {
                "id": "DRAFT-001",
                "subject": "Write",
                "status": "pending",
                "owner": "writer",
                "blocked_by": [],
            }
        ],
    }
    assert json.loads(scene.files["explorations/cache-index.json"]) == {"entries": []}


def test_writing_twice_writes_once(scene: FolderScene) -> None:
    scene.give()
    before, facts = dict(scene.files), scene.types()
    report = scene.give()
    assert (report.messages, report.files, report.conflicts) == (0, (), ())
    assert (scene.files, scene.types()) == (before, facts)


def test_a_closed_session_is_written_as_closed(scene: FolderScene) -> None:
    scene.give()
    close_session(scene.desk, scene.session, ADA)
    assert scene.give().files == (TEAM,)
    assert json.loads(scene.files[TEAM])["status"] == "closed"


def test_messages_of_others_stay_where_they_are(scene: FolderScene) -> None:
    scene.give()
    scene.say(record("theirs", id="MSG-002"))
    scene.bus().log(Post(kind="progress", summary="ours"))
    before = scene.files[MESSAGES]
    assert scene.give().messages == 1
    assert scene.files[MESSAGES].startswith(before)
    # What was not read yet is still new.
    assert scene.take().messages == 1
    assert scene.give().messages == 0
    assert [it["summary"] for it in lines(scene)] == ["so", "theirs", "ours"]


def test_what_was_imported_is_not_written_again(scene: FolderScene) -> None:
    scene.say(record("theirs"))
    scene.take()
    scene.give()
    assert [it["summary"] for it in lines(scene)] == ["theirs", "so"]
    scene.give("/copy")
    assert [it["summary"] for it in lines(scene, "/copy")] == ["so", "theirs"]


def test_a_line_without_an_end_gets_one(scene: FolderScene) -> None:
    scene.files[MESSAGES] = b'{"from": "a", "summary": "x"}'
    scene.give()
    assert [it["summary"] for it in lines(scene)] == ["x", "so"]


def test_a_file_that_was_cut_gets_back_what_it_lacks(scene: FolderScene) -> None:
    scene.bus().log(Post(kind="progress", summary="second"))
    scene.give()
    scene.files[MESSAGES] = scene.files[MESSAGES].split(b"\n")[0] + b"\n"
    report = scene.give()
    assert (report.messages, "rewritten or shortened" in report.notes[0]) == (1, True)
    assert [it["summary"] for it in lines(scene)] == ["so", "second"]
    del scene.files[MESSAGES]
    assert scene.give().messages == 2


def test_what_others_say_in_json_files_stays(scene: FolderScene) -> None:
    scene.files[META] = json.dumps({"theirs": 1, "role_state": {"tester": {"t": 1}}}).encode()
    scene.files[TEAM] = json.dumps({"theirs": [2], "status": "executing"}).encode()
    scene.take()
    assert scene.give().conflicts == ()
    assert json.loads(scene.files[META]) == {
        "theirs": 1,
        "role_state": {"tester": {"t": 1}, "writer": {"n": 1}},
    }
    team = json.loads(scene.files[TEAM])
    assert (team["theirs"], team["status"]) == ([2], "open")


@pytest.mark.parametrize("path", [TEAM, META])
def test_a_file_that_is_newer_is_never_written_over(scene: FolderScene, path: str) -> None:
    scene.give()
    newer = json.dumps({"status": "mine", "role_state": 1}).encode()
    scene.files[path] = newer
    report = scene.give()
    assert len(report.conflicts) == 1
    assert report.conflicts[0].startswith(f"{path} is left as it is: it is newer")
    assert scene.files[path] == newer
    scene.take()
    assert scene.give().conflicts == ()


def test_a_json_file_that_cannot_be_read_is_left(scene: FolderScene) -> None:
    scene.files[TEAM] = b"{"
    assert scene.give().conflicts[0].startswith(f"{TEAM} is left as it is: ")
    assert scene.files[TEAM] == b"{"


def test_files_from_elsewhere_are_written_where_there_are_none(scene: FolderScene) -> None:
    scene.files["artifacts/a.md"] = b"a"
    scene.files["artifacts/b.md"] = b"b"
    scene.take()
    scene.folders.files["/copy"] = {"artifacts/b.md": b"other"}
    report = scene.give("/copy")
    assert scene.folders.files["/copy"]["artifacts/a.md"] == b"a"
    assert scene.folders.files["/copy"]["artifacts/b.md"] == b"other"
    assert report.conflicts == (
        "artifacts/b.md is left as it is: it is other than what was imported.",
    )
    # What the team has removed from its own folder stays removed.
    del scene.files["artifacts/a.md"]
    scene.give()
    assert "artifacts/a.md" not in scene.files


class RacedFolders(MemorySessionFolders):
    """Folders in which somebody else is a little faster."""

    def append(  # type: ignore[explicit-override]
        self, folder: str, path: str, content: bytes
    ) -> None:
        theirs = json.dumps(record("meanwhile")).encode() + b"\n"
        super().append(folder, path, theirs + content)


def test_what_is_written_meanwhile_is_still_to_be_read(scene: FolderScene) -> None:
    raced = RacedFolders()
    raced.files = scene.folders.files
    scene.folders = raced
    scene.give()
    assert [it["summary"] for it in lines(scene)] == ["meanwhile", "so"]
    assert scene.take().messages == 1
    assert scene.give().messages == 0


def test_a_session_without_a_folder_needs_a_directory(scene: FolderScene) -> None:
    with pytest.raises(NotFound, match="no folder"):
        open_folder(scene.desk, scene.session, scene.folders, None, ADA)
    with pytest.raises(NotFound, match="no session"):
        open_folder(scene.desk, SessionId("S9"), scene.folders, None, ADA)
    found = open_folder(scene.desk, scene.session, scene.folders, "/x", ADA)
    assert found.folder == "/x"
    lost = FolderDesk(
        desk=scene.desk, session=SessionId("S9"), folders=scene.folders, folder="/x", actor=ADA
    )
    with pytest.raises(NotFound):
        export_folder(lost)
