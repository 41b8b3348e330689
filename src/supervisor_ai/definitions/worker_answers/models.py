"""The models of the answers that all drivers share, and what every answer has."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class AnswerModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of an answer; unknown keys are errors."""


class Output(AnswerModel, frozen=True, kw_only=True):
    """An answer as a whole; its nonce says that it is one, and is not kept."""

    nonce: str | None = None
    status: str

    @classmethod
    def prepared(cls, said: Mapping[str, object]) -> Mapping[str, object]:
        """Return what was said, with other ways to say the same put into the usual one."""
        return said

    @property
    def told(self) -> str:
        """Return what it says to people."""
        return ""


class SummedOutput(Output, frozen=True, kw_only=True):
    """An answer that says in a summary what was done."""

    summary: str = ""

    @classmethod
    def prepared(  # type: ignore[explicit-override]
        cls, said: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Take no summary for an empty one."""
        is_left_out = "summary" in said and said["summary"] is None
        return {**said, "summary": ""} if is_left_out else said

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.summary


class PlannedComponent(AnswerModel, frozen=True, kw_only=True):
    """A part of a phase that can be built by itself."""

    id: str
    title: str
    files: list[str]
    depends_on: list[str] | None = None


class PlannedPhase(AnswerModel, frozen=True, kw_only=True):
    """A part of a plan."""

    id: str
    title: str
    description: str | None = None
    components: list[PlannedComponent] | None = None


class PlannedDependency(AnswerModel, frozen=True, kw_only=True):
    """One thing that has to be there before another."""

    source: str = field(name="from")
    target: str = field(name="to")


class ChangedTest(AnswerModel, frozen=True, kw_only=True):
    """A test that a change breaks on purpose, and why."""

    test: str
    reason: str


class StandingReply(AnswerModel, frozen=True, kw_only=True):
    """What a planner says to something that a quality supervisor wants done."""

    directive: Annotated[int, Meta(ge=1)]
    response: Literal["addressed", "explained", "escalated", "deferred"]
    note: str | None = None


class PlanOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of a planner."""

    status: Literal["COMPLETE", "NEEDS_REFINEMENT", "BLOCKED"]
    phases: list[PlannedPhase] | None = None
    dependencies: list[PlannedDependency] | None = None
    file_targets: list[str] | None = None
    estimated_components: int | None = None
    risks: list[str] | None = None
    blockers: list[str] | None = None
    behaviour_changes: Annotated[
        list[str] | None,
        Meta(
            description="What will behave differently on purpose; name the tests that this breaks."
        ),
    ] = None
    commit_type: Annotated[
        str | None,
        Meta(description="If the project's commits are conventional: feat, fix, docs, refactor, …"),
    ] = None
    commit_scope: Annotated[
        str | None,
        Meta(description="The part of the project that a conventional commit would name."),
    ] = None
    directives: Annotated[
        list[StandingReply] | None,
        Meta(description="What becomes of each of the ACTIVE DIRECTIVES, by its number."),
    ] = None


class CommentReply(AnswerModel, frozen=True, kw_only=True):
    """What an implementer says to a person's comment."""

    comment: Annotated[int, Meta(ge=1)]
    reply: str


class NoteForComponent(AnswerModel, frozen=True, kw_only=True):
    """What the worker of another component should know."""

    to: Annotated[str, Meta(max_length=200)]
    text: Annotated[str, Meta(max_length=2_000)]


class ImplementationOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of an implementer."""

    status: Literal["SUCCESS", "PARTIAL", "FAILED", "BLOCKED"]
    files_created: list[str]
    files_modified: list[str]
    files_deleted: list[str] | None = None
    tests_written: list[str]
    changed_tests: Annotated[
        list[ChangedTest] | None,
        Meta(description="Tests that passed before and cannot any more, each with the reason."),
    ] = None
    answers: Annotated[
        list[CommentReply] | None,
        Meta(description="What was done about each comment of a person, by the comment's number."),
    ] = None
    notes: Annotated[
        Annotated[list[NoteForComponent], Meta(max_length=20)] | None,
        Meta(description="Notes for other components, where the task is one of several."),
    ] = None
    blockers: list[str] | None = None
    next_step: str | None = None


class ReviewIssue(AnswerModel, frozen=True, kw_only=True):
    """One thing that a reviewer found."""

    file: str | None = None
    line: int | None = None
    severity: Literal["critical", "major", "minor", "info"]
    message: str
    suggestion: str | None = None


class ReviewOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of a reviewer."""

    status: Literal["APPROVED", "CHANGES_REQUESTED", "REJECTED"]
    issues: list[ReviewIssue]
    suggestions: list[str] | None = None
    security_concerns: list[ReviewIssue | str] | None = None
    accepted_tests: Annotated[
        list[str] | None,
        Meta(
            description="Tests of `behaviour_changes` and `changed_tests` that may change; by name."
        ),
    ] = None

    @classmethod
    def prepared(  # type: ignore[explicit-override]
        cls, said: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Take a concern without a severity for a major issue."""
        said, concerns = super().prepared(said), said.get("security_concerns")
        if not isinstance(concerns, list):
            return said
        weighed = [
            {"severity": "major", "message": it} if isinstance(it, str) else it for it in concerns
        ]
        return {**said, "security_concerns": weighed}

    @property
    def concerns(self) -> list[ReviewIssue]:
        """Return the security concerns, each with its severity."""
        return [it for it in self.security_concerns or () if isinstance(it, ReviewIssue)]
