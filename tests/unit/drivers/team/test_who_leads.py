"""Who may make which call that leads a team: one table, the end of a team among it."""

from itertools import product
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
from tests.unit.drivers.team.control_scene import ADA, ControlScene

from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.control.sessions.desk import Caller
from supervisor_ai.control.sessions.members import caller_of, user_as_coordinator
from supervisor_ai.control.slice_names import register
from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.session.events import CallRefused
from supervisor_ai.domain.session.members import Member, MemberRole
from supervisor_ai.drivers.registry import SLICES
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.event_kinds.teardown import TeardownBegun
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import SentWord
from supervisor_ai.mcp.member_tools import MemberTools

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

register(SLICES)

SESSION: Final = SessionId("red")
NEW: Final[dict[str, object]] = {"member": "coder-9", "role": "coder"}
CALLS: Final[dict[str, dict[str, object]]] = {
    "team_handoff": {"epoch": 2},
    "team_join": NEW,
    "team_reconcile": {},
    "team_serve": {},
    "team_teardown": {},
    "team_delete": {},
}
TRIED: Final = tuple(it for it in CALLS if it != "team_serve")
"""A run needs a whole project: `tests/e2e/test_team_runs.py`."""


def session_member(name: str, role: MemberRole) -> Caller:
    return caller_of(Member(name=name, role=role), via="mcp", is_proven=True)


LEADS: Final = {
    "the user": user_as_coordinator(ADA),
    "the user's agent": session_member("coordinator", MemberRole.COORDINATOR),
    "a Lead with a token": session_member("chief", MemberRole.COORDINATOR),
}
OTHERS: Final = {
    "a coder": session_member("coder-1", MemberRole.WORKER),
    "a reviewer": session_member("rev", MemberRole.WORKER),
    "the supervisor": session_member("supervisor", MemberRole.SUPERVISOR),
    "an observer": session_member("eye", MemberRole.OBSERVER),
    "a coder with a token of a coordinator": session_member("coder-1", MemberRole.COORDINATOR),
    "a coordinator who is not in the team": session_member("boss", MemberRole.COORDINATOR),
    "a worker who is called lead": session_member("lead", MemberRole.WORKER),
}


class LedTeam(ControlScene):
    """A team with a second Lead, through the tools of whoever calls."""

    def __init__(self) -> None:
        super().__init__()
        self.staffed()
        self.join("chief", TeamRole.LEAD)

    def call(self, caller: Caller, name: str, **told: object) -> Any:
        project = cast("OpenProject", _Project(self))
        desk = self.teams.desk
        room = Room(project=project, desk=desk, session=SESSION, caller=caller)
        return MemberTools(room=room).call(name, told)

    def refused(self) -> list[tuple[str, str]]:
        events = [it.event for it in self.world.log.read(session_stream(SESSION))]
        return [(it.member, it.call) for it in events if isinstance(it, CallRefused)]


class _Project:
    """Gives a call the folders of the scene; nothing else is asked of it."""

    def __init__(self, scene: ControlScene) -> None:
        self.folders = lambda: scene.folders


@pytest.mark.parametrize(("who", "name"), list(product(OTHERS, CALLS)))
def test_nobody_but_a_lead_makes_a_call_of_the_lead(who: str, name: str) -> None:
    scene = LedTeam()
    before, version = scene.state, len(list(scene.teams.facts("red")))
    with pytest.raises(Denied):
        scene.call(OTHERS[who], name, **CALLS[name])
    assert scene.refused() == [(OTHERS[who].member.name, name)]
    assert len(list(scene.teams.facts("red"))) == version
    assert scene.state == before


@pytest.mark.parametrize(("who", "name"), list(product(LEADS, TRIED)))
def test_a_lead_makes_every_call_of_the_lead(who: str, name: str) -> None:
    scene = LedTeam()
    told = scene.call(LEADS[who], name, **CALLS[name])
    is_done = told.get("accepted", True) if isinstance(told, dict) else True
    assert is_done is (name != "team_delete")
    assert scene.refused() == []


def test_the_end_that_an_agent_begins_names_it_and_is_forced_by_nobody_else() -> None:
    scene, chief = LedTeam(), LEADS["a Lead with a token"]
    assert scene.call(chief, "team_teardown")["accepted"]
    (begun,) = (it for _, it in scene.teams.facts("red") if isinstance(it, TeardownBegun))
    assert begun.actor == "chief"
    assert begun.targets == ("coder-1", "rev")
    # Asking again forces nothing, and neither does deleting.
    assert scene.call(chief, "team_teardown")["accepted"]
    assert not scene.call(chief, "team_delete")["accepted"]
    assert not scene.call(chief, "team_ack", of="finalize")["accepted"]
    for _ in range(5):
        scene.wait(1)
        tend(scene.teams, "red", ADA)
    assert scene.state.teardown.candidate_at is not None
    assert not scene.call(OTHERS["a coder"], "team_ack", of="finalize")["accepted"]
    assert not scene.call(chief, "team_delete")["accepted"]
    assert scene.call(chief, "team_ack", of="finalize")["accepted"]
    assert scene.call(chief, "team_teardown")["accepted"]
    assert scene.state.teardown.status is TeardownStatus.READY_TO_DELETE
    assert scene.call(chief, "team_delete")["accepted"]
    assert b"coder-1" in scene.files["TEARDOWN.md"]


def test_two_leads_who_hand_over_one_epoch_through_tools_are_a_split_brain() -> None:
    scene = LedTeam()
    assert scene.call(LEADS["the user"], "team_handoff", epoch=2)["accepted"]
    told = scene.call(LEADS["a Lead with a token"], "team_handoff", epoch=2)
    assert told["event"] == "SPLIT_BRAIN_DETECTED"


def test_a_worker_who_is_called_lead_sends_nothing_as_the_lead() -> None:
    scene = LedTeam()
    scene.send("lead", SentWord.TASK_ADDED, task_id="1", subject="A form")
    told = {"event": "TASK_CANCELLED", "task_id": "1", "rev": 1, "actor": "lead", "epoch": 1}
    with pytest.raises(Denied, match="does not speak as 'lead'"):
        scene.call(OTHERS["a worker who is called lead"], "team_send", **told)
    assert scene.refused() == [("lead", "team_send")]
