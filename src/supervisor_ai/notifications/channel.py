"""What a channel is, and what it is given besides its settings."""

import re
from collections.abc import Mapping
from typing import Final, Protocol, TextIO

from msgspec import Struct

from supervisor_ai.engine.ports.notifications import Notice, Poster

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class NotDelivered(Exception):
    """The channel did not take the notice; the message is one sentence without secrets."""


class NoticeChannel(Protocol):
    """One way to reach a person."""

    def require(self) -> None:
        """Look whether all is there that it needs; raises NotDelivered."""
        ...

    async def send(self, notice: Notice) -> str:
        """Deliver; return what happened in one sentence, or raise NotDelivered."""
        ...


class ChannelSurroundings(Struct, frozen=True, kw_only=True):
    """What channels use of the machine."""

    environment: Mapping[str, str]
    poster: Poster
    terminal: TextIO | None = None
    """Where the process is watched; None: nobody watches it."""

    def filled(self, text: str) -> str:
        """Put the user's variables in their places; raises NotDelivered for one that is missing."""
        missing = [name for name in _REFERENCE.findall(text) if not self.environment.get(name)]
        if missing:
            raise NotDelivered(f"The variable {missing[0]} is not set.")
        return _REFERENCE.sub(lambda found: self.environment[found[1]], text)
