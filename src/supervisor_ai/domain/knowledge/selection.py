"""Which documents a worker is told of: the seed's rules, then what fits the work best."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import KnowledgeArea, KnowledgeStatus
from supervisor_ai.domain.knowledge.provenance import LookCommit

USUAL_BUDGET: Final = 2_000


_SHARE: Final = 0.6
"""How much of the budget conventions take before design, lessons and domain had their turn."""


class KnowledgePlan(Struct, frozen=True, kw_only=True):
    """What a role wants to know."""

    budget: int = USUAL_BUDGET
    """How many tokens that may take."""
    areas: tuple[str, ...] = ()
    """The directories that it wants to know; none: all but directives."""

    def wants(self, area: str) -> bool:
        """Tell whether a directory is of interest."""
        return area in self.areas if self.areas else area != KnowledgeArea.DIRECTIVES


class KnowledgeScope(Struct, frozen=True, kw_only=True):
    """For which work documents of the knowledge store are chosen."""

    commit: CommitSha | None = None
    """Whose store it is; None: that of the commit at which the run began."""
    looks: tuple[LookCommit, ...] = ()
    """What supervisors have written there since."""
    since: CommitSha | None = None
    """Where the milestone began: lessons that are younger belong to it."""
    themes: str = ""
    """What the milestone is about; nothing: the task."""


class StoreName(StrEnum):
    """Whose store a document is in."""

    PROJECT = "project"
    USER = "user"


class Candidate(Struct, frozen=True, kw_only=True):
    """A document that somebody may be told of."""

    path: str
    store: StoreName
    status: KnowledgeStatus
    area: str
    tokens: int
    relevance: float = 0.0
    """How well it fits the words of the work; nothing: not at all."""
    is_recent: bool = False
    """Whether it was written since the milestone began."""


class DocumentChoice(Struct, frozen=True, kw_only=True):
    """What became of a candidate, and why."""

    candidate: Candidate
    is_shown: bool
    reason: str


class InjectedItem(Struct, frozen=True, kw_only=True):
    """One entry of the record: a document, whether a worker is told of it, and why."""

    path: str
    store: StoreName
    title: str
    status: KnowledgeStatus
    is_shown: bool
    tokens: int
    reason: str
    fingerprint: str = ""


class InjectedKnowledge(Struct, frozen=True, kw_only=True):
    """What a worker is told of the knowledge store, and the record of what was left out."""

    text: str
    tokens: int
    budget: int
    items: tuple[InjectedItem, ...] = ()
    left_out: int = 0
    """How many more documents were left out than the record names."""
    problems: tuple[str, ...] = ()
    """What could not be read as it should be, each with its file and line."""


_Wish = tuple[Candidate, str]


def choose(candidates: Sequence[Candidate], plan: KnowledgePlan) -> tuple[DocumentChoice, ...]:
    """Decide on every candidate; those that are shown come first, the most important first."""
    shadowed = {it.path for it in candidates if it.store is StoreName.PROJECT}
    wanted: list[tuple[int, Candidate, str]] = []
    rest: list[DocumentChoice] = []
    for candidate in candidates:
        against = _against(candidate, plan, shadowed)
        rank = None if against else _rank(candidate)
        if rank is None:
            reason = against or "nothing in it fits the work"
            rest.append(DocumentChoice(candidate=candidate, is_shown=False, reason=reason))
        else:
            wanted.append((rank[0], candidate, rank[1]))
    shown: list[DocumentChoice] = []
    room = plan.budget
    for candidate, reason in _in_turn(wanted, plan):
        is_shown = candidate.tokens <= room
        room -= candidate.tokens if is_shown else 0
        told = reason if is_shown else f"{reason}, but the budget is used up"
        choice = DocumentChoice(candidate=candidate, is_shown=is_shown, reason=told)
        (shown if is_shown else rest).append(choice)
    return (*shown, *rest)


def _in_turn(wanted: list[tuple[int, Candidate, str]], plan: KnowledgePlan) -> list[_Wish]:
    """Order the documents; of very many conventions the rest comes after everything else."""
    first: list[_Wish] = []
    later: list[_Wish] = []
    room = plan.budget * _SHARE
    for rank, candidate, reason in sorted(wanted, key=_importance):
        room -= candidate.tokens if rank == 0 else 0
        (later if rank == 0 and room < 0 else first).append((candidate, reason))
    return [*first, *later]


def _against(candidate: Candidate, plan: KnowledgePlan, shadowed: set[str]) -> str | None:
    """Say why nobody is told of a document, whatever the work."""
    if not plan.wants(candidate.area):
        return "the role does not ask for this directory"
    if candidate.status is KnowledgeStatus.DEPRECATED:
        return "it is deprecated"
    if candidate.store is StoreName.USER and candidate.path in shadowed:
        return "the project has a document of the same name"
    return None


def _rank(candidate: Candidate) -> tuple[int, str] | None:
    """Say how important a document is for the work, and why; None: it is not."""
    fits = candidate.relevance > 0
    match candidate.area:
        case KnowledgeArea.CONVENTIONS:
            return 0, "a convention in force"
        case KnowledgeArea.DESIGN if fits:
            return 1, "design that fits the work"
        case KnowledgeArea.LESSONS if candidate.is_recent:
            return 2, "a lesson of this milestone"
        case _:
            return (3, "fits the work") if fits else None


def _importance(wanted: tuple[int, Candidate, str]) -> tuple[int, float, bool, bool, str]:
    """Order candidates: by rank, by how well they fit, the firm ones and the project's first."""
    rank, it, _ = wanted
    is_guess = it.status is KnowledgeStatus.PROVISIONAL
    return rank, -it.relevance, is_guess, it.store is StoreName.USER, it.path
