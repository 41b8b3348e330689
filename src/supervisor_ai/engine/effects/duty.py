"""What a worker owes a kanban: files in the required form, and none that are not its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.kanban.kanban import AnswerStatus
from supervisor_ai.domain.kanban.numbering import number_of
from supervisor_ai.domain.kanban.policy import Duty
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import WriteRefused
from supervisor_ai.domain.run.facts import Snapshot
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.operation import Operation
from supervisor_ai.engine.ports.kanban import Files
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A valid answer, and the files that came with it."""

    answer: Answer
    snapshot: Snapshot


async def settle_duty(
    effect: RunWorker, operation: Operation, work: Work
) -> Snapshot | AnswerProblem:
    """Return what is kept of the work, or why the answer does not count."""
    if effect.duty is None:
        return work.snapshot
    try:
        return await _settled(effect, effect.duty, operation, work)
    except InvalidInput as error:
        # More files, or larger ones, than a kanban can have.
        return _problem(plain(error.message))


async def _settled(
    effect: RunWorker, duty: Duty, operation: Operation, work: Work
) -> Snapshot | AnswerProblem:
    files, reader = operation.world.kanban_files, operation.world.kanban_reader
    before = await files.read(effect.start, duty.place.folder)
    left = await files.read(work.snapshot.commit, duty.place.folder)
    own = {path: text for path, text in left.items() if _is_own(duty, path)}
    own = {path: text for path, text in own.items() if before.get(path) != text}
    others = await _others(effect, duty, operation, work, own)
    if others and not effect.workspace.setup:  # which may write everywhere, and is not the worker
        report_refused(effect, operation, others)
    problems = reader.judge(duty, before, {**before, **own}, work.answer.document)
    if problems:
        return _problem(" ".join(plain(problem) for problem in problems[:_SHOWN]))
    if duty.task is not None and work.answer.said != AnswerStatus.OK:
        return await _log_alone(duty, duty.task, operation, work, left)
    return await _without(effect, operation, work, own, others)


def _is_own(duty: Duty, path: str) -> bool:
    """Tell whether a file of the kanban's folder is the worker's to change."""
    return number_of(path) is not None if duty.task is None else path == duty.task


async def _others(
    effect: RunWorker, duty: Duty, operation: Operation, work: Work, own: Files
) -> Sequence[str]:
    """List what was changed and is not the worker's: nothing but a mount stood in its way."""
    changed = await operation.world.kanban_files.changed(effect.start, work.snapshot.commit)
    return [path for path in changed if path not in own and not _is_code(effect, duty, path)]


def _is_code(effect: RunWorker, duty: Duty, path: str) -> bool:
    """Tell whether a file is the project's, and its worker may change the project."""
    rules = effect.writable
    is_of_kanban = path.startswith(f"{duty.place.folder}/")
    return rules is not None and rules.everywhere and not is_of_kanban and rules.allows(path)


async def _log_alone(
    duty: Duty, task: str, operation: Operation, work: Work, left: Files
) -> Snapshot:
    """Keep the work log and nothing else of what is not done; of an error, nothing at all."""
    is_kept = work.answer.said != AnswerStatus.ERROR and task in left
    return await operation.world.workspaces.compose(
        CommitSha(duty.since), {task: left[task]} if is_kept else {}, at=operation.intended_at
    )


async def _without(
    effect: RunWorker, operation: Operation, work: Work, own: Files, others: Sequence[str]
) -> Snapshot:
    """Leave out what is not the worker's own."""
    if not others:
        return work.snapshot
    world, at = operation.world, operation.intended_at
    if effect.writable is not None and effect.writable.everywhere:
        return await world.kanban_files.restore(
            work.snapshot.commit, others, start=effect.start, at=at
        )
    return await world.workspaces.compose(effect.start, own, at=at)


def report_refused(effect: RunWorker, operation: Operation, paths: Sequence[str]) -> None:
    """Record what a worker may not write and tried to."""
    redact = operation.world.redactor.redact
    operation.record(
        WriteRefused(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            paths=tuple(redact(plain(path)).text for path in paths[:_SHOWN]),
        )
    )


def _problem(message: str) -> AnswerProblem:
    return AnswerProblem(category=FailureCategory.VALIDATION, message=message)
