"""The facts of the project's stream: what crosses runs."""

from datetime import datetime

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, EffectKey, RunId
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.run.failures.breaker import BREAKER_POLICY, BreakerPolicy
from supervisor_ai.domain.run.spending.budgets import Amount
from supervisor_ai.domain.run.values import Process


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


class NoticeOwed(Event, frozen=True, kw_only=True):
    """A run has come to a state that people want to hear of."""

    key: str
    run: RunId
    about: NoticeState
    severity: NoticeSeverity
    channels: tuple[str, ...]
    words: ArtifactHash


class NoticeTaken(Event, frozen=True, kw_only=True):
    """A process is about to deliver it."""

    key: str
    run: RunId
    process: Process


class NoticeDelivered(Event, frozen=True, kw_only=True):
    """At least one channel took it."""

    key: str
    run: RunId
    channels: tuple[str, ...]
    """Those that took it."""
    failed: tuple[str, ...] = ()
    """Those that did not."""
    reason: str = ""
    """What stood in their way."""


class NoticeFailed(Event, frozen=True, kw_only=True):
    """No channel took it; the run does not care."""

    key: str
    run: RunId
    reason: str


class NoticeDropped(Event, frozen=True, kw_only=True):
    """It was held back until it was not true any more."""

    key: str
    run: RunId


class TaskNumbered(Event, frozen=True, kw_only=True):
    """A run has the next number of the project's tasks for itself."""

    run: RunId
    number: int


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
    | NoticeOwed
    | NoticeTaken
    | NoticeDelivered
    | NoticeFailed
    | NoticeDropped
    | TaskNumbered
)
