"""The knowledge store and a run: what a worker is told of it, and what a run changes in it."""

from typing import Final

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.git_flow.commit_message import commit_message
from supervisor_ai.domain.project.knowledge.selection import InjectedItem, KnowledgePlan
from supervisor_ai.domain.project.knowledge.updates import KnowledgeUpdates, Refusal
from supervisor_ai.domain.run.effects import RunWorker, UpdateKnowledge
from supervisor_ai.domain.run.events import (
    KnowledgeInjected,
    KnowledgeNotUpdated,
    KnowledgeUpdated,
    ToldDocument,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.knowledge import KnowledgeRequest, Revision
from supervisor_ai.engine.ports.workspaces import Landed, Landing
from supervisor_ai.engine.world import Operation

_LONGEST: Final = 300
_MOST_REFUSALS: Final = 20


async def tell_knowledge(
    effect: RunWorker, operation: Operation, plan: KnowledgePlan, task: str
) -> str:
    """Choose what the worker is told of the store, and record what was chosen and what was not."""
    world, scope = operation.world, effect.knowledge
    told = await world.knowledge.select(
        KnowledgeRequest(
            plan=plan,
            # A worker of this run may have written to the store since: nobody has accepted that.
            commit=scope.commit or effect.base,
            task=task,
            themes=scope.themes,
            since=scope.since,
            hides=effect.role.hides,
            model=effect.cli.known_models[0] or effect.cli.adapter,
        )
    )
    if not told.items and not told.problems:
        return ""
    operation.record(
        KnowledgeInjected(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            record=world.documents.save(replace(told, text="")),
            tokens=told.tokens,
            budget=told.budget,
            documents=tuple(_told(item) for item in told.items if item.is_shown),
        )
    )
    return told.text


def _told(item: InjectedItem) -> ToldDocument:
    return ToldDocument(path=item.path, fingerprint=item.fingerprint)


async def perform_update(
    effect: UpdateKnowledge, operation: Operation
) -> KnowledgeUpdated | KnowledgeNotUpdated:
    """Commit what may change in the store on the run's branch, exactly once."""
    world = operation.world
    landed = await world.workspaces.find_landed(effect.branch, operation.key)
    if landed is not None:
        return _updated(effect, landed, ())
    updates = world.documents.load(effect.updates, KnowledgeUpdates).updates
    revision = await world.knowledge.revise(effect.base, updates, effect.areas)
    refused = tuple(_sentence(operation, it) for it in revision.refused[:_MOST_REFUSALS])
    if not revision.changed:
        return _not_updated(effect, "Nothing in the store changes.", refused)
    return await _land(effect, operation, revision, refused)


async def _land(
    effect: UpdateKnowledge, operation: Operation, revision: Revision, refused: tuple[str, ...]
) -> KnowledgeUpdated | KnowledgeNotUpdated:
    if operation.identity is None:
        raise InternalError(f"Run {operation.run!r} has no identity to commit with.")
    world = operation.world
    contents: dict[str, bytes | None] = dict(revision.contents)
    snapshot = await world.workspaces.compose(effect.base, contents, at=operation.intended_at)
    result = await world.workspaces.land(
        Landing(
            run=operation.run,
            key=operation.key,
            snapshot=snapshot.commit,
            base=effect.base,
            branch=effect.branch,
            expected=effect.expected,
            message=commit_message(effect.subject),
            identity=operation.identity,
            at=operation.intended_at,
            # It is no work of the user's: nobody waits for a key because of it.
            is_signed=False,
        )
    )
    if not isinstance(result, Landed):
        return _not_updated(effect, _clean(operation, result.reason), refused)
    return replace(_updated(effect, result, revision.changed), refused=refused)


def _updated(effect: UpdateKnowledge, landed: Landed, paths: tuple[str, ...]) -> KnowledgeUpdated:
    return KnowledgeUpdated(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        commit=landed.commit,
        tree=landed.tree,
        paths=paths,
    )


def _not_updated(
    effect: UpdateKnowledge, reason: str, refused: tuple[str, ...]
) -> KnowledgeNotUpdated:
    return KnowledgeNotUpdated(
        step=effect.step, visit=effect.visit, slot=effect.slot, reason=reason, refused=refused
    )


def _sentence(operation: Operation, refusal: Refusal) -> str:
    return _clean(operation, f"{refusal.path}: {refusal.reason}")


def _clean(operation: Operation, text: str) -> str:
    return " ".join(operation.world.redactor.redact(plain(text)).text.split())[:_LONGEST]
