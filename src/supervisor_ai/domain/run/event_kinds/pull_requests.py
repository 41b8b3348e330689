"""The facts of a pull request that is followed: what its checks and its reviewers say."""

from enum import StrEnum
from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted


class PullRequestStanding(StrEnum):
    """How a pull request stands."""

    PENDING = "pending"
    """Checks are under way."""
    SILENT = "silent"
    """No check has said anything yet; there may be none."""
    RED = "red"
    """A check failed."""
    OBJECTED = "objected"
    """Somebody who counts said what nobody has dealt with."""
    AWAITED = "awaited"
    """Somebody who counts wants changes, was heard, and has not looked again."""
    FOREIGN = "foreign"
    """Its branch does not end with the run's commit."""
    GREEN = "green"
    MERGED = "merged"
    CLOSED = "closed"
    """It was closed without being merged."""


class PullRequestLookStarted(OperationStarted, frozen=True, kw_only=True):
    """Somebody is about to look at how the pull request stands."""

    operation: ClassVar = "look"

    commit: CommitSha

    def lost(self) -> "PullRequestLookLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return PullRequestLookLost(step=self.step, visit=self.visit, slot=self.slot)


class PullRequestSeen(OperationEnded, frozen=True, kw_only=True):
    """The pull request stood like this."""

    ends: ClassVar = PullRequestLookStarted
    step_verdict: ClassVar = ":standing"

    standing: PullRequestStanding
    report: ArtifactHash
    """All of it in words, with the ends of logs and the comments."""
    passed: int = 0
    failed: int = 0
    pending: int = 0
    remarks: tuple[str, ...] = ()
    """The comments that the report hands on, by the forge's names for them."""
    noted: int = 0
    """How many comments there are of people who do not count."""


class PullRequestUnseen(OperationEnded, frozen=True, kw_only=True):
    """Nobody could tell how the pull request stands."""

    ends: ClassVar = PullRequestLookStarted

    reason: str
    detail: ArtifactHash
    is_passing: bool = False
    """Whether it may go away by itself: no network, too many questions."""


class PullRequestLookLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; looking again is harmless."""

    ends: ClassVar = PullRequestLookStarted
