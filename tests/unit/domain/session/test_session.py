"""What may happen in a session, and what it comes to."""

from itertools import product

import pytest

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import Conflict, Denied, InternalError, InvalidInput, NotFound
from supervisor_ai.domain.ids import (
    ArtifactHash,
    RunId,
    SessionId,
    StreamId,
    session_stream,
    stream_session,
)
from supervisor_ai.domain.session import decisions as d
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import PERMISSIONS, Member, MemberPermission, MemberRole
from supervisor_ai.domain.session.session import SessionState, evolve
from supervisor_ai.domain.session.tasks import TASK_MOVES, TaskStatus

TEXT = ArtifactHash("0" * 64)
OTHER = ArtifactHash("1" * 64)
OPENED = s.SessionOpened(team="blue", pipeline="spec-only", requirement=TEXT)
BOSS = Member(name="coordinator", role=MemberRole.COORDINATOR)
SUPERVISOR = Member(name="supervisor", role=MemberRole.SUPERVISOR)
WRITER = Member(name="writer", role=MemberRole.WORKER)
GUEST = Member(name="guest", role=MemberRole.OBSERVER)


def session(*events: Event) -> SessionState:
    state = SessionState()
    for event in (OPENED, *events):
        state = evolve(state, event)
    return state


def draft(sender: str, to: str = "coordinator", *, kind: str = "note", key: str = "") -> d.Draft:
    return d.Draft(sender=sender, to=to, kind=kind, body=TEXT, key=key)


def task(name: str, *, owner: str = "", blocked_by: tuple[str, ...] = ()) -> s.TaskAdded:
    return s.TaskAdded(task=name, subject=TEXT, owner=owner, blocked_by=blocked_by)


def moved(name: str, status: TaskStatus) -> s.TaskMoved:
    return s.TaskMoved(task=name, status=status)


def test_a_stream_says_whose_it_is() -> None:
    assert session_stream(SessionId("a")) == "session:a"
    assert stream_session(StreamId("session:a")) == "a"
    assert stream_session(StreamId("run:a")) is None


def test_messages_are_numbered() -> None:
    first = d.log_message(session(), WRITER, draft("writer"))
    assert first is not None
    second = d.log_message(session(first), BOSS, draft("coordinator", "writer"))
    assert second is not None
    assert (first.number, second.number) == (1, 2)


def test_a_message_with_a_key_is_logged_once() -> None:
    said = d.log_message(session(), WRITER, draft("writer", key="k"))
    assert said is not None
    assert d.log_message(session(said), WRITER, draft("writer", key="k")) is None
    assert session(said).keys == {"k": 1}


def test_a_state_is_the_senders() -> None:
    said = s.MessageLogged(
        number=1, sender="writer", to="coordinator", kind="state_update", body=TEXT, state=OTHER
    )
    assert session(said).states == {"writer": OTHER}


@pytest.mark.parametrize("member", [WRITER, GUEST, SUPERVISOR])
def test_nobody_speaks_as_another(member: Member) -> None:
    for other in ("coordinator", "supervisor", "writer", "guest"):
        if other != member.name:
            with pytest.raises(Denied):
                d.log_message(session(), member, draft(other))


def test_a_coordinator_passes_on_what_others_say_but_not_the_supervisors_word() -> None:
    assert d.log_message(session(), BOSS, draft("analyst")) is not None
    with pytest.raises(Denied, match="does not speak as 'supervisor'"):
        d.log_message(session(), BOSS, draft("supervisor"))


def test_the_supervisor_speaks_to_the_coordinator_only() -> None:
    assert d.log_message(session(), SUPERVISOR, draft("supervisor")) is not None
    with pytest.raises(Denied, match="coordinator only"):
        d.log_message(session(), SUPERVISOR, draft("supervisor", "writer"))
    with pytest.raises(Denied, match="may not broadcast"):
        d.log_message(session(), SUPERVISOR, draft("supervisor", "all"))


def test_who_only_watches_says_nothing() -> None:
    with pytest.raises(Denied, match="observer may not log"):
        d.log_message(session(), GUEST, draft("guest"))


