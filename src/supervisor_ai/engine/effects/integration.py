"""Performing an integration: a snapshot lands on the run's branch, exactly once."""

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.git_flow.commit_message import commit_message
from supervisor_ai.domain.run.effects import Integrate
from supervisor_ai.domain.run.events import IntegrationLanded, IntegrationRefused
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.commit_text import describe_commit
from supervisor_ai.engine.effects.worker_watch import wait_to_land
from supervisor_ai.engine.ports.workspaces import Landed, Landing
from supervisor_ai.engine.world import Operation


async def perform_integration(
    effect: Integrate, operation: Operation
) -> IntegrationLanded | IntegrationRefused:
    """Put the snapshot on the branch; the commit is the same however often this is done."""
    identity = operation.identity
    if identity is None:
        raise InternalError(f"Run {operation.run!r} has no identity to commit with.")
    await wait_to_land(effect, operation)
    landing = Landing(
        run=operation.run,
        key=operation.key,
        snapshot=effect.snapshot,
        base=effect.base,
        branch=effect.branch,
        expected=effect.expected,
        message=await _message(effect, operation),
        identity=identity,
        at=operation.intended_at,
        is_signed=effect.is_signed,
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
        lacks_signature=result.lacks_signature,
    )


async def _message(effect: Integrate, operation: Operation) -> str:
    if effect.subject:
        return commit_message(effect.subject)
    world, change = operation.world, (effect.base, effect.snapshot)
    return await describe_commit(
        world.artifacts, world.workspaces, effect.task, effect.style, change
    )
