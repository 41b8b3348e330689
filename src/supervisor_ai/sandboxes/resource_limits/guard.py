"""Keeps one command within its limits: by the kernel where it can, or else by watching it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxSpec
from supervisor_ai.sandboxes.outcome import KILLED
from supervisor_ai.sandboxes.resource_limits import disk_usage, process_usage
from supervisor_ai.sandboxes.resource_limits.cgroups import Cgroups, Group, grouped
from supervisor_ai.sandboxes.resource_limits.disk_usage import Disk, writable_disk
from supervisor_ai.sandboxes.resource_limits.process_usage import ProcessTree
from supervisor_ai.sandboxes.standard_files import HOME, SHARED_MEMORY, TEMPORARY

Settle = Callable[[SandboxEnd | Exception], None]
Look = Callable[[], str | None]
"""Names the limit that is exceeded, if any."""

_LEISURE: Final = 10
"""How many times longer the files rest than they are counted, at least."""
_HASTE: Final = 2
"""The same for the processes, where a late look costs memory."""

_FEW: Final = 100
"""Files that are counted in the time of all others."""


class _Watch(Struct, frozen=True):
    look: Look
    period: float
    leisure: int


class Guard:
    """Watches what the kernel does not bound, and tells which limit ended the command."""

    def __init__(self, limits: ResourceLimits, *, group: Group | None, files: Disk) -> None:
        self._limits = limits
        self._group = group
        self._files = files
        self._tree: ProcessTree | None = None
        self._exceeded: str | None = None
        self._is_off = False

    @property
    def hardness(self) -> Hardness:
        """Tell who keeps memory and processes: the kernel, or we, or nobody."""
        if self._group:
            return Hardness.HARD
        return Hardness.SOFT if process_usage.is_visible() else Hardness.NONE

    @property
    def doors(self) -> tuple[str, ...]:
        """Return the files through which a process enters the control groups of the command."""
        return self._group.doors if self._group else ()

    def admit(self, pid: int) -> None:
        """Take the first process of a command that has not begun."""
        self._tree = ProcessTree(pid, (TEMPORARY, HOME, SHARED_MEMORY))
        if self._group is None:
            return
        try:
            # Who has died already needs no bounds.
            with suppress(ProcessLookupError):
                self._group.join(pid)
        except OSError as error:
            raise _unbounded(error) from error

    @asynccontextmanager
    async def on_duty(self, settle: Settle) -> AsyncIterator[None]:
        """Look again and again while the context lasts; what exceeds a limit is ended."""
        loop, watches = asyncio.get_running_loop(), list[asyncio.Task[None] | asyncio.TimerHandle]()

        def begin(watch: _Watch) -> None:
            watches.append(asyncio.create_task(self._watch(watch, settle)))

        # Most commands end before the first look.
        watches += [loop.call_later(watch.period, begin, watch) for watch in self._watches()]
        try:
            yield
        finally:
            self._is_off = True
            for each in watches:
                each.cancel()

    async def judge(self, end: SandboxEnd, code: int | None) -> str | None:
        """Name the limit that ended the command, or that its files are over whatever it says.

        Who succeeds with too little memory has succeeded; too many files are there for all to see.
        """
        if end is SandboxEnd.LIMIT_EXCEEDED:
            return self._exceeded
        if end is not SandboxEnd.EXITED:
            return None
        if code == 0:
            # So few are counted before a thread would begin.
            is_within = self._files.is_within(_FEW)
            return None if is_within else await asyncio.to_thread(self._files.overrun)
        if self._group and (found := self._group.exceeded()):
            return found[0]
        if code == KILLED + signal.SIGXFSZ:
            return "file_size"
        return await asyncio.to_thread(self._look_at_files) if code is not None else None

    def _watches(self) -> Iterator[_Watch]:
        if self._tree is not None and self._group is None:
            tree = self._tree
            yield _Watch(lambda: tree.exceeded(self._limits), process_usage.PERIOD, _HASTE)
        if self._files.is_watched:
            yield _Watch(self._look_while_it_runs, disk_usage.PERIOD, _LEISURE)

    def _has_ended(self) -> bool:
        return self._is_off

    async def _watch(self, watch: _Watch, settle: Settle) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            begin = clock()
            try:
                exceeded = await asyncio.to_thread(watch.look)
            except Exception as error:  # noqa: BLE001 - a watch that fails must not go unnoticed
                settle(error)
                return
            if exceeded and not self._is_off:
                self._exceeded = exceeded
                settle(SandboxEnd.LIMIT_EXCEEDED)
                return
            await asyncio.sleep(max(watch.period, watch.leisure * (clock() - begin)))

    def _look_while_it_runs(self) -> str | None:
        pids = self._tree.pids() if self._tree else ()
        return self._files.exceeded(self._has_ended, pids)

    def _look_at_files(self) -> str | None:
        return self._files.is_full() or self._files.exceeded()


@contextmanager
def guarding(spec: SandboxSpec, cgroups: Cgroups | None, mark: str) -> Iterator[Guard]:
    """Make what keeps one command within its limits; the mark is the name of its groups."""
    with ExitStack() as stack:
        group = None
        if cgroups is not None:
            try:
                group = stack.enter_context(grouped(cgroups, mark, spec.limits))
            except OSError as error:
                raise _unbounded(error) from error
        yield Guard(spec.limits, group=group, files=writable_disk(spec.mounts, spec.limits))


def _unbounded(error: OSError) -> Unavailable:
    return Unavailable(
        f"The command cannot be put into a control group: {error}.",
        hint="A command that nothing would hold within its limits is not started.",
    )
