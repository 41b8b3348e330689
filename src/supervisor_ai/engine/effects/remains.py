"""What a worker leaves on disk: kept as far as it can be, and never what stops a run."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from supervisor_ai.domain.errors import Busy, HostFailure, SupervisorError
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import AttemptStarted, FilesLeftOut
from supervisor_ai.domain.run.operations import operation_key
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.ports.workspaces import LeftOut, Workspace
from supervisor_ai.engine.world import Operation, World

_NAMED: Final = 10
_REPORTED: Final = 1_000
_REASON: Final = 300
_ANYTHING: Final = (SupervisorError, ValueError, LookupError, RuntimeError, MemoryError)
"""A worker chooses every byte that is read here: none of them may be the end of a run."""


def attempt_ref(run: RunId, started: AttemptStarted | RunWorker) -> str:
    """Name the ref under which an attempt's work is kept."""
    place = f"{started.visit}.{started.slot}.{started.attempt}"
    return f"refs/supervisor/{run}/{started.step}/{place}"


async def keep_work(
    effect: RunWorker, operation: Operation, workspace: Workspace
) -> Snapshot | AnswerProblem:
    """Turn what the worker left into a commit, or say why that cannot be done."""
    world, left = operation.world, list[LeftOut]()
    kept: Snapshot | AnswerProblem
    try:
        kept = await world.workspaces.snapshot(
            workspace,
            ref=attempt_ref(operation.run, effect),
            at=operation.intended_at,
            on_left_out=left.append,
        )
    except (Busy, HostFailure):
        # The directory stays as it is: whoever takes the run over keeps what lies there.
        raise
    except _ANYTHING as error:
        reason = _unkept(world, error)
        operation.record(_nothing_kept(effect, reason))
        kept = AnswerProblem(category=FailureCategory.RESOURCE, message=reason)
    if left:
        operation.record(_left_out(world, effect, left))
    # Whatever cannot be removed now is removed with everything else of the run.
    with suppress(SupervisorError):
        await world.workspaces.close(workspace)
    return kept


async def keep_lost(
    world: World, run: RunId, started: AttemptStarted, *, is_ending: bool
) -> tuple[str | None, tuple[FilesLeftOut, ...]]:
    """Keep what an attempt without an end left; return its ref, and what could not be kept.

    A run that goes on waits for a disk that fails; one that ends anyway does not.
    """
    left = list[LeftOut]()
    try:
        kept = await world.workspaces.keep_lost(
            run,
            operation_key(run, started),
            ref=attempt_ref(run, started),
            at=world.clock.now(),
            on_left_out=left.append,
        )
    except Busy:
        raise
    except _ANYTHING as error:
        if isinstance(error, HostFailure) and not is_ending:
            raise
        return None, (_nothing_kept(started, _unkept(world, error)),)
    return kept, (_left_out(world, started, left),) if left else ()


def _unkept(world: World, error: Exception) -> str:
    said = error.message if isinstance(error, SupervisorError) else repr(error)
    told = world.redactor.redact(shown_name(said, _REASON)).text
    return f"The work of this attempt could not be kept: {told}"


def _nothing_kept(at: AttemptStarted | RunWorker, reason: str) -> FilesLeftOut:
    return FilesLeftOut(
        step=at.step,
        visit=at.visit,
        slot=at.slot,
        attempt=at.attempt,
        paths=(),
        count=0,
        reason=reason,
    )


def _left_out(
    world: World, at: AttemptStarted | RunWorker, left: Sequence[LeftOut]
) -> FilesLeftOut:
    redact = world.redactor.redact
    named = [(redact(shown_name(it.path)).text, it.reason) for it in left[:_REPORTED]]
    report = "\n".join(f"{path}: {reason}" for path, reason in named)
    reasons = dict.fromkeys(reason for _, reason in named)
    return FilesLeftOut(
        step=at.step,
        visit=at.visit,
        slot=at.slot,
        attempt=at.attempt,
        paths=tuple(path for path, _ in named[:_NAMED]),
        count=len(left),
        reason=shown_name("; ".join(reasons), _REASON),
        report=world.artifacts.put(report),
    )
