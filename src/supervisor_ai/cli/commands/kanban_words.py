"""What a person is told about a kanban: where it is, how it stands, what can be done next."""

from collections.abc import Iterator, Mapping

from supervisor_ai.cli.tables import fitted, labelled
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.run.values import NO_USAGE
from supervisor_ai.drivers.kanban.board.kanban import TaskState
from supervisor_ai.drivers.kanban.commands.check import KanbanCheck
from supervisor_ai.drivers.kanban.queries.status import KanbanView, TaskView
from supervisor_ai.tools.text import counted

Rows = Iterator[tuple[str, str]]


def status_page(view: KanbanView, source: str) -> str:
    """Show how a kanban stands."""
    lines = [f"{view.phase.value}  {one_line(view.title)}", *labelled(list(_facts(view, source)))]
    if view.tasks:
        is_known = any(task.usage != NO_USAGE for task in view.tasks)
        head = ("NO", "STATE", "ROLE", "TYPE", "PRIORITY", "CONCLUSION", "TASK")
        rows: list[tuple[str, ...]] = [(*head[:-1], "COST", "TASK") if is_known else head]
        rows += [_row(view, task, is_known=is_known) for task in view.tasks]
        lines += ["", *(f"  {line}" for line in fitted(rows))]
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
        role = f" ({view.role.shown})" if view.role else ""
        yield "current", f"{one_line(view.current)}{role}"
    if view.run is None:
        yield "run", "none yet"
        return
    yield "run", f"{view.run.id}, {view.run.standing}"
    if view.run.branch is not None:
        yield "branch", one_line(view.run.branch)
    if view.run.waits_for is not None:
        yield "waits", f"for {one_line(view.run.waits_for)}"
    if view.run.owner is not None:
        yield "owner", one_line(view.run.owner)


def _row(view: KanbanView, task: TaskView, *, is_known: bool) -> tuple[str, ...]:
    mark = "→ " if task.file == view.current and not view.is_complete else ""
    return (
        "" if task.number is None else str(task.number),
        task.state.value,
        task.role.shown,
        task.type.value,
        task.priority.value,
        task.conclusion or "",
        *((f"{task.usage.cost:.4f} USD",) if is_known else ()),
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
