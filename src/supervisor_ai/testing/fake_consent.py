"""A user whose word is known beforehand."""

from supervisor_ai.engine.ports.consent import PinnedPower


class FakeConsent:
    """Agrees to everything but what is named."""

    def __init__(self, *refused: str) -> None:
        self.refused = set(refused)
        """The keys that the user did not agree to."""

    def missing(self, powers: tuple[PinnedPower, ...]) -> tuple[PinnedPower, ...]:
        """Return what the user did not agree to."""
        return tuple(power for power in powers if power.key in self.refused)
