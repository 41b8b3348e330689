"""The facts of what a change needs before it lands, and of people's answers."""

from datetime import datetime
from typing import ClassVar

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    TreeSha,
)
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import Assessment
from supervisor_ai.domain.run.event_kinds.placed import (
    OperationEnded,
    OperationStarted,
    RequestAnswered,
    RequestMade,
    StepNote,
)
from supervisor_ai.domain.run.line_places import LinePlace, LineSide
from supervisor_ai.domain.run.values import ReasonWord


class AssessmentStarted(OperationStarted, frozen=True, kw_only=True):
    """It is about to be found out what a change needs before it lands."""

    operation: ClassVar = "assess"

    tree: TreeSha
    commit: CommitSha

    def lost(self) -> "AssessmentLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return AssessmentLost(step=self.step, visit=self.visit, slot=self.slot)


class ChangeAssessed(OperationEnded, frozen=True, kw_only=True):
    """The policy has said what the change needs, and by which facts."""

    ends: ClassVar = AssessmentStarted

    tree: TreeSha
    commit: CommitSha
    assessment: Assessment
    facts: tuple[Fact, ...]
    shown: ArtifactHash
    """All that a person is shown about the change before they decide."""
    at: datetime | None = None


class AssessmentLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died before anything was found out."""

    ends: ClassVar = AssessmentStarted


class ApprovalRequested(RequestMade, frozen=True, kw_only=True):
    """A person is asked; the answer is bound to the tree."""

    operation: ClassVar = "approval"
    waits_for: ClassVar = "an approval"

    reason: ReasonWord
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None
    assessment: Assessment | None = None
    """What the policy demands; None: one person, whoever it is."""
    needs_reason: bool = False
    """Whether a yes counts only with a word on why."""


class ApprovalCounted(StepNote, frozen=True, kw_only=True):
    """One of several people who have to agree has said yes."""

    tree: TreeSha
    person: str
    note: ArtifactHash | None = None
    proof: ArtifactHash | None = None
    shown: ArtifactHash | None = None


class ApprovalGiven(RequestAnswered, frozen=True, kw_only=True):
    """A person said yes, and nobody else has to."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha
    note: ArtifactHash | None
    person: str = ""
    """Who of the user's people it was, as proven."""
    proof: ArtifactHash | None = None
    shown: ArtifactHash | None = None


class ApprovalLapsed(RequestAnswered, frozen=True, kw_only=True):
    """Nobody objected in the time that there was for it."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha


class ApprovalRefused(RequestAnswered, frozen=True, kw_only=True):
    """A person said no."""

    ends: ClassVar = ApprovalRequested

    tree: TreeSha
    note: ArtifactHash
    person: str = ""
    proof: ArtifactHash | None = None
    shown: ArtifactHash | None = None


class CommentMade(StepNote, frozen=True, kw_only=True):
    """A person has said something about a line of the change that they were asked about."""

    number: int
    tree: TreeSha
    file: str
    line: int
    text: ArtifactHash
    person: str = ""
    side: LineSide = LineSide.NEW
    quote: ArtifactHash | None = None
    """What the line said."""

    @property
    def at(self) -> LinePlace:
        """Return the line that it is about."""
        return LinePlace(file=self.file, line=self.line, side=self.side)


class ChangeEdited(RequestAnswered, frozen=True, kw_only=True):
    """A person has changed the files themselves, in place of an answer."""

    ends: ClassVar = ApprovalRequested

    replaced: TreeSha
    tree: TreeSha
    commit: CommitSha
    person: str = ""
