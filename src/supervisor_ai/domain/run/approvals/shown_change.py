"""What a person is shown about a change before they decide; its hash is part of the decision."""

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import Assessment
from supervisor_ai.domain.run.status import Verdict


class ShownEvidence(Struct, frozen=True, kw_only=True):
    """Where a fact can be seen."""

    fact: str
    file: str
    detail: str


class ShownGate(Struct, frozen=True, kw_only=True):
    """What a gate said last."""

    gate: str
    verdict: Verdict


class ShownReview(Struct, frozen=True, kw_only=True):
    """What a reviewer said last."""

    by: str
    said: str
    summary: str


class ShownChange(Struct, frozen=True, kw_only=True):
    """A change with everything that speaks for and against it."""

    base: CommitSha
    commit: CommitSha
    tree: TreeSha
    assessment: Assessment
    facts: tuple[Fact, ...]
    evidence: tuple[ShownEvidence, ...] = ()
    breaks: tuple[str, ...] = ()
    """What of the public interface is gone or narrower."""
    gates: tuple[ShownGate, ...] = ()
    reviews: tuple[ShownReview, ...] = ()
