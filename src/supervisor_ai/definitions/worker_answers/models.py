"""What workers answer with: the models, and the JSON Schemas made from them."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from supervisor_ai.domain.run.answers import AnswerKind

_NONCE: Final = "the nonce of this attempt, which the prompt tells"

Summary = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class AnswerModel(BaseModel):
    """A part of an answer; unknown keys are errors."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, frozen=True)


class Output(AnswerModel):
    """An answer as a whole; its nonce says that it is one, and is not kept."""

    nonce: str | None = Field(default=None, exclude=True)


class PlannedComponent(AnswerModel):
    """A part of a phase that can be built by itself."""

    id: str
    title: str
    files: list[str]
    depends_on: list[str] | None = None


class PlannedPhase(AnswerModel):
    """A part of a plan."""

    id: str
    title: str
    description: str | None = None
    components: list[PlannedComponent] | None = None


class PlannedDependency(AnswerModel):
    """One thing that has to be there before another."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")


class PlanOutput(Output):
    """The answer of a planner."""

    status: Literal["COMPLETE", "NEEDS_REFINEMENT", "BLOCKED"]
    summary: Summary = ""
    phases: list[PlannedPhase] | None = None
    dependencies: list[PlannedDependency] | None = None
    file_targets: list[str] | None = None
    estimated_components: int | None = None
    risks: list[str] | None = None
    blockers: list[str] | None = None


class ImplementationOutput(Output):
    """The answer of an implementer."""

    status: Literal["SUCCESS", "PARTIAL", "FAILED", "BLOCKED"]
    summary: Summary = ""
    files_created: list[str]
    files_modified: list[str]
    files_deleted: list[str] | None = None
    tests_written: list[str]
    blockers: list[str] | None = None
    next_step: str | None = None


class ReviewIssue(AnswerModel):
    """One thing that a reviewer found."""

    file: str | None = None
    line: int | None = None
    severity: Literal["critical", "major", "minor", "info"]
    message: str
    suggestion: str | None = None


def _major(value: object) -> object:
    return {"severity": "major", "message": value} if isinstance(value, str) else value


SecurityConcern = Annotated[
    ReviewIssue, BeforeValidator(_major, json_schema_input_type=ReviewIssue | str)
]
"""A concern without a severity counts as major."""


class ReviewOutput(Output):
    """The answer of a reviewer."""

    status: Literal["APPROVED", "CHANGES_REQUESTED", "REJECTED"]
    summary: Summary = ""
    issues: list[ReviewIssue]
    suggestions: list[str] | None = None
    security_concerns: list[SecurityConcern] | None = None


class AgentOutput(Output):
    """The answer of whoever worked on a task of a kanban; what was done stands in the task file.

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


class KanbanOutput(AgentOutput):
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


AnyOutput = PlanOutput | ImplementationOutput | ReviewOutput | AgentOutput | KanbanOutput

MODELS: Final[Mapping[AnswerKind, type[AnyOutput]]] = {
    AnswerKind.PLAN: PlanOutput,
    AnswerKind.IMPLEMENTATION: ImplementationOutput,
    AnswerKind.REVIEW: ReviewOutput,
    AnswerKind.AGENT: AgentOutput,
    AnswerKind.MANAGER: KanbanOutput,
}


@cache
def schema_text(kind: AnswerKind) -> str:
    """Return the JSON Schema of an answer, as whoever answers has to fill it."""
    schema = MODELS[kind].model_json_schema(by_alias=True)
    schema["properties"]["nonce"] = {"type": "string", "description": _NONCE}
    schema["required"] = ["nonce", *schema["required"]]
    return json.dumps(_untitled(schema), indent=2)


def _untitled(schema: object) -> object:
    """Leave out titles, which only repeat the names of fields; a field may be called title."""
    if isinstance(schema, dict):
        return {
            key: _untitled(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_untitled(item) for item in schema] if isinstance(schema, list) else schema
