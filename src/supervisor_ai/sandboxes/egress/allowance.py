"""How much may pass through a door, and how long it waits for it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The limits of one door; a worker that reaches one loses its connection, not our memory."""

    connections: int = 64
    head_bytes: int = 1 << 15
    head_time: timedelta = timedelta(seconds=10)
    hello_bytes: int = 1 << 15
    hello_time: timedelta = timedelta(seconds=15)
    dial_time: timedelta = timedelta(seconds=15)
    idle_time: timedelta = timedelta(minutes=15)
    """A model may think for long before its first word."""
    upload_bytes: int = 1 << 30
    download_bytes: int = 1 << 32


USUAL: Final = Allowance()
