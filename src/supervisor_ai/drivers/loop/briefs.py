"""What each role of the loop is told: sections in a fixed order, each within its budget."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.loop.answers import (
    FEEDBACK,
    REMIT,
    PlanAnswer,
    ScopeMilestone,
    WorkAnswer,
    read_answer,
)
from supervisor_ai.drivers.loop.book import CarriedTask, DoneEntry, LoopBook
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.routes import LoopPhase
from supervisor_ai.drivers.loop.window import (
    CARRIED,
    ENTRY,
    DoneText,
    RolledText,
    cut,
    detail,
    done_lines,
    long_over,
)
from supervisor_ai.drivers.quality.directives import Directive, DirectiveText, in_order

Read = Callable[[ArtifactHash], str]
"""Reads a kept text; what was erased says nothing."""

CONTEXT: Final = "PROJECT CONTEXT"
MILESTONE: Final = "CURRENT MILESTONE"
DIRECTIVES: Final = "ACTIVE DIRECTIVES"
DONE: Final = "COMPLETED WORK"
TASK: Final = "TASK"
CHANGE: Final = "CHANGE"
LOG: Final = "SUPERVISOR RUN LOG"
RESEARCH: Final = "RESEARCH"
QUESTIONS: Final = "QUESTIONS"
EARLIER: Final = "EARLIER WORK"
ORDER: Final = (CONTEXT, MILESTONE, DIRECTIVES, DONE, LOG, RESEARCH, TASK, CHANGE)
TOKENS: Final = {
    LoopNode.SCOPE_AGENT: 15_000,
    LoopNode.TASK_PLANNER: 12_000,
    LoopNode.IMPLEMENTOR: 15_000,
    LoopNode.QA: 10_000,
    LoopNode.ASSESSOR: 5_000,
}
"""What a role is told at most, the files that it is shown included."""
TOLD: Final[dict[LoopNode, tuple[str, ...]]] = {
    LoopNode.SCOPE_AGENT: (CONTEXT, MILESTONE, DONE, LOG, RESEARCH),
    LoopNode.TASK_PLANNER: (
        *(CONTEXT, MILESTONE, DIRECTIVES, DONE, LOG),
        *(RESEARCH, TASK),
    ),
    LoopNode.IMPLEMENTOR: (CONTEXT, MILESTONE, TASK),
    LoopNode.QA: (CONTEXT, MILESTONE, TASK),
    LoopNode.ASSESSOR: (*(CONTEXT, MILESTONE, DIRECTIVES, DONE, LOG),),
}
"""What each role is told, in the order of the seed's sections."""
TOLD_SUPERVISORS: Final = (CONTEXT, MILESTONE, DIRECTIVES, DONE, LOG)
SUPERVISOR_TOKENS: Final = 5_000
_CHARACTERS: Final = 4
"""Of so many characters a token is taken to be."""
_DIRECTIVE: Final = 500
_PLAN: Final = 6_000
_MOST_SHOWN: Final = 20
_RUNS: Final = 6
_ANSWERS: Final = 6_000
_OFFER: Final = "Questions are answered: you may ask first."
_UNANSWERED: Final = "Nobody could answer your questions. Go on with what you know."
_CUT_OFF: Final = "[what follows was left out]"


class Section(Struct, frozen=True, kw_only=True):
    """A titled part of what a role is told."""

    title: str
    text: str


def characters(tokens: int) -> int:
    """Say how many characters a number of tokens is taken to be."""
    return tokens * _CHARACTERS


def bounded(text: str, most: int) -> str:
    """Return a text, or as much of it as fits."""
    return text if len(text) <= most else f"{text[: most - len(_CUT_OFF) - 1]}\n{_CUT_OFF}"


