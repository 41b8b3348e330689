"""What the supervisor notes in DECISIONS.md: escalations, and how the Lead decided them."""

from collections.abc import Iterable
from typing import Final

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import decisions as d
from supervisor_ai.drivers.team.event_kinds import ownership, reconcile, tasks, teardown, tools
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.folder.mapping import details
from supervisor_ai.drivers.team.folder.notes import DecisionNote, DecisionsMarker, RefusedNote
from supervisor_ai.drivers.team.folder.shelf import Shelf
from supervisor_ai.drivers.team.folder.state_page import moment
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.text.report import AlertSeverity, AlertType

_ABOUT_NOTES: Final = (d.DecisionsNoted, d.DecisionsScopeViolated, d.DecisionsMarkerMissed)
_DECIDED: Final = (
    ownership.OwnershipArbitrated,
    reconcile.ReconcileLockExited,
    tasks.TaskEscalated,
    tasks.TaskReassigned,
    tasks.TaskResumed,
    tasks.TaskWithdrawn,
    teardown.FinalizeApproved,
    teardown.TeardownReady,
    tools.ToolDecided,
)


def marker_of(fact: TeamFact) -> DecisionsMarker | None:
    """Say where a fact is noted; None: nowhere."""
    if isinstance(fact, _ABOUT_NOTES):
        return None
    if isinstance(fact, _DECIDED):
        return DecisionsMarker.NOTES
    is_trouble = fact.alert is not None and fact.severity is not AlertSeverity.INFO
    return DecisionsMarker.ESCALATIONS if is_trouble else None


def is_noteworthy(facts: Iterable[TeamFact]) -> bool:
    """Tell whether one of the facts is noted."""
    return any(marker_of(fact) is not None for fact in facts)


def is_blocked(state: TeamState) -> bool:
    """Tell whether notes wait for somebody to put the file right."""
    kinds = {AlertType.DECISIONS_MARKER_MISSING, AlertType.DECISIONS_SCOPE_VIOLATION}
    return any(alert.type in kinds for alert in state.alerts.values())


def note_decisions(teams: TeamDesk, name: str, actor: Actor) -> None:
    """Note what is not noted yet; a note that is there already is not written twice.

    While the state is locked or frozen nothing is written; it is noted afterwards.
    """
    shelf, state = teams.shelf(name), teams.state(name)
    if shelf is None or not state.reconcile.is_open or state.teardown.freezes:
        return
    last, refused = state.noted, None
    for place, fact in teams.facts(name, after=state.noted):
        marker = marker_of(fact)
        refused = None if marker is None else shelf.note(_note(fact, marker, shelf))
        if refused is not None:
            break
        last = place if marker is not None else last
    teams.view(name).add(lambda now: _facts(teams, now, last, refused), actor)


def _note(fact: TeamFact, marker: DecisionsMarker, shelf: Shelf) -> DecisionNote:
    words = shelf.line(" ".join(details(fact)))
    return DecisionNote(
        marker=marker,
        at=moment(fact.at),
        event=fact.word,
        text=f"{fact.actor} {words}".strip(),
        task=getattr(fact, "task", None) or None,
    )


def _facts(
    teams: TeamDesk, state: TeamState, last: int, refused: RefusedNote | None
) -> tuple[TeamFact, ...]:
    turn = TeamTurn(state, teams.desk.now())
    if last > state.noted:
        turn.add(d.DecisionsNoted(**turn.by(), upto=last))
    if refused is not None and not is_blocked(turn.state):
        is_marker = refused.event is AlertType.DECISIONS_MARKER_MISSING
        kind = d.DecisionsMarkerMissed if is_marker else d.DecisionsScopeViolated
        turn.add(kind(**turn.by(), reason=refused.reason))
    return tuple(turn.facts)
