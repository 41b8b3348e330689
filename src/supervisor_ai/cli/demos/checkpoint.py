"""`supervisor demo checkpoint`: a block, a revision and a pass, with a scripted judge."""

import shutil
from typing import Final

from supervisor_ai.cli.commands.checkpoint_pages import checkpoint_page
from supervisor_ai.cli.demos.project import Demo, open_demo
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.output import say, write
from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.commands.run_start import submit
from supervisor_ai.control.sessions.bus import Bus, Post
from supervisor_ai.control.sessions.desk import open_desk
from supervisor_ai.control.sessions.members import user_as_coordinator
from supervisor_ai.control.sessions.start import WantedSession, plan_session, start_session
from supervisor_ai.control.sessions.tasks import Tasks
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.commands.requests import CheckpointWish, request_checkpoint
from supervisor_ai.drivers.checkpoint.commands.start import SupervisorRequest, prepare_supervisor
from supervisor_ai.drivers.checkpoint.queries.checkpoints import show_checkpoint

_SESSION: Final = SessionId("shop")
_TASK: Final = "CHECKPOINT-001"
_DRAFTS: Final = ("DRAFT-001-brief.md", "DRAFT-002-requirements.md")
_REVISED: Final = "revised/DRAFT-002-requirements.md"


def show_checkpoints(*, verbose: bool, as_json: bool) -> int:
    """Let the requirements contradict the brief; a person has them revised."""
    demo = open_demo("supervisor_ai.definitions.checkpoint", verbose=verbose, as_json=as_json)
    say(f"A session of a team that writes a brief and requirements: {demo.here.directory}")
    say("Its resident supervisor looks at both when the coordinator asks for a checkpoint.\n")
    _open_session(demo)
    desk = open_desk(demo.project)
    request = SupervisorRequest(session=_SESSION)
    prepared = prepare_supervisor(demo.here.preflight(), desk, request)
    run = run_interruptibly(submit(demo.project, prepared, queued=False))
    say("\nThe coordinator asks for the checkpoint behind the requirements.")
    _ask(demo, run, as_json=as_json)
    say("\nA person is asked. The demo says: revise upstream (`supervisor reject RUN --reason …`).")
    words = "Agree on accounts, and leave no goal out."
    judge(demo.project, run, PersonsDecision(is_approval=False, words=words))
    demo.attendance.drive(run)
    _hand_in(demo, _REVISED)
    say("\nThe writer has revised the requirements, and the coordinator asks once more.")
    _ask(demo, run, as_json=as_json)
    say("\nThat is all: the coordinator asks the supervisor to end.")
    bye = Post(kind="shutdown_request", summary="Bye", data={"request_id": "r-1"}, to="supervisor")
    Bus(desk, _SESSION, user_as_coordinator(demo.project.actor)).log(bye)
    code = demo.attendance.attend(run)
    demo.leave(f"checkpoint show {_SESSION} {_TASK}")
    return code


def _open_session(demo: Demo) -> None:
    """Begin a session, and let its first tasks be done."""
    office = demo.here.session_office()
    wanted = WantedSession(
        name=_SESSION, title=None, pipeline="spec-only", requirement="A small shop."
    )
    start_session(office, plan_session(office, wanted))
    for name in _DRAFTS:
        _hand_in(demo, name)
    tasks = Tasks(open_desk(demo.project), _SESSION, user_as_coordinator(demo.project.actor))
    for task in ("RESEARCH-001", *(it[: len("DRAFT-001")] for it in _DRAFTS)):
        for status in (TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED):
            tasks.update(task, status=status)


def _hand_in(demo: Demo, name: str) -> None:
    """Put an artifact into the session's folder, as a writer does."""
    place = demo.here.directory / ".supervisor/sessions" / _SESSION / "spec"
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(demo.here.directory / name, place)


def _ask(demo: Demo, run: RunId, *, as_json: bool) -> None:
    desk, caller = open_desk(demo.project), user_as_coordinator(demo.project.actor)
    scope = tuple(it[: len("DRAFT-001")] for it in _DRAFTS)
    request_checkpoint(desk, _SESSION, caller, CheckpointWish(task=_TASK, scope=scope))
    demo.attendance.drive(run)
    if not as_json:
        write(f"\n{checkpoint_page(replace(show_checkpoint(desk, _SESSION, _TASK), text=None))}")
