"""What the roles of a loop and the quality supervisors answer with."""

from typing import Annotated, Final, Literal

from msgspec import Meta, field

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
_DOCUMENT: Final = 8_000

Line = Annotated[str, Meta(max_length=200)]
Words = Annotated[str, Meta(max_length=_WORDS)]
Path = Annotated[str, Meta(max_length=300)]
Paths = Annotated[list[Path], Meta(max_length=100)]
Questions = Annotated[list[Line], Meta(max_length=3)]


class MilestoneOutput(AnswerModel, frozen=True, kw_only=True):
    """A milestone: what users can do then."""

    outcome: Annotated[str, Meta(min_length=1, max_length=MILESTONE)]
    areas: Annotated[
        list[Line],
        Meta(max_length=_MOST, description="Sketches of the areas of the project that it touches."),
    ] = field(default_factory=list)


class ScopeOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of the scope agent."""

    status: Literal["SCOPED"] = "SCOPED"
    remit: Annotated[str, Meta(min_length=1, max_length=REMIT)]
    milestones: Annotated[list[MilestoneOutput], Meta(min_length=1, max_length=_MOST)]
    questions: Annotated[
        Questions,
        Meta(description="Where RESEARCH says that you may ask: what you have to know first."),
    ] = field(default_factory=list)


class DirectiveReplyOutput(AnswerModel, frozen=True, kw_only=True):
    """What the planner says to one directive."""

    directive: Annotated[int, Meta(ge=1)]
    response: Literal["addressed", "explained", "escalated", "deferred"]
    note: Words = ""


class NextTaskOutput(Output, frozen=True, kw_only=True):
    """The answer of the task planner."""

    status: Literal["implement", "skip", "abort", "milestone_done"]
    task: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=500,
            description="The task in a sentence; for milestone_done, why the milestone is done.",
        ),
    ]
    plan: Annotated[str, Meta(max_length=6_000)] = ""
    files: Paths = field(default_factory=list)
    carry_forward: Annotated[
        list[Line],
        Meta(
            max_length=_MOST, description="The tasks after this one, each in about 100 characters."
        ),
    ] = field(default_factory=list)
    directives: Annotated[list[DirectiveReplyOutput], Meta(max_length=100)] = field(
        default_factory=list
    )
    does: Annotated[
        list[int],
        Meta(max_length=_MOST, description="The directives that this very task carries out."),
    ] = field(default_factory=list)
    questions: Annotated[
        Questions,
        Meta(description="Where RESEARCH says that you may ask: what you have to know first."),
    ] = field(default_factory=list)

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.task


class WorkOutput(ImplementationOutput, frozen=True, kw_only=True):
    """The answer of an implementor."""


class QaOutput(Output, frozen=True, kw_only=True):
    """The answer of QA."""

    status: Literal["pass", "fail"]
    feedback: Annotated[
        str,
        Meta(
            max_length=FEEDBACK,
            description="What is wrong and how to mend it; for pass, what was checked.",
        ),
    ]

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        return self.feedback


class AssessmentOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of the assessor."""

    status: Literal["aligned", "minor_drift", "major_divergence", "milestone_complete"]
    hint: Annotated[
        str, Meta(max_length=FEEDBACK, description="For drift and divergence: which way to turn.")
    ] = ""


class DirectiveOutput(AnswerModel, frozen=True, kw_only=True):
    """What a supervisor wants done."""

    type: Literal["functional", "cleanup"]
    description: Annotated[str, Meta(min_length=1, max_length=_WORDS)]
    rationale: Words = ""
    files: Paths = field(default_factory=list)
    priority: Literal["critical", "normal", "low"] = "normal"


Directives = Annotated[list[DirectiveOutput], Meta(max_length=_MOST)]


class DocumentOutput(AnswerModel, frozen=True, kw_only=True):
    """A document of the knowledge store, in full."""

    path: Path
    text: Annotated[str, Meta(min_length=1, max_length=_DOCUMENT)]


Documents = Annotated[
    list[DocumentOutput],
    Meta(max_length=_MOST, description="Documents to write, for who cannot write files."),
]


class StyleFindingsOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of a supervisor that looks after conventions."""

    status: Literal["REVIEWED"] = "REVIEWED"
    conventions_updated: Paths
    directives: Directives
    documents: Documents = field(default_factory=list)


class DesignFindingsOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of a supervisor that looks after the design."""

    status: Literal["REVIEWED"] = "REVIEWED"
    design_updates: Paths
    directives: Directives
    documents: Documents = field(default_factory=list)


class KnowledgeItemOutput(AnswerModel, frozen=True, kw_only=True):
    """Something that was learnt."""

    category: Literal["lesson", "domain"]
    content: Annotated[str, Meta(min_length=1, max_length=500)]
    source_task: Annotated[str, Meta(max_length=64)] = ""
    confidence: Literal["high", "medium", "low"] = "medium"
    needs_user_review: bool = False


class KnowledgeOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of a supervisor that keeps what was learnt."""

    status: Literal["REVIEWED"] = "REVIEWED"
    knowledge_items: Annotated[list[KnowledgeItemOutput], Meta(max_length=_MOST)]


class ResearchedOutput(AnswerModel, frozen=True, kw_only=True):
    """What is known about one question."""

    question: Line
    answer: Annotated[str, Meta(min_length=1, max_length=1_500)]


class ResearchOutput(SummedOutput, frozen=True, kw_only=True):
    """The answer of a researcher."""

    status: Literal["ANSWERED"] = "ANSWERED"
    answers: Annotated[list[ResearchedOutput], Meta(min_length=1, max_length=3)]


class WorkSummaryOutput(Output, frozen=True, kw_only=True):
    """The answer of a summarizer."""

    status: Literal["SUMMED"] = "SUMMED"
    summary: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=ROLLED_UP,
            description="What was done, what failed and what was decided, in a paragraph.",
        ),
    ]

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
