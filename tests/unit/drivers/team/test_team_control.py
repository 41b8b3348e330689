"""Teams through control: made, joined, told, shown in state.md, torn down and deleted."""

import pytest
from tests.unit.drivers.team.control_scene import ADA, STATE, ControlScene

from supervisor_ai.control.sessions.bus import Bus
from supervisor_ai.control.sessions.members import Members, user_as_coordinator
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.drivers.team.commands.create import WantedTeam, create_team
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.join import (
    WantedMember,
    confirm_token,
    join_team,
    leave_team,
)
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.send import (
    EventForm,
    acknowledge,
    hand_off,
    send_event,
)
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.teardown import (
    begin_teardown,
    delete_team,
    finish_teardown,
)
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.liveness import ActivityNoted
from supervisor_ai.drivers.team.event_kinds.reconcile import StateDiverged
from supervisor_ai.drivers.team.folder.model import LOG_SHOWN, StatePage
from supervisor_ai.drivers.team.folder.state_reader import read_state
from supervisor_ai.drivers.team.machines.reconcile import LockStatus
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.stream import TEAM_STREAM, team_stream
from supervisor_ai.drivers.team.words import SentWord as W
from supervisor_ai.drivers.team.words import WaitReason


@pytest.fixture
def scene() -> ControlScene:
    return ControlScene()


def test_a_new_team_has_a_folder_with_both_files(scene: ControlScene) -> None:
    assert set(scene.files) >= {STATE}
    assert "# Team: red" in scene.page
    assert "## Complexity: SIMPLE" in scene.page


def test_a_team_is_made_once(scene: ControlScene) -> None:
    with pytest.raises(Conflict, match="already"):
        create_team(scene.teams, WantedTeam(name="red", directory="/x"), ADA)
    with pytest.raises(InvalidInput, match="one coder"):
        create_team(scene.teams, WantedTeam(name="blue", directory="/x", most_coders=0), ADA)
    with pytest.raises(NotFound, match="no team 'blue'"):
        scene.teams.state("blue")
    bare = TeamDesk(desk=scene.teams.desk)
    with pytest.raises(InvalidInput, match="files"):
        create_team(bare, WantedTeam(name="blue", directory="/x"), ADA)


def test_the_state_is_handed_over_and_acknowledged(scene: ControlScene) -> None:
    assert hand_off(scene.teams, "red", 1, ADA).accepted
    answer = acknowledge(scene.teams, "red", 1, ADA)
    assert (answer.accepted, answer.event) == (True, "STATE_OWNERSHIP_ACK")
    assert "operational_state_owner: supervisor@1" in scene.page
    assert scene.said("coordinator") == [("coordinator", "STATE_OWNERSHIP_ACK")]


def test_members_join_in_their_order_with_tokens_of_their_own(scene: ControlScene) -> None:
    with pytest.raises(Conflict, match="supervisor comes first"):
        scene.join("coder-1", TeamRole.CODER)
    scene.staffed()
    joined = scene.join("coder-2", TeamRole.CODER)
    members = Members(scene.teams.desk, SessionId("red"), ADA)
    assert members.find(joined.token, via="mcp").member.name == "coder-2"
    scene.join("coder-3", TeamRole.CODER)
    with pytest.raises(Conflict, match="the most"):
        scene.join("coder-4", TeamRole.CODER)
    assert "coder-3 (coder): ACTIVE" in scene.page


@pytest.mark.parametrize("name", ["lead", "supervisor", "all", "rev"])
def test_nobody_joins_under_the_name_of_another(scene: ControlScene, name: str) -> None:
    scene.staffed()
    with pytest.raises(Conflict, match="taken"):
        scene.join(name, TeamRole.TECH_LEAD)


def test_a_token_that_was_lost_is_made_again_by_the_same_call_alone(scene: ControlScene) -> None:
    lost = scene.staffed().join("coder-2", TeamRole.CODER)
    again = scene.join("coder-2", TeamRole.CODER)
    with pytest.raises(Conflict, match="is void"):
        confirm_token(scene.teams, "red", lost, ADA)
    with pytest.raises(Conflict, match="taken"):
        scene.join("coder-2", TeamRole.TECH_LEAD)
    confirm_token(scene.teams, "red", again, ADA)
    with pytest.raises(Conflict, match="taken"):
        scene.join("coder-2", TeamRole.CODER)
    assert again.token != lost.token


