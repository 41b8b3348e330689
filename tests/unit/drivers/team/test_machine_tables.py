"""Every machine of a team: all statuses and facts, moved or refused as its table says."""

from collections.abc import Mapping
from enum import StrEnum
from itertools import product
from typing import Any

import pytest
from tests.histories import team_events

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import find, is_terminal, step
from supervisor_ai.domain.ids import TimerName
from supervisor_ai.domain.run.events import SignalReceived, TimerFired
from supervisor_ai.drivers.team.events import TEAM_EVENTS
from supervisor_ai.drivers.team.machines.liveness import LIVENESS_FLOW
from supervisor_ai.drivers.team.machines.ownership import OWNERSHIP_FLOW, OwnershipStatus
from supervisor_ai.drivers.team.machines.reconcile import RECONCILE_FLOW, LockStatus
from supervisor_ai.drivers.team.machines.task import (
    HELD,
    IN_WORK,
    TASK_FLOW,
    TERMINAL,
    TeamTaskStatus,
)
from supervisor_ai.drivers.team.machines.teardown import TEARDOWN_FLOW, TeardownStatus
from supervisor_ai.drivers.team.machines.tool_register import TOOL_FLOW, ToolStatus
from supervisor_ai.drivers.team.residence.lifecycle import WATCH_FLOW, WatchStage
from supervisor_ai.drivers.team.residence.run_events import TeamNotFound
from supervisor_ai.drivers.team.words import IdleStage

MACHINES: Mapping[str, tuple[Any, type[StrEnum]]] = {
    "ownership": (OWNERSHIP_FLOW, OwnershipStatus),
    "reconcile": (RECONCILE_FLOW, LockStatus),
    "liveness": (LIVENESS_FLOW, IdleStage),
    "task": (TASK_FLOW, TeamTaskStatus),
    "tools": (TOOL_FLOW, ToolStatus),
    "teardown": (TEARDOWN_FLOW, TeardownStatus),
    "residence": (WATCH_FLOW, WatchStage),
}
EXAMPLES: Mapping[type, object] = {
    type(fact): fact
    for fact in (
        *team_events.facts(),
        *team_events.run_facts(),
        TeamNotFound(step=team_events.WATCH, visit=1),
        TimerFired(timer=TimerName("look/1")),
        SignalReceived(signal="message"),
    )
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_moves_as_its_table_says_and_refuses_the_rest(name: str) -> None:
    flow, statuses = MACHINES[name]
    kinds = {kind for _, kind in flow}
    for status, kind in product(statuses, kinds):
        target = find(flow, status, kind)
        fact = EXAMPLES[kind]
        if target is None:
            with pytest.raises(InternalError, match="cannot happen"):
                step(flow, status, fact)
        else:
            assert step(flow, status, fact) is target


@pytest.mark.parametrize("name", MACHINES)
def test_every_status_of_a_machine_can_be_reached(name: str) -> None:
    flow, statuses = MACHINES[name]
    reached = {next(iter(statuses))} | set(flow.values())
    # A look goes where what it saw leads, which no row says.
    seen = {WatchStage.LEAVE} if name == "residence" else set()
    opened = {TeamTaskStatus.PENDING} if name == "task" else set()
    assert set(statuses) - reached - seen - opened == set()


def test_what_ends_has_no_way_out() -> None:
    assert is_terminal(TEARDOWN_FLOW, TeardownStatus.TEAM_DELETED)
    assert all(is_terminal(TASK_FLOW, status) for status in TERMINAL)
    assert not (HELD & IN_WORK)


def test_the_lock_always_has_a_way_to_its_end() -> None:
    moves = [(at, to) for (at, _), to in RECONCILE_FLOW.items()]
    ways = {status: {to for at, to in moves if at is status} for status in LockStatus}
    for status in LockStatus:
        found, left = {status}, [status]
        while left:
            new = ways[left.pop()] - found
            found |= new
            left += new
        assert LockStatus.OPEN in found


def test_every_fact_of_a_team_has_a_word_of_its_own() -> None:
    words = [kind.word for kind in TEAM_EVENTS]
    assert len(set(words)) == len(words) == len(set(TEAM_EVENTS))
