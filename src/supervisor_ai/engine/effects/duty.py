"""What a worker owes a kanban: files in the required form, and none that are not its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.kanban.policy import Duty
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import WriteRefused
from supervisor_ai.domain.run.facts import Snapshot
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.operation import Operation
from supervisor_ai.engine.ports.kanban import Files
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem

_DONE: Final = "ok"
_PAGE: Final = ".md"
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
    try:
        work = await _own_work(effect, operation, work)
        return await _judged(effect.duty, operation, work) if effect.duty else work.snapshot
    except InvalidInput as error:
        # More files, or larger ones, than a kanban can have.
        return _problem(plain(error.message))


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


async def _own_work(effect: RunWorker, operation: Operation, work: Work) -> Work:
    """Leave out what the worker may only read: nothing but a mount stands in its way."""
    files = operation.world.kanban_files
    if effect.writable is None:
        return work
    changed = await files.changed(effect.start, work.snapshot.commit)
    others = [path for path in changed if not _is_own(effect, effect.writable, path)]
    if not others:
        return work
    if not effect.workspace.setup:  # which may write everywhere, and is not the worker
        report_refused(effect, operation, others)
    kept = await files.restore(
        work.snapshot.commit, others, start=effect.start, at=operation.intended_at
    )
    return replace(work, snapshot=kept)


def _is_own(effect: RunWorker, writable: Writable, path: str) -> bool:
    """Tell whether a file is the worker's to change; no gate looks at what a Manager writes."""
    is_managed = effect.duty is not None and effect.duty.task is None
    return writable.allows(path) and (not is_managed or path.endswith(_PAGE))


async def _judged(duty: Duty, operation: Operation, work: Work) -> Snapshot | AnswerProblem:
    world, folder = operation.world, duty.place.folder
    before = await world.kanban_files.read(CommitSha(duty.since), folder)
    after = await world.kanban_files.read(work.snapshot.commit, folder)
    problems = world.kanban_reader.judge(duty, before, after, work.answer.document)
    if problems:
        return _problem(" ".join(plain(problem) for problem in problems[:_SHOWN]))
    if duty.task is None or work.answer.said == _DONE:
        return work.snapshot
    return await _log_alone(duty, operation, after, duty.task)


async def _log_alone(duty: Duty, operation: Operation, after: Files, task: str) -> Snapshot:
    """Keep the work log and nothing else: what is not done does not count."""
    contents = {task: after[task]} if task in after else {}
    return await operation.world.workspaces.compose(
        CommitSha(duty.since), contents, at=operation.intended_at
    )


def _problem(message: str) -> AnswerProblem:
    return AnswerProblem(category=FailureCategory.VALIDATION, message=message)
