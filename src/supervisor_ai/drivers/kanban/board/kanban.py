"""A kanban as its files tell it: the kanban file, and the task files that it lists."""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field


class Agent(StrEnum):
    """Who can be asked to act on a kanban."""

    MANAGER = "Manager"
    ARCHITECT = "Architect"
    IMPLEMENTOR = "Implementor"

    @property
    def shown(self) -> str:
        """Return the word that people are shown: the one that workflows have for it, too."""
        return "Implementer" if self is Agent.IMPLEMENTOR else self.value


class Phase(StrEnum):
    """How far a kanban has come."""

    EXPLORATION = "exploration"
    DESIGN = "design"
    PLAN = "plan"
    EXECUTE = "execute"
    VALIDATE = "validate"
    COMPLETE = "complete"


class TaskKind(StrEnum):
    """What sort of work a task file asks for."""

    EXPLORATION = "exploration"
    DESIGN = "design"
    REVIEW = "review"
    IMPLEMENT = "implement"
    REDESIGN = "redesign"


class TaskState(StrEnum):
    """Where a task file stands."""

    TODO = "todo"
    REVIEW = "review"
    DONE = "done"
    ESCALATED = "escalated"
    CANCELLED = "cancelled"


TERMINAL: Final = frozenset({TaskState.DONE, TaskState.ESCALATED, TaskState.CANCELLED})
"""Nobody works any more on a task that stands here; what is escalated goes on in another one."""


class Priority(StrEnum):
    """What comes first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Effort(StrEnum):
    """How much work somebody expects."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Conclusion(StrEnum):
    """How a work log says that its work came out."""

    OK = "ok"
    BLOCKED = "blocked"
    ESCALATE = "escalate"


class Mistake(Struct, frozen=True, kw_only=True):
    """What is wrong in a file, and where."""

    file: str
    line: int | None
    problem: str
    """A full sentence."""

    def __str__(self) -> str:  # type: ignore[explicit-override]
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.problem}"


class WorkItem(Struct, frozen=True, kw_only=True):
    """What an agent suggests to do next, for the Manager to make a task of."""

    description: str = ""
    files: tuple[str, ...] = ()
    related_domains: tuple[str, ...] = ()
    expertise_required: tuple[str, ...] = ()
    dependencies: tuple[int, ...] = ()
    """Which other items of the same file come first, by their index from 0 over all its lists."""
    priority: Priority = Priority.MEDIUM
    estimated_effort: Effort | None = None
    notes: str = ""

    @property
    def is_adequate(self) -> bool:
        """Tell whether it says enough to be done; else somebody has to explore first."""
        return bool(self.description.strip() and self.files and self.related_domains)


class LogEntry(Struct, frozen=True, kw_only=True):
    """One entry of a work log."""

    at: str
    title: str
    facts: str = ""
    analysis: str = ""
    conclusion: str = ""
    status: Conclusion | None = None
    """What the conclusion says in one word; None where it says none."""

    @property
    def is_whole(self) -> bool:
        """Tell whether it has facts, an analysis and a conclusion with its word."""
        return bool(self.facts and self.analysis and self.conclusion and self.status)


class TaskFile(Struct, frozen=True, kw_only=True):
    """What a task file says."""

    path: str
    title: str
    role: Agent | None = None
    """Who does it; None: the Implementor."""
    kind: TaskKind = TaskKind.IMPLEMENT
    state: TaskState = TaskState.TODO
    priority: Priority = Priority.MEDIUM
    dependencies: tuple[str, ...] = ()
    """The task files that have to be done before, by path."""
    refers: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    expertise: tuple[str, ...] = ()
    kanban: str | None = None
    created: str | None = None
    context: str = ""
    files: tuple[str, ...] = ()
    description: str = ""
    work_items: tuple[WorkItem, ...] = ()
    log: tuple[LogEntry, ...] = ()

    @property
    def is_open(self) -> bool:
        """Tell whether somebody still has to work on it."""
        return self.state not in TERMINAL


class PlanEvent(StrEnum):
    """What a Manager decided."""

    KANBAN_CREATED = "kanban_created"
    BLOCKER_DETECTED = "blocker_detected"
    ESCALATION_RECEIVED = "escalation_received"
    INADEQUATE_INFORMATION = "inadequate_information"
    TASKS_CREATED = "tasks_created"
    TASK_DONE = "task_done"
    WORKFLOW_COMPLETE = "workflow_complete"


class PlanEntry(Struct, frozen=True, kw_only=True):
    """One entry of the Plan Adjustment Log."""

    at: str
    event: str
    """One of `PlanEvent` where we write it; whatever a Manager wrote where we read it."""
    details: str = ""


class Kanban(Struct, frozen=True, kw_only=True):
    """What a kanban file and its task files say together."""

    path: str
    title: str
    phase: Phase
    sub_phase: str | None = None
    current: str | None = None
    """The path of the task file that is next; None where there is none."""
    tasks: tuple[str, ...] = ()
    created: str | None = None
    request: str = ""
    log: tuple[PlanEntry, ...] = ()
    files: dict[str, TaskFile] = field(default_factory=dict)
    """The task files that it lists, by path."""

    @property
    def folder(self) -> str:
        """Name the folder that all of its files are in."""
        return folder_of(self.path)

    @property
    def is_complete(self) -> bool:
        """Tell whether nothing is left to do, as the file says."""
        return self.current is None or self.phase is Phase.COMPLETE

    @property
    def open(self) -> tuple[str, ...]:
        """List the task files that somebody still has to work on."""
        return tuple(path for path in self.tasks if self.files[path].is_open)

    @property
    def states(self) -> dict[TaskState, int]:
        """Count the tasks that stand in each state."""
        found = [self.files[path].state for path in self.tasks]
        return {state: found.count(state) for state in TaskState if state in found}


def folder_of(path: str) -> str:
    """Name the folder of a kanban's or a task's file."""
    return path.rpartition("/")[0]
