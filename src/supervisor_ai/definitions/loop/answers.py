"""What the roles of a loop and the quality supervisors answer with."""

from typing import Annotated, Final, Literal

from pydantic import Field

from supervisor_ai.definitions.worker_answers.forms import AnswerForm
from supervisor_ai.definitions.worker_answers.models import (
    AnswerModel,
    ImplementationOutput,
    Output,
    SummedOutput,
)
from supervisor_ai.drivers.loop.answers import FEEDBACK, MILESTONE, REMIT
from supervisor_ai.drivers.loop.window import ROLLED_UP

_MOST: Final = 20
_WORDS: Final = 400

Line = Annotated[str, Field(max_length=200)]
Words = Annotated[str, Field(max_length=_WORDS)]
Path = Annotated[str, Field(max_length=300)]
Paths = Annotated[list[Path], Field(max_length=100)]
Questions = Annotated[list[Line], Field(max_length=3)]


class MilestoneOutput(AnswerModel):
    """A milestone: what users can do then."""

    outcome: Annotated[str, Field(min_length=1, max_length=MILESTONE)]
    areas: Annotated[list[Line], Field(max_length=_MOST)] = Field(
        default_factory=list, description="Sketches of the areas of the project that it touches."
    )


class ScopeOutput(SummedOutput):
    """The answer of the scope agent."""

    status: Literal["SCOPED"] = "SCOPED"
    remit: Annotated[str, Field(min_length=1, max_length=REMIT)]
    milestones: Annotated[list[MilestoneOutput], Field(min_length=1, max_length=_MOST)]
    questions: Questions = Field(
        default_factory=list,
        description="Where RESEARCH says that you may ask: what you have to know first.",
    )


class DirectiveReplyOutput(AnswerModel):
    """What the planner says to one directive."""

    directive: Annotated[int, Field(ge=1)]
    response: Literal["addressed", "explained", "escalated", "deferred"]
    note: Words = ""


class NextTaskOutput(Output):
    """The answer of the task planner."""

    status: Literal["implement", "skip", "abort", "milestone_done"]
    task: Annotated[str, Field(min_length=1, max_length=500)] = Field(
        description="The task in a sentence; for milestone_done, why the milestone is done."
    )
    plan: Annotated[str, Field(max_length=6_000)] = ""
    files: Paths = Field(default_factory=list)
    carry_forward: Annotated[list[Line], Field(max_length=_MOST)] = Field(
        default_factory=list, description="The tasks after this one, each in about 100 characters."
    )
    directives: Annotated[list[DirectiveReplyOutput], Field(max_length=100)] = Field(
        default_factory=list
    )
    does: Annotated[list[int], Field(max_length=_MOST)] = Field(
        default_factory=list, description="The directives that this very task carries out."
    )
    questions: Questions = Field(
        default_factory=list,
        description="Where RESEARCH says that you may ask: what you have to know first.",
    )

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.task


class WorkOutput(ImplementationOutput):
    """The answer of an implementor."""


class QaOutput(Output):
    """The answer of QA."""

    status: Literal["pass", "fail"]
    feedback: Annotated[str, Field(max_length=FEEDBACK)] = Field(
        description="What is wrong and how to mend it; for pass, what was checked."
    )

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.feedback


class AssessmentOutput(SummedOutput):
    """The answer of the assessor."""

    status: Literal["aligned", "minor_drift", "major_divergence", "milestone_complete"]
    hint: Annotated[str, Field(max_length=FEEDBACK)] = Field(
        default="", description="For drift and divergence: which way to turn."
    )


class DirectiveOutput(AnswerModel):
    """What a supervisor wants done."""

    type: Literal["functional", "cleanup"]
    description: Annotated[str, Field(min_length=1, max_length=_WORDS)]
    rationale: Words = ""
    files: Paths = Field(default_factory=list)
    priority: Literal["critical", "normal", "low"] = "normal"


Directives = Annotated[list[DirectiveOutput], Field(max_length=_MOST)]


class StyleFindingsOutput(SummedOutput):
    """The answer of a supervisor that looks after conventions."""

    status: Literal["REVIEWED"] = "REVIEWED"
    conventions_updated: Paths
    directives: Directives


class DesignFindingsOutput(SummedOutput):
    """The answer of a supervisor that looks after the design."""

    status: Literal["REVIEWED"] = "REVIEWED"
    design_updates: Paths
    directives: Directives


class KnowledgeItemOutput(AnswerModel):
    """Something that was learnt."""

    category: Literal["lesson", "domain"]
    content: Annotated[str, Field(min_length=1, max_length=500)]
    source_task: Annotated[str, Field(max_length=64)] = ""
    confidence: Literal["high", "medium", "low"] = "medium"
    needs_user_review: bool = False


class KnowledgeOutput(SummedOutput):
    """The answer of a supervisor that keeps what was learnt."""

    status: Literal["REVIEWED"] = "REVIEWED"
    knowledge_items: Annotated[list[KnowledgeItemOutput], Field(max_length=_MOST)]


class ResearchedOutput(AnswerModel):
    """What is known about one question."""

    question: Line
    answer: Annotated[str, Field(min_length=1, max_length=1_500)]


class ResearchOutput(SummedOutput):
    """The answer of a researcher."""

    status: Literal["ANSWERED"] = "ANSWERED"
    answers: Annotated[list[ResearchedOutput], Field(min_length=1, max_length=3)]


class WorkSummaryOutput(Output):
    """The answer of a summarizer."""

    status: Literal["SUMMED"] = "SUMMED"
    summary: Annotated[str, Field(min_length=1, max_length=ROLLED_UP)] = Field(
        description="What was done, what failed and what was decided, in a paragraph."
    )

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.summary


RESEARCH: Final = AnswerForm(model=ResearchOutput)
WORK_SUMMARY: Final = AnswerForm(model=WorkSummaryOutput)
SCOPE: Final = AnswerForm(model=ScopeOutput)
NEXT_TASK: Final = AnswerForm(model=NextTaskOutput)
WORK: Final = AnswerForm(model=WorkOutput)
QA: Final = AnswerForm(model=QaOutput)
ASSESSMENT: Final = AnswerForm(model=AssessmentOutput)
STYLE_FINDINGS: Final = AnswerForm(model=StyleFindingsOutput)
DESIGN_FINDINGS: Final = AnswerForm(model=DesignFindingsOutput)
KNOWLEDGE_ITEMS: Final = AnswerForm(model=KnowledgeOutput)
