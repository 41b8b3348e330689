"""The loop driver's memory: its book, and where the run stands in its steps."""

from collections.abc import Callable
from typing import Final, assert_never

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.loops import Trail
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import book as b
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, LoopNode
from supervisor_ai.drivers.loop.routes import LoopPhase
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.loop.signals import LoopWish, Pause, read_wish
from supervisor_ai.drivers.moves.state import StepRecord, WorkflowState, looked
from supervisor_ai.drivers.moves.state import evolve as evolve_steps
from supervisor_ai.drivers.quality.events import (
    DirectiveAdded,
    DirectiveDropped,
    FindingsTaken,
    SupervisorRan,
)
from supervisor_ai.drivers.quality.urgency import CALM

_NODES: Final = {StepName(node): node for node in LoopNode}


RoleTaken = (
    k.ScopeTaken
    | k.TaskPlanned
    | k.WorkTaken
    | k.QaTaken
    | k.AssessmentTaken
    | k.QuestionsAsked
    | k.ResearchTaken
    | k.SummaryTaken
    | FindingsTaken
)
"""What an answer can say; named one by one, so that each is kept as what it is."""


class LoopState(Struct, frozen=True, kw_only=True):
    """Where a loop stands."""

    flow: WorkflowState
    """The steps that it goes through, as any workflow does."""
    rules: LoopRules
    book: b.LoopBook
    kept: Snapshot
    """The files as the run's branch has them."""
    since: CommitSha | None = None
    """What the branch had when the current milestone began."""
    node: LoopNode = LoopNode.SCOPE_AGENT
    """Where it is; a gate belongs to the node before it."""
    before: LoopNode = LoopNode.SCOPE_AGENT
    """Where it was before that."""
    taken: RoleTaken | None = None
    """What an answer says whose attempt has not ended yet."""
    findings: FindingsTaken | None = None
    """What the supervisor found whose look is not over yet."""
    summoned: tuple[str, ...] = ()
    """The supervisors that still have to look in this visit."""
    landed: e.IntegrationLanded | None = None
    """What came to the branch in this visit."""
    pause: Pause = Pause.OFF
    wishes: tuple[LoopWish, ...] = ()
    """What people said about directives, and is not recorded yet."""


def evolve(state: LoopState, event: Event) -> LoopState:
    """Fold one recorded fact into the state."""
    flow = state.flow
    if isinstance(event, e.IntegrationLanded) and state.node is LoopNode.RUN_SUPERVISORS:
        flow = looked(flow, event)
    state = replace(state, flow=evolve_steps(flow, event))
    match event:
        case e.StepEntered():
            return _entered(state, event)
        case e.StepPassed() if _NODES.get(event.step) is LoopNode.RUN_SUPERVISORS:
            calm = replace(state.book, supervisor_urgency=CALM)
            return replace(state, book=calm, summoned=())
        case e.StepFailed() if event.step in state.rules.milestone_steps:
            return replace(state, book=b.reopened(state.book))
        case _ if isinstance(event, RoleTaken):
            return replace(state, taken=event)
        case e.AttemptStarted():
            return replace(state, taken=None)
        case e.AttemptSucceeded():
            return _succeeded(state, event)
        case e.IntegrationLanded():
            return _landed(state, event)
        case e.SignalReceived(signal=signal):
            return _heard(state, signal)
        case _:
            return _noted(state, event)


def _noted(state: LoopState, event: Event) -> LoopState:
    match event:
        case k.TaskSetBack():
            return replace(state, book=b.set_back(state.book, event))
        case k.TaskMarked():
            return _marked(state, event)
        case SupervisorRan():
            left = tuple(name for name in state.summoned if name != event.supervisor)
            book = b.looked(state.book, event)
            # What could not be put on the branch is not there for whoever comes next.
            flow = replace(state.flow, head=state.kept, news=None)
            state = replace(state, flow=flow, book=book, summoned=left)
            return replace(state, findings=None, landed=None)
        case k.ResearchMissed():
            book = replace(state.book, research=state.book.research.told(None))
            return replace(state, book=book)
        case k.SummaryMissed(tasks=tasks):
            book = replace(state.book, rolled_up=state.book.rolled_up.summed(tasks, None))
            return replace(state, book=book)
        case DirectiveAdded(directive=directive):
            book = b.added(state.book, (directive,))
            return replace(state, book=book, wishes=state.wishes[1:])
        case DirectiveDropped(number=number):
            wishes = tuple(it for it in state.wishes if it.drop != number)
            return replace(state, book=b.dropped(state.book, number), wishes=wishes)
        case _:
            return state


