"""Performing what a kanban's files need: they are read by hash, and written back."""

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.kanban.kanban import Kanban, Mistake
from supervisor_ai.domain.run.effects import ReadKanban, SaveKanban
from supervisor_ai.domain.run.events import (
    ImportedFile,
    KanbanRead,
    KanbanSaved,
    KanbanSaveRefused,
    KanbanUnreadable,
)
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.operation import Operation
from supervisor_ai.engine.ports.kanban import NotTaken, Saved, Standing, Taken


async def perform_reading(
    effect: ReadKanban, operation: Operation
) -> KanbanRead | KanbanUnreadable:
    """Take the files as they are, and say what they say or everything that is wrong with them."""
    world, place = operation.world, effect.place
    standing = Standing(branch=effect.branch, base=effect.base, landed=effect.landed)
    taken = await world.kanban_files.take(place, standing, at=operation.intended_at)
    if isinstance(taken, NotTaken):
        mistake = Mistake(file=place.file, line=None, problem=taken.reason)
        return _unreadable(effect, operation, (mistake,))
    kanban = world.kanban_reader.read(place.file, taken.files)
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
    return tuple(
        ImportedFile(
            path=path, artifact=operation.keep(taken.files[path].decode(errors="replace"))[0]
        )
        for path in (kanban.path, *kanban.tasks)
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


async def perform_saving(
    effect: SaveKanban, operation: Operation
) -> KanbanSaved | KanbanSaveRefused:
    """Write what changed into the plain directory; doing it again changes nothing."""
    saved = await operation.world.kanban_files.save(
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
