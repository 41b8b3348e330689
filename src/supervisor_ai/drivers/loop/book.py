"""What a loop remembers: the remit, its milestones, what was done, and what is to be done."""

from collections.abc import Container, Iterable
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.events import (
    AssessmentTaken,
    DirectiveAnswer,
    ScopeTaken,
    TaskMarked,
    TaskOutcome,
    TaskPlanned,
    TaskSetBack,
)
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, PlannerAction, WorkStatus
from supervisor_ai.drivers.loop.routes import LoopPhase
from supervisor_ai.drivers.loop.window import RolledUp
from supervisor_ai.drivers.quality.directives import Directive, DirectiveResponse
from supervisor_ai.drivers.quality.events import SupervisorRan
from supervisor_ai.drivers.quality.supervisors import LookMoment, Roster
from supervisor_ai.drivers.quality.urgency import CALM, WEIGHTS, UrgencySignal, is_churn

COMPLETED: Final = frozenset({TaskOutcome.DONE, TaskOutcome.SKIPPED})
"""How a task ends that counts as completed."""


class Research(Struct, frozen=True, kw_only=True):
    """What whoever scopes or plans asked before it says what is to be done."""

    is_offered: bool = False
    """Whether somebody answers questions in this loop."""
    is_spent: bool = False
    """Whether that was asked which may be asked before the next plan."""
    questions: tuple[ArtifactHash, ...] = ()
    """Those that wait for an answer."""
    answers: ArtifactHash | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether questions may be asked now."""
        return self.is_offered and not self.is_spent

    def asking(self, questions: tuple[ArtifactHash, ...]) -> "Research":
        """Let questions wait for an answer."""
        return replace(self, questions=questions)

    def told(self, answers: ArtifactHash | None) -> "Research":
        """Take up what was answered; None: nobody could."""
        return replace(self, is_spent=True, questions=(), answers=answers)

    def over(self) -> "Research":
        """Let questions be asked again before the next plan."""
        return Research(is_offered=self.is_offered)


class CarriedTask(Struct, frozen=True, kw_only=True):
    """What is planned to be done later."""

    text: ArtifactHash
    directive: int | None = None
    """The directive that it does, whose words are JSON."""


class CurrentTask(Struct, frozen=True, kw_only=True):
    """The task that is being done."""

    number: int
    text: ArtifactHash
    plan: ArtifactHash
    """The planner's whole answer."""
    does: tuple[int, ...] = ()
    attempts: int = 0
    failures: int = 0
    work: ArtifactHash | None = None
    """What the implementor reported."""
    qa: ArtifactHash | None = None
    """What was wrong the last time, or what QA said."""
    found_by: str = ""


class DoneEntry(Struct, frozen=True, kw_only=True):
    """A task that is over."""

    task: int
    outcome: TaskOutcome
    milestone: int
    text: ArtifactHash
    plan: ArtifactHash
    attempts: int = 0
    qa_failures: int = 0
    work: ArtifactHash | None = None
    qa: ArtifactHash | None = None
    commit: CommitSha | None = None


class Escalation(Struct, frozen=True, kw_only=True):
    """A request for direction; nobody waits for the answer."""

    task: int
    source: str
    """Who asks: `planner`, `implementor`, or `directive 3`."""
    text: ArtifactHash | None


class SupervisorRun(Struct, frozen=True, kw_only=True):
    """A look of a supervisor, as its log has it."""

    supervisor: str
    title: str
    outcome: str
    task_count: int
    commit: CommitSha
    directives: int
    updated: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    is_converging: bool = False
    findings: ArtifactHash | None = None
    reason: str = ""
    usage: Usage = NO_USAGE


