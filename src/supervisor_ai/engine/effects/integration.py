"""Performing an integration: a snapshot lands on the run's branch, exactly once."""

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.effects import Integrate
from supervisor_ai.domain.run.events import IntegrationLanded, IntegrationRefused
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.workspaces import Landed, Landing
from supervisor_ai.engine.world import Operation

_SUBJECT_LENGTH = 72


async def perform_integration(
    effect: Integrate, operation: Operation
) -> IntegrationLanded | IntegrationRefused:
    """Put the snapshot on the branch; the commit is the same however often this is done."""
    identity = operation.identity
    if identity is None:
        raise InternalError(f"Run {operation.run!r} has no identity to commit with.")
    landing = Landing(
        run=operation.run,
        key=operation.key,
        snapshot=effect.snapshot,
        base=effect.base,
        branch=effect.branch,
        expected=effect.expected,
        message=commit_message(effect.subject or operation.world.artifacts.get(effect.task)),
        identity=identity,
        at=operation.intended_at,
    )
    result = await operation.world.workspaces.land(landing)
    if isinstance(result, Landed):
        return IntegrationLanded(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            commit=result.commit,
            tree=result.tree,
        )
    detail, _ = operation.keep(result.reason)
    return IntegrationRefused(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        reason=operation.world.redactor.redact(plain(result.reason)).text,
        detail=detail,
    )


def commit_message(task: str) -> str:
    """Make a subject of the task's first line, and a body where the task is longer."""
    task = plain(task).strip()
    subject = task.partition("\n")[0].strip()
    if len(subject) > _SUBJECT_LENGTH:
        subject = f"{subject[: _SUBJECT_LENGTH - 1].rstrip()}…"
    return subject if subject == task else f"{subject}\n\n{task}"