@pytest.mark.parametrize("word", ["", "1st", "a b", "a\n", "é", "x" * 65, "../up"])
def test_a_name_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(InvalidInput, match="is no type"):
        d.log_message(session(), WRITER, draft("writer", kind=word))


def test_nothing_is_added_to_what_is_not_open() -> None:
    with pytest.raises(NotFound, match="no such session"):
        d.log_message(SessionState(), WRITER, draft("writer"))
    with pytest.raises(Conflict, match="closed"):
        d.log_message(session(s.SessionClosed()), WRITER, draft("writer"))


def test_a_task_is_added_once() -> None:
    added = d.add_task(session(), BOSS, task("A", owner="writer"))
    assert added is not None
    assert d.add_task(session(added), BOSS, task("A")) is None
    with pytest.raises(Conflict, match="another one"):
        d.add_task(session(added), BOSS, s.TaskAdded(task="A", subject=OTHER))


def test_what_a_task_waits_for_has_to_be_there() -> None:
    with pytest.raises(NotFound, match="no task 'B'"):
        d.add_task(session(), BOSS, task("A", blocked_by=("B",)))
    with pytest.raises(InvalidInput, match="is no owner"):
        d.add_task(session(), BOSS, task("A", owner="no owner"))


def test_only_a_coordinator_adds_tasks() -> None:
    for member in (WRITER, SUPERVISOR, GUEST):
        with pytest.raises(Denied, match="may not add task"):
            d.add_task(session(), member, task("A"))


def test_a_session_is_bounded() -> None:
    many = session(*(task(f"T{number}") for number in range(1000)))
    with pytest.raises(Conflict, match="1000 tasks"):
        d.add_task(many, BOSS, task("A"))
    crowd = session(
        *(
            s.MemberAdded(member=f"m{number}", role=MemberRole.WORKER, token="")
            for number in range(1000)
        )
    )
    with pytest.raises(Conflict, match="1000 members"):
        d.add_member(crowd, "writer", MemberRole.WORKER, "")


@pytest.mark.parametrize(("now", "then"), list(product(TaskStatus, TaskStatus)))
def test_a_task_moves_as_the_table_says(now: TaskStatus, then: TaskStatus) -> None:
    there = session(task("A"), moved("A", now))
    if (now, then) not in TASK_MOVES:
        with pytest.raises(Conflict, match="cannot become"):
            d.move_task(there, WRITER, "A", status=then, owner=None)
        return
    found = d.move_task(there, WRITER, "A", status=then, owner=None)
    assert found is None if now is then else found is not None
    if found is not None:
        assert evolve(there, found).tasks["A"].status is then


def test_a_checkpoint_that_is_completed_is_made_again_by_the_supervisor_alone() -> None:
    there = session(task("CHECKPOINT-001"), moved("CHECKPOINT-001", TaskStatus.COMPLETED))
    again = TaskStatus.IN_PROGRESS
    found = d.move_task(there, SUPERVISOR, "CHECKPOINT-001", status=again, owner=None)
    assert found is not None
    assert found.status is again


def test_a_task_waits_for_others() -> None:
    there = session(task("A"), task("B", blocked_by=("A",)))
    with pytest.raises(Conflict, match="waits for A"):
        d.move_task(there, WRITER, "B", status=TaskStatus.IN_PROGRESS, owner=None)
    done = evolve(there, moved("A", TaskStatus.COMPLETED))
    assert d.move_task(done, WRITER, "B", status=TaskStatus.IN_PROGRESS, owner="writer")


def test_a_worker_moves_its_own_tasks_only() -> None:
    there = session(task("A", owner="other"), task("B"))
    with pytest.raises(Denied, match="not for 'writer'"):
        d.move_task(there, WRITER, "A", status=TaskStatus.IN_PROGRESS, owner=None)
    with pytest.raises(Denied, match="not for 'writer'"):
        d.move_task(there, WRITER, "B", status=None, owner="other")
    assert d.move_task(there, BOSS, "A", status=None, owner="writer")


