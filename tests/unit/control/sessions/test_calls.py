"""The closed list of calls of members."""

import pytest
from tests.unit.control.sessions.session_desk import ADA, BOSS, SessionScene, member

from supervisor_ai.control.sessions.calls import all_calls, calls_for, make_call
from supervisor_ai.control.sessions.desk import Caller
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.control.sessions.tasks import NewTask
from supervisor_ai.domain.errors import Busy, Denied, InvalidInput, NotFound
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.session.traffic import MOST_CALLS

WRITER = member("writer")


def call(scene: SessionScene, name: str, caller: Caller = BOSS, **arguments: object) -> object:
    return make_call(scene.room(caller), name, arguments)


def test_a_message_is_logged_and_read() -> None:
    scene = SessionScene()
    said = call(scene, "team_msg", WRITER, operation="log", type="note", summary="Here.")
    assert call(scene, "team_msg", operation="read", id="MSG-001", session_id="S1") == said
    assert call(scene, "team_msg", operation="list") == {"messages": [said["message"]]}  # type: ignore[index]
    assert call(scene, "team_msg", operation="list", type="other") == {"messages": []}
    assert call(scene, "team_msg", operation="list", to="writer") == {"messages": []}
    all_heard = call(scene, "team_msg", WRITER, operation="broadcast", summary="All.")
    assert all_heard["message"]["to"] == "all"  # type: ignore[index]
    status = call(scene, "team_msg", operation="status")
    assert status["status"]["messages"] == 2  # type: ignore[index]
    assert call(scene, "team_msg", operation="get_state") == {"state": {}}


@pytest.mark.parametrize("operation", ["delete", "clear"])
def test_what_would_take_something_away_is_refused_and_recorded(operation: str) -> None:
    scene = SessionScene()
    with pytest.raises(Denied, match="append-only"):
        call(scene, "team_msg", operation=operation)
    assert scene.types() == ["SessionOpened", "CallRefused"]


def test_who_asks_too_much_waits_and_that_is_recorded_once() -> None:
    scene = SessionScene()
    for _ in range(MOST_CALLS):
        call(scene, "task_list", WRITER)
    before = len(scene.types())
    for _ in range(5):
        with pytest.raises(Busy, match="asks for more than") as refused:
            call(scene, "team_msg", WRITER, operation="log", summary="Again.")
        assert "Wait 60 s" in str(refused.value.hint)
    assert scene.types()[before:] == ["CallRefused"]
    call(scene, "task_list", member("tester"))
    for _ in range(MOST_CALLS + 5):
        call(scene, "team_msg", operation="log", to="supervisor", summary="It is urgent.")


def test_a_worker_cannot_speak_as_the_coordinator() -> None:
    scene = SessionScene()
    asked = {"operation": "log", "from": "coordinator", "summary": "Approved."}
    with pytest.raises(Denied, match="does not speak as"):
        make_call(scene.room(WRITER), "team_msg", asked)
    assert scene.types()[-1] == "CallRefused"


def test_tasks_are_made_claimed_and_completed() -> None:
    scene = SessionScene()
    made = call(scene, "task_create", taskId="A", subject="Write it.", owner="writer")
    assert made["task"]["status"] == "pending"  # type: ignore[index]
    call(scene, "task_update", WRITER, taskId="A", status="in_progress")
    done = call(scene, "task_update", WRITER, taskId="A", status="completed")
    assert call(scene, "task_list", WRITER) == {"tasks": [done["task"]]}  # type: ignore[index]


