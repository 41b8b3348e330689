"""The performers of the loop's effects, each with the ports that it needs."""

from collections.abc import Mapping
from functools import partial
from typing import Final, cast

from supervisor_ai.domain.ids import run_stream
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.loop import briefs
from supervisor_ai.drivers.loop.briefs import BriefWriter, Section, characters
from supervisor_ai.drivers.loop.effects import RunLoopSupervisor, RunLoopWorker, WriteWorkReport
from supervisor_ai.drivers.loop.events import WorkReportWritten
from supervisor_ai.drivers.loop.performers.roles import perform_role
from supervisor_ai.drivers.loop.performers.uses import uses_of
from supervisor_ai.drivers.loop.report import write_report
from supervisor_ai.drivers.quality.effects import RunAttachedSupervisor, TakeStock
from supervisor_ai.drivers.quality.look import Look, perform_look
from supervisor_ai.drivers.quality.performers import perform_attached_look, perform_stock
from supervisor_ai.drivers.quality.ports import KnowledgeBooks, QualityPorts, StoreFiles
from supervisor_ai.drivers.quality.supervisors import STORE
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.world import Operation, Performers

_CHANGED: Final = "FILES CHANGED SINCE YOU LOOKED LAST"
_MOST_PATHS: Final = 200


def loop_performers(ports: QualityPorts) -> Performers:
    """Register who performs each effect of a loop."""
    return {
        **performer(RunLoopWorker, partial(perform_role, ports=ports)),
        **performer(RunLoopSupervisor, partial(perform_supervisor, ports=ports)),
        **performer(WriteWorkReport, perform_report),
        **performer(TakeStock, perform_stock),
        **performer(RunAttachedSupervisor, partial(perform_attached_look, ports=ports)),
    }


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the driver's effects with the adapters of its ports."""
    files = cast("StoreFiles", ports["files"])
    books = cast("KnowledgeBooks", ports["books"])
    return loop_performers(QualityPorts(files=files, books=books))


async def perform_supervisor(
    effect: RunLoopSupervisor, operation: Operation, ports: QualityPorts
) -> RunEvent:
    """Let a supervisor look at what the loop has done."""
    writer = BriefWriter(book=effect.book, read=operation.text_of)
    most = characters(briefs.SUPERVISOR_TOKENS)
    since = effect.base if effect.last is None else effect.last.commit
    changed = await operation.world.workspaces.changed_paths(since, effect.start)
    paths = Section(title=_CHANGED, text="\n".join(map(plain, changed[:_MOST_PATHS])))
    told = (*writer.sections(*briefs.TOLD_SUPERVISORS), *((paths,) if changed else ()))
    sections = briefs.fitted(told, briefs.SUPERVISOR_TOKENS // 2)
    done = effect.book.done_list
    look = Look(
        spec=effect.spec,
        task=f"task_{done[-1].task}" if done else "task_0",
        sections=tuple((it.title, it.text) for it in sections),
        previous=None if effect.last is None else effect.last.findings,
        most=most,
        change=await operation.world.workspaces.diff(
            since, effect.start, hides=(*effect.role.hides, STORE)
        ),
        uses=_uses(operation),
    )
    return await perform_look(effect, operation, ports, look)


def _uses(operation: Operation) -> tuple[KnowledgeUse, ...]:
    """Return what became of documents in other runs, and then in this one."""
    world, run = operation.world, operation.run
    return (
        *world.quality.uses(but=run),
        *uses_of(it.event for it in world.log.read(run_stream(run))),
    )


async def perform_report(effect: WriteWorkReport, operation: Operation) -> WorkReportWritten:
    """Write down what the work came to."""
    report, _ = operation.keep(write_report(effect.book, operation.text_of))
    return WorkReportWritten(step=effect.step, visit=effect.visit, slot=effect.slot, report=report)
