"""Sentences about the facts of a team and of its run, in a person's words."""

from typing import Final

from supervisor_ai.control.registered_kinds import StepPhrases
from supervisor_ai.control.sentence_table import Sentence, SentenceTable, on
from supervisor_ai.domain.envelope import Event
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact, TeamFact
from supervisor_ai.drivers.team.event_kinds.liveness import ActivityNoted
from supervisor_ai.drivers.team.event_kinds.roster import MessagesDelivered, MessagesRead
from supervisor_ai.drivers.team.events import TEAM_EVENTS
from supervisor_ai.drivers.team.residence import run_events as e
from supervisor_ai.tools.text import counted

WATCHES: Final = StepPhrases(deed="watches over the team", preview="watch over the team")


def _tended(event: e.TeamTended) -> str:
    said = counted(event.messages, "message")
    return f"{', '.join(event.words) or 'brings state.md up to date'}; {said}"


def _fact(event: Event) -> str:
    """Tell a fact of a team as its log does."""
    if not isinstance(event, TeamFact):
        return type(event).__name__
    task = f" task #{event.task}" if isinstance(event, TaskFact) else ""
    about = [
        getattr(event, name)
        for name in ("member", "tool")
        if isinstance(getattr(event, name, None), str)
    ]
    whom = f" {about[0]}" if about else ""
    return f"{event.word}{task}{whom} ({event.actor}, epoch {event.epoch})"


def _of(kind: type[TeamFact]) -> Sentence:
    is_routine = kind in {ActivityNoted, MessagesDelivered, MessagesRead}
    return Sentence(kind=kind, tell=_fact, is_routine=is_routine)


_OF_RUNS: Final[SentenceTable] = (
    on(e.WatchStarted, lambda it: f"is about to watch over team {it.team}", is_routine=True),
    on(e.WatchBegun, lambda _: "watches over the team", mark="watching"),
    on(e.TeamNotFound, lambda _: "finds no such team", mark="no team"),
    on(e.WatchLost, lambda _: "its owner died before it watched over the team"),
    on(e.TeamLookStarted, lambda _: "looks at the team", is_routine=True),
    on(
        e.TeamSeen,
        lambda it: "has something to do" if it.is_due else "finds nothing to do",
        is_routine=True,
    ),
    on(e.TeamLookLost, lambda _: "its owner died over a look", is_routine=True),
    on(e.TendingStarted, lambda _: "tends the team", is_routine=True),
    on(e.TeamTended, _tended),
    on(e.TendingLost, lambda _: "its owner died while it tended the team"),
    on(e.WatchEnding, lambda it: f"is about to leave team {it.team}", is_routine=True),
    on(e.WatchEnded, lambda _: "leaves the team as its last", mark="over"),
    on(e.WatchEndingLost, lambda _: "its owner died before it left the team"),
)
TEAM_SENTENCES: Final[SentenceTable] = (*_OF_RUNS, *(_of(kind) for kind in TEAM_EVENTS))
