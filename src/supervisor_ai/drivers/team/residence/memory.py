"""What the run of a team remembers."""

from datetime import timedelta

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run import events as k
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.state import WorkflowState
from supervisor_ai.drivers.moves.state import evolve as evolve_steps
from supervisor_ai.drivers.team.machines.liveness import LOOK_EVERY
from supervisor_ai.drivers.team.residence import run_events as e
from supervisor_ai.drivers.team.residence.lifecycle import WatchStage, advance


class WatchMemory(Struct, frozen=True, kw_only=True):
    """Where a resident run stands."""

    flow: WorkflowState
    """The steps that it goes through, as any workflow does."""
    team: str
    stage: WatchStage = WatchStage.BEGIN
    looks: int = 0
    """How many timers were waited for; each has its own name."""
    wait: timedelta = LOOK_EVERY
    is_called: bool = False
    """Whether somebody called while something was under way."""


def evolve(memory: WatchMemory, event: Event) -> WatchMemory:
    """Fold one recorded fact into what is remembered."""
    before = memory.stage
    memory = replace(memory, flow=evolve_steps(memory.flow, event), stage=advance(before, event))
    match event:
        case e.TeamSeen(wait=wait) | e.TeamTended(wait=wait):
            return replace(memory, wait=wait)
        case k.TimerFired():
            return replace(memory, looks=memory.looks + 1)
        case k.SignalReceived():
            return replace(memory, is_called=before is not WatchStage.REST)
        case e.TeamLookStarted():
            return replace(memory, is_called=False)
        case _:
            return memory
