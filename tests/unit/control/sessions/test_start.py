"""A session begins with its pipeline's tasks, all or nothing."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import pytest
from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.control.sessions.counting_log import CountingLog
from tests.unit.control.sessions.session_desk import ADA

from supervisor_ai.control.ports.sessions import SessionRow
from supervisor_ai.control.sessions.calls import make_call
from supervisor_ai.control.sessions.desk import SessionDesk, close_session, desk_of, find_session
from supervisor_ai.control.sessions.session_pages import show_session, summaries
from supervisor_ai.control.sessions.start import (
    SessionOffice,
    WantedSession,
    plan_session,
    start_session,
    sync_folder,
)
from supervisor_ai.control.sessions.stream_queries import StreamQueries
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import SessionId, stream_session
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.pipeline import Pipeline, PipelineTask
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.world import fake_world

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject


class OnePipeline:
    """Knows one small pipeline."""

    pipeline = Pipeline(
        name="small",
        description="",
        tasks=(
            PipelineTask(task="A-1", subject="Do it", owner="writer"),
            PipelineTask(
                task="CHECKPOINT-001", subject="Look", owner="supervisor", blocked_by=("A-1",)
            ),
        ),
    )

    def all(self) -> Sequence[Pipeline]:
        return [self.pipeline]

    def find(self, name: str) -> Pipeline:
        del name
        return self.pipeline


class ListedStreams(StreamQueries, frozen=True, kw_only=True):
    """Reads all sessions from their streams."""

    def sessions(self) -> Sequence[SessionRow]:  # type: ignore[explicit-override]
        rows: dict[str, SessionRow] = {}
        for it in self.log.read_all():
            name, event = stream_session(it.stream), it.event
            if name is not None and isinstance(event, s.SessionOpened):
                rows[name] = SessionRow(
                    id=name,
                    team=event.team,
                    pipeline=event.pipeline,
                    requirement=event.requirement,
                    supervision=event.supervision,
                    folder=event.folder,
                    resident=None,
                    opened_at=it.recorded_at,
                    closed_at=None,
                )
            elif name is not None and isinstance(event, s.SessionClosed):
                del rows[name]
        return list(reversed(rows.values()))


@pytest.fixture
def office() -> SessionOffice:
    world = fake_world()
    desk: SessionDesk = desk_of(world, ListedStreams(log=world.log))
    return SessionOffice(
        project=cast("OpenProject", None),
        desk=desk,
        folders=MemorySessionFolders(),
        pipelines=OnePipeline(),
        actor=ADA,
    )


def wanted(name: str | None = "S1", **more: object) -> WantedSession:
    told = {"name": name, "title": None, "pipeline": "small", **more}
    return WantedSession(**told)  # type: ignore[arg-type]


def begin(office: SessionOffice, wish: WantedSession) -> SessionId:
    return start_session(office, plan_session(office, wish))


def test_a_session_begins_with_its_tasks(office: SessionOffice) -> None:
    name = begin(office, wanted(requirement="A page", team="blue"))
    page = show_session(office.desk, name)
    assert (page.summary.team, page.summary.pipeline, page.requirement) == (
        "blue",
        "small",
        "A page",
    )
    assert [(it.id, it.owner, it.waits_for) for it in page.tasks] == [
        ("A-1", "writer", ()),
        ("CHECKPOINT-001", "supervisor", ("A-1",)),
    ]
    assert page.summary.folder == ".supervisor/sessions/S1"


def test_a_session_with_a_folder_goes_on_where_its_tasks_stand(office: SessionOffice) -> None:
    told = [
        {"id": "A-1", "status": "completed"},
        {"id": "CHECKPOINT-001", "status": "completed"},
        {"id": "B-1", "status": "completed"},
        {"id": "A-1", "status": ["odd"]},
        "odd",
    ]
    assert isinstance(office.folders, MemorySessionFolders)
    files = office.folders.files.setdefault(".workflow/T", {})
    files["team-session.json"] = json.dumps({"tasks": told}).encode()
    page = show_session(office.desk, begin(office, wanted(directory=".workflow/T")))
    assert [(it.id, it.status) for it in page.tasks] == [
        ("A-1", "completed"),
        ("CHECKPOINT-001", "pending"),
    ]


def test_the_session_and_its_tasks_are_one_transaction(office: SessionOffice) -> None:
    log = CountingLog(office.desk.log)
    begin(replace(office, desk=replace(office.desk, log=log)), wanted())
    assert log.appends == 1
    found = [it.type for it in log.read_all()]
    assert found == ["SessionOpened", "TaskAdded", "TaskAdded"]


@pytest.mark.parametrize(
    ("told", "folder_says", "tasks"),
    [
        (None, None, 2),
        (None, False, 1),
        (True, False, 2),
        (False, None, 1),
        (None, "no", 2),
    ],
)
def test_supervision_is_as_somebody_says(
    office: SessionOffice,
    told: bool | None,  # noqa: FBT001 - a case
    folder_says: object,
    tasks: int,
) -> None:
    folders = cast("MemorySessionFolders", office.folders)
    folders.files["/team"] = {
        "team-session.json": json.dumps({"supervision": folder_says}).encode()
    }
    planned = plan_session(office, wanted(directory="/team", supervision=told))
    assert len(planned.tasks) == tasks


def test_a_teams_own_folder_says_what_it_is_for(office: SessionOffice) -> None:
    folders = cast("MemorySessionFolders", office.folders)
    told = {"team_name": "red", "requirement": " A shop \n", "theirs": 1}
    folders.files["/team"] = {
        "team-session.json": json.dumps(told).encode(),
        ".msg/messages.jsonl": b'{"from": "writer", "summary": "hello"}\n',
    }
    name = begin(office, wanted(directory="/team"))
    took, gave = sync_folder(office, name)
    assert (took.messages, took.conflicts, gave.conflicts) == (1, (), ())
    page = show_session(office.desk, name)
    assert (page.summary.team, page.requirement) == ("red", "A shop")
    assert json.loads(folders.files["/team"]["team-session.json"])["theirs"] == 1


@pytest.mark.parametrize("text", [b"{", b"x" * (5 << 20), b'{"team_name": 1}'])
def test_a_broken_team_file_says_nothing(office: SessionOffice, text: bytes) -> None:
    cast("MemorySessionFolders", office.folders).files["/team"] = {"team-session.json": text}
    planned = plan_session(office, wanted(directory="/team"))
    assert (planned.new.team, planned.new.requirement) == ("team", "S1")


def test_a_name_is_made_of_a_title(office: SessionOffice) -> None:
    titles = ["A Login Page!", "A login page", "a-login-page"]
    names = [begin(office, wanted(None, title=title)) for title in titles]
    assert names == ["a-login-page", "a-login-page-2", "a-login-page-3"]
    assert show_session(office.desk, names[0]).requirement == "A Login Page!"
    for title in ("", "---", None):
        with pytest.raises(InvalidInput, match="needs a name"):
            plan_session(office, wanted(None, title=title))


def test_a_name_is_taken_once(office: SessionOffice) -> None:
    begin(office, wanted())
    with pytest.raises(InvalidInput, match="already"):
        begin(office, wanted())


def test_the_only_open_session_is_meant(office: SessionOffice) -> None:
    with pytest.raises(NotFound, match="No session is open"):
        find_session(office.desk, None)
    first = begin(office, wanted())
    assert find_session(office.desk, None) == first
    begin(office, wanted("S2"))
    with pytest.raises(InvalidInput, match="2 sessions are open: S2, S1"):
        find_session(office.desk, None)
    assert find_session(office.desk, "S2") == "S2"
    close_session(office.desk, SessionId("S2"), ADA)
    assert find_session(office.desk, None) == first
    for number in range(6):
        begin(office, wanted(f"T{number}"))
    with pytest.raises(InvalidInput, match="…"):
        find_session(office.desk, None)


def test_sessions_are_summed_up(office: SessionOffice) -> None:
    name = begin(office, wanted())
    room = office.room(name)
    for status in ("in_progress", "completed"):
        make_call(room, "task_update", {"taskId": "A-1", "status": status})
    found = summaries(office.desk)
    assert [(it.id, it.status, it.tasks_completed, it.tasks_total) for it in found] == [
        ("S1", "open", 1, 2)
    ]
    assert show_session(office.desk, name).tasks[1].waits_for == ()


def test_a_session_that_is_not_there_cannot_be_shown(office: SessionOffice) -> None:
    with pytest.raises(NotFound):
        show_session(office.desk, SessionId("S9"))
