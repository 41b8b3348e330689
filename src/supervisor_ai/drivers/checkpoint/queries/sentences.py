"""Sentences about a supervisor's events, in a person's words."""

from typing import Final

from supervisor_ai.control.registered_kinds import ApprovalPhrases, StepPhrases
from supervisor_ai.control.sentence_table import SentenceTable, on
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.tools.text import counted


def _read(event: k.SessionRead) -> str:
    if not event.reports:
        return "knows the session"
    again = f"; {', '.join(event.released)} is to be done again" if event.released else ""
    return f"knows the session again from {counted(event.reports, 'report')}{again}"


def _request(event: k.RequestTaken) -> str:
    return f"is asked for {event.task} about {', '.join(event.scope)}"


def _loaded(event: k.ContextLoaded) -> str:
    new = counted(len(event.files), "new artifact")
    return f"has read {new}, about {event.tokens} of {event.all_tokens} tokens"


def _judged(event: k.ChecksJudged) -> str:
    said = f"{event.passed} passed, {event.warned} warned, {event.failed} failed"
    said += f", {event.undecided} undecided" if event.undecided else ""
    return f"{said}, {event.questions} to judge"


def _weighing(event: k.JudgementStarted) -> str:
    return f"goes on without a judgement: {event.reason}" if event.reason else "weighs the checks"


def _weighed(event: k.JudgementsWeighed) -> str:
    refuted = counted(event.refuted, "answer")
    return f"does not believe {refuted}" if event.refuted else "every check has a result"


def _written(event: k.ReportWritten) -> str:
    risks = counted(event.risks, "risk")
    said = f"decided {event.decided} of {event.checks}, " if event.checks else ""
    score = f"{event.verdict.value} (score {event.score})"
    return f"{score}, {said}{risks} logged, {event.trend.value}"


def _lost(what: str) -> str:
    return f"{what} was under way when its owner died"


def _error(event: k.ErrorTold) -> str:
    word = "an alert" if event.is_alert else "an error"
    return f"tells the coordinator of {word}, the {event.number}. so far"


def _settled(event: k.BlockSettled) -> str:
    if event.decision is k.BlockDecision.OVERRIDE:
        return "a person overrides the block"
    return "a person wants upstream work revised"


CHECKPOINT_SENTENCES: Final[SentenceTable] = (
    on(k.SessionReadStarted, lambda it: f"reads session {it.session}", is_routine=True),
    on(k.SessionRead, _read),
    on(k.SessionUnreadable, lambda _: "finds no session that is open", mark="unreadable"),
    on(k.SessionReadLost, lambda _: _lost("reading the session")),
    on(k.ReadyStarted, lambda _: "tells the coordinator that it waits", is_routine=True),
    on(k.ReadyTold, lambda _: "is ready", mark="ready"),
    on(k.ReadyLost, lambda _: _lost("telling that it is ready")),
    on(k.BusReadStarted, lambda _: "looks for a message", is_routine=True),
    on(k.RequestTaken, _request),
    on(k.ShutdownTaken, lambda _: "is asked to shut down"),
    on(k.MessageRefused, lambda _: "cannot follow a message", mark="refused"),
    on(k.NothingHeard, lambda _: "finds no message", is_routine=True),
    on(k.BusReadLost, lambda _: _lost("looking for a message")),
    on(k.ClaimStarted, lambda it: f"claims {it.task}", is_routine=True),
    on(k.CheckpointClaimed, lambda _: "is in progress"),
    on(k.ClaimRefused, lambda _: "cannot be claimed", mark="refused"),
    on(k.ClaimLost, lambda _: _lost("claiming the task")),
    on(k.ContextLoadStarted, lambda _: "reads what is new", is_routine=True),
    on(k.ContextLoaded, _loaded),
    on(k.ContextUnreadable, lambda _: "cannot read the session", mark="unreadable"),
    on(k.ContextLoadLost, lambda _: _lost("reading what is new")),
    on(k.ChecksStarted, lambda _: "makes the checks", is_routine=True),
    on(k.ChecksJudged, _judged),
    on(k.ChecksLost, lambda _: _lost("checking")),
    on(k.JudgementStarted, _weighing, is_routine=True),
    on(k.JudgementsWeighed, _weighed),
    on(k.JudgementLost, lambda _: _lost("weighing the answers")),
    on(k.ReportStarted, lambda _: "writes the report", is_routine=True),
    on(k.ReportWritten, _written, mark=lambda it: f"{it.verdict.value} {it.score}"),
    on(k.ReportLost, lambda _: _lost("writing the report")),
    on(k.CompletionStarted, lambda _: "completes the task", is_routine=True),
    on(k.CheckpointCompleted, lambda _: "is completed"),
    on(k.CheckpointHeld, lambda _: "stays in progress until a person has decided"),
    on(k.CompletionLost, lambda _: _lost("completing the task")),
    on(k.PublicationStarted, lambda _: "publishes its state", is_routine=True),
    on(k.StatePublished, lambda _: "has published its state", is_routine=True),
    on(k.PublicationLost, lambda _: _lost("publishing the state")),
    on(k.AccumulationStarted, lambda _: "keeps what it learnt", is_routine=True),
    on(
        k.ContextAccumulated,
        lambda it: f"remembers {counted(it.entries, 'checkpoint')}",
        is_routine=True,
    ),
    on(k.AccumulationLost, lambda _: _lost("keeping what was learnt")),
    on(k.CoordinatorReportStarted, lambda _: "tells the coordinator", is_routine=True),
    on(k.CoordinatorTold, lambda _: "has told the coordinator"),
    on(k.BlockTold, lambda _: "has told the coordinator that it blocks"),
    on(k.CoordinatorReportLost, lambda _: _lost("telling the coordinator")),
    on(k.PostponementStarted, lambda it: f"postpones {it.task}", is_routine=True),
    on(k.RequestPostponed, lambda it: f"has told that {it.task} waits for the decision"),
    on(k.PostponementLost, lambda _: _lost("postponing a checkpoint")),
    on(
        k.SettlementStarted,
        lambda it: f"writes down what a person decided: {it.decision.value}",
        is_routine=True,
    ),
    on(k.BlockSettled, _settled, mark=lambda it: it.decision.value),
    on(k.SettlementLost, lambda _: _lost("writing down a decision")),
    on(k.ErrorReportStarted, lambda _: "tells of an error", is_routine=True),
    on(k.ErrorTold, _error),
    on(k.ErrorReportLost, lambda _: _lost("telling of an error")),
    on(k.ShutdownStarted, lambda _: "agrees to shut down", is_routine=True),
    on(k.ShutdownAnswered, lambda _: "listens no more"),
    on(k.ShutdownLost, lambda _: _lost("agreeing to shut down")),
)
RESIDENCE: Final = StepPhrases(deed="waits for the coordinator", preview="wait for the coordinator")
CHECKPOINT: Final = StepPhrases(deed="checkpoint", preview="make the checks of a checkpoint")
BLOCKED: Final = ApprovalPhrases(
    asking="blocks and ",
    why="the checks of the checkpoint block what comes next",
    yes="you override the block, for the reason you give",
    no="upstream work is revised, with your words",
    explained="A block",
)
