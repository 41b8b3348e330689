"""Performing a role of the loop: its sections are written, and its answer is taken in."""

from collections.abc import Callable
from typing import Final

from supervisor_ai.domain.run.effects import ContextItem
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import briefs
from supervisor_ai.drivers.loop.answers import WorkAnswer
from supervisor_ai.drivers.loop.briefs import BriefWriter, Section, bounded, characters, fitted
from supervisor_ai.drivers.loop.effects import RunLoopWorker
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.performers.aides import AIDES, perform_aide
from supervisor_ai.drivers.loop.performers.takers import (
    AnswerPlace,
    Taking,
    reported_files,
    take_assessment,
    take_plan,
    take_qa,
    take_scope,
    take_work,
)
from supervisor_ai.drivers.quality.events import AnswerTaken
from supervisor_ai.drivers.quality.look import standing_files
from supervisor_ai.drivers.quality.ports import QualityPorts
from supervisor_ai.engine.effects.worker import Work, perform_worker
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.world import Operation

_LEFT: Final = "DIRECTIVES OF PEOPLE"
_CHANGE_TOKENS: Final = 5_000
_TAKERS: Final[dict[LoopNode, Callable[[Taking], AnswerTaken | AnswerProblem]]] = {
    LoopNode.SCOPE_AGENT: take_scope,
    LoopNode.TASK_PLANNER: take_plan,
    LoopNode.QA: take_qa,
    LoopNode.ASSESSOR: take_assessment,
}


async def perform_role(
    effect: RunLoopWorker, operation: Operation, ports: QualityPorts
) -> RunEvent:
    """Tell a role what the book says, and take in what it answers."""
    if (aide := AIDES.get(effect.role.answer)) is not None:
        return await perform_aide(effect, operation, aide)
    node = LoopNode(effect.step)
    sections = await _sections(node, effect, operation, ports)
    context = tuple(
        ContextItem(title=it.title, artifact=operation.keep(it.text)[0]) for it in sections
    )
    themes = "\n".join(it.text for it in sections if it.title == briefs.MILESTONE)
    told = replace(
        effect,
        context=context,
        assignment=_assignment(node, sections),
        knowledge=replace(effect.knowledge, themes=themes),
    )

    async def settle(work: Work) -> Snapshot | AnswerProblem:
        taking = _taking(effect, operation, work)
        if node is LoopNode.IMPLEMENTOR:
            named = reported_files(taking.read(WorkAnswer))
            sizes = await ports.files.sizes(work.snapshot.commit, named)
            found: AnswerTaken | AnswerProblem = take_work(taking, sizes)
        else:
            found = _TAKERS[node](taking)
        if isinstance(found, AnswerProblem):
            return found
        operation.record(found)
        return work.snapshot

    return await perform_worker(told, operation, settle)


async def _sections(
    node: LoopNode, effect: RunLoopWorker, operation: Operation, ports: QualityPorts
) -> tuple[Section, ...]:
    writer = BriefWriter(book=effect.book, read=operation.text_of)
    sections = writer.sections(*briefs.TOLD[node])
    if node is LoopNode.SCOPE_AGENT:
        store = await standing_files(effect, ports.files)
        words = "\n\n".join(ports.books.directives(store))
        sections = (*sections, *((Section(title=_LEFT, text=words),) if words else ()))
    if node is LoopNode.QA:
        change = await operation.world.workspaces.diff(
            effect.kept, effect.start, hides=effect.role.hides
        )
        told = "\n\n".join(filter(None, (writer.reported(), change)))
        shown = bounded(told, characters(_CHANGE_TOKENS))
        sections = (*sections, Section(title=briefs.CHANGE, text=shown))
    material = effect.role.context.token_budget if effect.role.context else 0
    return fitted(sections, max(1_000, briefs.TOKENS[node] - material))


def _assignment(node: LoopNode, sections: tuple[Section, ...]) -> str:
    """Say what the files that are shown are to be about; the scope agent hears the user's words."""
    if node is LoopNode.SCOPE_AGENT:
        return ""
    about = {briefs.CONTEXT, briefs.MILESTONE, briefs.TASK}
    return "\n\n".join(it.text for it in sections if it.title in about)


def _taking(effect: RunLoopWorker, operation: Operation, work: Work) -> Taking:
    at = AnswerPlace(step=effect.step, visit=effect.visit, slot=effect.slot, attempt=effect.attempt)
    return Taking(
        at=at,
        book=effect.book,
        document=work.answer.document,
        keep=lambda text: operation.keep(text)[0],
    )
