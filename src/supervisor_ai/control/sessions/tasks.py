"""The tasks of a session: what its members have to do, and where that stands."""

from msgspec import Struct

from supervisor_ai.control.sessions.desk import Caller, SessionDesk
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import add_task, move_task, require, reset_task
from supervisor_ai.domain.session.members import MemberPermission
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.tasks import SessionTask, TaskStatus
from supervisor_ai.domain.terminal import plain

_SUBJECT = 2_000


class NewTask(Struct, frozen=True, kw_only=True):
    """Something to do."""

    task: str
    subject: str
    owner: str = ""
    blocked_by: tuple[str, ...] = ()


class SessionTaskView(Struct, frozen=True, kw_only=True):
    """A task as every door shows it."""

    id: str
    subject: str
    status: TaskStatus
    owner: str
    blocked_by: tuple[str, ...]


class Tasks:
    """One session's tasks, as one caller may use them."""

    def __init__(self, desk: SessionDesk, session: SessionId, caller: Caller) -> None:
        self._desk = desk
        self._caller = caller
        self._view = desk.view(session)

    def list(self) -> tuple[SessionTaskView, ...]:
        """Return all tasks in the order in which they were added."""
        require(self._caller.member, MemberPermission.READ)
        return tuple(map(self._shown, self._view.refresh().tasks.values()))

    def add(self, *tasks: NewTask) -> tuple[SessionTaskView, ...]:
        """Add tasks, all or none; a task that is there already as it is asked for is left alone."""
        wanted = [kept_task(self._desk, task) for task in tasks]

        def decide(session: SessionState) -> list[s.SessionEvent]:
            added: list[s.SessionEvent] = []
            for task in wanted:
                found = add_task(session, self._caller.member, task)
                if found is not None:
                    session = self._view.fold(session, found)
                    added.append(found)
            return added

        self._view.add(decide, self._caller.actor)
        return tuple(self._shown(self._view.state.tasks[task.task]) for task in tasks)

    def update(
        self, task: str, *, status: TaskStatus | None = None, owner: str | None = None
    ) -> SessionTaskView:
        """Let a task stand elsewhere, or be somebody else's; doing it twice is harmless."""

        def decide(session: SessionState) -> tuple[s.SessionEvent, ...]:
            moved = move_task(session, self._caller.member, task, status=status, owner=owner)
            return () if moved is None else (moved,)

        self._view.add(decide, self._caller.actor)
        return self._shown(self._view.state.tasks[task])

    def reset(self, task: str) -> SessionTaskView:
        """Let a checkpoint be done from its beginning, whose supervisor died."""

        def decide(session: SessionState) -> tuple[s.SessionEvent, ...]:
            moved = reset_task(session, task)
            return () if moved is None else (moved,)

        self._view.add(decide, self._caller.actor)
        return self._shown(self._view.state.tasks[task])

    def _shown(self, task: SessionTask) -> SessionTaskView:
        return SessionTaskView(
            id=task.task,
            subject=self._desk.text(task.subject),
            status=task.status,
            owner=task.owner,
            blocked_by=task.blocked_by,
        )


def kept_task(desk: SessionDesk, task: NewTask) -> s.TaskAdded:
    """Check something to do, and keep its words."""
    if not task.subject.strip() or len(task.subject) > _SUBJECT:
        raise InvalidInput(
            f"The subject of task {task.task[:80]!r} has {len(task.subject)} characters.",
            hint=f"Say in 1 to {_SUBJECT} characters what there is to do.",
        )
    return s.TaskAdded(
        task=task.task,
        subject=desk.keep(plain(task.subject)),
        owner=task.owner,
        blocked_by=task.blocked_by,
    )
