"""How a visit to a node comes out, and where it leads, by the book and the rules alone."""

from supervisor_ai.drivers.loop.book import CurrentTask, LoopBook
from supervisor_ai.drivers.loop.events import TaskOutcome
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, LoopNode, PlannerAction
from supervisor_ai.drivers.loop.routes import (
    LoopPhase,
    NodeOutcome,
    Signs,
    Word,
    after_detour,
    way_on,
)
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Drop, DropReason, overdue


def signs_of(book: LoopBook, rules: LoopRules) -> Signs:
    """Say what decides about the way now."""
    return Signs(
        phase=book.phase,
        is_supervision_due=bool(book.roster.due(book.supervisor_urgency)),
        is_review_due=book.tasks_since_last_review >= rules.review_interval,
    )


def next_node(node: LoopNode, word: Word, book: LoopBook, rules: LoopRules) -> LoopNode:
    """Name where a node leads, now that the book has what happened at it."""
    return within_limits(book, rules, way_on(node, word, signs_of(book, rules)))


def after_supervisors(before: LoopNode, book: LoopBook, rules: LoopRules) -> LoopNode:
    """Name where the loop would have gone if no supervisor had been due."""
    target = after_detour(before, left_with(before, book), signs_of(book, rules))
    return within_limits(book, rules, target)


def left_with(before: LoopNode, book: LoopBook) -> Word:
    """Say how the node came out from which the supervisors were called."""
    match before:
        case LoopNode.TASK_PLANNER:
            return PlannerAction.MILESTONE_DONE
        case LoopNode.ASSESSOR:
            return assessment_word(book, book.last_verdict or AssessmentVerdict.ALIGNED)
        case _:
            return NodeOutcome.MARKED


def within_limits(book: LoopBook, rules: LoopRules, target: LoopNode) -> LoopNode:
    """Begin no task that the loop may not begin any more."""
    is_new = target is LoopNode.TASK_PLANNER and book.current is None
    is_worn_out = book.tasks + book.claims >= rules.max_tasks
    if is_new and is_worn_out and book.phase is LoopPhase.WORK:
        return LoopNode.REPORT
    return target


def setback_word(task: CurrentTask, rules: LoopRules) -> Word:
    """Say whether a task that is not done may be tried once more."""
    is_last = task.failures + 1 >= rules.max_attempts
    return NodeOutcome.TOO_OFTEN if is_last else NodeOutcome.FAILED


def assessment_word(book: LoopBook, verdict: AssessmentVerdict) -> Word:
    """Say what a verdict comes to, now that the book has it."""
    is_reached = verdict is AssessmentVerdict.MILESTONE_COMPLETE
    return NodeOutcome.ALL_COMPLETE if is_reached and book.is_complete else verdict


def polish_word(book: LoopBook, rules: LoopRules) -> Word:
    """Say whether there is cleanup left that may still be worked off."""
    is_left = any(it.is_cleanup for it in book.pending_directives)
    is_allowed = book.polished < rules.polish_tasks
    return NodeOutcome.LEFT if is_left and is_allowed else NodeOutcome.EMPTY


def drops_of_polish(book: LoopBook) -> tuple[Drop, ...]:
    """Say what is dropped once the time for polish is over."""
    cleanup = (it for it in book.pending_directives if it.is_cleanup)
    return tuple(Drop(number=it.number, reason=DropReason.POLISHED) for it in cleanup)


def drops_of_end(book: LoopBook) -> tuple[Drop, ...]:
    """Say what is dropped when the loop ends."""
    rest = book.pending_directives
    return tuple(Drop(number=it.number, reason=DropReason.ENDED) for it in rest)


def drops_of_age(book: LoopBook, rules: LoopRules) -> tuple[Drop, ...]:
    """Say what is dropped now because it is too old or too much; polish drops at its end."""
    if book.phase is LoopPhase.POLISH:
        return ()
    return overdue(book.waiting_directives, rules.backlog, tasks=book.completed)


def failure_of(book: LoopBook) -> TaskOutcome:
    """Say what became of a task that is given up."""
    is_abort = book.task_planner_action is PlannerAction.ABORT
    return TaskOutcome.ABORTED if is_abort else TaskOutcome.FAILED