class LoopBook(Struct, frozen=True, kw_only=True):
    """Everything that the loop's roles and supervisors are told of."""

    phase: LoopPhase = LoopPhase.WORK
    remit: ArtifactHash | None = None
    milestones: tuple[ArtifactHash, ...] = ()
    active_milestone_index: int = 0
    done_list: tuple[DoneEntry, ...] = ()
    carry_forward: tuple[CarriedTask, ...] = ()
    current: CurrentTask | None = None
    task_planner_action: PlannerAction | None = None
    escalation_context: tuple[Escalation, ...] = ()
    tasks_since_last_review: int = 0
    last_verdict: AssessmentVerdict | None = None
    last_assessment: ArtifactHash | None = None
    correction_hint: ArtifactHash | None = None
    pending_directives: tuple[Directive, ...] = ()
    """Those that are not settled: what is planned counts until the task that does it is done."""
    supervisor_urgency: int = CALM
    """In tenths."""
    supervisor_run_log: tuple[SupervisorRun, ...] = ()
    roster: Roster = field(default_factory=Roster)
    research: Research = Research()
    rolled_up: RolledUp = RolledUp()
    tasks: int = 0
    """How many tasks were begun."""
    claims: int = 0
    """How often a milestone was said to be done, and was not."""
    completed: int = 0
    """How many tasks were completed."""
    polished: int = 0
    """How many tasks of cleanup were begun since the remit was complete."""
    directives: int = 0
    """How many directives there were so far."""

    @property
    def is_complete(self) -> bool:
        """Tell whether every milestone is reached."""
        return bool(self.milestones) and self.active_milestone_index >= len(self.milestones)

    @property
    def planned_directives(self) -> frozenset[int]:
        """Number the directives that the current task does, or that are carried forward."""
        current = () if self.current is None else self.current.does
        carried = (it.directive for it in self.carry_forward)
        return frozenset((*current, *(it for it in carried if it is not None)))

    @property
    def waiting_directives(self) -> tuple[Directive, ...]:
        """List the directives that have to be answered; a critical one always has to."""
        planned = self.planned_directives
        pending = self.pending_directives
        return tuple(it for it in pending if it.is_critical or it.number not in planned)

    @property
    def task(self) -> CurrentTask:
        """Return the task that is being done."""
        if self.current is None:
            raise InternalError("The loop came to a task before one was planned.")
        return self.current

    def urged(self, *signals: UrgencySignal) -> "LoopBook":
        """Make the next look of the supervisors more urgent."""
        more = sum(WEIGHTS[it] for it in signals)
        return replace(self, supervisor_urgency=self.supervisor_urgency + more)

    def asked(self, *questions: Escalation) -> "LoopBook":
        """Take up requests for direction."""
        return replace(self, escalation_context=(*self.escalation_context, *questions))


def scoped(book: LoopBook, taken: ScopeTaken) -> LoopBook:
    """Begin with the milestones, or with new ones after those that are reached."""
    reached = book.milestones[: book.active_milestone_index]
    return replace(
        book,
        remit=taken.remit,
        milestones=(*reached, *taken.milestones),
        active_milestone_index=len(reached),
        carry_forward=(),
        correction_hint=None,
        research=book.research.over(),
    )


def planned(book: LoopBook, taken: TaskPlanned, plan: ArtifactHash) -> LoopBook:
    """Take up what comes next; a directive that is planned stays until its task is done."""
    before = book.carry_forward
    known = {it.number for it in book.pending_directives}
    answered = {it.number: it for it in taken.answers if it.number in known}
    book = _carried(book, taken, answered)
    churn = is_churn(tuple(it.text for it in before), tuple(it.text for it in book.carry_forward))
    book = book.asked(*_escalated(book, answered.values()))
    settling = {DirectiveResponse.EXPLAINED, DirectiveResponse.ESCALATED}
    if taken.keeps is None:
        settling.add(DirectiveResponse.ADDRESSED)
    settled = {number for number, it in answered.items() if it.response in settling}
    book = replace(
        book,
        pending_directives=_without(book, settled),
        task_planner_action=taken.action,
        correction_hint=None,
        research=book.research.over(),
    )
    if taken.action is PlannerAction.MILESTONE_DONE:
        book = replace(book, roster=book.roster.called(LookMoment.MILESTONE))
    else:
        book = _begun(book, taken, plan)
    return book.urged(UrgencySignal.CHURN) if churn else book


def _without(book: LoopBook, numbers: Container[int]) -> tuple[Directive, ...]:
    return tuple(it for it in book.pending_directives if it.number not in numbers)


def _carried(book: LoopBook, taken: TaskPlanned, answered: dict[int, DirectiveAnswer]) -> LoopBook:
    """Put functional directives before what is planned, and cleanup after it."""
    addressed = {
        number for number, it in answered.items() if it.response is DirectiveResponse.ADDRESSED
    }
    wanted = addressed.union(taken.keeps or ()).difference(taken.does)
    later = [it for it in book.pending_directives if it.number in wanted]
    carried = {it.number: CarriedTask(text=it.text, directive=it.number) for it in later}
    first = [carried[it.number] for it in later if not it.is_cleanup]
    last = [carried[it.number] for it in later if it.is_cleanup]
    known = {it.text: it for it in book.carry_forward}
    middle = [known.get(text, CarriedTask(text=text)) for text in taken.carry_forward]
    return replace(book, carry_forward=(*first, *middle, *last))


def _escalated(book: LoopBook, answers: Iterable[DirectiveAnswer]) -> tuple[Escalation, ...]:
    return tuple(
        Escalation(task=book.tasks, source=f"directive {it.number}", text=it.note)
        for it in answers
        if it.response is DirectiveResponse.ESCALATED
    )


def _begun(book: LoopBook, taken: TaskPlanned, plan: ArtifactHash) -> LoopBook:
    """Begin a task, or go on with the one that failed in another way."""
    if book.current is not None:
        again = replace(book.current, text=taken.task, plan=plan, does=taken.does)
        return replace(book, current=again)
    number = book.tasks + 1
    begun = CurrentTask(number=number, text=taken.task, plan=plan, does=taken.does)
    polished = book.polished + (1 if book.phase is LoopPhase.POLISH else 0)
    return replace(book, current=begun, tasks=number, polished=polished)


