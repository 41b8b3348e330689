"""Packed context: what a worker would be shown of the repository, and what it was shown."""

from collections.abc import Iterator

from msgspec import Struct

from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.queries.logs import LogFilter, require_visited
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, RunId, StepName, run_stream
from supervisor_ai.domain.knowledge.selection import InjectedKnowledge
from supervisor_ai.domain.run.context_plan import PackedContext
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.domain.run.events import ContextPacked, KnowledgeInjected
from supervisor_ai.domain.run.values import Base
from supervisor_ai.engine.ports.context import ContextPacker, PackRequest
from supervisor_ai.engine.ports.knowledge import KnowledgeRequest, KnowledgeShelf


class ContextQuestion(Struct, frozen=True, kw_only=True):
    """Whose context somebody wants to see, and for what work."""

    role: str
    task: str = ""
    targets: tuple[str, ...] = ()
    base: str | None = None
    since: str | None = None
    """The commit from which changes are counted."""


class SentContext(Struct, frozen=True, kw_only=True):
    """The record of what one attempt was shown."""

    step: StepName
    visit: int
    attempt: int
    strategy: str
    packed: PackedContext


class SentKnowledge(Struct, frozen=True, kw_only=True):
    """The record of what one attempt was told of the knowledge store."""

    step: StepName
    visit: int
    attempt: int
    told: InjectedKnowledge


class RoleContext(Struct, frozen=True, kw_only=True):
    """What a role would be shown of the repository, and told of the knowledge store."""

    context: PackedContext | None
    knowledge: InjectedKnowledge | None


class ContextPreview(Struct, frozen=True, kw_only=True):
    """Packs what a role would be shown now, without running anything."""

    preflight: Preflight
    packer: ContextPacker
    knowledge: KnowledgeShelf

    async def show(self, question: ContextQuestion) -> RoleContext:
        """Pack and choose it for one question."""
        repository = self.preflight.repository
        base = repository.resolve(question.base)
        role = self.preflight.catalog.role(base.sha, question.role).role
        if role.context is None and role.knowledge is None:
            raise InvalidInput(
                f"The role {question.role!r} has no context: it looks around for itself.",
                hint="Give it one: `context: {strategy: implementer_targeted}` in its file.",
            )
        since = repository.resolve(question.since).sha if question.since else base.sha
        return RoleContext(
            context=await self._pack(question, role, base, since),
            knowledge=await self._choose(question, role, base),
        )

    async def _pack(
        self, question: ContextQuestion, role: Role, base: Base, since: CommitSha
    ) -> PackedContext | None:
        if role.context is None:
            return None
        return await self.packer.pack(
            PackRequest(
                plan=role.context,
                commit=base.sha,
                base=since,
                task=question.task,
                targets=question.targets,
                hides=role.hides,
                model=role.cli,
            )
        )

    async def _choose(
        self, question: ContextQuestion, role: Role, base: Base
    ) -> InjectedKnowledge | None:
        if role.knowledge is None:
            return None
        return await self.knowledge.select(
            KnowledgeRequest(
                plan=role.knowledge,
                commit=base.sha,
                task="\n".join((question.task, *question.targets)),
                hides=role.hides,
                model=role.cli,
            )
        )


def sent_contexts(records: Records, run: RunId, wanted: LogFilter) -> Iterator[SentContext]:
    """Return the records of what the attempts of a run were shown."""
    require_visited(records, run, wanted.step)
    for envelope in records.log.read(run_stream(run)):
        event = envelope.event
        if isinstance(event, ContextPacked) and wanted.accepts(
            event.step, event.visit, event.attempt
        ):
            yield SentContext(
                step=event.step,
                visit=event.visit,
                attempt=event.attempt,
                strategy=event.strategy,
                packed=records.documents.load(event.record, PackedContext),
            )


def sent_knowledge(records: Records, run: RunId, wanted: LogFilter) -> Iterator[SentKnowledge]:
    """Return the records of what the attempts of a run were told of the knowledge store."""
    require_visited(records, run, wanted.step)
    for envelope in records.log.read(run_stream(run)):
        event = envelope.event
        if isinstance(event, KnowledgeInjected) and wanted.accepts(
            event.step, event.visit, event.attempt
        ):
            yield SentKnowledge(
                step=event.step,
                visit=event.visit,
                attempt=event.attempt,
                told=records.documents.load(event.record, InjectedKnowledge),
            )
