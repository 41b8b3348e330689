"""Who watches while a run is driven."""

from typing import Protocol

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.live_output import LiveOutput


class Monitor(Protocol):
    """Sees facts and output as they come; must not fail and must not wait."""

    def recorded(self, envelope: Envelope) -> None:
        """See a fact after it was committed."""
        ...

    def output(self, output: LiveOutput) -> None:
        """See a piece of output."""
        ...


class SilentMonitor:
    """Watches nothing."""

    def recorded(self, envelope: Envelope) -> None:
        """Ignore the fact."""

    def output(self, output: LiveOutput) -> None:
        """Ignore the output."""
