"""What those answer with who work on kanbans."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from supervisor_ai.definitions.worker_answers.forms import AnswerForm
from supervisor_ai.definitions.worker_answers.models import Output, StandingReply


class ReportOutput(Output, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """What whoever works on a kanban answers with.

    Only its form is looked at: what else it says is noted, and no mistake.
    """

    status: Literal["ok", "blocked", "error", "escalate"]
    message: str

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.message


class AgentOutput(ReportOutput, frozen=True, kw_only=True):
    """The answer of whoever worked on a task of a kanban; what was done stands in the task file."""

    directives: Annotated[
        list[StandingReply] | None,
        Meta(description="What becomes of each of the ACTIVE DIRECTIVES, by its number."),
    ] = None


class KanbanOutput(ReportOutput, frozen=True, kw_only=True):
    """The answer of a Manager: the tasks of the kanban, and which of them is next."""

    next_task: str | UnsetType | None = UNSET
    tasks: list[str] | UnsetType = UNSET


AGENT: Final = AnswerForm(model=AgentOutput)
# That there is no next task is what a Manager says with null, and not by saying nothing.
# Both are asked for; an answer without them has the right form all the same, and is held against
# the kanban file, which counts.
MANAGER: Final = AnswerForm(model=KanbanOutput, keeps_null=True, asked=("next_task", "tasks"))