def test_a_call_that_is_not_on_the_list_is_refused_and_recorded() -> None:
    scene = SessionScene()
    with pytest.raises(Denied, match="may not add task"):
        call(scene, "task_create", WRITER, taskId="A", subject="Write it.")
    assert scene.types()[-1] == "CallRefused"


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("team_msg", {}, "operation"),
        ("team_msg", {"operation": "shout"}, "operation is 'shout'"),
        ("team_msg", {"operation": "log", "colour": "red"}, "unknown field `colour`"),
        ("team_msg", {"operation": "read"}, "needs the id"),
        ("team_msg", {"operation": "list", "session_id": "S2"}, "not 'S2'"),
        ("task_update", {"taskId": 1}, "Expected `str`"),
    ],
)
def test_a_call_that_cannot_be_understood_is_refused(
    name: str, arguments: dict[str, object], why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        make_call(SessionScene().room(), name, arguments)


@pytest.mark.parametrize("name", ["approve", "reject", "override", "trust", "cancel"])
def test_decisions_of_people_are_no_calls(name: str) -> None:
    assert not any(name in known for known in all_calls())
    with pytest.raises(NotFound, match="no call"):
        make_call(SessionScene().room(), name, {})


def test_each_role_sees_its_own_list() -> None:
    assert {it.name for it in calls_for(MemberRole.OBSERVER)} >= {"team_msg", "task_list"}
    assert "task_create" not in {it.name for it in calls_for(MemberRole.WORKER)}
    assert "task_create" in {it.name for it in calls_for(MemberRole.COORDINATOR)}


def test_tasks_are_added_together_or_not_at_all() -> None:
    scene = SessionScene()
    first, second = (
        NewTask(task="A", subject="a"),
        NewTask(task="B", subject="b", blocked_by=("A",)),
    )
    assert [it.id for it in scene.tasks().add(first, second)] == ["A", "B"]
    assert [it.id for it in scene.tasks().add(first, second)] == ["A", "B"]
    lost = NewTask(task="D", subject="d", blocked_by=("Z",))
    with pytest.raises(NotFound):
        scene.tasks().add(NewTask(task="C", subject="c"), lost)
    assert [it.id for it in scene.tasks().list()] == ["A", "B"]


@pytest.mark.parametrize("subject", ["", "  ", "x" * 2001])
def test_a_task_says_what_there_is_to_do(subject: str) -> None:
    with pytest.raises(InvalidInput, match="The subject of task 'A'"):
        SessionScene().tasks().add(NewTask(task="A", subject=subject))


def test_a_checkpoint_is_reset_once() -> None:
    scene = SessionScene()
    scene.tasks().add(NewTask(task="CHECKPOINT-001", subject="Look."))
    supervisor = member("supervisor", MemberRole.SUPERVISOR)
    scene.tasks(supervisor).update("CHECKPOINT-001", status=TaskStatus.IN_PROGRESS)
    scene.tasks().reset("CHECKPOINT-001")
    assert scene.tasks().reset("CHECKPOINT-001").status is TaskStatus.PENDING
    assert scene.types().count("TaskMoved") == 2


@pytest.mark.parametrize(("made", "asked"), [("a", ""), ("", "a"), ("a", "b")])
def test_a_token_is_good_at_its_own_endpoint_alone(made: str, asked: str) -> None:
    scene = SessionScene()
    members = Members(scene.desk, scene.session, ADA)
    token = members.add("writer", MemberRole.WORKER, made)
    assert members.find(token, via="mcp", endpoint=made).member.name == "writer"
    for wrong in (token, f"{made}\0{token}", f"{asked}\0{token}"):
        with pytest.raises(Denied, match="nobody's"):
            members.find(wrong, via="mcp", endpoint=asked)


def test_a_token_says_who_speaks_until_its_member_leaves() -> None:
    scene = SessionScene()
    members = Members(scene.desk, scene.session, ADA)
    token = members.add("writer", MemberRole.WORKER)
    found = members.find(token, via="http")
    assert (found.member.name, found.actor.verified) == ("writer", True)
    assert token not in str(list(scene.world.log.read_all()))
    for wrong in ("", "x", token[:-1], token + "0", "\udcff"):
        with pytest.raises(Denied, match="nobody's"):
            members.find(wrong, via="http")
    assert [it.name for it in members.list()] == ["writer"]
    members.remove("writer")
    with pytest.raises(Denied):
        members.find(token, via="http")
