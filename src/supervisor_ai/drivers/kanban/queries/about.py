"""What is said about a run on a kanban where any run is shown."""

import shlex
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import ApprovalRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import AboutRun, AttemptWords, QuestionHelp, Rows, Standpoint
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.events import AttemptStarted
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.definition import expect_kanban
from supervisor_ai.drivers.kanban.events import KanbanRead
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.drivers.kanban.orders import agent_name, task_name
from supervisor_ai.drivers.kanban.places import KanbanRoot, typed
from supervisor_ai.drivers.kanban.queries.log import last_answer
from supervisor_ai.drivers.kanban.runs import policy_of_run
from supervisor_ai.drivers.kanban.state import MANAGER

_ABOUT_FILES: Final = frozenset({UNREADABLE, ApprovalReason.LANDING})


class KanbanOfRun(Struct, frozen=True, kw_only=True):
    """The kanban that a run works on, and what to type next."""

    file: str
    directory: str | None
    next: str
    """A command that goes on from here."""


def about_run(at: Standpoint, run: RunView) -> AboutRun | None:
    """Say which kanban a run works on, and what to type next."""
    policy = policy_of_run(at.records, run.id)
    if policy is None:
        return None
    place = policy.place
    following = _following(at, run, policy)
    value = KanbanOfRun(file=place.file, directory=place.directory, next=following)
    where = place.file if place.directory is None else f"{place.file} in {place.directory}"
    rows = (("kanban", one_line(where)), ("log", f"{at.command} kanban log {_typed(at, place)}"))
    more = (("go on", following),) if run.status in ENDED else ()
    return AboutRun(value=value, rows=(*rows, *more))


def _following(at: Standpoint, run: RunView, policy: KanbanPolicy) -> str:
    """Write the command that goes on from where a run stands."""
    if run.status not in ENDED:
        return f"{at.command} resume {run.id}"
    named = _typed(at, policy.place)
    is_done = run.status is RunStatus.COMPLETED
    if not is_done and policy.instruction:
        return f"{at.command} logs {run.id}"
    if any(step.step == MANAGER and step.status is StepStatus.FAILED for step in run.steps):
        # The task is done and on the branch: only what is made of it has to be decided again.
        return f"{at.command} fork {run.id} --at {MANAGER}"
    if is_done and not policy.instruction:
        return f"{at.command} kanban status {named}"
    return f"{at.command} kanban run {named}{_base(run, policy.place)}"


def _base(run: RunView, place: KanbanPlace) -> str:
    """Name the branch that has the work so far; before there is one, what the run began with."""
    if run.commit is not None and run.branch is not None:
        return f" --base {shlex.quote(run.branch)}"
    if place.directory is not None or run.base is None:
        return ""
    return f" --base {shlex.quote(run.base.ref)}"


def _typed(at: Standpoint, place: KanbanPlace) -> str:
    return typed(KanbanRoot(checkout=at.checkout, start=at.start), place)


def preview(definition: Definition) -> Rows:
    """Say what a run would do with which kanban."""
    policy = expect_kanban(definition).kanban
    deed = "creates" if policy.instruction else "works on"
    return (("kanban", f"{deed} {policy.place.directory or policy.place.file}"),)


def question_help(records: Records, run: RunView, asked: ApprovalRow) -> QuestionHelp:
    """Say where a kanban's files can be mended, and what its Manager had answered."""
    is_stuck = asked.reason == ApprovalReason.BLOCKED and asked.step == MANAGER
    if asked.reason not in _ABOUT_FILES and not is_stuck:
        return QuestionHelp()
    policy = policy_of_run(records, run.id)
    directory = None if policy is None else policy.place.directory
    mend = run.branch if directory is None else directory
    return QuestionHelp(mend=mend, before=last_answer(records, run.id) if is_stuck else None)


def attempt_words(
    definition: Definition, started: AttemptStarted, earlier: Sequence[Event]
) -> AttemptWords:
    """Name a kanban's agent, and what it was given."""
    readings = [event for event in earlier if isinstance(event, KanbanRead)]
    reading = readings[-1] if readings else None
    role = definition.roles[started.role]
    task = task_name(expect_kanban(definition), role, reading)
    return AttemptWords(role=agent_name(started), task=task)
