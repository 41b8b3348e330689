"""A team with a ledger, a bus and a folder in memory."""

from datetime import timedelta

from tests.support.memory_session_files import MemorySessionFolders

from supervisor_ai.control.sessions.bus import Bus
from supervisor_ai.control.sessions.desk import desk_of
from supervisor_ai.control.sessions.members import user_as_coordinator
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.create import WantedTeam, create_team
from supervisor_ai.drivers.team.commands.join import JoinedMember, WantedMember, join_team
from supervisor_ai.drivers.team.commands.send import (
    EventForm,
    acknowledge,
    filled,
    hand_off,
    send_event,
)
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import SentWord
from supervisor_ai.engine.world import World
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.world import fake_world

ADA = Actor(kind=ActorKind.USER, id="ada", via="cli", verified=True)
HOME = "/work/.claude/teams/red"
STATE = "state.md"


class ControlScene:
    """A team, as commands see it."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or replace(fake_world(), redactor=RuleRedactor())
        self.folders = MemorySessionFolders()
        self.files = self.folders.files.setdefault(HOME, {})
        self.teams = self.desk()
        create_team(self.teams, WantedTeam(name="red", directory=HOME), ADA)

    def desk(self) -> TeamDesk:
        """Open the team as another process would."""
        return TeamDesk(desk=desk_of(self.world), folders=self.folders)

    @property
    def state(self) -> TeamState:
        return self.teams.state("red")

    def wait(self, minutes: float = 0, *, seconds: float = 0) -> None:
        clock = self.world.clock
        assert isinstance(clock, FakeClock)
        clock.advance(timedelta(minutes=minutes, seconds=seconds))

    def join(self, name: str, role: TeamRole) -> JoinedMember:
        return join_team(self.teams, "red", WantedMember(name=name, role=role), ADA)

    def send(self, sender: str, event: SentWord, **fields: object) -> TeamAnswer:
        form = EventForm(event=event, **fields)  # type: ignore[arg-type]
        whole = filled(self.state, form, sender)
        return send_event(self.teams, "red", sender, whole, ADA)

    def staffed(self) -> "ControlScene":
        """Hand over and let the usual people join."""
        hand_off(self.teams, "red", 1, ADA)
        acknowledge(self.teams, "red", 1, ADA)
        self.join("rev", TeamRole.UNIFIED_REVIEWER)
        self.join("coder-1", TeamRole.CODER)
        return self

    def said(self, to: str | None = None) -> list[tuple[str, str]]:
        bus = Bus(self.teams.desk, SessionId("red"), user_as_coordinator(ADA))
        return [(it.to, it.type) for it in bus.list(last=100) if to in {None, it.to}]

    @property
    def page(self) -> str:
        return self.files[STATE].decode()
