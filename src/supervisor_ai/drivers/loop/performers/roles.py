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
from supervisor_ai.drivers.loop.events import WorkTaken
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.performers.takers import (
    Taking,
    missing_files,
    reported_files,
    take_assessment,
    take_plan,
    take_qa,
    take_scope,
)
from supervisor_ai.drivers.quality.events import AnswerTaken
from supervisor_ai.drivers.quality.ports import QualityPorts
from supervisor_ai.drivers.quality.supervisors import STORE
from supervisor_ai.engine.effects.worker import Work, perform_worker
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.world import Operation

_LEFT: Final = "DIRECTIVES OF PEOPLE"
_SECTIONS: Final[dict[LoopNode, tuple[str, ...]]] = {
    LoopNode.SCOPE_AGENT: (briefs.CONTEXT, briefs.MILESTONE, briefs.DONE, briefs.LOG),
    LoopNode.TASK_PLANNER: (
        *(briefs.CONTEXT, briefs.MILESTONE, briefs.DIRECTIVES, briefs.DONE, briefs.LOG),
        briefs.TASK,
    ),
    LoopNode.IMPLEMENTOR: (briefs.CONTEXT, briefs.MILESTONE, briefs.TASK),
    LoopNode.QA: (briefs.CONTEXT, briefs.MILESTONE, briefs.TASK),
    LoopNode.ASSESSOR: (
        *(briefs.CONTEXT, briefs.MILESTONE, briefs.DIRECTIVES, briefs.DONE, briefs.LOG),
    ),
}
"""What each role is told, in the order of the seed's sections."""
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
        taking = Taking(effect=effect, operation=operation, work=work)
        if node is LoopNode.IMPLEMENTOR:
            found: AnswerTaken | AnswerProblem = await _take_work(taking, ports)
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
    sections = writer.sections(*_SECTIONS[node])
    if node is LoopNode.SCOPE_AGENT:
        store = await ports.files.read(effect.start, STORE)
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


async def _take_work(taking: Taking, ports: QualityPorts) -> WorkTaken:
    """Hold what an implementor reports against the files, without a model."""
    answer, at = taking.read(WorkAnswer), taking.effect
    named = reported_files(answer)
    sizes = await ports.files.sizes(taking.work.snapshot.commit, named)
    problem = missing_files(answer, dict(sizes))
    return WorkTaken(
        step=at.step,
        visit=at.visit,
        slot=at.slot,
        attempt=at.attempt,
        problem=taking.keep(problem) if problem else None,
    )
