"""Dispatches each connection of a gateway: to proxy, broker, a session's tools, or a refusal."""

import asyncio
import json
import re
from datetime import timedelta
from http import HTTPStatus
from typing import Final

from supervisor_ai.engine.ports.sandbox import Egress
from supervisor_ai.sandboxes.egress.broker import CredentialBroker
from supervisor_ai.sandboxes.egress.connection import ConnectionShare
from supervisor_ai.sandboxes.egress.forwarding import Unreachable
from supervisor_ai.sandboxes.egress.head import END, RequestHead, parse_request
from supervisor_ai.sandboxes.egress.members import MemberForwarder, is_for_members
from supervisor_ai.sandboxes.egress.model_access.route import parse_route
from supervisor_ai.sandboxes.egress.model_access.spend_budget import SpendBudget
from supervisor_ai.sandboxes.egress.proxy import Proxy
from supervisor_ai.sandboxes.egress.refusal import Refusals, Refused
from supervisor_ai.sandboxes.egress.target import parse_allowed
from supervisor_ai.sandboxes.egress.traffic import Line

_AUTHORITY: Final = re.compile(r"([^:]+):([0-9]{1,5})", re.ASCII)
_STATUSES: Final = {
    "bad-request": HTTPStatus.BAD_REQUEST,
    "too-slow": HTTPStatus.REQUEST_TIMEOUT,
    "unresolvable": HTTPStatus.BAD_GATEWAY,
    "not-served": HTTPStatus.BAD_GATEWAY,
}


class EgressDispatcher:
    """Shows every request its way: the proxy, the broker, the tools of a session, or none."""

    def __init__(
        self,
        refusals: Refusals,
        *,
        proxy: Proxy,
        broker: CredentialBroker | None,
        patience: timedelta,
        members: MemberForwarder | None = None,
    ) -> None:
        self._refusals = refusals
        self._proxy = proxy
        self._broker = broker
        self._members = members
        self._patience = patience.total_seconds()

    async def attend(self, line: Line) -> None:
        """Hear one request, and let it through or say why not."""
        try:
            await self._let_through(await self._hear_request(line), line)
        except Refused as refused:
            self._refusals.tell(refused)
            if refused.answer is not None:
                await _answer(line, *refused.answer)
                return
            await _apologise(
                line,
                _STATUSES.get(refused.reason, HTTPStatus.FORBIDDEN),
                f"not let through: {refused.reason}",
            )
        except Unreachable as error:
            await _apologise(line, HTTPStatus.BAD_GATEWAY, f"no answer from upstream: {error}")
        else:
            await line.take_leave()

    def close(self) -> None:
        """Let nothing wait for requests that will not come."""
        if self._broker is not None:
            self._broker.close()

    async def _hear_request(self, line: Line) -> RequestHead:
        async with asyncio.timeout(self._patience):
            first = await line.reader.readexactly(1)
        try:
            async with asyncio.timeout(self._patience):
                return parse_request(first + await line.reader.readuntil(END))
        except TimeoutError:
            raise Refused("too-slow") from None
        except asyncio.LimitOverrunError:
            raise Refused("too-large") from None

    async def _let_through(self, request: RequestHead, line: Line) -> None:
        if request.method == "CONNECT":
            await self._proxy.serve(request, line)
        elif self._members is not None and is_for_members(request.target):
            await self._members.serve(request, line)
        elif request.target.startswith("/"):
            if self._broker is None:
                raise Refused("no-broker")
            await self._broker.serve(request, line)
        else:
            raise _plain(request.target)


def furnish(
    egress: Egress, refusals: Refusals, budget: SpendBudget, passage: ConnectionShare
) -> EgressDispatcher:
    """Make the reception of one door; raise InvalidInput if the egress makes no sense."""
    route = parse_route(egress.broker) if egress.broker else None
    return EgressDispatcher(
        refusals,
        proxy=Proxy(
            parse_allowed(egress.allow), passage, budget, private=parse_allowed(egress.private)
        ),
        broker=CredentialBroker(route, passage, budget) if route else None,
        patience=passage.allowance.head_time,
        members=MemberForwarder(egress.members, passage) if egress.members else None,
    )


def _plain(target: str) -> Refused:
    """Refuse a request for a whole URL, and tell for whom it was as far as that is clear."""
    authority = (target.partition("://")[2] or target).partition("/")[0].rpartition("@")[2]
    found = _AUTHORITY.fullmatch(authority)
    return Refused("plain-http", *((found[1], int(found[2])) if found else (authority,)))


async def _apologise(line: Line, status: HTTPStatus, why: str) -> None:
    await _answer(line, status, {"error": {"type": "sandbox_egress", "message": why}})


async def _answer(line: Line, status: int, said: object) -> None:
    """Say why, unless something else was said before: then nothing but the end makes sense."""
    if line.has_spoken:
        return
    body = json.dumps(said).encode()
    head = (
        f"HTTP/1.1 {status:d} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    await line.say(head.encode() + body)
    await line.take_leave()
