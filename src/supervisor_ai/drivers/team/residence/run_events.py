"""What happens to the run that watches over a team."""

from datetime import timedelta
from typing import ClassVar, Final

from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted, RunEvent


class WatchStarted(OperationStarted, frozen=True, kw_only=True):
    """The run is about to become the supervisor of the team."""

    operation: ClassVar = "watch"

    team: str

    def lost(self) -> "WatchLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return WatchLost(step=self.step, visit=self.visit, slot=self.slot)


class WatchBegun(OperationEnded, frozen=True, kw_only=True):
    """The run is the supervisor of the team."""

    ends: ClassVar = WatchStarted
    step_verdict: ClassVar = "watching"


class TeamNotFound(OperationEnded, frozen=True, kw_only=True):
    """There is no team that can be watched over."""

    ends: ClassVar = WatchStarted
    step_verdict: ClassVar = "no team"


class WatchLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; to become the supervisor again is harmless."""

    ends: ClassVar = WatchStarted


class TeamLookStarted(OperationStarted, frozen=True, kw_only=True):
    """The team is about to be looked at; nothing is changed by that."""

    operation: ClassVar = "look"

    def lost(self) -> "TeamLookLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return TeamLookLost(step=self.step, visit=self.visit, slot=self.slot)


class TeamSeen(OperationEnded, frozen=True, kw_only=True):
    """What a look at the team found."""

    ends: ClassVar = TeamLookStarted

    is_due: bool
    """Whether there is something to do."""
    is_over: bool = False
    """Whether the team is gone."""
    wait: timedelta = timedelta(minutes=1)
    """After how long the next look is taken."""


class TeamLookLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; the next look finds the same."""

    ends: ClassVar = TeamLookStarted


class TendingStarted(OperationStarted, frozen=True, kw_only=True):
    """What time has brought is about to be recorded, said and shown."""

    operation: ClassVar = "tend"

    def lost(self) -> "TendingLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return TendingLost(step=self.step, visit=self.visit, slot=self.slot)


class TeamTended(OperationEnded, frozen=True, kw_only=True):
    """What time has brought was recorded, said and shown."""

    ends: ClassVar = TendingStarted

    words: tuple[str, ...] = ()
    """The facts, as the log of the team names them."""
    messages: int = 0
    wait: timedelta = timedelta(minutes=1)
    """After how long the next look is taken."""


class TendingLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; each fact has its place and each message its key, so nothing is doubled."""

    ends: ClassVar = TendingStarted


class WatchEnding(OperationStarted, frozen=True, kw_only=True):
    """The run is about to be the supervisor no more, as the last of the team."""

    operation: ClassVar = "leave"

    team: str

    def lost(self) -> "WatchEndingLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return WatchEndingLost(step=self.step, visit=self.visit, slot=self.slot)


class WatchEnded(OperationEnded, frozen=True, kw_only=True):
    """The run is the supervisor no more."""

    ends: ClassVar = WatchEnding
    step_verdict: ClassVar = "over"


class WatchEndingLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; to leave again is harmless."""

    ends: ClassVar = WatchEnding


TEAM_RUN_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    *(WatchStarted, WatchBegun, TeamNotFound, WatchLost),
    *(TeamLookStarted, TeamSeen, TeamLookLost),
    *(TendingStarted, TeamTended, TendingLost),
    *(WatchEnding, WatchEnded, WatchEndingLost),
)
