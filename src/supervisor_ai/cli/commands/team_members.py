"""Agents of the user's as members of a team: a checkout, settings and a start line for each."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.cli.commands.team_words import open_teams
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.drivers.team.decisions.bridge import OWNERS
from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, TeamRole

if TYPE_CHECKING:
    from supervisor_ai.drivers.team.sent import TeamAnswer

_MEMBER: Final = re.compile(
    r"(claude|codex|gemini):([A-Za-z][\w.-]{0,63})(?::([a-z-]+))?", re.ASCII
)
_SHORT: Final = {"reviewer": "unified-reviewer", "rev": "unified-reviewer"}


class NewMember(Struct, frozen=True, kw_only=True):
    """An agent that is to be a member."""

    agent: str
    name: str
    role: TeamRole


ReadyMember = dict[str, str | None]
"""A member that can be started: its name, agent, role and directory, the command line that starts
it there, and the token of one that connects over HTTP.
"""


def read_members(given: Sequence[str]) -> list[NewMember]:
    """Read the members of a team that does not exist yet; refuse those that could not all join."""
    found = [read_member(it) for it in given]
    twice = [it.name for it in found if [one.name for one in found].count(it.name) > 1]
    if twice:
        raise InvalidInput(f"Two members are called {twice[0]!r}.")
    roles = {it.role for it in found}
    if roles.intersection(OWNERS) and not roles.intersection(REVIEWERS):
        raise InvalidInput(
            "Somebody has to review what coders do, and no member is a reviewer.",
            hint="Add one, such as --member codex:reviewer-1",
        )
    return found


def read_member(given: str) -> NewMember:
    """Read `AGENT:NAME` or `AGENT:NAME:ROLE`; without a role, the name says it: `coder-1`."""
    found = _MEMBER.fullmatch(given)
    said = "" if found is None else found[3] or re.sub(r"[-_.]?[0-9]+$", "", found[2])
    role = _SHORT.get(said, said)
    if found is None or role not in set(TeamRole) - {TeamRole.SUPERVISOR}:
        roles = ", ".join(it for it in TeamRole if it is not TeamRole.SUPERVISOR)
        raise InvalidInput(
            f"{given[:80]!r} is no member: expected AGENT:NAME, or AGENT:NAME:ROLE.",
            hint=f"Example: claude:coder-1. Agents: claude, codex, gemini. Roles: {roles}.",
        )
    return NewMember(agent=found[1], name=found[2], role=TeamRole(role))


def staff(
    invocation: Invocation, team: str, members: Sequence[NewMember], tasks: Sequence[str]
) -> list[ReadyMember]:
    """Hand the state over, let members join in their order, and add the first tasks."""
    from supervisor_ai.drivers.team.commands.projection import project_state
    from supervisor_ai.drivers.team.commands.send import (
        EventForm,
        acknowledge,
        filled,
        hand_off,
        send_event,
    )
    from supervisor_ai.drivers.team.words import SentWord

    teams, actor = open_teams(invocation)
    _require(hand_off(teams, team, None, actor))
    _require(acknowledge(teams, team, teams.state(team).ownership.offered, actor))
    in_order = sorted(members, key=lambda it: (it.role is TeamRole.CODER, it.role not in REVIEWERS))
    ready = {it.name: make_ready(invocation, team, it) for it in in_order}
    for number, subject in enumerate(tasks, start=1):
        added = EventForm(event=SentWord.TASK_ADDED, task_id=str(number), subject=subject)
        whole = filled(teams.state(team), added, TeamRole.LEAD)
        _require(send_event(teams, team, TeamRole.LEAD, whole, actor))
    # A burst of events is shown in state.md by one page, and this is its end.
    project_state(teams, team, actor)
    return [ready[it.name] for it in members]


def _require(answer: "TeamAnswer") -> None:
    if not answer.accepted:
        raise Conflict(f"{answer.event}: {answer.reason}")


def make_ready(invocation: Invocation, team: str, new: NewMember) -> ReadyMember:
    """Let an agent join, with a checkout, its settings and the line that starts it."""
    from supervisor_ai.bootstrap.projects import open_linked_checkouts
    from supervisor_ai.control.ports.agent_installation import AgentWish, InstallationScope
    from supervisor_ai.drivers.team.commands.join import WantedMember, join_team

    teams, actor = open_teams(invocation)
    leads = new.role is TeamRole.LEAD
    wanted = WantedMember(name=new.name, role=new.role)
    token = None if leads else join_team(teams, team, wanted, actor).token
    checkouts = open_linked_checkouts(invocation.directory, invocation.settings)
    place = checkouts.make(team, new.name)
    wish = AgentWish(
        agent=new.agent,
        scope=InstallationScope.PROJECT,
        role=MemberRole.COORDINATOR if leads else MemberRole.WORKER,
        session=team,
        # Who leads for the user is the coordinator of the session, whatever it is called here.
        member=None if leads else new.name,
        team_role=new.role,
        git_directories=checkouts.git_directories(place, team),
    )
    plan = Invocation(directory=place).agent_installer().plan_install(wish)
    plan.apply()
    checkouts.hide(place, [it.path for it in plan.changes])
    return {
        "member": new.name,
        "agent": new.agent,
        "role": new.role.value,
        "directory": str(place),
        "start": plan.start,
        "token": token,
    }


def say_members(members: Sequence[ReadyMember]) -> None:
    """Say how each member is started, each in a terminal of its own."""
    for it in members:
        say(f"\n{it['member']} ({it['role']}, {it['agent']}), in a terminal of its own:")
        say(f"  cd {it['directory']}\n  {it['start']}")
    say("")