def test_a_member_whose_token_was_never_made_joins_again(scene: ControlScene) -> None:
    scene.staffed().join("coder-2", TeamRole.CODER)
    session = scene.teams.created("red").session
    Members(scene.teams.desk, session, ADA).remove("coder-2")
    token = scene.join("coder-2", TeamRole.CODER).token
    assert Members(scene.teams.desk, session, ADA).find(token, via="mcp").member.name == "coder-2"
    with pytest.raises(Conflict, match="taken"):
        scene.join("coder-2", TeamRole.CODER)


def test_a_supervisor_is_no_member(scene: ControlScene) -> None:
    with pytest.raises(InvalidInput, match="no member with a token"):
        scene.join("boss", TeamRole.SUPERVISOR)
    wanted = WantedMember(name="x", role=TeamRole.CODER, capabilities=("a",) * 21)
    with pytest.raises(InvalidInput, match="capabilities"):
        join_team(scene.teams, "red", wanted, ADA)


def test_who_leaves_loses_the_token_and_may_come_back(scene: ControlScene) -> None:
    token = scene.staffed().join("coder-2", TeamRole.CODER).token
    assert leave_team(scene.teams, "red", "coder-2", ADA).accepted
    assert leave_team(scene.teams, "red", "coder-2", ADA).accepted
    with pytest.raises(Denied):
        Members(scene.teams.desk, SessionId("red"), ADA).find(token, via="mcp")
    with pytest.raises(NotFound):
        leave_team(scene.teams, "red", "nobody", ADA)
    assert scene.join("coder-2", TeamRole.CODER).token != token


def test_an_event_is_decided_recorded_told_and_shown(scene: ControlScene) -> None:
    scene.staffed()
    scene.wait(1)
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="Add a /health endpoint")
    scene.send("coder-1", W.CLAIM, task_id="1", files=("src/health.py",))
    answer = scene.send("coder-1", W.STUCK, task_id="1")
    assert (answer.accepted, answer.event) == (True, "STUCK")
    assert ("coordinator", "STUCK") in scene.said()
    scene.wait(1)
    project_state(scene.teams, "red", ADA)
    assert "- #1: Add a /health endpoint — STUCK (coder-1)" in scene.page


def test_what_is_said_is_said_once_whoever_says_it(scene: ControlScene) -> None:
    scene.staffed()
    before = scene.said()
    assert deliver(scene.teams, "red") == 0
    assert deliver(scene.desk(), "red") == 0
    assert scene.said() == before


def test_a_crash_between_saying_and_noting_says_nothing_twice(scene: ControlScene) -> None:
    scene.staffed()
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="x")
    scene.send("coder-1", W.CLAIM, task_id="1")
    scene.send("coder-1", W.STUCK, task_id="1")
    said = scene.said()
    old = ControlScene.__new__(ControlScene)
    old.world, old.folders, old.files = scene.world, scene.folders, scene.files
    old.teams = scene.desk()
    # Whoever did not hear that it was noted says it again, with the same key.
    view = old.teams.view("red")
    view.refresh()
    view.state = type(view.state)(
        **{name: getattr(view.state, name) for name in view.state.__struct_fields__}
        | {"delivered": 0}
    )
    deliver(old.teams, "red")
    assert scene.said() == said


def test_secrets_reach_neither_messages_nor_files(scene: ControlScene) -> None:
    scene.staffed()
    scene.wait(1)
    token = "ghp_" + "a1B2" * 9
    scene.send("lead", W.TASK_ADDED, task_id="1", subject=f"Use {token}")
    scene.send("coder-1", W.SECURITY_INCIDENT, subject=f"I saw {token}")
    project_state(scene.teams, "red", ADA)
    assert token not in scene.page
    assert "[REDACTED_SECRET]" in scene.page
    told = [it for it in scene.said() if it == ("coordinator", "ROUTED")]
    assert told


@pytest.mark.parametrize(
    "fields",
    [
        {"task_id": "no name"},
        {"owner": "-"},
        {"actor": ""},
        {"files": ("x" * 301,)},
        {"files": ("x",) * 201},
        {"needs": ("a b",)},
        {"needs": ("a",) * 21},
        {"issue": "x" * 201},
        {"tool": "x" * 81},
        {"subject": "x" * 4001},
        {"request": "x" * 4001},
        {"rev": -1},
        {"epoch": -1},
    ],
)
def test_what_is_no_event_is_refused_whoever_sends_it(
    scene: ControlScene, fields: dict[str, object]
) -> None:
    form = EventForm(event=W.HEARTBEAT, **fields)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        send_event(scene.teams, "red", "lead", form, ADA)


