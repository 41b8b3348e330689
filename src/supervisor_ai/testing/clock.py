"""A clock for tests, on virtual time."""

import asyncio
from datetime import UTC, datetime, timedelta

_START = datetime(2030, 1, 1, tzinfo=UTC)


class FakeClock:
    """Tells the loop's time where one runs, and can be set and advanced by hand."""

    def __init__(self, start: datetime = _START) -> None:
        self._start = start
        self._passed = 0.0
        self._jumped = timedelta()

    def now(self) -> datetime:
        """Return the time of day; jumps change it."""
        return self._start + self._jumped + timedelta(seconds=self.boottime())

    def boottime(self) -> float:
        """Return seconds since the start; jumps do not change it."""
        try:
            return self._passed + asyncio.get_running_loop().time()
        except RuntimeError:
            return self._passed

    async def sleep(self, seconds: float) -> None:
        """Wait on virtual time."""
        await asyncio.sleep(seconds)

    def advance(self, by: timedelta) -> None:
        """Let time pass for everybody."""
        self._passed += by.total_seconds()

    def jump(self, by: timedelta) -> None:
        """Set the time of day, as a person or a time server does."""
        self._jumped += by
