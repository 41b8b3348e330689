"""The base of a team's facts: when, by whom and under which epoch, as the state's log shows it."""

from datetime import datetime
from typing import ClassVar

from supervisor_ai.domain.envelope import Event
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType


class TeamFact(Event, frozen=True, kw_only=True):
    """A fact of a team; its time never stands still, so that one order is all orders."""

    word: ClassVar[str]
    """Its name in the log of state.md, in the seed's words where it has one."""
    alert: ClassVar[AlertType | None] = None
    """What a report says of it; None: it is no alert."""
    severity: ClassVar[AlertSeverity] = AlertSeverity.INFO
    action: ClassVar[ActionType | None] = None
    """What the supervisor did by it, as a report says it."""
    is_progress: ClassVar[bool] = False
    """Whether its actor got on with the work."""

    speaks: ClassVar[bool] = False
    """Whether the supervisor may say something because of it."""
    is_shown: ClassVar[bool] = True
    """Whether state.md shows it; what is not shown changes nothing in the file."""

    at: datetime
    actor: str
    """The member, or `supervisor`."""
    epoch: int


class TaskFact(TeamFact, frozen=True, kw_only=True):
    """A fact about one task at one revision."""

    task: str
    rev: int