def test_a_checkpoint_is_the_supervisors_and_nothing_else_is() -> None:
    there = session(task("CHECKPOINT-001"), task("A"))
    for member in (BOSS, WRITER):
        with pytest.raises(Denied, match="the supervisor's to move"):
            d.move_task(there, member, "CHECKPOINT-001", status=TaskStatus.IN_PROGRESS, owner=None)
    with pytest.raises(Denied, match="not the supervisor's to move"):
        d.move_task(there, SUPERVISOR, "A", status=TaskStatus.IN_PROGRESS, owner=None)
    assert d.move_task(
        there, SUPERVISOR, "CHECKPOINT-001", status=TaskStatus.IN_PROGRESS, owner=None
    )


def test_a_checkpoint_in_progress_is_done_again() -> None:
    there = session(task("CHECKPOINT-001"), moved("CHECKPOINT-001", TaskStatus.IN_PROGRESS))
    reset = d.reset_task(there, "CHECKPOINT-001")
    assert reset is not None
    assert d.reset_task(evolve(there, reset), "CHECKPOINT-001") is None


def test_members_come_and_go() -> None:
    added = d.add_member(session(), "writer", MemberRole.WORKER, "hash")
    there = session(added)
    assert there.members["writer"].token == "hash"
    with pytest.raises(Conflict, match="takes part already"):
        d.add_member(there, "writer", MemberRole.WORKER, "hash")
    assert evolve(there, d.remove_member(there, "writer")).members == {}
    with pytest.raises(NotFound):
        d.remove_member(session(), "writer")


def test_a_token_that_was_not_delivered_gives_way_to_another_one() -> None:
    lost = d.add_member(session(), "writer", MemberRole.WORKER, "lost", awaits_delivery=True)
    there = session(lost)
    with pytest.raises(Conflict, match="takes part already"):
        d.add_member(there, "writer", MemberRole.OBSERVER, "hash")
    again = d.add_member(there, "writer", MemberRole.WORKER, "hash", awaits_delivery=True)
    there = evolve(there, again)
    assert there.members["writer"].token == "hash"
    with pytest.raises(Conflict, match="is void"):
        d.deliver_token(there, "writer", "lost")
    (delivered,) = d.deliver_token(there, "writer", "hash")
    there = evolve(there, delivered)
    assert d.deliver_token(there, "writer", "hash") == ()
    with pytest.raises(Conflict, match="takes part already"):
        d.add_member(there, "writer", MemberRole.WORKER, "third")


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("supervisor", MemberRole.WORKER),
        ("coordinator", MemberRole.WORKER),
        ("coordinator", MemberRole.OBSERVER),
        ("writer", MemberRole.SUPERVISOR),
        ("all", MemberRole.WORKER),
    ],
)
def test_names_that_mean_somebody_else_are_refused(name: str, role: MemberRole) -> None:
    with pytest.raises(InvalidInput, match="cannot be the name"):
        d.add_member(session(), name, role, "")


def test_a_run_listens_until_it_stops() -> None:
    here, there = RunId("here"), RunId("there")
    assert session(s.ResidentStarted(run=here)).resident == here
    assert session(s.ResidentStarted(run=here), s.ResidentStopped(run=here)).resident is None
    assert session(s.ResidentStarted(run=here), s.ResidentStopped(run=there)).resident == here


def test_files_and_refusals_are_remembered_and_not() -> None:
    refused = s.CallRefused(member="writer", call="task_create", reason="no")
    there = session(s.FileImported(path="a.md", artifact=TEXT), refused)
    assert there.files == {"a.md": TEXT}


def test_a_fact_of_something_else_is_a_bug() -> None:
    with pytest.raises(InternalError, match="no fact of a session"):
        evolve(SessionState(), Event())


def test_no_decision_of_a_person_is_on_a_list() -> None:
    words = {permission.value for allowed in PERMISSIONS.values() for permission in allowed}
    assert not words & {"approve", "reject", "override", "trust", "cancel", "teardown"}
    watching = {MemberPermission.READ, MemberPermission.WATCH_RUNS}
    assert PERMISSIONS[MemberRole.OBSERVER] == watching
