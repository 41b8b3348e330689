"""The circuit breaker: what failed too often is left alone for a while."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace


class BreakerStatus(StrEnum):
    """Whether attempts are let through: all, none, or one to see how it goes."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class BreakerPolicy(Struct, frozen=True, kw_only=True):
    """So many failures in a window open the breaker for a rest."""

    failures: int = 5
    window: timedelta = timedelta(seconds=300)
    rest: timedelta = timedelta(seconds=300)


BREAKER_POLICY: Final = BreakerPolicy()
_NOT_COUNTED: Final = frozenset({FailureCategory.LIMIT})
"""A usage limit says when it ends; to wait for that is not the breaker's business."""


def breaker_key(step: StepName, role: str, cli: str, level: Level) -> str:
    """Name what all runs of a project share a breaker for; less of a task is another thing."""
    whole = f"{step}/{role}/{cli}"
    return whole if level is Level.PRIMARY else f"{whole}/{level}"


def counts(category: FailureCategory) -> bool:
    """Tell whether a failure is one that a breaker remembers."""
    return category not in _NOT_COUNTED


class Breaker(Struct, frozen=True, kw_only=True):
    """What is known of one key by its facts."""

    status: BreakerStatus = BreakerStatus.CLOSED
    failures: tuple[datetime, ...] = ()
    opens_again_at: datetime | None = None
    """When the next attempt is let through, unless the breaker is closed."""
    policy: BreakerPolicy = BREAKER_POLICY

    def allows(self, at: datetime) -> bool:
        """Tell whether an attempt may start."""
        return self.opens_again_at is None or at >= self.opens_again_at

    def record_failure(self, at: datetime) -> "Breaker":
        """Count a failure; too many open the breaker, and so does the one try of a half-open one.

        An attempt that began before the breaker opened may fail later; that changes nothing.
        """
        if self.status is BreakerStatus.OPEN:
            return self
        if self.status is BreakerStatus.HALF_OPEN:
            return self._opened(at)
        recent = tuple(time for time in self.failures if at - time < self.policy.window)
        if len(recent) + 1 >= self.policy.failures:
            return self._opened(at)
        return replace(self, failures=(*recent, at))

    def record_try(self, at: datetime) -> "Breaker":
        """Let one attempt through; another one, after a rest, if nothing is heard of this one."""
        if self.status is BreakerStatus.CLOSED:
            return self
        return replace(self, status=BreakerStatus.HALF_OPEN, opens_again_at=at + self.policy.rest)

    def record_success(self) -> "Breaker":
        """Close the breaker; while it is closed, a success does not undo failures."""
        if self.status is BreakerStatus.CLOSED:
            return self
        return Breaker(policy=self.policy)

    def _opened(self, at: datetime) -> "Breaker":
        return Breaker(
            status=BreakerStatus.OPEN,
            opens_again_at=at + self.policy.rest,
            policy=self.policy,
        )
