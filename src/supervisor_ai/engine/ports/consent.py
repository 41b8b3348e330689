"""What the user agreed to, asked again whenever a run is driven."""

from typing import Protocol

from msgspec import Struct


class PinnedPower(Struct, frozen=True, kw_only=True):
    """One part of a pinned definition that says what a run may do."""

    key: str
    value: str
    """As JSON."""


class Consent(Protocol):
    """The user's word on pinned definitions."""

    def missing(self, powers: tuple[PinnedPower, ...]) -> tuple[PinnedPower, ...]:
        """Return what the user did not agree to."""
        ...
