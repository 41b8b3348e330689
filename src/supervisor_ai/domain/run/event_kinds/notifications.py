"""The facts of a notice that a driver waits for."""

from datetime import datetime
from typing import ClassVar

from supervisor_ai.domain.ids import TreeSha
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted


class NotificationStarted(OperationStarted, frozen=True, kw_only=True):
    """People are about to be told about the tree."""

    operation: ClassVar = "notify"

    tree: TreeSha
    channels: tuple[str, ...]
    severity: NoticeSeverity
    about: NoticeState

    def lost(self) -> "NotificationLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return NotificationLost(step=self.step, visit=self.visit, slot=self.slot)


class NotificationDelivered(OperationEnded, frozen=True, kw_only=True):
    """At least one channel took it."""

    ends: ClassVar = NotificationStarted

    channels: tuple[str, ...]
    """Those that took it."""
    at: datetime
    failed: tuple[str, ...] = ()
    """Those that did not."""


class NotificationFailed(OperationEnded, frozen=True, kw_only=True):
    """No channel took it."""

    ends: ClassVar = NotificationStarted

    reason: str


class NotificationLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died, and it is not known whether anybody was told; telling twice is harmless."""

    ends: ClassVar = NotificationStarted
