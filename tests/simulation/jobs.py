"""The simulated sandbox: its commands outlive the process that started them, unless killed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from tests.simulation.history import History
from tests.simulation.processes import SimProcess
from tests.simulation.scripts import Deed
from tests.simulation.timeline import ProcessLoop

from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult

Write = Callable[[str, str], None]
_KILLED: Final = SandboxResult(end=SandboxEnd.EXITED, exit_code=137, reason="")
_SLOT_PARTS: Final = 4


class Tag(NamedTuple):
    """The name of a command, and the number of its owner's lease."""

    label: str
    fence: int


@dataclass(eq=False, slots=True, kw_only=True)
class Job:
    """A command under way."""

    label: str
    fence: int
    deed: Deed
    write: Write
    process: SimProcess
    end: asyncio.Future[SandboxResult]

    @property
    def run(self) -> RunId:
        """Tell for which run the command works."""
        return RunId(self.label.partition("/")[0])

    @property
    def slot(self) -> tuple[str, ...]:
        """Tell for which slot of which visit the command works."""
        return tuple(self.label.split("/")[:_SLOT_PARTS])


class Jobs:
    """All commands of the machine; they run in the world's time, not in their starter's."""

    def __init__(self, world: ProcessLoop, history: History) -> None:
        self._world = world
        self._history = history
        self.open: list[Job] = []

    async def perform(
        self, process: SimProcess, tag: Tag, deed: Deed, write: Write
    ) -> SandboxResult:
        """Start a command and wait for its end; a starter that is cancelled kills it."""
        job = Job(
            label=tag.label,
            fence=tag.fence,
            deed=deed,
            write=write,
            process=process,
            end=process.loop.create_future(),
        )
        self._start(job)
        try:
            return await job.end
        finally:
            if process.is_alive and job in self.open:
                self.open.remove(job)

    def reap(self, process: SimProcess, prefix: str, before: int) -> int:
        """Kill the commands whose label begins so and whose fence is lower."""
        found = [job for job in self.open if job.label.startswith(prefix) and job.fence < before]
        for job in found:
            if self._history.owner(job.run) is job.process is not process:
                self._history.broken(f"{job.label!r} was killed although its owner owns the run.")
            self._close(job, _KILLED)
        return len(found)

    def _start(self, job: Job) -> None:
        self._history.starts[job.label] += 1
        owner = self._history.owner(job.run)
        for other in self.open:
            if other.slot == job.slot and owner in {job.process, None}:
                self._check_alone(job, other)
        self.open.append(job)
        between = job.deed.seconds / max(2, len(job.deed.files))
        for place, (name, text) in enumerate(job.deed.files):
            self._world.call_later(between * (place + 1), self._write, job, name, text)
        self._world.call_later(job.deed.seconds, self._finish, job)

    def _check_alone(self, job: Job, other: Job) -> None:
        """Two commands may meet in a slot only when one belongs to an old owner that is late."""
        if other.fence >= job.fence or not other.process.has_been_frozen:
            self._history.broken(f"{job.label!r} was started while {other.label!r} is under way.")

    def _write(self, job: Job, name: str, text: str) -> None:
        if job not in self.open:
            return
        try:
            job.write(name, text)
        except OSError:
            # As the kernel does where a mount is read-only: only the command hears of it.
            self._history.refused.add(job.label)
            return
        self._history.written[job.label][name] = text

    def _finish(self, job: Job) -> None:
        if job in self.open:
            self._close(job, job.deed.result)

    def _close(self, job: Job, result: SandboxResult) -> None:
        self.open.remove(job)
        if job.process.is_alive and not job.end.done():
            job.end.set_result(result)
