"""What happens to a resident supervisor between checkpoints.

Words from outside (messages, problems) are artifacts; facts hold names and numbers.
"""

from enum import StrEnum
from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted


class BlockDecision(StrEnum):
    """What a person says to a checkpoint that blocks."""

    OVERRIDE = "override"
    """Go on all the same."""
    REVISE = "revise"
    """Upstream work is done again, and the checkpoint is asked for again."""


class SessionReadStarted(OperationStarted, frozen=True, kw_only=True):
    """The session is about to be read: states, wisdom, tasks, and reports after a crash."""

    operation: ClassVar = "session"

    session: str
    recovery: bool = False

    def lost(self) -> "SessionReadLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return SessionReadLost(step=self.step, visit=self.visit, slot=self.slot)


class SessionRead(OperationEnded, frozen=True, kw_only=True):
    """What the supervisor knows before its first wake."""

    ends: ClassVar = SessionReadStarted

    accumulator: ArtifactHash
    cursor: int
    """The newest message that was seen."""
    reports: int = 0
    """From how many reports the accumulator was rebuilt."""
    released: tuple[str, ...] = ()
    """The checkpoints that were in progress and are pending again."""
    version: int = 0
    """How far the session's stream was read."""
    unreadable: int = 0
    """How many reports are not in their form, and were left out."""


class SessionUnreadable(OperationEnded, frozen=True, kw_only=True):
    """There is no session that can be watched over."""

    ends: ClassVar = SessionReadStarted
    step_verdict: ClassVar = "unreadable"

    problem: ArtifactHash


class SessionReadLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; reading again is harmless."""

    ends: ClassVar = SessionReadStarted


class ReadyStarted(OperationStarted, frozen=True, kw_only=True):
    """The coordinator is about to hear that the supervisor waits."""

    operation: ClassVar = "ready"

    recovery: bool = False
    reports: int = 0

    def lost(self) -> "ReadyLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ReadyLost(step=self.step, visit=self.visit, slot=self.slot)


class ReadyTold(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows that the supervisor waits."""

    ends: ClassVar = ReadyStarted
    step_verdict: ClassVar = "ready"

    message: int


class ReadyLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; a message with the same key is sent once."""

    ends: ClassVar = ReadyStarted


class BusReadStarted(OperationStarted, frozen=True, kw_only=True):
    """The supervisor woke, and the next message for it is about to be read."""

    operation: ClassVar = "wake"

    cursor: int

    def lost(self) -> "BusReadLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return BusReadLost(step=self.step, visit=self.visit, slot=self.slot)


class RequestTaken(OperationEnded, frozen=True, kw_only=True):
    """The coordinator wants a checkpoint."""

    ends: ClassVar = BusReadStarted

    message: int
    task: str
    scope: tuple[str, ...]
    done: int | None = None
    total: int | None = None
    version: int = 0
    """How far the session's stream was read."""


class ShutdownTaken(OperationEnded, frozen=True, kw_only=True):
    """The coordinator wants the supervisor to end."""

    ends: ClassVar = BusReadStarted

    message: int
    request: str
    version: int = 0
    """How far the session's stream was read."""


class MessageRefused(OperationEnded, frozen=True, kw_only=True):
    """The message has not the fixed form, or is not for the sender to send."""

    ends: ClassVar = BusReadStarted
    step_verdict: ClassVar = "refused"

    message: int
    problem: ArtifactHash
    version: int = 0
    """How far the session's stream was read."""


class NothingHeard(OperationEnded, frozen=True, kw_only=True):
    """There is no message that was not read before."""

    ends: ClassVar = BusReadStarted

    cursor: int
    version: int = 0
    """How far the session's stream was read."""


class BusReadLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; the message is still there."""

    ends: ClassVar = BusReadStarted


class PostponementStarted(OperationStarted, frozen=True, kw_only=True):
    """The coordinator is about to hear that a checkpoint waits for a decision about another one."""

    operation: ClassVar = "postpone"

    task: str
    request: int
    """The message that asked for it."""

    def lost(self) -> "PostponementLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return PostponementLost(step=self.step, visit=self.visit, slot=self.slot)


class RequestPostponed(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows that the checkpoint has to be asked for again."""

    ends: ClassVar = PostponementStarted

    message: int
    task: str


class PostponementLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; a message with the same key is sent once."""

    ends: ClassVar = PostponementStarted


class SettlementStarted(OperationStarted, frozen=True, kw_only=True):
    """A person's decision about a block is about to be written down and told."""

    operation: ClassVar = "settle"

    decision: BlockDecision

    def lost(self) -> "SettlementLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return SettlementLost(step=self.step, visit=self.visit, slot=self.slot)


class BlockSettled(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows what the person decided; the wisdom has it."""

    ends: ClassVar = SettlementStarted
    step_verdict: ClassVar = ":decision"

    decision: BlockDecision
    message: int


class SettlementLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; the same decision is told once."""

    ends: ClassVar = SettlementStarted


class ErrorReportStarted(OperationStarted, frozen=True, kw_only=True):
    """The coordinator is about to hear that something could not be done."""

    operation: ClassVar = "error"

    problem: ArtifactHash
    number: int
    """How many errors there are with it, over all wakes."""

    def lost(self) -> "ErrorReportLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ErrorReportLost(step=self.step, visit=self.visit, slot=self.slot)


class ErrorTold(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows of the error; a claimed task is pending again."""

    ends: ClassVar = ErrorReportStarted

    message: int
    number: int
    is_alert: bool = False


class ErrorReportLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; a message with the same key is sent once."""

    ends: ClassVar = ErrorReportStarted


class ShutdownStarted(OperationStarted, frozen=True, kw_only=True):
    """The wish to shut down is about to be granted."""

    operation: ClassVar = "shutdown"

    request: str

    def lost(self) -> "ShutdownLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ShutdownLost(step=self.step, visit=self.visit, slot=self.slot)


class ShutdownAnswered(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows that the supervisor has ended."""

    ends: ClassVar = ShutdownStarted

    message: int


class ShutdownLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; a message with the same key is sent once."""

    ends: ClassVar = ShutdownStarted
