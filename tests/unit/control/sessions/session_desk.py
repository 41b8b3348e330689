"""A desk of sessions in memory, and who makes calls on it."""

from typing import TYPE_CHECKING, cast

from supervisor_ai.control.sessions.bus import Bus
from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.control.sessions.desk import (
    Caller,
    NewSession,
    SessionDesk,
    desk_of,
    open_session,
)
from supervisor_ai.control.sessions.members import caller_of, user_as_coordinator
from supervisor_ai.control.sessions.tasks import Tasks
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.session.members import Member, MemberRole
from supervisor_ai.engine.world import World
from supervisor_ai.testing.world import fake_world

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

ADA = Actor(kind=ActorKind.USER, id="ada", via="cli", verified=True)
BOSS = user_as_coordinator(ADA)


def member(name: str, role: MemberRole = MemberRole.WORKER) -> Caller:
    """Make somebody who takes part."""
    return caller_of(Member(name=name, role=role), via="test")


class SessionScene:
    """A session with a bus and tasks."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or fake_world()
        self.desk: SessionDesk = desk_of(self.world)
        wanted = NewSession(
            name="S1", team="blue", pipeline="spec-only", requirement="A health endpoint."
        )
        self.session: SessionId = open_session(self.desk, wanted, ADA)

    def bus(self, caller: Caller = BOSS) -> Bus:
        return Bus(self.desk, self.session, caller)

    def tasks(self, caller: Caller = BOSS) -> Tasks:
        return Tasks(self.desk, self.session, caller)

    def room(self, caller: Caller = BOSS) -> Room:
        # No call of the bus asks anything of the project.
        project = cast("OpenProject", None)
        return Room(project=project, desk=self.desk, session=self.session, caller=caller)

    def types(self) -> list[str]:
        return [it.type for it in self.world.log.read(session_stream(self.session))]
