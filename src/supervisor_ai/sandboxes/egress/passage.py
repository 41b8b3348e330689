"""What every connection of one door shares, and how two directions run side by side."""

import asyncio
import ssl
from collections.abc import Coroutine, Sequence
from functools import cache, cached_property
from typing import Final

from supervisor_ai.sandboxes.egress.allowance import Allowance
from supervisor_ai.sandboxes.egress.limit_note import LimitNote
from supervisor_ai.sandboxes.egress.traffic import Resolve, Toll

_LOOKUPS: Final = 2
"""So many of the threads that the whole program shares may wait for names."""


class Passage:
    """The means and the limits of one door."""

    def __init__(
        self, allowance: Allowance, resolve: Resolve, trust: ssl.SSLContext | None
    ) -> None:
        self.allowance = allowance
        self.toll = Toll(allowance)
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
