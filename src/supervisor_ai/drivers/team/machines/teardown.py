"""How a team ends: the seed's machine with its constants."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import teardown as e

ACK_RETRY_ROUNDS: Final = 3
ACK_RETRY_TIMEOUT_SEC: Final = 60
ROUND: Final = timedelta(seconds=ACK_RETRY_TIMEOUT_SEC)
FINALIZE_WAIT: Final = timedelta(hours=24)
"""How long the Lead, who may be a person, has to agree to an end without all acknowledgements."""


class TeardownStatus(StrEnum):
    """How far the end of a team is."""

    NONE = "none"
    TEARDOWN_INIT = "TEARDOWN_INIT"
    SHUTDOWN_REQUESTED = "SHUTDOWN_REQUESTED"
    WAITING_ACKS = "WAITING_ACKS"
    RETRYING = "RETRYING"
    READY_TO_DELETE = "READY_TO_DELETE"
    TEAM_DELETED = "TEAM_DELETED"
    TEARDOWN_FAILED_SAFE = "TEARDOWN_FAILED_SAFE"


_S = TeardownStatus
WAITING: Final = frozenset({_S.WAITING_ACKS, _S.RETRYING})
TEARDOWN_FLOW: Final[Flow[TeardownStatus]] = {
    (_S.NONE, e.TeardownBegun): _S.TEARDOWN_INIT,
    # An end that failed safely is terminal; another attempt is another walk through the table.
    (_S.TEARDOWN_FAILED_SAFE, e.TeardownBegun): _S.TEARDOWN_INIT,
    (_S.TEARDOWN_INIT, e.ShutdownRequested): _S.SHUTDOWN_REQUESTED,
    (_S.SHUTDOWN_REQUESTED, e.AcksAwaited): _S.WAITING_ACKS,
    (_S.WAITING_ACKS, e.AckRetried): _S.RETRYING,
    (_S.RETRYING, e.AckRetried): _S.RETRYING,
    (_S.RETRYING, e.FinalizeProposed): _S.RETRYING,
    (_S.RETRYING, e.FinalizeApproved): _S.RETRYING,
    **{(at, e.ShutdownAcknowledged): at for at in WAITING},
    **{(at, e.TeardownBlocked): at for at in WAITING},
    **{(at, e.TeardownReported): at for at in WAITING},
    **{(at, e.TeardownReady): _S.READY_TO_DELETE for at in WAITING},
    **{(at, e.TeardownFailed): _S.TEARDOWN_FAILED_SAFE for at in WAITING},
    (_S.READY_TO_DELETE, e.TeamDeleted): _S.TEAM_DELETED,
}


class Teardown(Struct, frozen=True, kw_only=True):
    """How far the end of a team is, and who has acknowledged it."""

    status: TeardownStatus = TeardownStatus.NONE
    attempt: int = 0
    targets: tuple[str, ...] = ()
    acks: tuple[str, ...] = ()
    round: int = 0
    round_at: datetime | None = None
    """When the round began that runs."""
    blocked: tuple[str, ...] = ()
    """What was said to stand in the way."""
    candidate_at: datetime | None = None
    is_forced: bool = False
    """Whether the Lead lets the team end without all acknowledgements."""
    report: ArtifactHash | None = None
    reason: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Name who did not acknowledge."""
        return tuple(name for name in self.targets if name not in self.acks)

    @property
    def is_waiting(self) -> bool:
        """Tell whether acknowledgements are waited for."""
        return self.status in WAITING

    @property
    def freezes(self) -> bool:
        """Tell whether nothing operational is written any more."""
        return self.is_forced or self.status in {_S.READY_TO_DELETE, _S.TEAM_DELETED}


def evolve(teardown: Teardown, event: Event) -> Teardown:
    """Fold a fact about the end of a team."""
    status = step(TEARDOWN_FLOW, teardown.status, event)
    teardown = replace(teardown, status=status)
    match event:
        case e.TeardownBegun(attempt=attempt, targets=targets):
            return Teardown(status=status, attempt=attempt, targets=targets)
        case e.AcksAwaited(at=at):
            return replace(teardown, round_at=at)
        case e.ShutdownAcknowledged(actor=actor):
            return replace(teardown, acks=(*teardown.acks, actor))
        case e.AckRetried(round=number, at=at):
            return replace(teardown, round=number, round_at=at)
        case e.TeardownBlocked(reasons=reasons):
            return replace(teardown, blocked=reasons)
        case e.FinalizeProposed(at=at):
            return replace(teardown, candidate_at=at)
        case e.FinalizeApproved():
            return replace(teardown, is_forced=True)
        case e.TeardownReported(report=report):
            return replace(teardown, report=report)
        case e.TeardownFailed(reason=reason):
            return replace(teardown, reason=reason, is_forced=False)
        case _:
            return teardown