def _entered(state: LoopState, event: e.StepEntered) -> LoopState:
    node = _NODES.get(event.step)
    if node is None:
        return replace(state, taken=None)
    state = replace(state, node=node, before=state.node, taken=None, findings=None, landed=None)
    if node is LoopNode.RUN_SUPERVISORS:
        due = state.book.roster.due(state.book.supervisor_urgency)
        state = replace(state, summoned=tuple(it.name for it in due))
        return _anew(state, lambda name: name == event.step)
    if node is LoopNode.POLISH:
        return replace(state, book=replace(state.book, phase=LoopPhase.POLISH))
    if node is LoopNode.IMPLEMENTOR:
        task = state.book.task
        tried = replace(task, attempts=task.attempts + 1)
        return replace(state, book=replace(state.book, current=tried))
    return state


def _succeeded(state: LoopState, event: e.AttemptSucceeded) -> LoopState:
    """Let what an answer said count, now that its attempt has succeeded."""
    taken = state.taken
    if taken is None or (taken.place, taken.attempt) != (event.place, event.attempt):
        return state
    state = replace(state, taken=None)
    book = state.book
    match taken:
        case k.ScopeTaken():
            return replace(state, book=b.scoped(book, taken), since=state.kept.commit)
        case k.TaskPlanned():
            return replace(state, book=b.planned(book, taken, event.answer))
        case k.WorkTaken():
            return replace(state, book=b.worked(book, event.said, event.answer), taken=taken)
        case k.QaTaken(feedback=feedback):
            task = replace(book.task, qa=feedback)
            return replace(state, book=replace(book, current=task))
        case k.AssessmentTaken():
            verdict = AssessmentVerdict(event.said)
            is_reached = verdict is AssessmentVerdict.MILESTONE_COMPLETE
            since = state.kept.commit if is_reached else state.since
            book = b.assessed(book, taken, verdict, event.answer)
            return replace(state, book=book, since=since)
        case FindingsTaken():
            return replace(state, findings=taken)
        case k.QuestionsAsked() | k.ResearchTaken() | k.SummaryTaken():
            return replace(state, book=_aided(book, taken))
        case _:
            assert_never(taken)


def _aided(
    book: b.LoopBook, taken: k.QuestionsAsked | k.ResearchTaken | k.SummaryTaken
) -> b.LoopBook:
    """Take up what was asked on the side, and what came of it."""
    match taken:
        case k.QuestionsAsked(questions=questions):
            return replace(book, research=book.research.asking(questions))
        case k.ResearchTaken(answers=answers):
            return replace(book, research=book.research.told(answers))
        case k.SummaryTaken(tasks=tasks, summary=summary):
            return replace(book, rolled_up=book.rolled_up.summed(tasks, summary))
        case _:
            assert_never(taken)


def _marked(state: LoopState, event: k.TaskMarked) -> LoopState:
    """Begin the next task with the files of the branch, and with a clean slate."""
    flow = replace(state.flow, head=state.kept, vouched={})
    state = replace(state, flow=flow, book=b.marked(state.book, event))
    return _anew(state, lambda _: True)


def _anew(state: LoopState, concerns: Callable[[StepName], bool]) -> LoopState:
    """Let no task and no look suffer for what went wrong with the one before it."""
    steps = {
        name: _fresh(record) if concerns(name) else record
        for name, record in state.flow.steps.items()
    }
    return replace(state, flow=replace(state.flow, steps=steps))


def _fresh(record: StepRecord) -> StepRecord:
    return replace(record, setbacks=0, turns=0, said=(), trail=Trail(), rounds=())


def _landed(state: LoopState, event: e.IntegrationLanded) -> LoopState:
    """Go on from what landed, also where others have added to the branch meanwhile."""
    head = replace(state.flow.head, commit=event.commit)
    head = replace(head, tree=event.tree or head.tree)
    return replace(state, flow=replace(state.flow, head=head), kept=head, landed=event)


def _heard(state: LoopState, signal: str) -> LoopState:
    wish = read_wish(signal)
    if isinstance(wish, Pause):
        return replace(state, pause=wish)
    return state if wish is None else replace(state, wishes=(*state.wishes, wish))
