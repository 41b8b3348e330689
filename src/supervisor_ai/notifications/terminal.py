"""Channels that need nobody else: the board, and the bell of the terminal."""

from msgspec import Struct

from supervisor_ai.engine.ports.notifications import Notice
from supervisor_ai.notifications.channel import ChannelSurroundings, NotDelivered

_BELL = "\a"


class BoardChannel(Struct, frozen=True, kw_only=True):
    """Leaves it to the ledger: whoever looks at the board sees the alert."""

    def require(self) -> None:
        """Need nothing."""

    async def send(self, notice: Notice) -> str:
        """Say that it is seen."""
        del notice
        return "It is on the board and in `supervisor status`."


class BellChannel(Struct, frozen=True, kw_only=True):
    """Rings where the process is watched, and nowhere else."""

    around: ChannelSurroundings

    def require(self) -> None:
        """Need nothing: who asks is not the process that will be watched."""

    async def send(self, notice: Notice) -> str:
        """Ring."""
        del notice
        terminal = self.around.terminal
        if terminal is None or not terminal.isatty():
            raise NotDelivered("This process has no terminal.")
        terminal.write(_BELL)
        terminal.flush()
        return "The terminal's bell rang."
