"""What the supervisor notes in DECISIONS.md: escalations, and how the Lead decided them."""

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import decisions as d
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.folder.shelf import Shelf
from supervisor_ai.drivers.team.folder.state_page import moment
from supervisor_ai.drivers.team.folder.team_page import details
from supervisor_ai.drivers.team.machines.notes import marker_of
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.text.notes import DecisionNote, DecisionsMarker, RefusedNote
from supervisor_ai.drivers.team.text.report import AlertType


def is_due_to_note(state: TeamState) -> bool:
    """Tell whether something is to be noted, and may be: not while the state is locked."""
    is_open = state.reconcile.is_open and not state.teardown.freezes
    return is_open and state.noteworthy > state.noted


def is_blocked(state: TeamState) -> bool:
    """Tell whether notes wait for somebody to put the file right."""
    kinds = {AlertType.DECISIONS_MARKER_MISSING, AlertType.DECISIONS_SCOPE_VIOLATION}
    return any(alert.type in kinds for alert in state.alerts.values())


def note_decisions(teams: TeamDesk, name: str, actor: Actor) -> None:
    """Note what is not noted yet; a note that is there already is not written twice.

    While the state is locked or frozen nothing is written; it is noted afterwards.
    """
    shelf, state = teams.shelf(name), teams.state(name)
    if shelf is None or not is_due_to_note(state):
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
