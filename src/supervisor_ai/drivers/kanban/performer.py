"""Performing what a kanban's files need: they are read by hash, and written back."""

from collections.abc import Mapping
from typing import assert_never, cast

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake
from supervisor_ai.drivers.kanban.effects import ReadKanban, RunKanbanWorker, SaveKanban
from supervisor_ai.drivers.kanban.events import (
    ImportedFile,
    KanbanRead,
    KanbanSaved,
    KanbanSaveRefused,
    KanbanUnreadable,
)
from supervisor_ai.drivers.kanban.obligation import settle_obligation
from supervisor_ai.drivers.kanban.ports import (
    KanbanFiles,
    KanbanPorts,
    KanbanReader,
    NotTaken,
    Saved,
    Standing,
    Taken,
)
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.effects.worker import Work, perform_worker
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.world import Operation, Performers


class KanbanPerformer(Struct, frozen=True, kw_only=True):
    """Does what the kanban driver asks for besides what any driver can."""

    ports: KanbanPorts

    async def __call__(
        self, effect: ReadKanban | SaveKanban | RunKanbanWorker, operation: Operation
    ) -> RunEvent:
        """Read the files, write them back, or let an agent work on one of them."""
        match effect:
            case ReadKanban():
                return await _perform_reading(effect, operation, self.ports)
            case SaveKanban():
                return await _perform_saving(effect, operation, self.ports)
            case RunKanbanWorker():
                return await _perform_work(effect, operation, self.ports)
            case _:
                assert_never(effect)


def kanban_performers(does: KanbanPerformer) -> Performers:
    """Register one performer for all effects of the kanban driver."""
    return {
        **performer(ReadKanban, does),
        **performer(SaveKanban, does),
        **performer(RunKanbanWorker, does),
    }


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the driver's effects with the adapters of its ports."""
    files, reader = cast("KanbanFiles", ports["files"]), cast("KanbanReader", ports["reader"])
    return kanban_performers(KanbanPerformer(ports=KanbanPorts(files=files, reader=reader)))


async def _perform_work(
    effect: RunKanbanWorker, operation: Operation, ports: KanbanPorts
) -> RunEvent:
    async def settle(work: Work) -> Snapshot | AnswerProblem:
        return await settle_obligation(effect, operation, work, ports)

    return await perform_worker(effect, operation, settle)


async def _perform_reading(
    effect: ReadKanban, operation: Operation, ports: KanbanPorts
) -> KanbanRead | KanbanUnreadable:
    """Take the files as they are, and say what they say or everything that is wrong with them."""
    place = effect.place
    standing = Standing(branch=effect.branch, base=effect.base, landed=effect.landed)
    taken = await ports.files.take(place, standing, at=operation.intended_at)
    if isinstance(taken, NotTaken):
        mistake = Mistake(file=place.file, line=None, problem=taken.reason)
        return _unreadable(effect, operation, (mistake,))
    kanban = ports.reader.read(place.file, taken.files)
    if isinstance(kanban, Kanban):
        return _read(effect, operation, taken, kanban)
    return _unreadable(effect, operation, kanban)


def _read(effect: ReadKanban, operation: Operation, taken: Taken, kanban: Kanban) -> KanbanRead:
    current = kanban.files.get(kanban.current) if kanban.current else None
    return KanbanRead(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        snapshot=taken.snapshot,
        tip=taken.tip,
        phase=kanban.phase,
        sub_phase=kanban.sub_phase,
        current=kanban.current,
        role=current.role if current else None,
        tasks=kanban.tasks,
        open=kanban.open,
        files=_imported(operation, taken, kanban),
        states=kanban.states,
        rest=taken.rest,
    )


def _imported(operation: Operation, taken: Taken, kanban: Kanban) -> tuple[ImportedFile, ...]:
    """Keep every file that counts, so that the ledger explains each move."""
    paths = (kanban.path, *kanban.tasks)
    redact = operation.world.redactor.redact
    texts = [redact(taken.files[path].decode(errors="replace")).text for path in paths]
    kept = operation.world.artifacts.put_all(texts)
    return tuple(
        ImportedFile(path=path, artifact=artifact)
        for path, artifact in zip(paths, kept, strict=True)
    )


def _unreadable(
    effect: ReadKanban, operation: Operation, mistakes: tuple[Mistake, ...]
) -> KanbanUnreadable:
    lines = [plain(str(mistake)) for mistake in mistakes]
    report, _ = operation.keep("\n".join(lines))
    first = operation.world.redactor.redact(lines[0]).text
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return KanbanUnreadable(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        reason=f"{first}{more}",
        report=report,
    )


async def _perform_saving(
    effect: SaveKanban, operation: Operation, ports: KanbanPorts
) -> KanbanSaved | KanbanSaveRefused:
    """Write what changed into the plain directory; doing it again changes nothing."""
    saved = await ports.files.save(
        effect.place,
        start=CommitSha(effect.start),
        snapshot=effect.snapshot,
        base=effect.base,
        at=operation.intended_at,
    )
    if isinstance(saved, Saved):
        return KanbanSaved(step=effect.step, visit=effect.visit, slot=effect.slot, rest=saved.rest)
    detail, _ = operation.keep(saved.reason)
    return KanbanSaveRefused(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        reason=operation.world.redactor.redact(plain(saved.reason)).text,
        detail=detail,
    )
