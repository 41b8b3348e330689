"""Performing an aide of the loop: it is told what it is asked, and its answer is taken in."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.effects import ContextItem
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import briefs
from supervisor_ai.drivers.loop.briefs import BriefWriter, Section, fitted
from supervisor_ai.drivers.loop.effects import RunLoopWorker
from supervisor_ai.drivers.loop.kinds import OF_RESEARCH, OF_SUMMARY
from supervisor_ai.drivers.loop.performers.takers import (
    AnswerPlace,
    Taking,
    take_research,
    take_summary,
)
from supervisor_ai.drivers.quality.events import AnswerTaken
from supervisor_ai.engine.effects.worker import Work, perform_worker
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.world import Operation


class Aide(Struct, frozen=True, kw_only=True):
    """What an aide is told, within which budget, and how its answer is taken in."""

    told: Callable[[BriefWriter], tuple[Section, ...]]
    take: Callable[[Taking], AnswerTaken]
    tokens: int


def _asked(writer: BriefWriter) -> tuple[Section, ...]:
    about = writer.sections(briefs.CONTEXT, briefs.MILESTONE)
    return (*about, Section(title=briefs.QUESTIONS, text=writer.questions()))


def _long_over(writer: BriefWriter) -> tuple[Section, ...]:
    about = writer.sections(briefs.CONTEXT)
    return (*about, Section(title=briefs.EARLIER, text=writer.earlier()))


AIDES: Final[dict[AnswerWord, Aide]] = {
    OF_RESEARCH: Aide(told=_asked, take=take_research, tokens=5_000),
    OF_SUMMARY: Aide(told=_long_over, take=take_summary, tokens=5_000),
}
"""By what they answer with."""


async def perform_aide(effect: RunLoopWorker, operation: Operation, aide: Aide) -> RunEvent:
    """Tell an aide what it is asked, and take in what it answers."""
    writer = BriefWriter(book=effect.book, read=operation.text_of)
    sections = fitted(aide.told(writer), aide.tokens)
    told = replace(
        effect,
        context=tuple(
            ContextItem(title=it.title, artifact=operation.keep(it.text)[0]) for it in sections
        ),
        # What is shown of the project, and of what is known, is to be about the questions.
        assignment=sections[-1].text,
    )

    async def settle(work: Work) -> Snapshot | AnswerProblem:
        taking = Taking(
            at=AnswerPlace(
                step=effect.step, visit=effect.visit, slot=effect.slot, attempt=effect.attempt
            ),
            book=effect.book,
            document=work.answer.document,
            keep=lambda text: operation.keep(text)[0],
        )
        operation.record(aide.take(taking))
        return work.snapshot

    return await perform_worker(told, operation, settle)
