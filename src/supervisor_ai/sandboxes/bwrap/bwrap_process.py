"""A running bubblewrap and the first process inside it: when both are gone, all are."""

import os
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import json

from supervisor_ai.sandboxes.bwrap.privileged_start import Child
from supervisor_ai.sandboxes.bwrap.start_barrier import StartBarrier
from supervisor_ai.sandboxes.processes.live_process import (
    Hold,
    end_all,
    end_every,
    find_marked,
    holds_on,
    readable,
)
from supervisor_ai.sandboxes.processes.register import RegisterEntry

_MOST: Final = 4096


class BwrapProcess:
    """Lets the command begin once the register knows its processes, and ends them all.

    When the first process inside dies, the kernel kills every other one there before it reports
    that death. But bubblewrap outside may die and leave the inside behind: only when the command
    starts are the two bound to each other. So the command waits until both are known by number.
    """

    def __init__(
        self, process: Child, entry: RegisterEntry, gate: StartBarrier, status: int
    ) -> None:
        self.outer = Hold.on_child(process.pid)
        self._inner: Hold | None = None
        self._process = process
        self._entry = entry
        self._gate = gate
        self._status = status

    @property
    def exit_code(self) -> int | None:
        """Return the command's exit code, or None if it did not start or did not end by itself."""
        return self._reported("exit-code")

    async def admit(self, is_ready: Callable[[Hold], Awaitable[bool]]) -> None:
        """Enter the processes in the register, and open the gate if the inner one is ready.

        If bubblewrap has failed, there is nothing to admit.
        """
        await readable(self._gate.fileno(), self.outer.fileno())
        self._inner = self._find_inner()
        if self._inner is not None:
            self._entry.write(self.outer.process, self._inner.process)
            if await is_ready(self._inner):
                self._gate.open()

    async def end(self) -> None:
        """Kill what still lives; when this returns, or is cancelled, nothing does."""
        try:
            await end_all([self.outer, self._inner] if self._inner else [self.outer])
        finally:
            self._process.wait()
            if self._inner is None:
                await end_every(self._find_strays)

    def _find_strays(self) -> list[Hold]:
        mark = self._entry.mark
        return holds_on(find_marked([mark])[mark])

    def _find_inner(self) -> Hold | None:
        pid = self._reported("child-pid")
        # Whatever else has this number by now is not a child of bubblewrap.
        return None if pid is None else Hold.on_child_of(self.outer.process.pid, pid)

    def _reported(self, what: str) -> int | None:
        """Read what bubblewrap has noted; the command inside has no hand in it."""
        *whole, _ = os.pread(self._status, _MOST, 0).split(b"\n")
        notes = [json.decode(line).get(what) for line in whole]
        return next((note for note in notes if isinstance(note, int)), None)
