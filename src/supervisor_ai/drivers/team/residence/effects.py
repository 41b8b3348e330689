"""What the run of a team asks the engine to do."""

from supervisor_ai.domain.run.effects import LookEffect, OperationEffect
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.drivers.team.residence import run_events as e


class BeginWatch(OperationEffect, frozen=True, kw_only=True):
    """Become the supervisor of a team."""

    team: str

    def intent(self) -> e.WatchStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return e.WatchStarted(step=self.step, visit=self.visit, slot=self.slot, team=self.team)


class LookAtTeam(LookEffect, frozen=True, kw_only=True):
    """See whether time has brought something; nothing is changed."""

    team: str

    def intent(self) -> e.TeamLookStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return e.TeamLookStarted(step=self.step, visit=self.visit, slot=self.slot)

    def is_known(self, outcome: RunEvent) -> bool:  # type: ignore[explicit-override]
        """Tell whether there is nothing to do."""
        return isinstance(outcome, e.TeamSeen) and not (outcome.is_due or outcome.is_over)


class TendTeam(OperationEffect, frozen=True, kw_only=True):
    """Record what time has brought, say what there is to say, and show it in state.md."""

    team: str

    def intent(self) -> e.TendingStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return e.TendingStarted(step=self.step, visit=self.visit, slot=self.slot)


class EndWatch(OperationEffect, frozen=True, kw_only=True):
    """Be the supervisor no more."""

    team: str

    def intent(self) -> e.WatchEnding:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return e.WatchEnding(step=self.step, visit=self.visit, slot=self.slot, team=self.team)
