"""What a workflow makes of a failed attempt: again, later, by another agent, or with a person."""

from datetime import UTC, datetime
from typing import Final

from supervisor_ai.domain.ids import TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import Role, Step
from supervisor_ai.domain.run.failures.degradation import Level, next_level
from supervisor_ai.domain.run.failures.diagnosis import ACTIONS, Action
from supervisor_ai.domain.run.failures.retries import (
    Move,
    MoveKind,
    Setback,
    next_move,
)
from supervisor_ai.domain.run.policies import policy_of
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.drivers.moves.attempts import next_turn
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.moves.state import Visit, WorkflowState, current_visit

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_TIMERS: Final = {MoveKind.PARK: "park"}

BadNews = e.AttemptFailed | e.AttemptSucceeded
"""An attempt that failed, or whose worker says itself that it is not done."""


def move_after(run: Run, state: WorkflowState, at: Step, slot: Slot, news: BadNews) -> Move:
    """Say what follows a failed attempt."""
    visit, role = current_visit(state), state.role(at.name, slot.number)
    failed = news if isinstance(news, e.AttemptFailed) else None
    setback = Setback(
        action=_action(failed),
        category=failed.category if failed else FailureCategory.LOGIC,
        failures=slot.failures,
        at=(failed.ended_at if failed else None) or _LONG_AGO,
        seed=f"{run.id}/{_place(at, visit, slot)}/{slot.attempts}",
        reset_at=failed.reset_at if failed else None,
        parks=_count_parks(run, at, visit, slot),
        has_fallback=next_agent(role, slot) is not None,
        has_simpler=simpler_level(at, slot) is not None,
        is_optional=role.is_optional,
    )
    policy = policy_of(state.definition, at, role)
    is_turn = isinstance(news, e.AttemptSucceeded) and news.meaning is Meaning.REFINE
    if is_turn and next_turn(state, at, slot):
        # A role that may go on from its own answers has as many turns as the user says.
        policy = policy.allowing(slot.failures)
    return next_move(policy, setback, state.definition.parking)


def next_agent(role: Role, slot: Slot) -> str | None:
    """Name the agent that goes on where the one at work cannot."""
    agents = (role.cli, *role.fallback)
    now = slot.approach.cli if slot.approach else role.cli
    place = agents.index(now) + 1 if now in agents else 0
    return agents[place] if place < len(agents) else None


def simpler_level(at: Step, slot: Slot) -> Level | None:
    """Name the simpler way in which the step may be done where the last one failed."""
    return next_level(slot.level, at.degrade)


def timer_of(move: Move, at: Step, visit: Visit, slot: Slot) -> TimerName:
    """Name the timer for which a move waits; each attempt has its own."""
    return TimerName(f"{_prefix(move.kind, at, visit, slot)}{slot.attempts}")


def rest_timer(at: Step, visit: Visit, slot: Slot) -> TimerName:
    """Name the timer for which a refused attempt waits; each refusal has its own."""
    return TimerName(f"rest/{_place(at, visit, slot)}/{slot.refusals}")


def _place(at: Step, visit: Visit, slot: Slot) -> str:
    return f"{at.name}/{visit.number}/{slot.number}"


def _prefix(kind: MoveKind, at: Step, visit: Visit, slot: Slot) -> str:
    return f"{_TIMERS.get(kind, 'retry')}/{_place(at, visit, slot)}/"


def _count_parks(run: Run, at: Step, visit: Visit, slot: Slot) -> int:
    prefix = _prefix(MoveKind.PARK, at, visit, slot)
    before = f"{prefix}{slot.attempts}"
    return sum(timer.startswith(prefix) and timer != before for timer in run.fired)


def _action(failed: e.AttemptFailed | None) -> Action:
    """Trust the diagnosis; where there is none, do what its category usually calls for."""
    if failed is None:
        return Action.RETRY_WITH_FEEDBACK
    return failed.action or ACTIONS[failed.category]
