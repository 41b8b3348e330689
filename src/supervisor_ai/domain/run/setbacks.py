"""What a workflow makes of a failed attempt: again, later, by another agent, or with a person."""

from datetime import UTC, datetime
from typing import Final

from supervisor_ai.domain.ids import TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Role, Step
from supervisor_ai.domain.run.degradation import Level, next_level
from supervisor_ai.domain.run.diagnosis import Action
from supervisor_ai.domain.run.retries import (
    RETRY_POLICIES,
    Move,
    MoveKind,
    RetryPolicy,
    Setback,
    next_move,
)
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.workflow import Visit, WorkflowState, current_visit

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_TIMERS: Final = {MoveKind.PARK: "park"}

BadNews = e.AttemptFailed | e.AttemptSucceeded
"""An attempt that failed, or whose worker says itself that it is not done."""


def move_after(run: Run, state: WorkflowState, at: Step, news: BadNews) -> Move:
    """Say what follows a failed attempt."""
    visit, role = current_visit(state), state.role(at.name)
    failed = news if isinstance(news, e.AttemptFailed) else None
    setback = Setback(
        action=_action(failed),
        category=failed.category if failed else FailureCategory.LOGIC,
        failures=visit.failures,
        at=(failed.ended_at if failed else None) or _LONG_AGO,
        seed=f"{run.id}/{at.name}/{visit.number}/{visit.attempts}",
        reset_at=failed.reset_at if failed else None,
        parks=_count_parks(run, at, visit),
        has_fallback=next_agent(role, visit) is not None,
        has_simpler=simpler_level(at, visit) is not None,
        is_optional=role.is_optional,
    )
    return next_move(policy_of(state.definition, at), setback, state.definition.parking)


def agent(role: Role, visit: Visit) -> str:
    """Name the agent that is at work in a visit, or would be."""
    return visit.approach.cli if visit.approach else role.cli


def next_agent(role: Role, visit: Visit) -> str | None:
    """Name the agent that goes on where the one at work cannot."""
    agents = (role.cli, *role.fallback)
    now = agent(role, visit)
    place = agents.index(now) + 1 if now in agents else 0
    return agents[place] if place < len(agents) else None


def simpler_level(at: Step, visit: Visit) -> Level | None:
    """Name the simpler way in which the step may be done where the last one failed."""
    now = visit.approach.level if visit.approach else Level.PRIMARY
    return next_level(now, at.degrade)


def timer_of(move: Move, at: Step, visit: Visit) -> TimerName:
    """Name the timer for which a move waits; each attempt has its own."""
    return TimerName(f"{_prefix(move.kind, at, visit)}{visit.attempts}")


def rest_timer(at: Step, visit: Visit, refusal: e.LaunchRefused) -> TimerName:
    """Name the timer for which a refused attempt waits; each refusal has its own."""
    until = refusal.until.isoformat() if refusal.until else ""
    return TimerName(f"rest/{at.name}/{visit.number}/{refusal.attempt}/{until}")


def _prefix(kind: MoveKind, at: Step, visit: Visit) -> str:
    return f"{_TIMERS.get(kind, 'retry')}/{at.name}/{visit.number}/"


def _count_parks(run: Run, at: Step, visit: Visit) -> int:
    prefix = _prefix(MoveKind.PARK, at, visit)
    before = f"{prefix}{visit.attempts}"
    return sum(timer.startswith(prefix) and timer != before for timer in run.fired)


def _action(failed: e.AttemptFailed | None) -> Action:
    """Trust the diagnosis; where there is none, only the network gets better by itself."""
    if failed is None:
        return Action.RETRY_WITH_FEEDBACK
    is_transient = failed.category is FailureCategory.NETWORK
    return failed.action or (Action.RETRY_SAME if is_transient else Action.RETRY_WITH_FEEDBACK)


def policy_of(definition: Definition, at: Step) -> RetryPolicy:
    """Say how often and how patiently a step is tried."""
    policies = {**RETRY_POLICIES, **definition.retries}
    if at.retry_policy is not None:
        return policies[at.retry_policy].allowing(at.max_retries)
    role = definition.roles[at.role or ""]
    limits = (at.max_retries, role.max_retries, definition.limits.step_max_retries)
    return policies["default"].allowing(next(limit for limit in limits if limit is not None))
