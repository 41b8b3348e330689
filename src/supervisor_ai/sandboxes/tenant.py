"""Who runs bubblewrap: the supervisor's own user or, where that is root, another."""

import asyncio
import marshal
import os
import resource
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes import launcher
from supervisor_ai.sandboxes.inheritance import Inheritance
from supervisor_ai.sandboxes.limits import Limits, kernel_limits
from supervisor_ai.sandboxes.ownership import Handover

if TYPE_CHECKING:
    from supervisor_ai.sandboxes.launcher import Orders

_PRLIMIT: Final = "prlimit"
_OPTIONS: Final = {
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_DATA: "data",
}


class Tenant(Protocol):
    """The user for whom one sandbox is made."""

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Make the sources usable for the tenant; return them as bubblewrap is to name them."""
        ...

    def start(
        self, command: Sequence[str], limits: Limits, files: Inheritance, mark: str
    ) -> list[str]:
        """Return the arguments that start the command for the tenant, within the limits."""
        ...


class SameUser:
    """The supervisor's own, ordinary user."""

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Leave everything as it is."""
        return tuple(mounts)

    def start(
        self, command: Sequence[str], limits: Limits, files: Inheritance, mark: str
    ) -> list[str]:
        """Set the limits on the way."""
        del files, mark
        given = kernel_limits(limits, is_own_user=False)
        options = [f"--{_OPTIONS[number]}={value}" for number, value in given]
        return [_PRLIMIT, *options, "--", *command]


class SlotUser:
    """A user of one slot, for whom root makes room; root itself never runs a sandbox."""

    def __init__(self, uid: int, users: range) -> None:
        self._uid = uid
        self._handover = Handover(owner=uid, users=users)
        self._sources: list[str] = []

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Give away what is writable, and name each source by its place on the launcher's stage."""
        await _in_thread(lambda: self._give(mounts))
        self._sources = [os.fspath(mount.source) for mount in mounts]
        return tuple(_staged(mounts))

    def _give(self, mounts: Sequence[Mount]) -> None:
        for mount in mounts:
            if mount.is_writable:
                self._handover.give(mount.source)

    def start(
        self, command: Sequence[str], limits: Limits, files: Inheritance, mark: str
    ) -> list[str]:
        """Go through the launcher."""
        orders: Orders = {
            "parent": os.getpid(),
            "uid": self._uid,
            "sources": self._sources,
            "limits": kernel_limits(limits, is_own_user=True),
            "argv": list(command),
        }
        given = files.number(files.file(marshal.dumps(dict(orders))))
        return [os.path.realpath(sys.executable), "-I", "-S", launcher.__file__, given, mark]


async def _in_thread(work: Callable[[], None]) -> None:
    """Wait for the work even if cancelled: what it does to files must not go on behind us."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _staged(mounts: Sequence[Mount]) -> Iterable[Mount]:
    for number, mount in enumerate(mounts):
        place = Path(launcher.STAGE, str(number))
        yield Mount(source=place, target=mount.target, is_writable=mount.is_writable)
