"""Ports that kill their own process at a chosen boundary."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.documents.mechanical_manager import MechanicalManager
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, EffectKey, RunId, StreamId
from supervisor_ai.domain.run.gates import GateWord
from supervisor_ai.domain.run.values import Process, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.effects import ReadKanban
from supervisor_ai.drivers.kanban.performer import KanbanPerformer, kanban_performers
from supervisor_ai.drivers.kanban.ports import (
    Files,
    KanbanFiles,
    NotSaved,
    NotTaken,
    Saved,
    Standing,
    Taken,
)
from supervisor_ai.engine.ports.artifacts import Artifacts, ArtifactWriter
from supervisor_ai.engine.ports.gates import (
    ChangeCase,
    ChangeFacts,
    Examination,
    Examiner,
    FactsCase,
    Lack,
    Missing,
    Mutant,
    NewTests,
    Reading,
    ReportQuestion,
    ReportRequest,
)
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head, Lease, Leases
from supervisor_ai.engine.ports.notifications import Delivery, Notice, Notifier
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    Probe,
    Sandbox,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import Worker
from supervisor_ai.engine.ports.workspaces import (
    PLAIN,
    Anchor,
    AnchorPoint,
    Landed,
    Landing,
    LeftOutSink,
    NotLanded,
    SetupCache,
    Workspace,
    WorkspacePlan,
    Workspaces,
)
from supervisor_ai.engine.world import Performers, World
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.examiner import RepositoryExaminer
from supervisor_ai.gates.reader import look
from supervisor_ai.workers.registry import worker_factory


class Boundaries:
    """Counts the boundaries that a process passes, and kills it at one of them."""

    def __init__(self, kill_at: int | None, *, watched: Sequence[Path] = ()) -> None:
        self.passed: list[str] = []
        self.marks: list[int] = []
        """What the watched directories looked like at each of them."""
        self._kill_at = kill_at
        self._watched = watched

    def mark(self, name: str) -> None:
        """Pass a boundary, or die at it."""
        self.passed.append(name)
        self.marks.append(hash(tuple(_look(self._watched))))
        if len(self.passed) == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


class NamedBoundaries(Boundaries):
    """Boundaries that kill at the first one whose name begins so."""

    def __init__(self, name: str | None) -> None:
        super().__init__(None)
        self._name = name

    def mark(self, name: str) -> None:  # type: ignore[explicit-override]
        super().mark(name)
        if self._name is not None and name.startswith(self._name):
            os.kill(os.getpid(), signal.SIGKILL)


def _look(places: Sequence[Path]) -> Iterator[tuple[object, ...]]:
    """Tell all files apart from what they were before; what a kill leaves is on the disk alone."""
    for place in places:
        for directory, _, names in os.walk(place):
            for name in names:
                file = Path(directory, name)
                if name.endswith("-wal"):
                    # It is written over in place, faster than a clock of files ticks.
                    yield directory, name, file.read_bytes()
                elif not name.endswith("-shm"):
                    at = file.lstat()
                    yield directory, name, at.st_ino, at.st_size, at.st_mtime_ns


class CrashingLog:
    """An event log with a boundary on either side of every commit."""

    def __init__(self, log: EventLog, at: Boundaries) -> None:
        self._log = log
        self._at = at

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        return self._log.read(stream, after=after, upto=upto)

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        kinds = [new.event for append in batch.appends for new in append.events]
        name = "+".join(type(event).__name__ for event in kinds)
        self._at.mark(f"before commit of {name}")
        envelopes = self._log.append(batch)
        self._at.mark(f"after commit of {name}")
        return envelopes

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()


class CrashingSandbox:
    """A sandbox with a boundary on either side of every command, and one when it first speaks."""

    def __init__(self, sandbox: Sandbox, at: Boundaries) -> None:
        self._sandbox = sandbox
        self._at = at
        self.name = sandbox.name

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        spoken = 0

        def listen(channel: Channel, chunk: bytes) -> None:
            nonlocal spoken
            on_output(channel, chunk)
            spoken += 1
            if spoken == 1:
                self._at.mark(f"during command {spec.label}")

        self._at.mark(f"before command {spec.label}")
        result = await self._sandbox.run(spec, listen)
        self._at.mark(f"after command {spec.label}")
        return result

    async def cpu_time(self, label: str) -> timedelta | None:
        return await self._sandbox.cpu_time(label)

    async def reap(self, prefix: str, *, before: int) -> int:
        return await self._sandbox.reap(prefix, before=before)

    async def probe(self) -> Probe:
        return await self._sandbox.probe()


class CrashingArtifacts:
    """Artifacts with a boundary on either side of everything that is kept."""

    def __init__(self, artifacts: Artifacts, at: Boundaries) -> None:
        self._artifacts = artifacts
        self._at = at

    def put(self, text: str) -> ArtifactHash:
        self._at.mark("before artifact")
        artifact = self._artifacts.put(text)
        self._at.mark("after artifact")
        return artifact

    def put_all(self, texts: Sequence[str]) -> tuple[ArtifactHash, ...]:
        return tuple(map(self.put, texts))

    def get(self, artifact: ArtifactHash) -> str:
        return self._artifacts.get(artifact)

    def writer(self) -> "CrashingWriter":
        return CrashingWriter(self._artifacts.writer(), self._at)

    def erase(self, artifact: ArtifactHash) -> None:
        self._artifacts.erase(artifact)


class CrashingWriter:
    """A growing artifact with a boundary on either side of its end."""

    def __init__(self, writer: ArtifactWriter, at: Boundaries) -> None:
        self._writer = writer
        self._at = at

    def write(self, text: str) -> None:
        self._writer.write(text)

    def finish(self) -> ArtifactHash:
        self._at.mark("before artifact of a transcript")
        artifact = self._writer.finish()
        self._at.mark("after artifact of a transcript")
        return artifact

    def abandon(self) -> None:
        self._writer.abandon()


class CrashingLeases:
    """Leases with a boundary on either side of taking a run and giving it back."""

    def __init__(self, leases: Leases, at: Boundaries) -> None:
        self._leases = leases
        self._at = at

    def acquire(self, run: RunId, *, owner: str, process: Process, ttl: timedelta) -> Lease:
        self._at.mark("before acquire")
        lease = self._leases.acquire(run, owner=owner, process=process, ttl=ttl)
        self._at.mark("after acquire")
        return lease

    def renew(self, lease: Lease, *, ttl: timedelta) -> None:
        self._leases.renew(lease, ttl=ttl)

    def release(self, lease: Lease) -> None:
        self._at.mark("before release")
        self._leases.release(lease)
        self._at.mark("after release")


class CrashingAnchor:
    """An anchor with a boundary on either side of every write."""

    def __init__(self, anchor: Anchor, at: Boundaries) -> None:
        self._anchor = anchor
        self._at = at

    def write(self, point: AnchorPoint) -> None:
        self._at.mark("before anchor")
        self._anchor.write(point)
        self._at.mark("after anchor")

    def read(self) -> AnchorPoint | None:
        return self._anchor.read()


class CrashingWorkspaces:
    """Workspaces with a boundary on either side of everything that touches git or the disk."""

    def __init__(self, workspaces: Workspaces, at: Boundaries) -> None:
        self._workspaces = workspaces
        self._at = at

    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        self._at.mark(f"before open {key}")
        workspace = await self._workspaces.open(run, key, fence=fence, start=start, plan=plan)
        self._at.mark(f"after open {key}")
        return workspace

    async def keeps_quota(self) -> bool:
        return await self._workspaces.keeps_quota()

    async def take_cached(self, workspace: Workspace, cache: SetupCache) -> bool:
        self._at.mark(f"before take_cached {workspace.key}")
        return await self._workspaces.take_cached(workspace, cache)

    async def keep_cached(self, workspace: Workspace, cache: SetupCache) -> None:
        self._at.mark(f"before keep_cached {workspace.key}")
        await self._workspaces.keep_cached(workspace, cache)
        self._at.mark(f"after keep_cached {workspace.key}")

    async def snapshot(
        self,
        workspace: Workspace,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> Snapshot:
        self._at.mark(f"before snapshot {workspace.key}")
        snapshot = await self._workspaces.snapshot(
            workspace, ref=ref, at=at, on_left_out=on_left_out
        )
        self._at.mark(f"after snapshot {workspace.key}")
        return snapshot

    async def changed(self, workspace: Workspace) -> tuple[str, ...]:
        return await self._workspaces.changed(workspace)

    async def touched(self, workspace: Workspace) -> Mapping[str, int]:
        return await self._workspaces.touched(workspace)

    async def touched_by(self, run: RunId, key: EffectKey) -> Mapping[str, int]:
        return await self._workspaces.touched_by(run, key)

    async def read_file(self, workspace: Workspace, path: str, *, most: int) -> bytes | None:
        return await self._workspaces.read_file(workspace, path, most=most)

    async def read_reports(self, workspace: Workspace, *, most: int) -> Mapping[str, bytes]:
        return await self._workspaces.read_reports(workspace, most=most)

    async def compose(
        self,
        base: CommitSha,
        contents: Mapping[str, bytes | None],
        *,
        at: datetime,
        modes_of: CommitSha | None = None,
    ) -> Snapshot:
        self._at.mark("before compose")
        composed = await self._workspaces.compose(base, contents, at=at, modes_of=modes_of)
        self._at.mark("after compose")
        return composed

    async def keep(self, commit: CommitSha, *, ref: str) -> None:
        await self._workspaces.keep(commit, ref=ref)

    async def close(self, workspace: Workspace) -> None:
        self._at.mark(f"before close {workspace.key}")
        await self._workspaces.close(workspace)
        self._at.mark(f"after close {workspace.key}")

    async def keep_lost(
        self,
        run: RunId,
        key: EffectKey,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> str | None:
        self._at.mark(f"before keep_lost {key}")
        kept = await self._workspaces.keep_lost(run, key, ref=ref, at=at, on_left_out=on_left_out)
        self._at.mark(f"after keep_lost {key}")
        return kept

    async def program(self, run: RunId, base: CommitSha, *, hides: tuple[str, ...] = ()) -> Path:
        self._at.mark("before program")
        program = await self._workspaces.program(run, base, hides=hides)
        self._at.mark("after program")
        return program

    async def diff(self, base: CommitSha, head: CommitSha, *, hides: tuple[str, ...] = ()) -> str:
        return await self._workspaces.diff(base, head, hides=hides)

    async def changed_paths(self, base: CommitSha, head: CommitSha) -> tuple[str, ...]:
        return await self._workspaces.changed_paths(base, head)

    async def land(self, landing: Landing) -> Landed | NotLanded:
        self._at.mark(f"before land {landing.key}")
        landed = await self._workspaces.land(landing)
        self._at.mark(f"after land {landing.key}")
        return landed

    async def find_landed(self, branch: str, key: EffectKey) -> Landed | None:
        return await self._workspaces.find_landed(branch, key)

    async def forget(self, run: RunId) -> None:
        self._at.mark("before forget")
        await self._workspaces.forget(run)
        self._at.mark("after forget")


class CrashingExaminer:
    """An examiner with a boundary on either side of every look.

    It looks here and now, so that looks that are under way together end in a fixed order.
    """

    def __init__(self, examiner: Examiner, at: Boundaries) -> None:
        self._examiner = examiner
        self._at = at

    async def examine(self, kind: GateWord, case: ChangeCase) -> Examination:
        self._at.mark(f"before look {kind}")
        assert isinstance(self._examiner, RepositoryExaminer)
        view = ChangeView(
            case=case,
            commits=self._examiner.commits,
            has_commit=self._examiner.reader.has_commit,
        )
        seen = look(change_gates()[kind].look, view)
        self._at.mark(f"after look {kind}")
        return seen

    def get_ready(self) -> None:
        self._examiner.get_ready()

    async def report_request(self, question: ReportQuestion) -> ReportRequest:
        return await self._examiner.report_request(question)

    async def read(
        self,
        output: str,
        request: ReportRequest | None = None,
        reports: Mapping[str, bytes] | None = None,
    ) -> Reading:
        return await self._examiner.read(output, request, reports)

    async def read_report(self, report: bytes) -> Reading:
        return await self._examiner.read_report(report)

    async def lacks(self, commit: CommitSha, missing: tuple[Missing, ...]) -> tuple[Lack, ...]:
        return await self._examiner.lacks(commit, missing)

    async def new_tests(self, case: ChangeCase) -> NewTests:
        return await self._examiner.new_tests(case)

    async def mutants(self, case: ChangeCase, *, limit: int) -> tuple[Mutant, ...]:
        return await self._examiner.mutants(case, limit=limit)

    async def facts(self, case: FactsCase) -> ChangeFacts:
        self._at.mark("before facts")
        found = await self._examiner.facts(case)
        self._at.mark("after facts")
        return found


class CrashingNotifier:
    """A notifier with a boundary on either side of every notice."""

    def __init__(self, notifier: Notifier, at: Boundaries) -> None:
        self._notifier = notifier
        self._at = at

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        self._at.mark("before notice")
        tried = await self._notifier.deliver(notice)
        self._at.mark("after notice")
        return tried


class CrashingKanbanFiles:
    """Kanban files with a boundary on either side of taking and saving them."""

    def __init__(self, files: KanbanFiles, at: Boundaries) -> None:
        self._files = files
        self._at = at

    async def take(
        self, place: KanbanPlace, standing: Standing, *, at: datetime
    ) -> Taken | NotTaken:
        self._at.mark("before take")
        taken = await self._files.take(place, standing, at=at)
        self._at.mark("after take")
        return taken

    async def read(self, commit: CommitSha, folder: str) -> Files:
        return await self._files.read(commit, folder)

    async def changed(self, start: CommitSha, commit: CommitSha) -> tuple[str, ...]:
        return await self._files.changed(start, commit)

    async def restore(
        self, snapshot: CommitSha, paths: Sequence[str], *, start: CommitSha, at: datetime
    ) -> Snapshot:
        self._at.mark("before restore")
        return await self._files.restore(snapshot, paths, start=start, at=at)

    async def save(
        self,
        place: KanbanPlace,
        *,
        start: CommitSha,
        snapshot: CommitSha,
        base: CommitSha,
        at: datetime,
    ) -> Saved | NotSaved:
        self._at.mark("before save")
        saved = await self._files.save(place, start=start, snapshot=snapshot, base=base, at=at)
        self._at.mark("after save")
        return saved


def _workers(sandbox: Sandbox) -> Callable[[str], Worker]:
    """Make workers; the Manager that needs no model writes the same time into every file."""
    others = worker_factory(sandbox, {}, lambda cli: cli)
    rules = MechanicalManager(now=lambda: datetime(2030, 1, 1, tzinfo=UTC))
    return lambda adapter: rules if adapter == "mechanical_manager" else others(adapter)


def _kanban_performers(world: World, at: Boundaries) -> Performers:
    does = world.performers[ReadKanban]
    assert isinstance(does, KanbanPerformer)
    ports = replace(does.ports, files=CrashingKanbanFiles(does.ports.files, at))
    return kanban_performers(KanbanPerformer(ports=ports))


def crashing(at: Boundaries) -> Callable[[World], World]:
    """Put the boundaries into a world."""

    def alter(world: World) -> World:
        sandbox = CrashingSandbox(world.sandbox, at)
        return replace(
            world,
            log=CrashingLog(world.log, at),
            leases=CrashingLeases(world.leases, at),
            artifacts=CrashingArtifacts(world.artifacts, at),
            sandbox=sandbox,
            workers=_workers(sandbox),
            performers={**world.performers, **_kanban_performers(world, at)},
            workspaces=CrashingWorkspaces(world.workspaces, at),
            anchor=CrashingAnchor(world.anchor, at),
            examiner=CrashingExaminer(world.examiner, at),
            notifier=CrashingNotifier(world.notifier, at),
        )

    return alter
