"""The page that `state.md` shows, made of the folded team and the newest of its facts."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import Enum
from typing import Final

from msgspec.structs import asdict

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact, TeamFact
from supervisor_ai.drivers.team.folder.model import (
    LOG_SHOWN,
    RosterEntry,
    StateLogEntry,
    StatePage,
    TaskEntry,
)
from supervisor_ai.drivers.team.queries.questions import in_order
from supervisor_ai.drivers.team.queries.status import phase_of
from supervisor_ai.drivers.team.staffing.approvals import APPROVAL_MATRIX, ReviewTier
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import SUPERVISOR

_KNOWN_ELSEWHERE: Final = {"at", "actor", "epoch", "task", "rev"}
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_.-]")
_HASH: Final = 12
_ACTIVE: Final = "ACTIVE"
_NOT_SPAWNED: Final = "NOT_SPAWNED"
_LEFT: Final = "LEFT"

Line = Callable[[str], str]
"""Makes a text from outside one clean line without secrets."""


def page_of(
    state: TeamState,
    log: Iterable[tuple[int, TeamFact]],
    text: Callable[[ArtifactHash], str],
    line: Line,
) -> StatePage:
    """Make the page of a team; `log` has its facts with their places in the stream."""
    made = state.created
    if made is None:
        raise InternalError("A team that was never made has no page.")
    shown = [_entry(index, fact, line) for index, fact in log if fact.is_shown][-LOG_SHOWN:]
    owner = state.ownership.owner
    return StatePage(
        team=made.team,
        phase=phase_of(state),
        complexity=made.complexity,
        epoch=state.ownership.epoch,
        owner=owner or None,
        lock=state.lock.word,
        replay_index=state.index,
        roster=tuple(_roster(state)),
        matrix=_matrix(),
        tasks=tuple(
            TaskEntry(
                id=it.task,
                subject=line(text(it.subject)),
                status=it.status.value,
                assignment=it.owner or "unassigned",
            )
            for it in in_order(state.all_tasks())
        ),
        most_coders=made.most_coders,
        log=tuple(shown),
        earlier=shown[0].index - 1 if shown else 0,
    )


def _roster(state: TeamState) -> Iterator[RosterEntry]:
    """List who is there, who was there, and which roles nobody has yet."""
    members = sorted(state.roster(), key=lambda it: it.name)
    yield RosterEntry(name=TeamRole.LEAD.value, role=TeamRole.LEAD.value, status=_ACTIVE)
    status = _ACTIVE if state.ownership.owner else _NOT_SPAWNED
    yield RosterEntry(name=SUPERVISOR, role=SUPERVISOR, status=status)
    for it in members:
        yield RosterEntry(
            name=it.name,
            role=it.role.value,
            status=_ACTIVE,
            wait_reason=it.wait.value,
            idle_stage=it.stage.value,
        )
    for name in state.left:
        yield RosterEntry(name=name, role=name, status=_LEFT)
    taken = {TeamRole.LEAD, TeamRole.SUPERVISOR, *(it.role for it in members)}
    known = {*state.left, *(it.name for it in members)}
    for role in TeamRole:
        if role not in taken and role.value not in known:
            yield RosterEntry(name=role.value, role=role.value, status=_NOT_SPAWNED)


def _matrix() -> dict[str, tuple[str, ...]]:
    found = {tier.value: tuple(it.value for it in roles) for tier, roles in APPROVAL_MATRIX.items()}
    medium = ReviewTier.MEDIUM.value
    return {**found, medium: ("active reviewers of the task", *found[medium])}


def _entry(index: int, fact: TeamFact, line: Line) -> StateLogEntry:
    return StateLogEntry(
        index=index,
        at=fact.at,
        event=fact.word,
        actor=_FOREIGN.sub("_", fact.actor).lstrip("_.-")[:64] or "nobody",
        epoch=fact.epoch,
        task=getattr(fact, "task", None) or None,
        rev=fact.rev if isinstance(fact, TaskFact) else None,
        text=line(" ".join(details(fact))),
    )


def details(fact: TeamFact) -> Iterator[str]:
    """Say what is in a fact besides what every fact has; texts are named by their hashes."""
    for name, value in asdict(fact).items():
        shown = _shown(value)
        if name not in _KNOWN_ELSEWHERE and shown:
            yield f"{name}={shown}"


def _shown(value: object) -> str:
    match value:
        case None | "" | () | False:
            return ""
        case Enum():
            return str(value.value)
        case tuple():
            return ",".join(map(_shown, value))
        case datetime():
            return value.isoformat()
        case str() if re.fullmatch(r"[0-9a-f]{64}", value):
            return value[:_HASH]
        case _:
            return str(value)
