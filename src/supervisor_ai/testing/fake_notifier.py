"""Channels in memory, for tests of whatever tells people something."""

from dataclasses import dataclass, field

from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.notifications import Delivery, Notice


@dataclass(slots=True)
class MemoryNotifier:
    """Remembers what was delivered; channels take nothing while they are `broken`."""

    clock: Clock
    known: frozenset[str] = frozenset({"tui", "slack", "email"})
    broken: set[str] = field(default_factory=set)
    notices: list[Notice] = field(default_factory=list)
    """Everything that was to be delivered, also what no channel took."""

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        """Try each of the notice's channels once."""
        self.notices.append(notice)
        return tuple(self._try(channel) for channel in notice.channels)

    def _try(self, channel: str) -> Delivery:
        at = self.clock.now()
        if channel not in self.known:
            detail = f"There is no channel {channel!r}."
            return Delivery(channel=channel, is_delivered=False, detail=detail, at=at)
        is_delivered = channel not in self.broken
        detail = "Taken." if is_delivered else "The channel is broken."
        return Delivery(channel=channel, is_delivered=is_delivered, detail=detail, at=at)
