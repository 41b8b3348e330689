"""The network gateway of one sandbox: everything that leaves it goes through here."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.sandbox import Egress, SandboxEnd
from supervisor_ai.sandboxes.egress.refusal import Refusals, Refused
from supervisor_ai.sandboxes.egress.traffic import USUAL, Line, Resolve, TrafficLimits
from supervisor_ai.tools.threads import wait_until_done

PORT: Final = 3128
"""Where the door is, on the loopback interface of the sandbox."""

Settle = Callable[[SandboxEnd | Exception], None]

_PROXY: Final = ("HTTPS_PROXY", "https_proxy")
_PLAIN_PROXY: Final = ("HTTP_PROXY", "http_proxy")
_NO_PROXY: Final = ("NO_PROXY", "no_proxy")
_HERE: Final = "localhost"
_PAUSE: Final = 0.05


def gateway_environment(egress: Egress, port: int = PORT) -> dict[str, str]:
    """Return the variables that lead a command to the door, so that it learns what is refused."""
    url = f"http://127.0.0.1:{port}"
    # A registry on this machine is not the sandbox's own loopback: it is behind the door.
    is_here = any(host.startswith(f"{_HERE}:") for host in egress.private)
    direct = ("127.0.0.1", "::1") if is_here else (_HERE, "127.0.0.1", "::1")
    found = dict.fromkeys(_PROXY, url) | dict.fromkeys(_NO_PROXY, ",".join(direct))
    found["NODE_USE_ENV_PROXY"] = "1"
    if egress.broker is not None:
        return found | dict.fromkeys(egress.broker_variables, url)
    # The broker's address is plain HTTP: not every client would leave the proxy out for it.
    return found | dict.fromkeys(_PLAIN_PROXY, url)


class Gateway:
    """Accepts on a listener that lives in the sandbox's network but is held by us.

    `settle` hears that the command's budget is spent, or of a failure that is not the worker's.
    """

    def __init__(
        self,
        egress: Egress,
        *,
        settle: Settle,
        resolve: Resolve | None = None,
        trust: ssl.SSLContext | None = None,
        allowance: TrafficLimits = USUAL,
    ) -> None:
        # Whoever only asks for a sandbox's name does not have to wait for all of this.
        from supervisor_ai.sandboxes.egress.address import look_up
        from supervisor_ai.sandboxes.egress.connection import ConnectionShare
        from supervisor_ai.sandboxes.egress.dispatch import furnish
        from supervisor_ai.sandboxes.egress.model_access.spend_budget import SpendBudget

        self._allowance = allowance
        self._settle = settle
        self._refusals = Refusals(egress.on_refusal, settle)
        self._budget = SpendBudget(egress.tokens, self._cut_off, cost_cap=egress.cost_cap)
        passage = ConnectionShare(allowance, resolve or look_up, trust)
        self._limit_note = passage.limit_note
        self._reception = furnish(egress, self._refusals, self._budget, passage)
        self._listener: socket.socket | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def usage(self) -> Usage:
        """What went through the broker so far."""
        return self._budget.usage

    @property
    def reset_at(self) -> datetime | None:
        """When the usage limit ends that the upstream spoke of last."""
        return self._limit_note.reset_at

    async def open(self, listener: socket.socket) -> None:
        """Begin to accept; the door owns the listener from now on."""
        if self._is_closed or self._listener is not None:
            listener.close()
            raise Unavailable("The door has been opened before.")
        listener.settimeout(0)
        self._listener = listener
        self._listen(listener)

    async def close(self) -> None:
        """End every connection; when this returns, or is cancelled, none is left."""
        self._is_closed = True
        if self._pause is not None:
            self._pause.cancel()
        if self._listener is not None and self._listener.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
        self._reception.close()
        for task in self._tasks:
            task.cancel()
        await wait_until_done(set(self._tasks))

    def _listen(self, listener: socket.socket) -> None:
        asyncio.get_running_loop().add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        try:
            client, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionError):
            return  # the client has left again
        except OSError:  # no file is free just now
            loop = asyncio.get_running_loop()
            loop.remove_reader(listener)
            self._pause = loop.call_later(_PAUSE, self._listen, listener)
            return
        if len(self._tasks) < self._allowance.connections:
            self._admit(client)
        else:
            client.close()
            self._refusals.tell(Refused("too-many-connections"))

    def _admit(self, client: socket.socket) -> None:
        client.settimeout(0)
        task = asyncio.create_task(self._serve(client))
        self._tasks.add(task)
        task.add_done_callback(partial(self._note_end, client))

    def _note_end(self, client: socket.socket, task: asyncio.Task[None]) -> None:
        client.close()
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._settle(error)

    def _cut_off(self) -> None:
        self._refusals.tell(Refused("budget-spent"))
        for task in self._tasks:
            task.cancel()
        self._settle(SandboxEnd.CUT_OFF)

    async def _serve(self, client: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(
                sock=client, limit=self._allowance.head_bytes
            )
            # What was said is with the kernel: an end that follows cannot destroy it.
            writer.transport.set_write_buffer_limits(high=0)
            async with Line(reader, writer) as line:
                await self._reception.attend(line)
        except (OSError, asyncio.IncompleteReadError):
            return  # one of both sides has left, or said nothing for too long
