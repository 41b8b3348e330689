"""Directives: what supervisors want done, in which order it is shown, and how long it is kept."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash

CLEANUP_CAP: Final = 10
"""How many cleanup directives are pending at most."""
CLEANUP_AGE: Final = 15
"""After how many tasks a cleanup directive that nobody picked up is dropped."""


class DirectiveType(StrEnum):
    """Where a directive stands among the work that is planned."""

    FUNCTIONAL = "functional"
    """Before what is planned."""
    CLEANUP = "cleanup"
    """After it."""


class DirectivePriority(StrEnum):
    """How urgent a directive is."""

    CRITICAL = "critical"
    """Nothing else is done before it."""
    NORMAL = "normal"
    LOW = "low"


class DirectiveResponse(StrEnum):
    """What a planner says to a directive."""

    ADDRESSED = "addressed"
    """A task does it, this one or one of those that are carried forward."""
    EXPLAINED = "explained"
    """It is done already, or need not be done."""
    ESCALATED = "escalated"
    """Somebody else has to decide; the work goes on meanwhile."""
    DEFERRED = "deferred"
    """Planned work comes first; only cleanup may wait."""


class DropReason(StrEnum):
    """Why a directive is dropped that nobody answered."""

    AGED = "aged"
    CAPPED = "capped"
    PERSON = "person"
    POLISHED = "polished"
    """The time for polish is over."""
    ENDED = "ended"
    """The run ends before its turn came."""


class NewDirective(Struct, frozen=True, kw_only=True):
    """What somebody wants done, before it has a number."""

    type: DirectiveType
    priority: DirectivePriority
    text: ArtifactHash
    """Description, rationale and files, as JSON."""


class Directive(Struct, frozen=True, kw_only=True):
    """What somebody wants done, until it is answered or dropped."""

    number: int
    type: DirectiveType
    priority: DirectivePriority
    source: str
    """Which supervisor wants it, or `person`."""
    text: ArtifactHash
    since: int
    """How many tasks were over when it came."""

    @property
    def is_cleanup(self) -> bool:
        """Tell whether it waits for other work."""
        return self.type is DirectiveType.CLEANUP

    @property
    def is_critical(self) -> bool:
        """Tell whether nothing else may be done before it."""
        return self.priority is DirectivePriority.CRITICAL

    @property
    def can_wait(self) -> bool:
        """Tell whether planned work may come first."""
        return self.is_cleanup and not self.is_critical


class DirectiveText(Struct, frozen=True, kw_only=True):
    """The words of a directive."""

    description: str
    rationale: str = ""
    files: tuple[str, ...] = ()


class Backlog(Struct, frozen=True, kw_only=True):
    """How many cleanup directives are kept, and for how long."""

    cap: int = CLEANUP_CAP
    age: int = CLEANUP_AGE


class Drop(Struct, frozen=True, kw_only=True):
    """A directive that is to be dropped, and why."""

    number: int
    reason: DropReason


_PRIORITIES: Final = tuple(DirectivePriority)
_TYPES: Final = tuple(DirectiveType)


def numbered(
    wishes: Iterable[NewDirective], *, source: str, first: int, since: int
) -> tuple[Directive, ...]:
    """Give each directive a number of its own."""
    return tuple(
        Directive(
            number=first + offset,
            type=wish.type,
            priority=wish.priority,
            source=source,
            text=wish.text,
            since=since,
        )
        for offset, wish in enumerate(wishes)
    )


def in_order(pending: Iterable[Directive]) -> tuple[Directive, ...]:
    """Put critical directives first, then functional ones before cleanup, then the oldest."""
    return tuple(sorted(pending, key=_rank))


def _rank(it: Directive) -> tuple[bool, int, int, int]:
    kind, priority = _TYPES.index(it.type), _PRIORITIES.index(it.priority)
    return not it.is_critical, kind, priority, it.number


def overdue(pending: Sequence[Directive], backlog: Backlog, *, tasks: int) -> tuple[Drop, ...]:
    """Say which cleanup directives are dropped: those too old, and the oldest of too many."""
    cleanup = [it for it in pending if it.can_wait]
    aged = [it for it in cleanup if tasks - it.since > backlog.age]
    fresh = sorted((it for it in cleanup if it not in aged), key=lambda it: it.number)
    surplus = fresh[: max(0, len(fresh) - backlog.cap)]
    return (
        *(Drop(number=it.number, reason=DropReason.AGED) for it in aged),
        *(Drop(number=it.number, reason=DropReason.CAPPED) for it in surplus),
    )
