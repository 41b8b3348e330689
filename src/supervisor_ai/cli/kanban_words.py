"""What a person is told about a kanban: where it is, how it stands, what can be done next."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.tables import columns, fitted, labelled
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.queries.run_views import RunView
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus
from supervisor_ai.drivers.kanban.board.kanban import TaskState
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.commands.check import KanbanCheck
from supervisor_ai.drivers.kanban.places import Desk, typed
from supervisor_ai.drivers.kanban.queries.status import KanbanView, TaskView
from supervisor_ai.drivers.kanban.runs import policy_of_run
from supervisor_ai.drivers.kanban.state import MANAGER
from supervisor_ai.tools.text import counted

Rows = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KanbanOfRun:
    """The kanban that a run works on, and what to type next."""

    file: str
    directory: str | None
    next: str
    """A command that goes on from here."""


def describe_kanban(
    invocation: Invocation, project: OpenProject, run: RunView
) -> KanbanOfRun | None:
    """Say which kanban a run works on; None: none."""
    policy = policy_of_run(project.records, run.id)
    if policy is None:
        return None
    place = policy.place
    following = _following(invocation, project, run, policy)
    return KanbanOfRun(file=place.file, directory=place.directory, next=following)


def kanban_rows(invocation: Invocation, project: OpenProject, run: RunView) -> Rows:
    """Show the kanban of a run, and what to type next."""
    about = describe_kanban(invocation, project, run)
    if about is None:
        return
    place = KanbanPlace(file=about.file, directory=about.directory)
    where = about.file if about.directory is None else f"{about.file} in {about.directory}"
    yield "kanban", one_line(where)
    yield "log", f"{invocation.command} kanban log {_typed(invocation, project, place)}"
    if run.status in ENDED:
        yield "go on", about.next


def _following(
    invocation: Invocation, project: OpenProject, run: RunView, policy: KanbanPolicy
) -> str:
    """Write the command that goes on from where a run stands."""
    if run.status not in ENDED:
        return f"{invocation.command} resume {run.id}"
    named = _typed(invocation, project, policy.place)
    is_done = run.status is RunStatus.COMPLETED
    if not is_done and policy.instruction:
        return f"{invocation.command} logs {run.id}"
    if any(step.step == MANAGER and step.status is StepStatus.FAILED for step in run.steps):
        # The task is done and on the branch: only what is made of it has to be decided again.
        return f"{invocation.command} fork {run.id} --at {MANAGER}"
    if is_done and not policy.instruction:
        return f"{invocation.command} kanban status {named}"
    return f"{invocation.command} kanban run {named}{_base(run, policy.place)}"


def _base(run: RunView, place: KanbanPlace) -> str:
    """Name the branch that has the work so far; before there is one, what the run began with."""
    if run.commit is not None and run.branch is not None:
        return f" --base {shlex.quote(run.branch)}"
    if place.directory is not None or run.base is None:
        return ""
    return f" --base {shlex.quote(run.base.ref)}"


def _typed(invocation: Invocation, project: OpenProject, place: KanbanPlace) -> str:
    return typed(Desk(checkout=project.preflight.checkout, start=invocation.directory), place)


def status_page(view: KanbanView, source: str) -> str:
    """Show how a kanban stands."""
    lines = [f"{view.phase.value}  {one_line(view.title)}", *labelled(list(_facts(view, source)))]
    if view.tasks:
        rows: list[tuple[str, ...]] = [
            ("NO", "STATE", "ROLE", "TYPE", "PRIORITY", "CONCLUSION", "TASK")
        ]
        rows += [_row(view, task) for task in view.tasks]
        lines += ["", *(f"  {line}" for line in fitted(columns(rows)))]
    return "\n".join(lines)


def _facts(view: KanbanView, source: str) -> Rows:
    yield "kanban", one_line(view.file)
    yield "read", one_line(source)
    if view.sub_phase:
        yield "part", one_line(view.sub_phase)
    yield "tasks", f"{counts_line(view.counts)}; {view.open} open"
    if view.is_complete:
        yield "current", "none: the kanban is complete"
    elif view.current is not None:
        role = f" ({view.role.value})" if view.role else ""
        yield "current", f"{one_line(view.current)}{role}"
    if view.run is None:
        yield "run", "none yet"
        return
    yield "run", f"{view.run.id}, {view.run.status.value}"
    if view.run.branch is not None:
        yield "branch", one_line(view.run.branch)
    if view.run.waits_for is not None:
        yield "waits", f"for {one_line(view.run.waits_for)}"
    if view.run.owner is not None:
        yield "owner", one_line(view.run.owner)


def _row(view: KanbanView, task: TaskView) -> tuple[str, ...]:
    mark = "→ " if task.file == view.current and not view.is_complete else ""
    return (
        "" if task.number is None else str(task.number),
        task.state.value,
        task.role.value,
        task.type.value,
        task.priority.value,
        task.conclusion or "",
        f"{mark}{one_line(task.title)}",
    )


def counts_line(counts: Mapping[str, int]) -> str:
    """Say how many tasks there are, and how many in which state."""
    found = [f"{counts[state]} {state.value}" for state in TaskState if counts.get(state)]
    total = counted(sum(counts.values()), "task")
    return f"{total} ({', '.join(found)})" if found else total


def check_lines(check: KanbanCheck) -> Iterator[str]:
    """Show every mistake, or say that there is none and what is noteworthy."""
    if check.mistakes:
        yield from (one_line(str(mistake)) for mistake in check.mistakes)
        return
    phase = "" if check.phase is None else f"phase {check.phase.value}, "
    tasks = counts_line(check.counts or {})
    yield f"{one_line(check.file)}: no mistakes; {phase}{tasks}."
    for item in check.inadequate:
        lacks = " and ".join(item.lacks)
        yield (
            f"note: {one_line(item.file)}: work item {item.item} is inadequate: it lacks {lacks}."
        )
