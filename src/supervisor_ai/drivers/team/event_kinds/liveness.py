"""The facts of who is heard of, and what is done about silence."""

from datetime import timedelta
from typing import ClassVar, TypedDict

from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType
from supervisor_ai.drivers.team.words import WaitReason


class ActivityNoted(TeamFact, frozen=True, kw_only=True):
    """A member was heard of: a change of what it is at, or the heartbeat of a minute."""

    word: ClassVar = "ACTIVITY"
    is_shown: ClassVar = False

    wait: WaitReason
    has_progress: bool = False
    files: tuple[str, ...] = ()
    """What it is touching, where it says so."""


class IdleFact(TeamFact, frozen=True, kw_only=True):
    """What is done about the silence of a member."""

    member: str
    task: str
    elapsed: timedelta


class BreachNoted(IdleFact, frozen=True, kw_only=True):
    """A member was silent too long for the first time; the next look decides."""

    word: ClassVar = "IDLE_BREACH_NOTED"
    is_shown: ClassVar = False


class StagedFields(TypedDict):
    """The fields of a step of the staged response."""

    member: str
    task: str
    elapsed: timedelta
    to: tuple[str, ...]
    is_quiet: bool
    is_review: bool
    silent: tuple[str, ...]


class StagedFact(IdleFact, frozen=True, kw_only=True):
    """A step of the staged response, to whoever can do something about it."""

    to: tuple[str, ...]
    is_quiet: bool = False
    """Whether nothing is said, because too much was said already."""
    is_review: bool = False
    """Whether a review is what the member waits for."""
    silent: tuple[str, ...] = ()
    """Who owes the review that the member waits for; nobody: the member itself is silent."""


class MemberPinged(StagedFact, frozen=True, kw_only=True):
    """A gentle ping."""

    word: ClassVar = "PING"
    speaks: ClassVar = True
    action: ClassVar = ActionType.PING


class MemberNudged(StagedFact, frozen=True, kw_only=True):
    """A nudge with one concrete next step."""

    word: ClassVar = "NUDGE"
    speaks: ClassVar = True
    action: ClassVar = ActionType.NUDGE


class MemberEscalated(StagedFact, frozen=True, kw_only=True):
    """The Lead hears who, which task, how long and at which stage."""

    word: ClassVar = "IDLE_BREACH"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.IDLE_BREACH
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE


class ReplacementProposed(StagedFact, frozen=True, kw_only=True):
    """The Lead is asked to let somebody else do it."""

    word: ClassVar = "REPLACEMENT_PROPOSAL"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.IDLE_BREACH
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.REASSIGN_PROPOSAL


class IdleCleared(TeamFact, frozen=True, kw_only=True):
    """A silent member was heard of again."""

    word: ClassVar = "IDLE_CLEARED"
    speaks: ClassVar = True

    member: str
    task: str