def worked(book: LoopBook, said: str, answer: ArtifactHash) -> LoopBook:
    """Remember what the implementor reports; one that is blocked asks for direction."""
    task = replace(book.task, work=answer)
    book = replace(book, current=task)
    if said != WorkStatus.BLOCKED:
        return book
    return book.asked(Escalation(task=task.number, source="implementor", text=answer))


def set_back(book: LoopBook, fact: TaskSetBack) -> LoopBook:
    """Remember that the task is not done yet, and why."""
    task = book.task
    failed = replace(
        task, failures=task.failures + 1, qa=fact.feedback, found_by=fact.found_by.value
    )
    return replace(book, current=failed).urged(UrgencySignal.QA_FAILURE)


def marked(book: LoopBook, fact: TaskMarked) -> LoopBook:
    """Put a task among those that are over."""
    task = book.task
    entry = DoneEntry(
        task=task.number,
        outcome=fact.outcome,
        milestone=book.active_milestone_index,
        text=task.text,
        plan=task.plan,
        attempts=fact.attempts,
        qa_failures=fact.qa_failures,
        work=task.work,
        qa=task.qa,
        commit=fact.commit,
    )
    settled = task.does if fact.outcome is TaskOutcome.DONE else ()
    book = replace(
        book,
        done_list=(*book.done_list, entry),
        pending_directives=_without(book, settled),
        current=None,
        tasks_since_last_review=book.tasks_since_last_review + 1,
    )
    match fact.outcome:
        case TaskOutcome.DONE | TaskOutcome.SKIPPED:
            return replace(book, completed=book.completed + 1, roster=book.roster.counted())
        case TaskOutcome.ABORTED:
            asked = Escalation(task=task.number, source="planner", text=task.text)
            book = replace(book, roster=book.roster.called(LookMoment.ABORT)).asked(asked)
            return book.urged(UrgencySignal.TASK_ABORT)
        case _:
            return book


def assessed(
    book: LoopBook, taken: AssessmentTaken, verdict: AssessmentVerdict, answer: ArtifactHash
) -> LoopBook:
    """Follow the assessor: go on, turn a little, scope anew, or go to the next milestone."""
    is_claim = book.task_planner_action is PlannerAction.MILESTONE_DONE
    is_reached = verdict is AssessmentVerdict.MILESTONE_COMPLETE
    book = replace(
        book,
        tasks_since_last_review=0,
        last_verdict=verdict,
        last_assessment=answer,
        task_planner_action=None,
        claims=book.claims + (1 if is_claim and not is_reached else 0),
    )
    match verdict:
        case AssessmentVerdict.ALIGNED:
            return book
        case AssessmentVerdict.MINOR_DRIFT:
            turned = replace(book, carry_forward=(), correction_hint=taken.hint)
            return turned.urged(UrgencySignal.MINOR_DRIFT)
        case AssessmentVerdict.MAJOR_DIVERGENCE:
            called = book.roster.called(LookMoment.RESCOPE)
            return replace(book, carry_forward=(), correction_hint=taken.hint, roster=called)
        case _:
            # Whoever has seen the newest task already, before the assessor looked, is not called.
            called = book.roster.called(LookMoment.MILESTONE, after=1)
            reached = book.active_milestone_index + 1
            return replace(book, active_milestone_index=reached, roster=called)


def reopened(book: LoopBook) -> LoopBook:
    """Take a milestone back that a person does not accept."""
    return replace(book, active_milestone_index=max(0, book.active_milestone_index - 1))


def looked(book: LoopBook, fact: SupervisorRan) -> LoopBook:
    """Take up what a supervisor wants done."""
    run = SupervisorRun(
        supervisor=fact.supervisor,
        title=fact.title,
        outcome=fact.outcome.value,
        task_count=fact.after,
        commit=fact.commit,
        directives=len(fact.directives),
        updated=fact.updated,
        refused=fact.refused,
        is_converging=fact.is_converging,
        findings=fact.findings,
        reason=fact.reason,
        usage=fact.usage,
    )
    roster = book.roster.looked(fact.supervisor, fact.outcome, novel=fact.novel, total=fact.total)
    return added(
        replace(book, supervisor_run_log=(*book.supervisor_run_log, run), roster=roster),
        fact.directives,
    )


def added(book: LoopBook, directives: tuple[Directive, ...]) -> LoopBook:
    """Let directives be pending."""
    return replace(
        book,
        pending_directives=(*book.pending_directives, *directives),
        directives=book.directives + len(directives),
    )


def dropped(book: LoopBook, number: int) -> LoopBook:
    """Let a directive be pending no more."""
    carried = tuple(it for it in book.carry_forward if it.directive != number)
    return replace(book, pending_directives=_without(book, {number}), carry_forward=carried)
