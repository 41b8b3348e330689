"""How a session begins: its pipeline's tasks are there with it, and its folder after it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.pipelines import Pipelines
from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.control.sessions.desk import (
    NewSession,
    SessionDesk,
    new_session,
    opened_fact,
)
from supervisor_ai.control.sessions.folder.folder_desk import (
    JSON_BYTES,
    TEAM,
    FolderReport,
    open_folder,
    read_object,
)
from supervisor_ai.control.sessions.folder.folder_export import export_folder
from supervisor_ai.control.sessions.folder.folder_import import import_folder
from supervisor_ai.control.sessions.members import user_as_coordinator
from supervisor_ai.control.sessions.tasks import NewTask, kept_task
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import add_task
from supervisor_ai.domain.session.members import COORDINATOR
from supervisor_ai.domain.session.pipeline import Pipeline, PipelineTask
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.tools.json_value import BadJson, JsonValue

_TEAM_NAME: Final = "team"
_SLUG: Final = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH: Final = 40


class WantedSession(Struct, frozen=True, kw_only=True):
    """What a person says about a new session."""

    name: str | None
    title: str | None
    pipeline: str
    team: str | None = None
    requirement: str | None = None
    directory: str | None = None
    """The team's own folder; None: a place of ours."""
    supervision: bool | None = None
    """None: as the folder or the pipeline has it."""


class PlannedSession(Struct, frozen=True, kw_only=True):
    """A session that could begin."""

    new: NewSession
    folder: str
    tasks: tuple[PipelineTask, ...]
    states: Mapping[str, TaskStatus] = {}
    """How far the tasks are already, as the folder says; a checkpoint is made anew."""


class SessionOffice(Struct, frozen=True, kw_only=True):
    """What beginning a session takes."""

    project: OpenProject
    desk: SessionDesk
    folders: SessionFolders
    pipelines: Pipelines
    actor: Actor

    def room(self, session: SessionId) -> Room:
        """Let the user of this machine make calls, as the coordinator."""
        caller = user_as_coordinator(self.actor)
        return Room(project=self.project, desk=self.desk, session=session, caller=caller)


def plan_session(office: SessionOffice, wanted: WantedSession) -> PlannedSession:
    """Say how a session would begin; nothing is written."""
    name = _name(office.desk, wanted)
    pipeline = office.pipelines.find(wanted.pipeline)
    folder = office.folders.choose(name, wanted.directory)
    known = _team_file(office.folders, folder)
    supervision = _supervision(wanted, known, pipeline)
    new = NewSession(
        name=name,
        team=wanted.team or _text(known, "team_name") or _TEAM_NAME,
        pipeline=pipeline.name,
        requirement=wanted.requirement or wanted.title or _text(known, "requirement") or name,
        supervision=supervision,
        folder=folder,
    )
    tasks = pipeline.begun(supervision=supervision)
    return PlannedSession(new=new, folder=folder, tasks=tasks, states=_states(known))


def start_session(office: SessionOffice, planned: PlannedSession) -> SessionId:
    """Begin a session with all its tasks, all or nothing."""
    desk, name = office.desk, SessionId(planned.new.name)
    opened = opened_fact(desk, planned.new)
    wanted = [kept_task(desk, _new_task(task)) for task in planned.tasks]
    view, coordinator = desk.view(name), user_as_coordinator(office.actor).member

    def decide(session: SessionState) -> list[s.SessionEvent]:
        begun: list[s.SessionEvent] = [new_session(session, name, opened)]
        session = view.fold(session, opened)
        for task in wanted:
            if add_task(session, coordinator, task) is not None:
                session = view.fold(session, task)
                begun.append(task)
        return [*begun, *_moved(session, planned.states)]

    view.add(decide, office.actor)
    return name


def sync_folder(
    office: SessionOffice, session: SessionId, directory: str | None = None
) -> tuple[FolderReport, FolderReport]:
    """Import what a folder has, then export what it lacks; return what came of both."""
    desk = open_folder(office.desk, session, office.folders, directory, office.actor)
    return import_folder(desk), export_folder(desk)


def _states(known: Mapping[str, JsonValue]) -> dict[str, TaskStatus]:
    """Read how far a team's tasks are: who begins a session with a folder says that it counts."""
    told = known.get("tasks")
    rows = [it for it in told if isinstance(it, dict)] if isinstance(told, list) else []
    return {
        str(row.get("id")): status
        for row in rows
        for status in TaskStatus
        if row.get("status") == status.value
    }


def _moved(session: SessionState, states: Mapping[str, TaskStatus]) -> Iterator[s.TaskMoved]:
    for name, task in session.tasks.items():
        status = states.get(name, task.status)
        if status is not task.status and not task.is_checkpoint:
            yield s.TaskMoved(task=name, status=status, owner=task.owner, by=COORDINATOR)


def _new_task(task: PipelineTask) -> NewTask:
    return NewTask(
        task=task.task, subject=task.subject, owner=task.owner, blocked_by=task.blocked_by
    )


def _name(desk: SessionDesk, wanted: WantedSession) -> str:
    """Return the name that a person chose, or make one of the title that is still free."""
    if wanted.name is not None:
        return wanted.name
    slug = _SLUG.sub("-", (wanted.title or "").lower())[:_SLUG_LENGTH].strip("-")
    if not slug:
        raise InvalidInput(
            "The session needs a name.", hint="Write NAME, or --title with some letters in it."
        )
    taken = {row.id for row in desk.queries.sessions()}
    names = (slug, *(f"{slug}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _team_file(folders: SessionFolders, folder: str) -> Mapping[str, JsonValue]:
    """Return what a team's own folder says of it; one that cannot be read says nothing yet."""
    try:
        content = folders.fetch(folder, TEAM, JSON_BYTES)
        return {} if content is None else read_object(content)
    except (BadJson, InvalidInput):
        return {}


def _supervision(wanted: WantedSession, known: Mapping[str, JsonValue], pipeline: Pipeline) -> bool:
    if wanted.supervision is not None:
        return wanted.supervision
    return pipeline.supervision and known.get("supervision") is not False


def _text(known: Mapping[str, JsonValue], key: str) -> str:
    found = known.get(key)
    return found.strip() if isinstance(found, str) else ""
