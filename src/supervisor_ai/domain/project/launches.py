"""What an attempt takes from what runs share before it starts, and gives back when it ended."""

from collections.abc import Iterator
from datetime import datetime

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.project.project import Project
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.failures.breaker import BreakerStatus, breaker_key, counts
from supervisor_ai.domain.run.launches import Launch, Permission, Refusal, used
from supervisor_ai.domain.run.operations import attempt_key, operation_key
from supervisor_ai.domain.run.spending.budgets import NOTHING, Amount, Scope, budgets_for


def needs_leave(project: Project, effect: RunWorker, run: RunId) -> bool:
    """Tell whether an attempt has to ask first: it may spend, or the last ones failed too often."""
    if effect.has_leave and (not effect.budgets or _is_held(project, effect, run)):
        return False
    name = breaker_key(effect.step, effect.role.name, effect.cli.name, effect.level)
    is_closed = effect.breaker is None or project.breaker(name).status is BreakerStatus.CLOSED
    return bool(effect.budgets) or not is_closed


def _is_held(project: Project, effect: RunWorker, run: RunId) -> bool:
    """Tell whether what was set aside is still there; an attempt's own limit is no account."""
    is_shared = any(scope is not Scope.ATTEMPT for scope in effect.budgets)
    key = operation_key(run, effect.intent())
    return not is_shared or key in project.spending.reservations


def launch_of(asked: e.LaunchRequested, *, run: RunId, root: RunId, at: datetime) -> Launch:
    """Say what an attempt asks of the project."""
    return Launch(
        key=attempt_key(run, asked),
        breaker=(
            breaker_key(asked.step, asked.role, asked.cli, asked.level) if asked.breaker else None
        ),
        budgets=budgets_for(asked.budgets, run=run, root=root, step=asked.step, at=at),
        wish=asked.wish,
    )


def answer(
    asked: e.LaunchRequested, found: Permission | Refusal
) -> e.LaunchAllowed | e.LaunchRefused:
    """State in the run's stream what came of the request."""
    if isinstance(found, Refusal):
        return e.LaunchRefused(
            step=asked.step,
            visit=asked.visit,
            slot=asked.slot,
            attempt=asked.attempt,
            kind=found.kind,
            reason=found.reason,
            until=found.until,
        )
    return e.LaunchAllowed(
        step=asked.step,
        visit=asked.visit,
        slot=asked.slot,
        attempt=asked.attempt,
        amount=found.reservation.amount,
    )


def taken(
    launch: Launch, found: Permission, *, run: RunId, at: datetime
) -> Iterator[p.ProjectEvent]:
    """State in the project's stream what the attempt holds."""
    if found.is_trial and launch.breaker is not None:
        yield p.TrialStarted(breaker=launch.breaker, run=run, at=at)
    if found.reservation.accounts:
        yield p.BudgetReserved(
            key=launch.key,
            run=run,
            accounts=found.reservation.accounts,
            amount=found.reservation.amount,
        )


def given_back(
    project: Project, run: RunId, started: e.AttemptStarted, end: e.AttemptEnd
) -> Iterator[p.ProjectEvent]:
    """State in the project's stream how an attempt ended; nothing where that concerns nobody."""
    key = operation_key(run, started)
    if key in project.spending.reservations:
        yield p.BudgetSettled(key=key, run=run, used=used(end))
    name = breaker_key(started.step, started.role, started.cli, started.level)
    is_closed = project.breaker(name).status is BreakerStatus.CLOSED
    match end:
        case e.AttemptSucceeded() if not is_closed:
            yield p.BreakerClosed(breaker=name, run=run)
        case e.AttemptFailed(ended_at=at) if at and started.breaker and _counts(end):
            yield p.FailureCounted(breaker=name, run=run, at=at, policy=started.breaker)
        case _:
            pass


def _counts(end: e.AttemptFailed) -> bool:
    """Tell whether a failure says something about the agent; our own budget says nothing."""
    return counts(end.category) and not end.is_cut_off


def set_free(project: Project, run: RunId) -> Iterator[p.BudgetSettled]:
    """State that a run which ends has nothing set aside any more."""
    for key in project.reservations_of(run):
        yield p.BudgetSettled(key=key, run=run, used=NOTHING)


def abandoned(project: Project, run: RunId) -> tuple[p.BudgetSettled, ...]:
    """State that a run which nobody drives holds nothing; its attempt is lost and counts."""
    return tuple(
        p.BudgetSettled(key=key, run=run, used=Amount(attempts=1))
        for key in project.reservations_of(run)
    )
