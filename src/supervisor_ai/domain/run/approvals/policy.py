"""Approval policy: which level of risk a change has, and what that level demands."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.approvals.conditions import RiskCondition
from supervisor_ai.domain.run.approvals.facts import SUPERVISOR_SETTINGS, Fact, FactValue, values_of


class RiskLevel(StrEnum):
    """How much is at stake."""

    LOW = "low_risk"
    MEDIUM = "medium_risk"
    HIGH = "high_risk"
    CRITICAL = "critical"
    UNKNOWN = "unknown"
    """No level of the policy fits."""


RISKIEST_FIRST: Final = (
    RiskLevel.CRITICAL,
    RiskLevel.HIGH,
    RiskLevel.UNKNOWN,
    RiskLevel.MEDIUM,
    RiskLevel.LOW,
)


class ApprovalAction(StrEnum):
    """What a level demands before a change may land."""

    AUTO_APPROVE = "auto_approve"
    NOTIFY_AND_TIMEOUT = "notify_and_timeout"
    REQUIRE_APPROVAL = "require_approval"
    REQUIRE_MULTI_APPROVAL = "require_multi_approval"


REQUIRING: Final = frozenset(
    {ApprovalAction.REQUIRE_APPROVAL, ApprovalAction.REQUIRE_MULTI_APPROVAL}
)
"""The actions without which nothing lands that no person has agreed to."""


class ConditionMatch(StrEnum):
    """How many of a level's conditions have to hold."""

    ANY = "any"
    ALL = "all"


class ApprovalLevel(Struct, frozen=True, kw_only=True):
    """One level of an approval policy."""

    level: RiskLevel
    conditions: tuple[RiskCondition, ...]
    action: ApprovalAction
    match: ConditionMatch
    timeout: timedelta = timedelta()
    """How long anybody may object, where nobody has to agree."""
    channels: tuple[str, ...] = ()
    """Where people are told; nothing: as the notifications of the config say."""
    approvers: tuple[str, ...] = ()
    """The groups whose members may agree; nothing: whoever may use the ledger."""
    needs: int = 1
    """How many of them have to."""


class OwnFact(Struct, frozen=True, kw_only=True):
    """A fact that a policy makes itself: of the paths of a change, or of a gate's verdict."""

    paths: tuple[str, ...] = ()
    gate: str | None = None
    verdicts: tuple[str, ...] = ()


class ApprovalPolicy(Struct, frozen=True, kw_only=True):
    """What a change of which risk needs before it lands."""

    levels: tuple[ApprovalLevel, ...]
    facts: dict[str, OwnFact] = field(default_factory=dict)

    def level(self, wanted: RiskLevel) -> ApprovalLevel | None:
        """Return the level of this name."""
        return next((it for it in self.levels if it.level is wanted), None)

    @property
    def path_facts(self) -> dict[str, tuple[str, ...]]:
        """Return the patterns of the facts that it makes of paths."""
        return {name: fact.paths for name, fact in self.facts.items() if fact.paths}


class Assessment(Struct, frozen=True, kw_only=True):
    """The level that a change has, what that demands, and why."""

    level: RiskLevel
    action: ApprovalAction
    because: tuple[str, ...]
    """The conditions that were met."""
    timeout: timedelta = timedelta()
    channels: tuple[str, ...] = ()
    approvers: tuple[str, ...] = ()
    needs: int = 1


def assess(policy: ApprovalPolicy, facts: Iterable[Fact]) -> Assessment:
    """Find the first level whose conditions are met, and what it demands."""
    known = values_of(facts)
    for level in _in_order(policy):
        because = _met(level, known)
        if because is not None:
            return _at_least_high(policy, _assessed(level, because), known)
    return _unmatched(RiskLevel.UNKNOWN, "no level of the policy fits")


def _in_order(policy: ApprovalPolicy) -> Iterator[ApprovalLevel]:
    """Try what needs people from the riskiest down, and then what needs nobody from the least up.

    All conditions of a level that needs nobody have to hold, and those of a small risk say more
    than those of a larger one: tried the other way round, it would never be reached.
    """
    ranked = [it for name in RISKIEST_FIRST if (it := policy.level(name)) is not None]
    yield from (it for it in ranked if it.action in REQUIRING)
    yield from (it for it in reversed(ranked) if it.action not in REQUIRING)


def _met(level: ApprovalLevel, facts: Mapping[str, FactValue]) -> tuple[str, ...] | None:
    """Return the conditions that hold, if they are enough; what nobody knows is taken for risk."""
    is_requiring = level.action in REQUIRING
    said = [(it, it.holds(facts)) for it in level.conditions]
    held = [(it, holds) for it, holds in said if holds or (holds is None and is_requiring)]
    enough = len(level.conditions) if level.match is ConditionMatch.ALL else 1
    if len(held) < enough:
        return None
    return tuple(it.words if holds else f"{it.words} (not known)" for it, holds in held)


def _assessed(level: ApprovalLevel, because: tuple[str, ...]) -> Assessment:
    return Assessment(
        level=level.level,
        action=level.action,
        because=because,
        timeout=level.timeout,
        channels=level.channels,
        approvers=level.approvers,
        needs=level.needs,
    )


def _at_least_high(
    policy: ApprovalPolicy, found: Assessment, facts: Mapping[str, FactValue]
) -> Assessment:
    """Let a person see what changes supervisor's own settings, whatever the levels say."""
    if found.action in REQUIRING or facts.get(SUPERVISOR_SETTINGS) is False:
        return found
    because = f"{SUPERVISOR_SETTINGS} is never below high"
    high = policy.level(RiskLevel.HIGH)
    if high is not None and high.action in REQUIRING:
        return _assessed(high, (because,))
    return _unmatched(RiskLevel.HIGH, because)


def _unmatched(level: RiskLevel, because: str) -> Assessment:
    return Assessment(level=level, action=ApprovalAction.REQUIRE_APPROVAL, because=(because,))
