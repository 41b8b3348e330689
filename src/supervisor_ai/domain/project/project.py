"""What the runs of a project share: permits, breakers, budgets, notices and the count of tasks."""

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.project.notices import NOTICE_EVENTS, Notices
from supervisor_ai.domain.project.notices import evolve as evolve_notices
from supervisor_ai.domain.run.failures.breaker import Breaker
from supervisor_ai.domain.run.spending.budgets import (
    Reservation,
    Spending,
    hold,
    settle,
    without_accounts,
)
from supervisor_ai.domain.structs import replace


class Project(Struct, frozen=True, kw_only=True):
    """What the runs of a project share."""

    holders: dict[str, frozenset[RunId]] = field(default_factory=dict)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    """Those that are open or have failures to remember."""
    spending: Spending = field(default_factory=Spending)
    notices: Notices = field(default_factory=Notices)
    tasks: int = 0
    """The number of the task that was counted last."""

    def has_room(self, permit: str, *, limit: int) -> bool:
        """Tell whether one more run may hold the permit."""
        return len(self.holders.get(permit, frozenset())) < limit

    def breaker(self, name: str | None) -> Breaker:
        """Return the breaker of a step, a role and an agent; without a name, a closed one."""
        return self.breakers.get(name or "", Breaker())

    def has_accounts(self, run: RunId) -> bool:
        """Tell whether anything is booked for a run alone."""
        return without_accounts(self.spending, run) != self.spending

    def reservations_of(self, run: RunId) -> tuple[EffectKey, ...]:
        """Name what a run has set aside."""
        return tuple(key for key in self.spending.reservations if key.startswith(f"{run}/"))


def evolve(project: Project, event: Event) -> Project:
    """Fold one recorded fact into the project."""
    match event:
        case p.PermitTaken(permit=permit, run=run):
            return _held(project, permit, project.holders.get(permit, frozenset()) | {run})
        case p.PermitFreed(permit=permit, run=run):
            return _held(project, permit, project.holders.get(permit, frozenset()) - {run})
        case p.FailureCounted() | p.TrialStarted() | p.BreakerClosed():
            breaker = _moved(project.breaker(event.breaker), event)
            return replace(project, breakers={**project.breakers, event.breaker: breaker})
        case p.BudgetReserved(key=key, accounts=accounts, amount=amount):
            reservation = Reservation(key=key, accounts=accounts, amount=amount)
            return replace(project, spending=hold(project.spending, reservation))
        case p.BudgetSettled(key=key, used=used):
            return replace(project, spending=settle(project.spending, key, used))
        case p.AccountsClosed(run=run):
            return replace(project, spending=without_accounts(project.spending, run))
        case _ if isinstance(event, NOTICE_EVENTS):
            return replace(project, notices=evolve_notices(project.notices, event))
        case p.TaskNumbered(number=number):
            return replace(project, tasks=max(project.tasks, number))
        case _:
            return project


def _held(project: Project, permit: str, runs: frozenset[RunId]) -> Project:
    return replace(project, holders={**project.holders, permit: runs})


def _moved(breaker: Breaker, event: p.FailureCounted | p.TrialStarted | p.BreakerClosed) -> Breaker:
    match event:
        case p.FailureCounted(at=at, policy=policy):
            return replace(breaker, policy=policy).record_failure(at)
        case p.TrialStarted(at=at):
            return breaker.record_try(at)
        case _:
            return breaker.record_success()
