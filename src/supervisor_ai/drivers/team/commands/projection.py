"""state.md: a projection of the facts, looked at before it is written, and never guessed."""

from typing import Final

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Conflict, InternalError
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.reconcile import (
    Claim,
    FoundEdit,
    Recorded,
    diverge,
    reconcile,
)
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.reconcile import SnapshotTaken
from supervisor_ai.drivers.team.folder.model import LOG_SHOWN, StateFinding, StateLook, StatePage
from supervisor_ai.drivers.team.folder.shelf import Shelf
from supervisor_ai.drivers.team.folder.state_page import render_state
from supervisor_ai.drivers.team.folder.state_reader import claimed_identity
from supervisor_ai.drivers.team.folder.team_page import page_of
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.state import TeamState, evolve

_RACES: Final = 3
_GONE: Final = "missing"
"""What stands for the hash of a file that is not there."""


def project_state(teams: TeamDesk, name: str, actor: Actor) -> bool:
    """Bring state.md up to date; tell whether it is. An edit of somebody else is reconciled.

    Members read the file, so that it is true under the lock as well: the edit is kept elsewhere.
    """
    shelf = teams.shelf(name)
    if shelf is None:
        return False
    for _ in range(_RACES):
        look = _look(teams, name, shelf)
        if _is_foreign(teams.state(name), look):
            _reconcile(teams, name, shelf, look, actor)
        if _write(teams, name, shelf, actor):
            return True
    return False


def is_page_due(teams: TeamDesk, name: str) -> bool:
    """Tell whether state.md is not as it should be; nothing is changed."""
    shelf, lock = teams.shelf(name), teams.state(name).reconcile
    if shelf is None:
        return False
    look, state = _look(teams, name, shelf), teams.state(name)
    is_shown = lock.newest is not None and lock.newest.replay_index >= state.shown
    return look.finding is not StateFinding.OURS or not is_shown


def _look(teams: TeamDesk, name: str, shelf: Shelf) -> StateLook:
    lock = teams.state(name).reconcile
    expected = None if lock.newest is None else teams.desk.text(lock.newest.page)
    return shelf.look(expected, lock.known)


def _is_foreign(state: TeamState, look: StateLook) -> bool:
    """Tell whether somebody else wrote or removed the file."""
    if look.finding is StateFinding.MISSING:
        # The first page may not have been written yet, by whoever died over it.
        return len(state.reconcile.snapshots) > 1 and _GONE not in state.reconcile.known
    return look.finding is StateFinding.EDITED


def _write(teams: TeamDesk, name: str, shelf: Shelf, actor: Actor) -> bool:
    """Record the snapshot first, then let the file appear: a crash in between leaves it behind."""
    state = teams.state(name)
    newest = state.reconcile.newest
    if newest is None or newest.replay_index < state.shown or state.reconcile.settled:
        _take(teams, name, shelf, actor)
    state = teams.state(name)
    newest = state.reconcile.newest
    if newest is None:
        raise InternalError(f"Team {name!r} has no page.")
    content, text = shelf.content(), teams.desk.text(newest.page)
    look = shelf.look(text, state.reconcile.known)
    if look.finding is StateFinding.OURS:
        return True
    if look.finding is StateFinding.EDITED:
        return False
    try:
        shelf.write_text(text, replaces=None if content is None else look.sha256)
    except Conflict:
        return False
    return True


def _take(teams: TeamDesk, name: str, shelf: Shelf, actor: Actor) -> None:
    def decide(state: TeamState) -> tuple[TeamFact, ...]:
        if state.created is None:
            return ()
        after = max(0, state.index - LOG_SHOWN)
        page = page_of(state, teams.facts(name, after=after), teams.desk.text, shelf.line)
        text, identity = render_state(_with_earlier(teams, name, page))
        return (
            SnapshotTaken(
                **TeamTurn(state, teams.desk.now()).by(),
                replay_index=identity.replay_index,
                snapshot_hash=identity.snapshot_hash,
                page=teams.desk.artifacts.put(text),
                file=shelf.hash_of(text),
            ),
        )

    teams.view(name).add(decide, actor)


def _with_earlier(teams: TeamDesk, name: str, page: StatePage) -> StatePage:
    """Name the newest entry that the page does not show by the hash that the ledger has for it."""
    if not page.earlier:
        return page
    [newest] = teams.envelopes(name, after=page.earlier - 1, upto=page.earlier)
    return replace(page, earlier_hash=newest.hash)


def _reconcile(teams: TeamDesk, name: str, shelf: Shelf, look: StateLook, actor: Actor) -> None:
    """Take the seed's steps; what somebody wrote is kept before anything else happens."""
    content = shelf.content()
    edit = None if content is None else teams.desk.keep(content.decode(errors="replace"))
    found = FoundEdit(
        found=look.sha256 or _GONE,
        edit=edit,
        diff=teams.desk.keep(_diff(look)),
        tasks=look.tasks,
        claim=_claim(content),
    )

    def decide(state: TeamState) -> tuple[TeamFact, ...]:
        if state.teardown.status is TeardownStatus.TEAM_DELETED:
            return ()
        turn = TeamTurn(state, teams.desk.now())
        diverge(turn, found)
        reconcile(turn, found, lambda index: recorded(teams, name, index, state.index))
        return tuple(turn.facts)

    teams.view(name).add(decide, actor)
    deliver(teams, name)


def recorded(teams: TeamDesk, name: str, index: int, upto: int) -> Recorded:
    """Read what the ledger holds of a team: the state at a place, and the facts since."""
    before, facts = TeamState(), []
    for place, fact in teams.facts(name):
        if place <= index:
            before = evolve(before, fact)
        elif place <= upto:
            facts.append(fact)
    return Recorded(before=before, facts=tuple(facts))


def _diff(look: StateLook) -> str:
    lines = [look.summary or "state.md is gone."]
    for edit in look.edits:
        lines += [f"- {line}" for line in edit.removed[:5]]
        lines += [f"+ {line}" for line in edit.added[:5]]
    return "\n".join(lines[:40])


def _claim(content: bytes | None) -> Claim | None:
    """Read which snapshot the file says it is."""
    identity = None if content is None else claimed_identity(content)
    if identity is None:
        return None
    return Claim(
        epoch=identity.epoch,
        replay_index=identity.replay_index,
        snapshot_hash=identity.snapshot_hash,
    )
