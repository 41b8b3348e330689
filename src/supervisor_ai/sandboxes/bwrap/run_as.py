"""The user that runs bubblewrap: the supervisor's own or, where that is root, another."""

import os
import resource
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.bwrap import drop_privileges
from supervisor_ai.sandboxes.bwrap.privileged_start import Child, PrivilegedStarter
from supervisor_ai.sandboxes.processes.ownership import Handover
from supervisor_ai.sandboxes.resource_limits.rlimits import (
    kernel_limits,
    process_backstop,
    within_ours,
)
from supervisor_ai.tools.programs import find_program
from supervisor_ai.tools.threads import finish_in_thread

if TYPE_CHECKING:
    from supervisor_ai.sandboxes.bwrap.drop_privileges import StartOrders

_COUNTS_APART: Final = (5, 14)
_SYSTEM_PATH: Final = "/usr/bin:/bin"
_OPTIONS: Final = {
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_DATA: "data",
}


class StartFiles(Struct, frozen=True, kw_only=True):
    """What a command is started with: its channels, and the files that it knows by number."""

    stdin: int
    stdout: int
    stderr: int
    numbered: tuple[int, ...]
    groups: tuple[Path, ...]
    """Control groups that the command is to be in, where it can enter them by itself."""


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


class SameUser:
    """The supervisor's own, ordinary user."""

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Leave everything as it is."""
        return tuple(mounts)

    def start(self, command: Sequence[str], limits: ResourceLimits, wiring: StartFiles) -> Child:
        """Set the limits on the way."""
        given = kernel_limits(limits, is_own_user=False)
        options = [f"--{_OPTIONS[number]}={value}" for number, value in given]
        program = find_program("prlimit", _SYSTEM_PATH) or "/usr/bin/prlimit"
        return subprocess.Popen(
            [program, *options, "--", *command],
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
        """Bound the processes, since a namespace counts only its own from now on."""
        if _counts_by_namespace():
            most = within_ours(resource.RLIMIT_NPROC, process_backstop(limits))
            # A process that is gone needs no limit.
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_NPROC, (most, most))


class SlotUser:
    """A user of one slot, for whom root makes room; root itself never runs a sandbox."""

    def __init__(self, uid: int, users: range, launchpad: PrivilegedStarter) -> None:
        self._uid = uid
        self._launchpad = launchpad
        self._handover = Handover(owner=uid, users=users)
        self._sources: list[str] = []

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Give away what is writable, and name each source by its place on the launcher's stage."""
        await finish_in_thread(self._give, mounts)
        self._sources = [os.fspath(mount.source) for mount in mounts]
        return tuple(_staged(mounts))

    def _give(self, mounts: Sequence[Mount]) -> None:
        for mount in mounts:
            if mount.is_writable:
                self._handover.give(mount.source)

    def start(self, command: Sequence[str], limits: ResourceLimits, wiring: StartFiles) -> Child:
        """Go through the launcher."""
        orders: StartOrders = {
            "parent": os.getpid(),
            "uid": self._uid,
            "sources": self._sources,
            "limits": kernel_limits(limits, is_own_user=True),
            "argv": list(command),
            "numbers": [0, 1, 2, *wiring.numbered],
            "groups": [os.fspath(group) for group in wiring.groups],
        }
        files = [wiring.stdin, wiring.stdout, wiring.stderr, *wiring.numbered]
        return self._launchpad.launch(orders, files)

    def bound(self, pid: int, limits: ResourceLimits) -> None:
        """Leave it at what the launcher has set: the user is the sandbox's own."""


def _counts_by_namespace() -> bool:
    """Tell whether the kernel counts a user's processes apart in each user namespace."""
    release = os.uname().release.split(".")
    return tuple(int(part) for part in release[:2]) >= _COUNTS_APART


def _staged(mounts: Sequence[Mount]) -> Iterable[Mount]:
    for number, mount in enumerate(mounts):
        place = Path(drop_privileges.STAGE, str(number))
        yield Mount(source=place, target=mount.target, is_writable=mount.is_writable)
