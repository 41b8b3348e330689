"""What people are told about a run, how urgent it is, and through which channels."""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.quiet_hours import NEVER_QUIET, QuietHours


class NoticeSeverity(StrEnum):
    """How urgent a notice is; only a critical one is sent in quiet hours."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class NoticeState(StrEnum):
    """What a notice is about."""

    APPROVAL = "approval"
    """The run waits for a person's decision."""
    OBJECTION = "objection"
    """The change lands unless somebody objects in time."""
    BLOCKED = "blocked"
    """A worker cannot go on without a person."""
    BUDGET = "budget"
    """There is no money, time or number of attempts left."""
    FAILED = "failed"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class NoticeRoute(Struct, frozen=True, kw_only=True):
    """Who hears of a state."""

    severity: NoticeSeverity
    channels: tuple[str, ...]


class NoticePolicy(Struct, frozen=True, kw_only=True):
    """Who hears of which state, and when nobody is disturbed."""

    routes: dict[NoticeState, NoticeRoute] = field(default_factory=dict)
    quiet_hours: QuietHours = NEVER_QUIET


NO_NOTICES: Final = NoticePolicy()
