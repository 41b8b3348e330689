"""State that all connections of a gateway share: limits, resolver, TLS, usage limits."""

import asyncio
import ssl
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from functools import cache, cached_property
from http import HTTPStatus
from typing import Final

from supervisor_ai.domain.run.failures.reset_headers import find_reset
from supervisor_ai.sandboxes.egress.head import ResponseHead
from supervisor_ai.sandboxes.egress.traffic import Resolve, TrafficCount, TrafficLimits

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

    def hear(self, answer: ResponseHead, *, is_free: bool) -> None:
        """Take note of an answer's head; what costs nothing gets through a limit as well."""
        if answer.status in _REFUSALS:
            headers = {name.lower(): value for name, value in answer.fields}
            self.reset_at = find_reset(headers, self._now()) or self.reset_at
        elif HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES and not is_free:
            self.reset_at = None


_LOOKUPS: Final = 2
"""So many of the threads that the whole program shares may wait for names."""


class ConnectionShare:
    """The means and the limits of one door."""

    def __init__(
        self, allowance: TrafficLimits, resolve: Resolve, trust: ssl.SSLContext | None
    ) -> None:
        self.allowance = allowance
        self.toll = TrafficCount(allowance)
        self.limit_note = LimitNote()
        self._resolve = resolve
        self._lookups = asyncio.Semaphore(_LOOKUPS)
        self._trust = trust

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Find the addresses of a host; a worker that asks for many at once has to queue."""
        await self._lookups.acquire()
        lookup = asyncio.ensure_future(self._resolve(host, port))
        # Nobody can interrupt a resolver: its place is free when it is, not when we give up.
        lookup.add_done_callback(lambda _: self._lookups.release())
        return await asyncio.shield(lookup)

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """Return whom we believe; made late, since it reads every root certificate."""
        return self._trust or _roots()


@cache
def _roots() -> ssl.SSLContext:
    return ssl.create_default_context()


async def alongside(main: Coroutine[None, None, None], side: Coroutine[None, None, None]) -> None:
    """Carry the one through to its end; the other may end earlier, and ends it if it fails."""
    doing, aside = asyncio.ensure_future(main), asyncio.ensure_future(side)
    try:
        await asyncio.wait((doing, aside), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            aside.result()
        await doing
    finally:
        doing.cancel()
        aside.cancel()
        await asyncio.gather(doing, aside, return_exceptions=True)
