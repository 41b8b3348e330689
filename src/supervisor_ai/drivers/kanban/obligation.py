"""What a worker owes a kanban: files in the required form, and none that are not its own."""

from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.kanban.board.numbers import number_of
from supervisor_ai.drivers.kanban.board.policy import Obligation
from supervisor_ai.drivers.kanban.effects import RunKanbanWorker
from supervisor_ai.drivers.kanban.kinds import AnswerStatus
from supervisor_ai.drivers.kanban.ports import Files, KanbanPorts
from supervisor_ai.engine.effects.refused_writes import report_refused
from supervisor_ai.engine.effects.worker import Work
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.world import Operation

_SHOWN: Final = 10


async def settle_obligation(
    effect: RunKanbanWorker, operation: Operation, work: Work, ports: KanbanPorts
) -> Snapshot | AnswerProblem:
    """Return what is kept of the work, or why the answer does not count."""
    try:
        return await _settled(effect, operation, work, ports)
    except InvalidInput as error:
        # More files, or larger ones, than a kanban can have.
        return _problem(plain(error.message))


async def _settled(
    effect: RunKanbanWorker, operation: Operation, work: Work, ports: KanbanPorts
) -> Snapshot | AnswerProblem:
    obligation, files = effect.obligation, ports.files
    before = await files.read(effect.start, obligation.place.folder)
    left = await files.read(work.snapshot.commit, obligation.place.folder)
    own = {path: text for path, text in left.items() if _is_own(obligation, path)}
    own = {path: text for path, text in own.items() if before.get(path) != text}
    changed = await files.changed(effect.start, work.snapshot.commit)
    others = [path for path in changed if path not in own and not _is_code(effect, path)]
    if others and not effect.workspace.setup:  # which may write everywhere, and is not the worker
        report_refused(effect, operation, others)
    problems = ports.reader.judge(obligation, before, {**before, **own}, work.answer.document)
    if problems:
        return _problem(" ".join(plain(problem) for problem in problems[:_SHOWN]))
    if obligation.task is not None and work.answer.said != AnswerStatus.OK:
        return await _log_alone(obligation, obligation.task, operation, work, left)
    if not others:
        return work.snapshot
    at = operation.intended_at
    if effect.writable is not None and effect.writable.everywhere:
        return await files.restore(work.snapshot.commit, others, start=effect.start, at=at)
    return await operation.world.workspaces.compose(effect.start, own, at=at)


def _is_own(obligation: Obligation, path: str) -> bool:
    """Tell whether a file of the kanban's folder is the worker's to change."""
    return number_of(path) is not None if obligation.task is None else path == obligation.task


def _is_code(effect: RunKanbanWorker, path: str) -> bool:
    """Tell whether a file is the project's, and its worker may change the project."""
    rules = effect.writable
    is_of_kanban = path.startswith(f"{effect.obligation.place.folder}/")
    return rules is not None and rules.everywhere and not is_of_kanban and rules.allows(path)


async def _log_alone(
    obligation: Obligation, task: str, operation: Operation, work: Work, left: Files
) -> Snapshot:
    """Keep the work log and nothing else of what is not done; of an error, nothing at all."""
    is_kept = work.answer.said != AnswerStatus.ERROR and task in left
    return await operation.world.workspaces.compose(
        CommitSha(obligation.since), {task: left[task]} if is_kept else {}, at=operation.intended_at
    )


def _problem(message: str) -> AnswerProblem:
    return AnswerProblem(category=FailureCategory.VALIDATION, message=message)
