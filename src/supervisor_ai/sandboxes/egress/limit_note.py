"""Remembers when the usage limit ends that an upstream speaks of."""

from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from supervisor_ai.domain.run.reset_headers import find_reset
from supervisor_ai.sandboxes.egress.head import Answer

_OVERLOADED: Final = 529
_REFUSALS: Final = frozenset(
    {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, _OVERLOADED}
)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class LimitNote:
    """What all connections of one door have heard about a limit."""

    def __init__(self, now: Callable[[], datetime] = _utc_now) -> None:
        self._now = now
        self.reset_at: datetime | None = None
        """When the limit ends that was spoken of last, unless a request got through after it."""

    def hear(self, answer: Answer, *, is_free: bool) -> None:
        """Take note of an answer's head; what costs nothing gets through a limit as well."""
        if answer.status in _REFUSALS:
            headers = {name.lower(): value for name, value in answer.fields}
            self.reset_at = find_reset(headers, self._now()) or self.reset_at
        elif HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES and not is_free:
            self.reset_at = None
