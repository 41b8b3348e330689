"""What a project knows, chosen for a worker and searched; and what its supervisors recorded."""

from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId
from supervisor_ai.domain.knowledge.documents import KnowledgeDocument
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.domain.knowledge.provenance import LookCommit
from supervisor_ai.domain.knowledge.selection import (
    InjectedKnowledge,
    KnowledgePlan,
    StoreName,
)


class KnowledgeRequest(Struct, frozen=True, kw_only=True):
    """For whom documents are chosen."""

    plan: KnowledgePlan
    commit: CommitSha
    """Whose store it is."""
    looks: tuple[LookCommit, ...] = ()
    """What supervisors have written there since."""
    task: str
    themes: str = ""
    since: CommitSha | None = None
    hides: tuple[str, ...] = ()
    """Patterns of files that do not exist for the role."""
    model: str = ""
    """Whose tokens are counted."""


class KnowledgeHit(Struct, frozen=True, kw_only=True):
    """A document that a search has found."""

    store: StoreName
    document: KnowledgeDocument
    relevance: float


class KnowledgeShelf(Protocol):
    """The knowledge stores of a project and of its user; whatever lies there is hostile."""

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Choose within the budget what a worker is told, as material that can command nothing."""
        ...

    def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find the documents of both stores that fit some words best."""
        ...


class NoKnowledge:
    """A world in which nothing is known."""

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Tell nothing."""
        return InjectedKnowledge(text="", tokens=0, budget=request.plan.budget)

    def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find nothing."""
        del commit, words, most
        return ()


class StandingDirective(Struct, frozen=True, kw_only=True):
    """What a supervisor wants done in the project, whichever run looks next."""

    number: int
    type: str
    priority: str
    source: str
    text: ArtifactHash
    """Description, rationale and files, as JSON."""
    since: int
    """How many commits were counted when it came."""


class PlannerReply(Struct, frozen=True, kw_only=True):
    """What a planner said to a directive that is pending."""

    run: RunId
    is_over: bool
    """Whether that run has come to its end, and well."""
    number: int
    response: str
    note: ArtifactHash | None = None


class PastLook(Struct, frozen=True, kw_only=True):
    """A look of a supervisor, in whichever run."""

    supervisor: str
    outcome: str
    commit: CommitSha
    novel: int
    total: int
    findings: ArtifactHash | None
    commits: int
    """How many commits were counted since."""
    setbacks: int
    """How often work was sent back on the way to them."""


class QualityStock(Struct, frozen=True, kw_only=True):
    """How a project stands with its supervisors."""

    commits: int = 0
    """How many commits were counted so far."""
    setbacks: int = 0
    """How often work was sent back on the way to them."""
    is_counted: bool = False
    """Whether the commit that was asked about is among them."""
    looks: tuple[PastLook, ...] = ()
    """The oldest first."""
    pending: tuple[StandingDirective, ...] = ()
    replies: tuple[PlannerReply, ...] = ()
    """What planners said to them, the oldest first."""
    newest: int = 0
    """The number of the newest directive that there ever was."""
    tasks: tuple[ArtifactHash, ...] = ()
    """What was asked for in the runs that were counted last, the newest first."""


class QualityRecords(Protocol):
    """What supervisors and their directives have come to, over all runs of a project."""

    def stock(self, commit: CommitSha) -> QualityStock:
        """Say how the project stands, and whether a commit was counted."""
        ...

    def pending(self) -> tuple[StandingDirective, ...]:
        """Return the directives that nobody has answered, the oldest first."""
        ...

    def uses(self, *, but: RunId | None = None) -> tuple[KnowledgeUse, ...]:
        """Return which tasks were told of which documents, but for those of a run."""
        ...


class NoQualityRecords:
    """A project in which no supervisor ever looked."""

    def stock(self, commit: CommitSha) -> QualityStock:
        """Say that nothing is known."""
        del commit
        return QualityStock()

    def pending(self) -> tuple[StandingDirective, ...]:
        """Return nothing."""
        return ()

    def uses(self, *, but: RunId | None = None) -> tuple[KnowledgeUse, ...]:
        """Return nothing."""
        del but
        return ()
