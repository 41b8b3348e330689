"""The facts of the project's stream: what crosses runs."""

from datetime import datetime

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, EffectKey, RunId
from supervisor_ai.domain.run.failures.breaker import BREAKER_POLICY, BreakerPolicy
from supervisor_ai.domain.run.spending.budgets import Amount


class PermitTaken(Event, frozen=True, kw_only=True):
    """A run holds a place."""

    permit: str
    run: RunId


class PermitFreed(Event, frozen=True, kw_only=True):
    """The place is free again."""

    permit: str
    run: RunId


class ArtifactErased(Event, frozen=True, kw_only=True):
    """A text that should not have been kept was removed for ever."""

    artifact: ArtifactHash
    reason: ArtifactHash | None


class FailureCounted(Event, frozen=True, kw_only=True):
    """An attempt failed in a way that its breaker remembers, under the policy of its run."""

    breaker: str
    run: RunId
    at: datetime
    policy: BreakerPolicy = BREAKER_POLICY


class TrialStarted(Event, frozen=True, kw_only=True):
    """After its rest, a breaker lets one attempt through."""

    breaker: str
    run: RunId
    at: datetime


class BreakerClosed(Event, frozen=True, kw_only=True):
    """An attempt succeeded; all may start again."""

    breaker: str
    run: RunId


class BudgetReserved(Event, frozen=True, kw_only=True):
    """An attempt has so much set aside in its accounts."""

    key: EffectKey
    run: RunId
    accounts: tuple[str, ...]
    amount: Amount


class BudgetSettled(Event, frozen=True, kw_only=True):
    """The attempt has ended; what it used is booked and the rest is free again."""

    key: EffectKey
    run: RunId
    used: Amount


class AccountsClosed(Event, frozen=True, kw_only=True):
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
