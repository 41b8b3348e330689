"""A session of a user's project, opened as the verbs do."""

from dataclasses import dataclass

from tests.e2e.command import User

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.bus import Bus
from supervisor_ai.control.sessions.desk import NewSession, SessionDesk, open_desk, open_session
from supervisor_ai.control.sessions.members import Members, user_as_coordinator
from supervisor_ai.control.sessions.tasks import NewTask, Tasks
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.session.members import MemberRole


@dataclass(frozen=True)
class OwnSession:
    """The session, for the user who opened it."""

    project: OpenProject
    desk: SessionDesk
    name: SessionId

    @property
    def bus(self) -> Bus:
        return Bus(self.desk, self.name, user_as_coordinator(self.project.actor))

    @property
    def tasks(self) -> Tasks:
        return Tasks(self.desk, self.name, user_as_coordinator(self.project.actor))

    @property
    def members(self) -> Members:
        return Members(self.desk, self.name, self.project.actor)

    def token(self, name: str, role: MemberRole) -> str:
        return self.members.add(name, role)

    def facts(self) -> list[Event]:
        return [it.event for it in self.desk.log.read(session_stream(self.name))]


def open_own(user: User, name: str = "S1") -> OwnSession:
    """Open a session with one checkpoint to come."""
    project = open_project(user.repository, read_settings(user.environment))
    desk = open_desk(project)
    wanted = NewSession(name=name, team="blue", pipeline="full", requirement="A file.")
    session = OwnSession(project, desk, open_session(desk, wanted, project.actor))
    session.tasks.add(NewTask(task="CHECKPOINT-001", subject="Look at it."))
    return session
