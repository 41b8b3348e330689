"""The credential broker: requests go out with a key that the worker never sees."""

import asyncio
import ssl
from collections.abc import Mapping
from functools import partial
from typing import Final

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.sandboxes.egress.address import any_addresses, public_addresses
from supervisor_ai.sandboxes.egress.connection import ConnectionShare
from supervisor_ai.sandboxes.egress.forwarding import Forwarding, Unreachable
from supervisor_ai.sandboxes.egress.head import RequestHead
from supervisor_ai.sandboxes.egress.model_access.headers import upstream_head
from supervisor_ai.sandboxes.egress.model_access.route import Route
from supervisor_ai.sandboxes.egress.model_access.secret_mask import Mask
from supervisor_ai.sandboxes.egress.model_access.spend_budget import SpendBudget
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.traffic import Line, dial

_FREE: Final = ("/count_tokens", ":countTokens")


class CredentialBroker:
    """Sends every listed request upstream over a connection of its own, and streams the answer."""

    def __init__(self, route: Route, passage: ConnectionShare, budget: SpendBudget) -> None:
        self._route = route
        self._passage = passage
        self._budget = budget

    async def serve(self, request: RequestHead, client: Line) -> None:
        """Carry one request and its answer, or refuse it."""
        target = self._route.target
        try:
            await self._exchange(request, self._route.path(request.method, request.target), client)
        except Refused as refused:
            raise refused.toward(target.host, target.port) from None

    async def _exchange(self, request: RequestHead, path: str, client: Line) -> None:
        with self._budget.exchange() as exchange:
            exchange.is_free = request.method != "POST" or path.partition("?")[0].endswith(_FREE)
            given = await self._given()
            async with await self._dial() as upstream:
                await Forwarding(
                    request=request,
                    head=upstream_head(request, path, self._route, given),
                    exchange=exchange,
                    client=client,
                    upstream=upstream,
                    passage=self._passage,
                    budget=self._budget,
                    mask=Mask(*given.values()),
                    refused=partial(self._renew, given),
                ).run()

    async def _given(self) -> Mapping[str, str]:
        try:
            return await self._route.headers()
        except SupervisorError:
            raise Unreachable("there is nothing that its requests could carry") from None

    async def _renew(self, given: Mapping[str, str]) -> None:
        """Renew a login that was refused, before the client hears of it and asks again."""
        if self._route.login is not None:
            await self._route.login.renew(given)

    async def _dial(self) -> Line:
        target, resolve = self._route.target, self._passage.resolve
        find = any_addresses if self._route.is_local else public_addresses
        tls = self._passage.tls if self._route.is_tls else None
        try:
            async with asyncio.timeout(self._passage.allowance.dial_time.total_seconds()):
                addresses = await find(target, resolve)
                return await dial(addresses, target.port, tls=tls, name=target.host)
        except ssl.CertificateError:
            raise Unreachable("its certificate cannot be trusted") from None
        except OSError:
            raise Unreachable("it cannot be reached") from None