def test_an_outside_edit_is_kept_and_undone_where_nothing_in_work_is_touched(
    scene: ControlScene,
) -> None:
    scene.staffed()
    good = scene.page
    scene.files[STATE] = good.replace("## Team Roster", "## Team Roster\n- evil: ACTIVE").encode()
    assert project_state(scene.teams, "red", ADA)
    assert "evil" not in scene.page.partition("## Event Log")[0]
    kept = [
        scene.teams.desk.text(fact.edit)
        for _, fact in scene.teams.facts("red")
        if isinstance(fact, StateDiverged) and fact.edit
    ]
    assert ["- evil: ACTIVE" in text for text in kept] == [True]
    words = [fact.word for _, fact in scene.teams.facts("red")]
    assert words[words.index("STATE_DIVERGENCE") :][:4] == [
        "STATE_DIVERGENCE",
        "RECONCILE_LOCK_ENTER",
        "ROLLBACK_TRAIL",
        "RECONCILE_LOCK_EXIT",
    ]
    assert scene.state.lock is LockStatus.OPEN


def edited_task(scene: ControlScene) -> ControlScene:
    """Let somebody say in the file that a task in work is done."""
    scene.staffed()
    scene.wait(1)
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="x")
    scene.send("coder-1", W.CLAIM, task_id="1")
    scene.wait(1)
    project_state(scene.teams, "red", ADA)
    edited = scene.page.replace("- #1: x — IN_PROGRESS (coder-1)", "- #1: x — DONE (coder-1)")
    scene.files[STATE] = edited.encode()
    project_state(scene.teams, "red", ADA)
    return scene


def test_a_rollback_that_touches_a_task_in_work_waits_for_the_lead(scene: ControlScene) -> None:
    edited_task(scene)
    assert scene.state.lock is LockStatus.AWAITING_ACK
    assert "DONE (coder-1)" not in scene.page
    assert "- state_lock: RECONCILE_LOCK" in scene.page
    assert "STATE_DIVERGENCE" in scene.page
    assert ("coordinator", "ROLLBACK_TRAIL") in scene.said()
    assert not scene.send("coder-1", W.STUCK, task_id="1").accepted
    assert scene.send("lead", W.RECONCILE_ACK).event == "RECONCILE_LOCK_EXIT"
    project_state(scene.teams, "red", ADA)
    assert "- #1: x — IN_PROGRESS (coder-1)" in scene.page
    assert scene.send("coder-1", W.STUCK, task_id="1").accepted


def test_a_second_edit_under_the_lock_is_kept_as_well(scene: ControlScene) -> None:
    edited_task(scene)
    scene.files[STATE] += b"more\n"
    project_state(scene.teams, "red", ADA)
    project_state(scene.teams, "red", ADA)
    words = [fact.word for _, fact in scene.teams.facts("red")]
    assert words.count("STATE_DIVERGENCE") == 2
    assert scene.state.lock is LockStatus.AWAITING_ACK
    scene.send("lead", W.RECONCILE_ACK)
    assert project_state(scene.teams, "red", ADA)
    assert "more\n" not in scene.page


def test_a_forged_snapshot_freezes_the_state_until_the_lead_settles_it(
    scene: ControlScene,
) -> None:
    scene.staffed()
    newest = scene.state.reconcile.newest
    assert newest is not None
    forged = scene.page.replace(newest.snapshot_hash, "0" * 64)
    scene.files[STATE] = forged.encode()
    project_state(scene.teams, "red", ADA)
    assert scene.state.lock is LockStatus.FROZEN
    assert not hand_off(scene.teams, "red", 2, ADA).accepted
    assert scene.send("lead", W.RECONCILE_ACK).accepted
    assert project_state(scene.teams, "red", ADA)
    assert newest.snapshot_hash not in scene.page


def test_an_edit_before_the_first_snapshot_of_an_owner_freezes(scene: ControlScene) -> None:
    scene.files[STATE] += b"edit\n"
    project_state(scene.teams, "red", ADA)
    assert scene.state.lock is LockStatus.FROZEN
    assert ("coordinator", "SNAPSHOT_NOT_FOUND") in scene.said()


