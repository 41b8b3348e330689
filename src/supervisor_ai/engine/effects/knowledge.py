"""What a worker is told of the knowledge store."""

from supervisor_ai.domain.knowledge.selection import InjectedItem, KnowledgePlan
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import KnowledgeInjected, ToldDocument
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.knowledge import KnowledgeRequest
from supervisor_ai.engine.world import Operation


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
