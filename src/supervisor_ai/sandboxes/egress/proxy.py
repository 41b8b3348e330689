"""The CONNECT proxy: a tunnel to a listed host, and to nobody who only says so."""

import asyncio
from collections.abc import Callable, Sequence

from supervisor_ai.sandboxes.egress.address import private_addresses, public_addresses
from supervisor_ai.sandboxes.egress.client_hello import server_name
from supervisor_ai.sandboxes.egress.connection import ConnectionShare, alongside
from supervisor_ai.sandboxes.egress.head import RequestHead
from supervisor_ai.sandboxes.egress.model_access.spend_budget import SpendBudget
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.target import Target, parse_target
from supervisor_ai.sandboxes.egress.traffic import Line, dial, patience


class Proxy:
    """Tunnels TLS to the exact hosts and ports on the list."""

    def __init__(
        self,
        allowed: frozenset[Target],
        passage: ConnectionShare,
        budget: SpendBudget,
        *,
        private: frozenset[Target] = frozenset(),
    ) -> None:
        self._allowed = allowed
        self._private = private
        self._passage = passage
        self._budget = budget

    async def serve(self, request: RequestHead, client: Line) -> None:
        """Open the tunnel that is asked for, or refuse it."""
        target = parse_target(request.target)
        try:
            self._check(target)
            await self._tunnel(target, await self._find(target), client)
        except Refused as refused:
            raise refused.toward(target.host, target.port) from None

    def _check(self, target: Target) -> None:
        if target not in self._allowed:
            raise Refused("not-listed")
        self._budget.refuse_if_spent()

    async def _find(self, target: Target) -> Sequence[str]:
        find = private_addresses if target in self._private else public_addresses
        try:
            async with asyncio.timeout(self._passage.allowance.dial_time.total_seconds()):
                return await find(target, self._passage.resolve)
        except TimeoutError:
            raise Refused("unresolvable") from None

    async def _tunnel(self, target: Target, addresses: Sequence[str], client: Line) -> None:
        await client.say(b"HTTP/1.1 200 Connection established\r\n\r\n")
        hello = await self._hear_hello(target, client)
        async with asyncio.timeout(self._passage.allowance.dial_time.total_seconds()):
            upstream = await dial(addresses, target.port)
        toll = self._passage.toll
        async with upstream, patience(self._passage.allowance.idle_time) as renew:
            await upstream.say(hello)
            await alongside(
                _pump(upstream, client, _both(toll.download, renew)),
                _pump(client, upstream, _both(toll.upload, renew)),
            )

    async def _hear_hello(self, target: Target, client: Line) -> bytes:
        """Hear whom the client wants to talk to before anything reaches anybody."""
        try:
            async with asyncio.timeout(self._passage.allowance.hello_time.total_seconds()):
                name, heard = await self._hear_name(client)
        except TimeoutError:
            raise Refused("too-slow") from None
        self._passage.toll.upload(len(heard))
        if name != target.host:
            raise Refused("sni-mismatch")
        return heard

    async def _hear_name(self, client: Line) -> tuple[str, bytes]:
        heard = b""
        while (name := server_name(heard)) is None:
            more = await client.hear()
            if not more:
                raise ConnectionError("the client left")
            heard += more
            if len(heard) > self._passage.allowance.hello_bytes:
                raise Refused("too-large")
        return name, heard


def _both(count: Callable[[int], None], renew: Callable[[], None]) -> Callable[[int], None]:
    def note(size: int) -> None:
        count(size)
        renew()

    return note


async def _pump(source: Line, sink: Line, note: Callable[[int], None]) -> None:
    while heard := await source.hear():
        note(len(heard))
        await sink.say(heard)
    sink.finish()
