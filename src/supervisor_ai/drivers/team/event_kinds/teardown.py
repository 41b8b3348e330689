"""The facts of how a team ends."""

from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType


class TeardownBegun(TeamFact, frozen=True, kw_only=True):
    """The Lead wants the team to end."""

    word: ClassVar = "TEARDOWN_INIT"

    attempt: int
    targets: tuple[str, ...]
    """Who has to acknowledge: the roster without the Lead; the supervisor stops last."""


class ShutdownRequested(TeamFact, frozen=True, kw_only=True):
    """Everybody was asked to stop."""

    word: ClassVar = "SHUTDOWN_REQUESTED"
    speaks: ClassVar = True

    targets: tuple[str, ...]


class AcksAwaited(TeamFact, frozen=True, kw_only=True):
    """The time begins in which they have to acknowledge."""

    word: ClassVar = "WAITING_ACKS"


class ShutdownAcknowledged(TeamFact, frozen=True, kw_only=True):
    """A member stops."""

    word: ClassVar = "SHUTDOWN_ACK"
    is_progress: ClassVar = True


class AckRetried(TeamFact, frozen=True, kw_only=True):
    """Those who did not acknowledge were asked again."""

    word: ClassVar = "RETRYING"
    speaks: ClassVar = True
    action: ClassVar = ActionType.TEARDOWN_RETRY

    round: int
    missing: tuple[str, ...]


class TeardownBlocked(TeamFact, frozen=True, kw_only=True):
    """Something has to be settled first."""

    word: ClassVar = "TEARDOWN_BLOCKED"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.TEARDOWN_BLOCKED
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    reasons: tuple[str, ...]


class FinalizeProposed(TeamFact, frozen=True, kw_only=True):
    """Some never acknowledged; the Lead has to say whether the team ends without them."""

    word: ClassVar = "FORCED_FINALIZE_CANDIDATE"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.FORCED_FINALIZE_CANDIDATE
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.FORCED_FINALIZE

    missing: tuple[str, ...]


class FinalizeApproved(TeamFact, frozen=True, kw_only=True):
    """The Lead lets the team end without them; nothing operational is written any more."""

    word: ClassVar = "FORCED_FINALIZE_ACK"

    missing: tuple[str, ...]
    ack_status: str = "FORCED_FINALIZE_APPROVED"


class TeardownReported(TeamFact, frozen=True, kw_only=True):
    """What is to be known of the team's end is kept."""

    word: ClassVar = "TEARDOWN_REPORT"

    report: ArtifactHash


class TeardownReady(TeamFact, frozen=True, kw_only=True):
    """The team can be deleted."""

    word: ClassVar = "READY_TO_DELETE"
    speaks: ClassVar = True

    is_forced: bool


class TeardownFailed(TeamFact, frozen=True, kw_only=True):
    """The team cannot be deleted; nothing is lost, and the Lead can begin again."""

    word: ClassVar = "TEARDOWN_FAILED_SAFE"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.TEARDOWN_BLOCKED
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    reason: str


class TeamDeleted(TeamFact, frozen=True, kw_only=True):
    """The team is gone; the supervisor stops last."""

    word: ClassVar = "TEAM_DELETED"
