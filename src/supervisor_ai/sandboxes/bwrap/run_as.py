"""The user that runs bubblewrap: the supervisor's own or, where that is root, another."""

import os
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.bwrap import drop_privileges
from supervisor_ai.sandboxes.bwrap.privileged_start import Child, PrivilegedStarter
from supervisor_ai.sandboxes.processes.ownership import Handover
from supervisor_ai.sandboxes.resource_limits.rlimits import (
    counts_by_namespace,
    impose,
    kernel_limits,
)
from supervisor_ai.tools.threads import finish_in_thread

if TYPE_CHECKING:
    from supervisor_ai.sandboxes.bwrap.drop_privileges import StartOrders

_FEW: Final = 100
"""Files that are given away in the time of all others."""
_END: Final = object()


class StartFiles(Struct, frozen=True, kw_only=True):
    """What a command is started with: its channels, and the files that it knows by number."""

    stdin: int
    stdout: int
    stderr: int
    numbered: tuple[int, ...]
    groups: tuple[str, ...]
    """How it enters the control groups that it is to be in, where it can do so by itself."""


class RunAs(Protocol):
    """The user for whom one sandbox is made."""

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Make the sources usable for the tenant; return them as bubblewrap is to name them."""
        ...

    def start(self, command: Sequence[str], limits: ResourceLimits, wiring: StartFiles) -> Child:
        """Start the command for the tenant, within the limits, with an empty environment."""
        ...

    def bound(self, pid: int, limits: ResourceLimits) -> None:
        """Set what can only be set once the first process is in its own user namespace."""
        ...

    def listen(self, pid: int, held: int, reply: int) -> None:
        """Have a listener in the network of the first process sent as a reply, or why not."""
        ...


class SameUser:
    """The supervisor's own, ordinary user."""

    def __init__(self, launchpad: PrivilegedStarter | None = None) -> None:
        self._launchpad = launchpad or PrivilegedStarter()

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Leave everything as it is."""
        return tuple(mounts)

    def start(self, command: Sequence[str], limits: ResourceLimits, wiring: StartFiles) -> Child:
        """Start it as it is: what comes of it has not begun when it is bounded."""
        return subprocess.Popen(
            command,
            stdin=wiring.stdin,
            stdout=wiring.stdout,
            stderr=wiring.stderr,
            pass_fds=wiring.numbered,
            env={},
            cwd="/",
            # A key pressed at our terminal is our business, not bubblewrap's.
            start_new_session=True,
        )

    def bound(self, pid: int, limits: ResourceLimits) -> None:
        """Set every limit; of its processes a namespace counts only its own from now on."""
        impose(pid, kernel_limits(limits, is_own_user=counts_by_namespace()))

    def listen(self, pid: int, held: int, reply: int) -> None:
        """Go there as we are."""
        self._launchpad.listen({"pid": pid, "uid": 0}, held, reply)


class SlotUser:
    """A user of one slot, for whom root makes room; root itself never runs a sandbox."""

    def __init__(self, uid: int, users: range, launchpad: PrivilegedStarter) -> None:
        self._uid = uid
        self._launchpad = launchpad
        self._handover = Handover(owner=uid, users=users)
        self._sources: dict[str, Path] = {}

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Give away what is writable, and name each source by its place on the launcher's stage."""
        writable = [mount for mount in mounts if mount.is_writable]
        steps = chain.from_iterable(map(self._handover.steps, writable))
        # So few are given before a thread would begin; who goes its own way takes its time.
        if any(mount.give for mount in writable) or not _ends_within(_FEW, steps):
            await finish_in_thread(deque[None], steps, maxlen=0)
        self._sources = _places(mounts)
        return tuple(
            Mount(
                source=self._sources[os.fspath(mount.source)],
                target=mount.target,
                is_writable=mount.is_writable,
            )
            for mount in mounts
        )

    def start(self, command: Sequence[str], limits: ResourceLimits, wiring: StartFiles) -> Child:
        """Go through the launcher."""
        orders: StartOrders = {
            "parent": os.getpid(),
            "uid": self._uid,
            "sources": [(source, str(place)) for source, place in self._sources.items()],
            "limits": kernel_limits(limits, is_own_user=True),
            "argv": list(command),
            "numbers": [0, 1, 2, *wiring.numbered],
            "groups": list(wiring.groups),
        }
        files = [wiring.stdin, wiring.stdout, wiring.stderr, *wiring.numbered]
        return self._launchpad.launch(orders, files)

    def bound(self, pid: int, limits: ResourceLimits) -> None:
        """Leave it at what the launcher has set: the user is the sandbox's own."""

    def listen(self, pid: int, held: int, reply: int) -> None:
        """Go there as the user of the slot, who owns it."""
        self._launchpad.listen({"pid": pid, "uid": self._uid}, held, reply)


def _ends_within(most: int, steps: Iterator[None]) -> bool:
    """Take so many steps; tell whether there are no more."""
    return next(islice(steps, most, None), _END) is _END


def _places(mounts: Sequence[Mount]) -> dict[str, Path]:
    """Give each source one place of its own, however often it is shown."""
    sources = dict.fromkeys(os.fspath(mount.source) for mount in mounts)
    return {
        source: _on_stage("d" if os.path.isdir(source) else "f", number)  # noqa: PTH112 - as text
        for number, source in enumerate(sources)
    }


@cache
def _on_stage(kind: str, number: int) -> Path:
    return Path(drop_privileges.STAGE, f"{kind}{number}")
