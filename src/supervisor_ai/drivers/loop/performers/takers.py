"""Taking in what a role answered: what decides something becomes a fact, or it is refused."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypedDict, TypeVar

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.answers import (
    FEEDBACK,
    AssessmentAnswer,
    PlanAnswer,
    QaAnswer,
    ResearchAnswer,
    ScopeAnswer,
    SummaryAnswer,
    WorkAnswer,
    read_answer,
)
from supervisor_ai.drivers.loop.book import LoopBook
from supervisor_ai.drivers.loop.briefs import bounded, encoded, shown_directives
from supervisor_ai.drivers.loop.kinds import PlannerAction
from supervisor_ai.drivers.loop.routes import LoopPhase
from supervisor_ai.drivers.loop.window import ROLLED_UP, cut, long_over
from supervisor_ai.drivers.quality.directives import Directive, DirectiveResponse
from supervisor_ai.drivers.quality.events import AnswerTaken
from supervisor_ai.engine.ports.workers import AnswerProblem

T = TypeVar("T", bound=Struct)
_SHOWN: Final = 10
_NAMED: Final = re.compile(r"\s*\[([0-9]{1,9})\]")
"""How a line of the plan begins that stands for a directive."""


class AnswerPlace(TypedDict):
    """Whose answer it is: the keys of every note that is taken of one."""

    step: StepName
    visit: int
    slot: int
    attempt: int


class Taking(Struct, frozen=True, kw_only=True):
    """An answer that has the right form, and who gave it."""

    at: AnswerPlace
    book: LoopBook
    """What the role was told of."""
    document: str
    keep: Callable[[str], ArtifactHash]
    """Keeps some words of it."""

    def read(self, kind: type[T]) -> T:
        """Read the answer."""
        found = read_answer(self.document, kind)
        if found is None:
            raise InternalError(f"A valid answer of {self.at['step']!r} cannot be read.")
        return found


def take_scope(taking: Taking) -> AnswerTaken:
    """Take up the remit and its milestones."""
    answer = taking.read(ScopeAnswer)
    if (asking := _asking(taking, answer.questions)) is not None:
        return asking
    return k.ScopeTaken(
        **taking.at,
        remit=taking.keep(answer.remit),
        milestones=tuple(taking.keep(encoded(it)) for it in answer.milestones),
    )


def take_plan(taking: Taking) -> AnswerTaken | AnswerProblem:
    """Take up what comes next, if every directive that was shown is answered."""
    answer = taking.read(PlanAnswer)
    if (asking := _asking(taking, answer.questions)) is not None:
        return asking
    problems = tuple(plan_problems(answer, taking.book))
    if problems:
        return AnswerProblem(
            category=FailureCategory.VALIDATION, message=" ".join(problems[:_SHOWN])
        )
    addressed = _addressed(answer, taking.book)
    kept = {it: _named(it) for it in answer.carry_forward if _named(it) in addressed}
    others = (it for it in answer.carry_forward if it not in kept)
    return k.TaskPlanned(
        **taking.at,
        action=answer.status,
        task=taking.keep(answer.task),
        carry_forward=tuple(taking.keep(it) for it in others),
        answers=tuple(
            k.DirectiveAnswer(
                number=it.directive,
                response=it.response,
                note=taking.keep(it.note) if it.note else None,
            )
            for it in answer.directives
        ),
        does=answer.does,
        keeps=tuple(kept.values()),
    )


def _named(line: str) -> int:
    """Number the directive for which a line of the plan stands; 0: none."""
    name = _NAMED.match(line)
    return int(name[1]) if name else 0


def _addressed(answer: PlanAnswer, book: LoopBook) -> frozenset[int]:
    """Number the directives that a task does; what is planned needs no second answer."""
    said = {it.directive: it.response for it in answer.directives}
    planned = book.planned_directives.difference(said)
    return planned.union(n for n, it in said.items() if it is DirectiveResponse.ADDRESSED)


def _asking(taking: Taking, questions: tuple[str, ...]) -> k.QuestionsAsked | None:
    """Take up questions instead of a plan, where somebody answers them; None: there are none."""
    asked = tuple(filter(None, map(str.strip, questions)))
    if not asked or not taking.book.research.is_open:
        return None
    return k.QuestionsAsked(**taking.at, questions=tuple(taking.keep(it) for it in asked))


def take_research(taking: Taking) -> AnswerTaken:
    """Take up what a researcher found."""
    found = taking.read(ResearchAnswer).answers
    told = "\n\n".join(f"{it.question}\n{it.answer}" for it in found)
    return k.ResearchTaken(**taking.at, answers=taking.keep(told))


def take_summary(taking: Taking) -> AnswerTaken:
    """Take up what is left of the tasks that are long over."""
    summary = cut(taking.read(SummaryAnswer).summary, ROLLED_UP)
    tasks = long_over(len(taking.book.done_list))
    return k.SummaryTaken(**taking.at, tasks=tasks, summary=taking.keep(summary))


def plan_problems(answer: PlanAnswer, book: LoopBook) -> Iterator[str]:
    """Say in what way an answer of the planner does not count."""
    shown = {it.number: it for it in shown_directives(book)}
    said = {it.directive: it.response for it in answer.directives}
    if not answer.task.strip():
        yield "`task` is empty; say what the task is, or why the milestone is done."
    if book.current is not None and answer.status is PlannerAction.MILESTONE_DONE:
        yield "The TASK that is shown has failed: plan it otherwise, skip it or abort it first."
    if len(said) < len(answer.directives):
        yield "A directive is answered twice."
    for number in said:
        if number not in shown:
            yield f"There is no directive {number} among ACTIVE DIRECTIVES."
    addressed = dict.fromkeys(_addressed(answer, book) & shown.keys(), DirectiveResponse.ADDRESSED)
    for number, directive in shown.items():
        yield from _unanswered(directive, addressed.get(number, said.get(number)), answer)
    for number in frozenset(answer.does).difference(addressed):
        yield f"`does` names directive {number}, which is not answered with `addressed`."
    is_idle = answer.status is PlannerAction.IMPLEMENT and not answer.does
    if book.phase is LoopPhase.POLISH and is_idle and book.current is None:
        yield "The remit is complete: a task has to do one of the directives, named in `does`."


def _unanswered(
    directive: Directive, response: DirectiveResponse | None, answer: PlanAnswer
) -> Iterator[str]:
    number, is_addressed = directive.number, response is DirectiveResponse.ADDRESSED
    if response is None:
        yield (
            f"Directive {number} is not answered: address it, explain why it is handled already, "
            "or escalate it."
        )
    if response is DirectiveResponse.DEFERRED and not directive.can_wait:
        kind = "critical" if directive.is_critical else "functional"
        yield f"Directive {number} is {kind} and cannot be deferred."
    if not is_addressed or directive.can_wait:
        return
    if answer.status is PlannerAction.MILESTONE_DONE:
        yield f"A milestone is not done while directive {number} is still to be addressed."
    elif directive.is_critical and number not in answer.does:
        yield f"Directive {number} is critical: the task itself has to do it, named in `does`."


def take_qa(taking: Taking) -> AnswerTaken:
    """Take up what QA says."""
    return k.QaTaken(
        **taking.at,
        feedback=taking.keep(bounded(taking.read(QaAnswer).feedback, FEEDBACK)),
    )


def take_assessment(taking: Taking) -> AnswerTaken:
    """Take up what the assessor says."""
    answer = taking.read(AssessmentAnswer)
    return k.AssessmentTaken(
        **taking.at,
        hint=taking.keep(bounded(answer.hint or answer.summary, FEEDBACK)),
    )


def take_work(taking: Taking, sizes: Mapping[str, int]) -> k.WorkTaken:
    """Take up what an implementor reports, held against the files that are there."""
    problem = missing_files(taking.read(WorkAnswer), sizes)
    return k.WorkTaken(**taking.at, problem=taking.keep(problem) if problem else None)


def reported_files(answer: WorkAnswer) -> tuple[str, ...]:
    """Name the files that an implementor says are there."""
    return tuple(dict.fromkeys((*answer.files_created, *answer.files_modified)))


def missing_files(answer: WorkAnswer, sizes: Mapping[str, int]) -> str:
    """Say which of the reported files are missing or empty; nothing: none."""
    gone = [path for path in reported_files(answer) if path not in sizes]
    empty = [path for path in answer.files_created if sizes.get(path) == 0]
    told = [
        *(f"{path!r} is reported and is not there." for path in gone[:_SHOWN]),
        *(f"{path!r} is reported as created and is empty." for path in empty[:_SHOWN]),
    ]
    return bounded("\n".join(told), FEEDBACK)
