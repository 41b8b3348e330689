"""The network access of one sandbox, for as long as its command runs."""

import asyncio
import socket
from datetime import datetime
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.engine.ports.sandbox import Egress
from supervisor_ai.sandboxes.egress.gateway import Gateway, Settle
from supervisor_ai.sandboxes.egress.listener_handoff import ListenerHandoff
from supervisor_ai.tools.threads import wait_until_done

_GRACE: Final = 5.0


class EgressSession:
    """Takes the listener over and serves it; where there is no egress, it is no way at all."""

    def __init__(self, egress: Egress | None, way: socket.socket | None, settle: Settle) -> None:
        self.missing: str | None = None
        """Why the command behind the shim could not be started, if it could not."""
        self.failure: str | None = None
        """Why there was no door, if there should have been one."""
        self._door: Gateway | None = None
        self._task: asyncio.Task[None] | None = None
        self._decided = asyncio.Event()
        if egress is not None and way is not None:
            self._door = Gateway(egress, settle=settle)
            self._task = asyncio.create_task(self._serve(self._door, ListenerHandoff(way), settle))

    @property
    def is_open(self) -> bool:
        """Tell whether the command has a way out at all."""
        return self._door is not None

    async def decided(self) -> None:
        """Wait until the listener is ours, or it is known that it will not be."""
        await self._decided.wait()

    @property
    def usage(self) -> Usage:
        """What went through the broker."""
        return self._door.usage if self._door else NO_USAGE

    @property
    def reset_at(self) -> datetime | None:
        """When the usage limit ends that the upstream spoke of last."""
        return self._door.reset_at if self._door else None

    async def close(self) -> None:
        """End every connection, once all that runs inside is dead."""
        if self._door is None or self._task is None:
            return
        try:
            # The other end is closed: what the shim has said is here, and nothing more will come.
            await asyncio.wait([self._task], timeout=_GRACE)
        finally:
            self._task.cancel()
            try:
                await wait_until_done([self._task])
            finally:
                await self._door.close()

    async def _serve(self, door: Gateway, doorway: ListenerHandoff, settle: Settle) -> None:
        try:
            await door.open(await doorway.receive())
            self._decided.set()
            self.missing = await doorway.exec_failure()
        except Unavailable as error:
            # Also what a bubblewrap that fails looks like from here; it says why by itself.
            self.failure = error.message.rstrip(".")
        except OSError as error:
            settle(error)
        finally:
            self._decided.set()
            doorway.close()
