"""What those answer with who work on kanbans."""

from typing import ClassVar, Final, Literal

from pydantic import ConfigDict, Field

from supervisor_ai.definitions.worker_answers.forms import AnswerForm
from supervisor_ai.definitions.worker_answers.models import Output, StandingReply


class ReportOutput(Output):
    """What whoever works on a kanban answers with.

    Only its form is looked at: what else it says is noted, and no mistake.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="allow",
        strict=True,
        frozen=True,
        # What is asked for stays exact: some CLIs hold their model to the schema, and only so.
        json_schema_extra={"additionalProperties": False},
    )

    status: Literal["ok", "blocked", "error", "escalate"]
    message: str

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.message


class AgentOutput(ReportOutput):
    """The answer of whoever worked on a task of a kanban; what was done stands in the task file."""

    directives: list[StandingReply] | None = Field(
        default=None,
        description="What becomes of each of the ACTIVE DIRECTIVES, by its number.",
    )


class KanbanOutput(ReportOutput):
    """The answer of a Manager: the tasks of the kanban, and which of them is next."""

    # Both are asked for; an answer without them has the right form all the same, and is held
    # against the kanban file, which counts.
    model_config: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={
            "additionalProperties": False,
            "required": ["status", "message", "next_task", "tasks"],
        },
    )

    next_task: str | None = Field(default_factory=lambda: None)
    tasks: list[str] = Field(default_factory=list)


AGENT: Final = AnswerForm(model=AgentOutput)
# That there is no next task is what a Manager says with null, and not by saying nothing.
MANAGER: Final = AnswerForm(model=KanbanOutput, keeps_null=True)