def test_a_file_that_somebody_removed_is_written_again(scene: ControlScene) -> None:
    scene.staffed()
    del scene.files[STATE]
    assert project_state(scene.teams, "red", ADA)
    assert "# Team: red" in scene.page
    words = [fact.word for _, fact in scene.teams.facts("red")]
    assert "STATE_DIVERGENCE" in words


def test_a_crash_between_ledger_and_file_is_no_divergence(scene: ControlScene) -> None:
    scene.staffed()
    old = scene.page
    scene.join("tech", TeamRole.TECH_LEAD)
    scene.files[STATE] = old.encode()
    assert project_state(scene.desk(), "red", ADA)
    assert "tech (tech-lead): ACTIVE" in scene.page
    assert "STATE_DIVERGENCE" not in [fact.word for _, fact in scene.teams.facts("red")]


def test_a_page_is_written_once_for_what_it_shows(scene: ControlScene) -> None:
    scene.staffed()
    index = scene.state.index
    assert project_state(scene.teams, "red", ADA)
    assert scene.state.index == index
    assert not project_state(TeamDesk(desk=scene.teams.desk), "red", ADA)


def test_the_end_of_a_team(scene: ControlScene) -> None:
    scene.staffed()
    assert not delete_team(scene.teams, "red", ADA).accepted
    assert begin_teardown(scene.teams, "red", ADA).event == TeardownStatus.WAITING_ACKS
    assert ("coder-1", "SHUTDOWN_REQUESTED") in scene.said()
    assert not finish_teardown(scene.teams, "red", ADA)
    for name in ("coder-1", "rev"):
        assert scene.send(name, W.SHUTDOWN_ACK).accepted
    assert finish_teardown(scene.teams, "red", ADA)
    assert scene.state.teardown.status is TeardownStatus.READY_TO_DELETE
    assert b"- coder-1: ACK" in scene.files["TEARDOWN.md"]
    assert delete_team(scene.teams, "red", ADA).accepted
    assert delete_team(scene.teams, "red", ADA).event == TeardownStatus.TEAM_DELETED
    assert scene.teams.desk.view(SessionId("red")).refresh().is_closed
    assert not scene.send("coder-1", W.SHUTDOWN_ACK).accepted


def test_the_kept_state_is_what_the_facts_lead_to(scene: ControlScene) -> None:
    scene.staffed()
    documents, log = scene.teams.desk.documents, scene.teams.desk.log
    view = scene.teams.view("red")
    view.keep(every=1)
    again = TEAM_STREAM.fold.again(log, team_stream("red"), documents, upto=view.version)
    assert again.state == documents.encode(view.refresh())


def test_the_words_of_messages_can_be_changed_while_the_team_works() -> None:
    scene = ControlScene().staffed()
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="x")
    scene.send("coder-1", W.CLAIM, task_id="1")
    scene.files["messages.txt"] = b"gentle_ping = Hello {member}\nnonsense\n"
    scene.wait(16)
    tend(scene.teams, "red", ADA)
    bus = Bus(scene.teams.desk, SessionId("red"), user_as_coordinator(ADA))
    assert [it.summary for it in bus.list(last=9) if it.type == "PING"] == ["Hello coder-1"]
    shelf = scene.teams.shelf("red")
    assert shelf is not None
    assert shelf.messages().problems == ("messages.txt:2: 'nonsense' is no NAME = TEXT.",)
    scene.files["messages.txt"] = b"x" * (1 << 20)
    assert len(shelf.messages().problems) == 1


def test_a_page_names_what_it_does_not_show_by_the_hash_of_the_ledger() -> None:
    scene = ControlScene().staffed()

    def beats(state: TeamState) -> tuple[TeamFact, ...]:
        turn = TeamTurn(state, scene.teams.desk.now())
        for _ in range(LOG_SHOWN):
            turn.add(ActivityNoted(**turn.by("coder-1"), wait=WaitReason.CODING))
        return tuple(turn.facts)

    scene.teams.view("red").add(beats, ADA)
    scene.send("lead", W.TASK_ADDED, task_id="1", subject="x")
    scene.wait(1)
    project_state(scene.teams, "red", ADA)
    page = read_state(scene.files[STATE])
    assert isinstance(page, StatePage)
    assert page.earlier > LOG_SHOWN
    [newest] = scene.teams.envelopes("red", after=page.earlier - 1, upto=page.earlier)
    assert page.earlier_hash == newest.hash
    assert scene.teams.state("red").reconcile.is_open
