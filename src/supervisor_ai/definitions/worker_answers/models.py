"""The models of the answers that all drivers share, and what every answer has."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Summary = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class AnswerModel(BaseModel):
    """A part of an answer; unknown keys are errors."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, frozen=True)


class Output(AnswerModel):
    """An answer as a whole; its nonce says that it is one, and is not kept."""

    nonce: str | None = Field(default=None, exclude=True)
    status: str

    @property
    def told(self) -> str:
        """Return what it says to people."""
        return ""


class SummedOutput(Output):
    """An answer that says in a summary what was done."""

    summary: Summary = ""

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.summary


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


class ChangedTest(AnswerModel):
    """A test that a change breaks on purpose, and why."""

    test: str
    reason: str


class StandingReply(AnswerModel):
    """What a planner says to something that a quality supervisor wants done."""

    directive: Annotated[int, Field(ge=1)]
    response: Literal["addressed", "explained", "escalated", "deferred"]
    note: str | None = None


class PlanOutput(SummedOutput):
    """The answer of a planner."""

    status: Literal["COMPLETE", "NEEDS_REFINEMENT", "BLOCKED"]
    phases: list[PlannedPhase] | None = None
    dependencies: list[PlannedDependency] | None = None
    file_targets: list[str] | None = None
    estimated_components: int | None = None
    risks: list[str] | None = None
    blockers: list[str] | None = None
    behaviour_changes: list[str] | None = Field(
        default=None,
        description="What will behave differently on purpose; name the tests that this breaks.",
    )
    commit_type: str | None = Field(
        default=None,
        description="If the project's commits are conventional: feat, fix, docs, refactor, …",
    )
    commit_scope: str | None = Field(
        default=None, description="The part of the project that a conventional commit would name."
    )
    directives: list[StandingReply] | None = Field(
        default=None,
        description="What becomes of each of the ACTIVE DIRECTIVES, by its number.",
    )


class CommentReply(AnswerModel):
    """What an implementer says to a person's comment."""

    comment: Annotated[int, Field(ge=1)]
    reply: str


class NoteForComponent(AnswerModel):
    """What the worker of another component should know."""

    to: Annotated[str, Field(max_length=200)]
    text: Annotated[str, Field(max_length=2_000)]


class ImplementationOutput(SummedOutput):
    """The answer of an implementer."""

    status: Literal["SUCCESS", "PARTIAL", "FAILED", "BLOCKED"]
    files_created: list[str]
    files_modified: list[str]
    files_deleted: list[str] | None = None
    tests_written: list[str]
    changed_tests: list[ChangedTest] | None = Field(
        default=None,
        description="Tests that passed before and cannot any more, each with the reason.",
    )
    answers: list[CommentReply] | None = Field(
        default=None,
        description="What was done about each comment of a person, by the comment's number.",
    )
    notes: Annotated[list[NoteForComponent], Field(max_length=20)] | None = Field(
        default=None,
        description="Notes for other components, where the task is one of several.",
    )
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


class ReviewOutput(SummedOutput):
    """The answer of a reviewer."""

    status: Literal["APPROVED", "CHANGES_REQUESTED", "REJECTED"]
    issues: list[ReviewIssue]
    suggestions: list[str] | None = None
    security_concerns: list[SecurityConcern] | None = None
    accepted_tests: list[str] | None = Field(
        default=None,
        description="Tests of the implementer's `changed_tests` whose change is right; by name.",
    )
