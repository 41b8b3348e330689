"""The simulated machine: its time, its processes, and the world as each of them sees it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Final, Protocol, TypeVar, cast

from tests.simulation.agents import SimAnswers, SimSandbox, SimWorker
from tests.simulation.chaos import Chaos, Weather
from tests.simulation.history import History, WatchedLeases
from tests.simulation.jobs import Jobs
from tests.simulation.processes import SimProcess, guard
from tests.simulation.scripts import Script
from tests.simulation.timeline import Timeline
from tests.support.fake_kanban_files import MemoryKanbanFiles
from tests.support.kanban_performers import performers_with
from tests.support.toy_driver import ChildDriver, ParentDriver
from typing_extensions import override

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId
from supervisor_ai.domain.run.gates import GateWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.engine.ports.gates import ChangeCase, Examination, Verdicts
from supervisor_ai.engine.ports.ledger import EventLog, Inbox, Leases, StateCache, WakeQueue
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.engine.world import Timing, World
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_consent import FakeConsent
from supervisor_ai.testing.fake_evidence import FakeEvidence
from supervisor_ai.testing.fake_examiner import FakeExaminer
from supervisor_ai.testing.fake_forge import FakeForge
from supervisor_ai.testing.fake_identities import FakeIdentities
from supervisor_ai.testing.fake_workspaces import MemoryAnchor, MemoryWorkspaces
from supervisor_ai.testing.ids import FakeIds, FakeProcesses
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger
from supervisor_ai.testing.world import NoSecrets, PlainPacker, PlainPrompter

T = TypeVar("T")

TIMING: Final = Timing(lease=timedelta(seconds=9), poll=timedelta(seconds=1), cache_every=20)
_DRIVERS: Final = {
    WorkflowDriver.name: opener(WorkflowDriver()),
    KanbanDriver.name: opener(KanbanDriver()),
    ParentDriver.name: opener(ParentDriver()),
    ChildDriver.name: opener(ChildDriver()),
}


class RememberedDocuments(ArtifactDocuments):
    """Documents that are decoded once; thousands of worlds read theirs again and again."""

    def __init__(self, artifacts: Artifacts) -> None:
        super().__init__(artifacts)
        self._loaded: dict[tuple[ArtifactHash, type], object] = {}

    @override
    def load(self, artifact: ArtifactHash, kind: type[T]) -> T:
        """Return the domain object."""
        key = (artifact, kind)
        if key not in self._loaded:
            self._loaded[key] = super().load(artifact, kind)
        return cast("T", self._loaded[key])


class SimWorkspaces(MemoryWorkspaces):
    """Workspaces that also remember the programs that were exported."""

    __slots__ = ("exports",)

    def __init__(self) -> None:
        super().__init__()
        self.exports: set[tuple[RunId, Path]] = set()

    @override
    async def program(self, run: RunId, base: CommitSha, *, hides: tuple[str, ...] = ()) -> Path:
        """Export the base commit."""
        path = await super().program(run, base, hides=hides)
        self.exports.add((run, path))
        return path

    @override
    async def forget(self, run: RunId) -> None:
        """Remove what an ended run needs no more."""
        await super().forget(run)
        self.exports = {(owner, path) for owner, path in self.exports if owner != run}

    def seen(self, workspace: Workspace) -> Mapping[str, str]:
        """Return the files of a workspace, as a worker sees them; it may be gone by now."""
        left = self._directories.get(workspace.path)
        return dict(left.files) if left else {}

    @property
    def leftovers(self) -> tuple[Path, ...]:
        """Return everything that exists beside commits and refs."""
        return (*self.open_paths, *(path for _, path in self.exports))


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerView:
    """The ledger as one process opened it."""

    log: EventLog
    leases: Leases
    inbox: Inbox
    cache: StateCache
    wakes: WakeQueue
    verdicts: Verdicts
    close: Callable[[], None]


class Ledgers(Protocol):
    """A ledger that every process of the machine can open."""

    def __call__(self, clock: FakeClock, processes: FakeProcesses) -> LedgerView:
        """Open the ledger for a process."""
        ...


def memory_ledgers() -> Ledgers:
    """Keep one ledger in memory for all processes."""
    kept: list[MemoryLedger] = []

    def open_ledger(clock: FakeClock, processes: FakeProcesses) -> LedgerView:
        if not kept:
            kept.append(MemoryLedger(clock, is_alive=processes.is_alive))
        (ledger,) = kept
        return LedgerView(
            log=ledger,
            leases=ledger,
            inbox=ledger,
            cache=ledger,
            wakes=ledger,
            verdicts=ledger,
            close=lambda: None,
        )

    return open_ledger


class Machine:
    """Starts processes and gives each its own doors to one shared world."""

    def __init__(self, seed: int, weather: Weather, ledgers: Ledgers) -> None:
        self.chance = Random(seed)  # noqa: S311 - a simulation, not a secret
        self.timeline = Timeline(self.chance)
        self.chaos = Chaos(self.chance, weather, longest_freeze=3 * TIMING.lease.total_seconds())
        self.loop = self.timeline.add()
        self.clock = FakeClock()
        self.history = History()
        self.jobs = Jobs(self.loop, self.history)
        self.script = Script(seed)
        self.workspaces = SimWorkspaces()
        self.kanban_files = MemoryKanbanFiles(self.workspaces)
        self.processes: list[SimProcess] = []
        self._ledgers = ledgers
        self._ids = FakeIds()
        self._dead: set[int] = set()
        self._artifacts = MemoryArtifacts()
        self._documents = RememberedDocuments(self._artifacts)
        self._anchor = MemoryAnchor()
        self._forge = FakeForge()
        self.world = self._observed()

    def start(self, on_death: Callable[[SimProcess], None]) -> tuple[SimProcess, World]:
        """Start a process; return it with the world as it sees it."""
        number = len(self.processes) + 1
        view = self._ledgers(self.clock, FakeProcesses(number, self._dead))

        def die() -> None:
            self._dead.add(number)
            view.close()
            on_death(process)

        process = SimProcess(number, self.timeline, self.chaos, die)
        self.processes.append(process)
        return process, self._seen_by(process, view)

    def bury(self) -> None:
        """Let what is left of the dead unwind."""
        for process in self.processes:
            process.is_alive = False
            process.loop.bury()

    def _observed(self) -> World:
        """Return the world as people and the observer see it: nothing can happen to them."""
        nobody = SimProcess(0, Timeline(self.chance), self.chaos, lambda: None)
        return self._world(nobody, self._ledgers(self.clock, FakeProcesses(0, self._dead)))

    def _seen_by(self, process: SimProcess, view: LedgerView) -> World:
        world = self._world(process, view)
        watched = WatchedLeases(view.leases, self.history, process)
        return replace(
            world,
            log=guard(process, view.log),
            leases=guard(process, watched),
            inbox=guard(process, view.inbox),
            cache=guard(process, view.cache),
            wakes=guard(process, view.wakes),
            artifacts=guard(process, self._artifacts),
            anchor=guard(process, self._anchor),
            workspaces=guard(process, self.workspaces),
            performers=performers_with(guard(process, self.kanban_files)),
            sandbox=guard(process, world.sandbox),
            workers=lambda adapter: guard(process, world.workers(adapter)),
        )

    def _world(self, process: SimProcess, view: LedgerView) -> World:
        files = (self.workspaces.seen, self._write)
        worker = SimWorker(self.jobs, process, self.script, view.log, files)
        return World(
            log=view.log,
            leases=view.leases,
            inbox=view.inbox,
            wakes=view.wakes,
            cache=view.cache,
            artifacts=self._artifacts,
            documents=self._documents,
            anchor=self._anchor,
            clock=self.clock,
            ids=self._ids,
            processes=FakeProcesses(process.number, self._dead),
            drivers=_DRIVERS,
            sandbox=SimSandbox(self.jobs, process, self.script, self.workspaces.content),
            workspaces=self.workspaces,
            workers=lambda _adapter: worker,
            prompter=PlainPrompter(),
            packer=PlainPacker(),
            answers=SimAnswers(),
            evidence=FakeEvidence(),
            examiner=FakeExaminer(opinion=self._look),
            verdicts=view.verdicts,
            forge=self._forge,
            redactor=NoSecrets(),
            performers=performers_with(self.kanban_files),
            consent=FakeConsent(),
            identities=FakeIdentities(),
            timing=TIMING,
        )

    def _look(self, kind: GateWord, case: ChangeCase) -> Examination:
        return self.script.look(kind, self.workspaces.tree(case.head))

    def _write(self, workspace: Workspace, name: str, text: str) -> None:
        """Write as a worker; the workspace of a revived old owner may be gone by now."""
        if workspace.path in self.workspaces.open_paths:
            self.workspaces.write(workspace, name, text)
