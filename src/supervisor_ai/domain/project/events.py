"""The facts of the project's stream: what crosses runs."""

from dataclasses import dataclass
from datetime import datetime

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, EffectKey, RunId
from supervisor_ai.domain.run.failures.breaker import BREAKER_POLICY, BreakerPolicy
from supervisor_ai.domain.run.spending.budgets import Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitTaken(Event):
    """A run holds a place."""

    permit: str
    run: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitFreed(Event):
    """The place is free again."""

    permit: str
    run: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactErased(Event):
    """A text that should not have been kept was removed for ever."""

    artifact: ArtifactHash
    reason: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCounted(Event):
    """An attempt failed in a way that its breaker remembers, under the policy of its run."""

    breaker: str
    run: RunId
    at: datetime
    policy: BreakerPolicy = BREAKER_POLICY


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted(Event):
    """After its rest, a breaker lets one attempt through."""

    breaker: str
    run: RunId
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerClosed(Event):
    """An attempt succeeded; all may start again."""

    breaker: str
    run: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReserved(Event):
    """An attempt has so much set aside in its accounts."""

    key: EffectKey
    run: RunId
    accounts: tuple[str, ...]
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettled(Event):
    """The attempt has ended; what it used is booked and the rest is free again."""

    key: EffectKey
    run: RunId
    used: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountsClosed(Event):
    """The run has ended; nobody will ask again what it spent."""

    run: RunId


ProjectEvent = (
    PermitTaken
    | PermitFreed
    | ArtifactErased
    | FailureCounted
    | TrialStarted
    | BreakerClosed
    | BudgetReserved
    | BudgetSettled
    | AccountsClosed
)
