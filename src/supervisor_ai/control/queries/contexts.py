"""Packed context: what a worker would be shown of the repository, and what it was shown."""

from collections.abc import Iterator

from msgspec import Struct

from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.queries.logs import LogFilter, require_visited
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, StepName, run_stream
from supervisor_ai.domain.run.context_plan import PackedContext
from supervisor_ai.domain.run.events import ContextPacked
from supervisor_ai.engine.ports.context import ContextPacker, PackRequest


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


class ContextPreview(Struct, frozen=True, kw_only=True):
    """Packs what a role would be shown now, without running anything."""

    preflight: Preflight
    packer: ContextPacker

    async def pack(self, question: ContextQuestion) -> PackedContext:
        """Pack it for one question."""
        repository = self.preflight.repository
        base = repository.resolve(question.base)
        role = self.preflight.catalog.role(base.sha, question.role).role
        if role.context is None:
            raise InvalidInput(
                f"The role {question.role!r} has no context: it looks around for itself.",
                hint="Give it one: `context: {strategy: implementer_targeted}` in its file.",
            )
        return await self.packer.pack(
            PackRequest(
                plan=role.context,
                commit=base.sha,
                base=repository.resolve(question.since).sha if question.since else base.sha,
                task=question.task,
                targets=question.targets,
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
