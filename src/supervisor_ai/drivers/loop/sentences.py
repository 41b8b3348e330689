"""Sentences about a loop's events, in a person's words."""

from collections import Counter
from typing import Final

from supervisor_ai.control.registered_kinds import StepPhrases
from supervisor_ai.control.sentence_table import SentenceTable, on
from supervisor_ai.domain.run.event_kinds.directives import DirectivesAnswered
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.kinds import PlannerAction
from supervisor_ai.drivers.quality.directives import DropReason
from supervisor_ai.drivers.quality.events import (
    DirectiveAdded,
    DirectiveDropped,
    FindingsTaken,
    StockLost,
    StockStarted,
    StockTaken,
    SupervisorRan,
)
from supervisor_ai.drivers.quality.standing_facts import (
    StandingDirectiveAdded,
    StandingDirectiveDropped,
)
from supervisor_ai.drivers.quality.supervisors import ESTIMATE, LOOKED, RunOutcome
from supervisor_ai.drivers.quality.threads import ThreadDeleted, ThreadStateSaved, ThreadWritesSaved

_ACTIONS: Final = {
    PlannerAction.IMPLEMENT: "wants the next task done",
    PlannerAction.SKIP: "skips the next task",
    PlannerAction.ABORT: "gives the task up",
    PlannerAction.MILESTONE_DONE: "says that the milestone is done",
}
_FOUND_BY: Final = {
    k.SetbackSource.WORKER: "the implementor could not do it",
    k.SetbackSource.FILES: "files that were reported are missing or empty",
    k.SetbackSource.GATES: "a gate failed",
    k.SetbackSource.QA: "QA did not accept it",
    k.SetbackSource.PERSON: "a person did not accept it",
}
_DROPPED: Final = {
    DropReason.AGED: "nobody picked it up for too long",
    DropReason.CAPPED: "there are too many",
    DropReason.PERSON: "a person wants it no more",
    DropReason.POLISHED: "the time for polish is over",
    DropReason.ENDED: "the run ends",
}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def look_sentence(event: SupervisorRan) -> str:
    """Say what came of a supervisor's look."""
    if event.outcome not in LOOKED:
        verb = "discarded" if event.outcome is RunOutcome.DISCARDED else "skipped"
        return f"{event.title}: {verb}. {event.reason}"
    types = Counter(it.type.value for it in event.directives)
    wanted = [_count(number, f"{kind} directive") for kind, number in types.items()]
    found = f"{_count(event.total, 'thing')}, {event.novel} of them new"
    parts = [f"found {found if event.total else 'nothing'}"]
    if event.outcome is RunOutcome.BOOTSTRAPPED:
        parts.insert(0, "laid the ground")
    if wanted:
        parts.append(f"created {' and '.join(wanted)}")
    if event.updated:
        parts.append(f"updated {_count(len(event.updated), 'document')}")
    if event.refused:
        parts.append(f"was refused {_count(len(event.refused), 'document')}")
    if event.reviews:
        parts.append(f"wants a person to look at {_count(event.reviews, 'item')}")
    if event.is_converging:
        parts.append("converging")
    if event.usage.cost:
        least, most = ESTIMATE
        parts.append(f"cost {event.usage.cost} $ where {least} to {most} $ were expected")
    told = f"{event.title}: {', '.join(parts)}"
    return f"{told}. {event.reason}" if event.reason else told


def _tally(event: DirectivesAnswered) -> str:
    counts = Counter(it.response for it in event.answers)
    return ", ".join(f"{number} {response}" for response, number in counts.items())


LOOP_SENTENCES: Final[SentenceTable] = (
    on(k.ScopeTaken, lambda it: f"sees {_count(len(it.milestones), 'milestone')}"),
    on(k.TaskPlanned, lambda it: _ACTIONS[it.action], mark=lambda it: it.action.value),
    on(k.WorkTaken, lambda it: "reports what was done", is_routine=True),
    on(k.QaTaken, lambda _: "says how it looks", is_routine=True),
    on(k.AssessmentTaken, lambda _: "says how the way looks", is_routine=True),
    on(
        k.QuestionsAsked,
        lambda it: f"wants to know {_count(len(it.questions), 'thing')} first",
        mark="asks",
    ),
    on(k.ResearchTaken, lambda _: "answers what was asked"),
    on(k.ResearchMissed, lambda it: f"nobody answers what was asked: {it.reason}"),
    on(k.SummaryTaken, lambda it: f"sums up {_count(it.tasks, 'task')} that are long over"),
    on(k.SummaryMissed, lambda it: f"nobody sums up what is long over: {it.reason}"),
    on(
        k.TaskSetBack,
        lambda it: f"task {it.task} is not done yet: {_FOUND_BY[it.found_by]}",
        mark="not done",
    ),
    on(
        k.TaskMarked,
        lambda it: f"task {it.task} is {it.outcome.value}, after {_count(it.attempts, 'attempt')}",
        mark=lambda it: f"task {it.task} {it.outcome.value}",
    ),
    on(k.WorkReportStarted, lambda _: "writes the report", is_routine=True),
    on(k.WorkReportWritten, lambda _: "the report is written"),
    on(k.WorkReportLost, lambda _: "had not written the report when its owner died"),
    on(FindingsTaken, lambda _: "a supervisor says what it found", is_routine=True),
    on(StockStarted, lambda _: "looks up how the supervisors stand", is_routine=True),
    on(
        StockTaken,
        lambda it: f"the supervisors have seen {_count(it.commits, 'commit')} so far",
        is_routine=True,
    ),
    on(StockLost, lambda _: "had not looked up the supervisors when its owner died"),
    on(SupervisorRan, look_sentence, mark=lambda it: it.supervisor),
    on(
        DirectiveAdded,
        lambda it: f"a person wants something done: directive {it.directive.number}",
    ),
    on(
        DirectiveDropped,
        lambda it: f"directive {it.number} is dropped: {_DROPPED[it.reason]}",
    ),
    on(
        DirectivesAnswered,
        lambda it: f"answers {_count(len(it.answers), 'directive')}: {_tally(it)}",
    ),
    on(
        StandingDirectiveAdded,
        lambda it: f"a person wants something done in the project: {it.type.value}",
    ),
    on(
        StandingDirectiveDropped,
        lambda it: f"a person wants directive {it.number} of the project no more",
    ),
    on(ThreadStateSaved, lambda it: f"a graph came to {it.state}", is_routine=True),
    on(ThreadWritesSaved, lambda it: f"a task of a graph is done: {it.task}", is_routine=True),
    on(ThreadDeleted, lambda _: "what a graph saved is deleted"),
)
BOOKKEEPING: Final = StepPhrases(deed="the loop decides", preview="the loop decides")
SUPERVISION: Final = StepPhrases(
    deed="supervisors look", preview="the quality supervisors look whose turn it is"
)