class BriefWriter(Struct, frozen=True, kw_only=True):
    """Writes what the book says, with the words that were kept."""

    book: LoopBook
    read: Read

    def sections(self, *titles: str) -> tuple[Section, ...]:
        """Write some of the sections, in their order; what says nothing is left out."""
        written = {
            CONTEXT: self.context,
            MILESTONE: self.milestone,
            DIRECTIVES: self.directives,
            DONE: self.done,
            LOG: self.log,
            RESEARCH: self.research,
            TASK: self.task,
        }
        texts = {title: written[title]() for title in ORDER if title in titles}
        return tuple(Section(title=title, text=text) for title, text in texts.items() if text)

    def context(self) -> str:
        """Say what is to be achieved."""
        remit = self.book.remit
        return "" if remit is None else bounded(self.read(remit), REMIT)

    def milestone(self) -> str:
        """Say where the work stands, and what is planned next."""
        return "\n".join(self._milestone())

    def _milestone(self) -> Iterator[str]:
        book, at = self.book, self.book.active_milestone_index
        for number, text in enumerate(book.milestones):
            found = read_answer(self.read(text), ScopeMilestone)
            if found is None:
                continue
            state = "reached" if number < at else ("current" if number == at else "later")
            yield f"Milestone {number + 1} of {len(book.milestones)} ({state}): {found.outcome}"
            if number == at:
                yield from (f"  area: {area}" for area in found.areas)
        if book.phase is LoopPhase.POLISH:
            yield "The remit is complete. What is left is cleanup; nothing else is wanted."
        if book.carry_forward:
            yield "Planned next, in this order:"
            for item in book.carry_forward[:_MOST_SHOWN]:
                yield f"- {cut(self.carried(item), CARRIED)}"
        if book.correction_hint is not None:
            yield f"Correction by the assessor: {cut(self.read(book.correction_hint), FEEDBACK)}"

    def carried(self, item: CarriedTask) -> str:
        """Return the words of a task that is planned."""
        text, number = self.read(item.text), item.directive
        return text if number is None else f"[{number}] {directive_text(text).description}"

    def directives(self) -> str:
        """List what supervisors want done, functional before cleanup."""
        waiting = {it.number for it in self.book.waiting_directives}
        shown = (it for it in shown_directives(self.book) if it.number in waiting)
        return "\n".join(cut(self._directive(it), _DIRECTIVE) for it in shown)

    def _directive(self, it: Directive) -> str:
        words = directive_text(self.read(it.text))
        why = f" Why: {words.rationale}" if words.rationale else ""
        files = f" Files: {', '.join(words.files)}" if words.files else ""
        head = f"[{it.number}] {it.type.value}, {it.priority.value}, from {it.source}"
        return f"{head}: {words.description}{why}{files}"

    def done(self) -> str:
        """Tell what was done so far."""
        return "\n".join(done_lines(self._entries(), self._rolled()))

    def earlier(self) -> str:
        """Tell what is to be summed up: the last summary, and each task that it is not about."""
        rolled = self._rolled()
        older = self._entries()[rolled.tasks : long_over(len(self.book.done_list))]
        summed = [f"So far: {rolled.text}"] if rolled.text else []
        return "\n".join((*summed, *(cut(detail(it), ENTRY) for it in older)))

    def _entries(self) -> list[DoneText]:
        return [self.entry(it) for it in self.book.done_list]

    def _rolled(self) -> RolledText:
        rolled = self.book.rolled_up
        text = "" if rolled.text is None else self.read(rolled.text)
        return RolledText(tasks=rolled.tasks if text else 0, text=text)

    def research(self) -> str:
        """Tell what was answered, or whether questions may be asked."""
        research = self.book.research
        if not research.is_offered:
            return ""
        if research.answers is not None:
            return bounded(self.read(research.answers), _ANSWERS)
        return _UNANSWERED if research.is_spent else _OFFER

    def questions(self) -> str:
        """Tell what whoever scopes or plans wants to know."""
        asked = (self.read(it) for it in self.book.research.questions)
        return "\n".join(f"{number}. {it}" for number, it in enumerate(asked, 1))

    def entry(self, it: DoneEntry) -> DoneText:
        """Put a task that is over into words."""
        work = None if it.work is None else read_answer(self.read(it.work), WorkAnswer)
        said = work.summary if work is not None else ""
        if it.commit is None and it.qa is not None:
            said = self.read(it.qa)
        return DoneText(task=it.task, outcome=it.outcome, text=self.read(it.text), said=said)

    def log(self) -> str:
        """Tell what supervisors found when they looked, and what waits for direction."""
        lines = [
            f"{run.title}, after {run.task_count} tasks: {run.outcome}, "
            f"{run.directives} directives{', converging' if run.is_converging else ''}"
            for run in self.book.supervisor_run_log[-_RUNS:]
        ]
        asked = [
            f"Escalated by {it.source} at task {it.task}: "
            f"{cut('' if it.text is None else self.read(it.text), FEEDBACK)}"
            for it in self.book.escalation_context[-_RUNS:]
        ]
        return "\n".join((*lines, *asked))

    def task(self) -> str:
        """Describe the task that is being done, and what was wrong with it before."""
        current = self.book.current
        if current is None:
            return ""
        plan = read_answer(self.read(current.plan), PlanAnswer)
        lines = [f"task_{current.number}: {self.read(current.text)}"]
        if plan is not None and plan.plan:
            lines += ["", "How:", bounded(plan.plan, _PLAN)]
        if plan is not None and plan.files:
            lines += ["", "Files: " + ", ".join(plan.files[:_MOST_SHOWN])]
        if current.failures and current.qa is not None:
            told = bounded(self.read(current.qa), FEEDBACK)
            lines += ["", f"Attempt {current.failures} failed ({current.found_by}):", told]
        return "\n".join(lines)

    def reported(self) -> str:
        """Return what the implementor reports about the task."""
        current = self.book.current
        if current is None or current.work is None:
            return ""
        work = read_answer(self.read(current.work), WorkAnswer)
        return "" if work is None else f"The implementor reports: {cut(work.summary, FEEDBACK)}"


def shown_directives(book: LoopBook) -> tuple[Directive, ...]:
    """List the directives that the planner can answer; polish knows cleanup alone."""
    wanted = (it for it in book.pending_directives if it.is_cleanup or book.phase is LoopPhase.WORK)
    return in_order(wanted)


def directive_text(kept: str) -> DirectiveText:
    """Read the words of a directive; what was erased says nothing any more."""
    return read_answer(kept, DirectiveText) or DirectiveText(description="")


def encoded(words: Struct) -> str:
    """Write words as they are kept."""
    return msgspec.json.encode(words).decode()


def fitted(sections: tuple[Section, ...], tokens: int) -> tuple[Section, ...]:
    """Keep sections within a budget; the longest gives way first."""
    most, kept = characters(tokens), list(sections)
    while (surplus := sum(len(it.text) for it in kept) - most) > 0:
        longest = max(range(len(kept)), key=lambda at: len(kept[at].text))
        text = kept[longest].text
        least = len(_CUT_OFF) + 2
        kept[longest] = Section(
            title=kept[longest].title, text=bounded(text, max(least, len(text) - surplus))
        )
        if len(text) <= least:
            break
    return tuple(kept)
