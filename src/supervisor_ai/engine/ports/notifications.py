"""Telling people what they should know."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Struct, field

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.notices import NoticeSeverity


class Notice(Struct, frozen=True, kw_only=True):
    """A short message without secrets, code or control characters."""

    key: str
    """The same for every try to deliver it, so that whoever gets it twice can tell."""
    run: RunId | None
    severity: NoticeSeverity
    title: str
    body: str
    channels: tuple[str, ...]


class Delivery(Struct, frozen=True, kw_only=True):
    """What came of a notice in one channel."""

    channel: str
    is_delivered: bool
    detail: str
    """One sentence of our own: what happened, or what stood in the way."""
    at: datetime


class ChannelKind(StrEnum):
    """The ways to reach a person."""

    TUI = "tui"
    """An alert on the board, and in `supervisor status`."""
    BELL = "bell"
    """The bell of the terminal that a run is watched in."""
    DESKTOP = "desktop"
    COMMAND = "command"
    WEBHOOK = "webhook"
    APPRISE = "apprise"
    """Slack, mail and many more, by an address of the package of that name."""


READY_CHANNELS: Final = (ChannelKind.TUI, ChannelKind.BELL, ChannelKind.DESKTOP)
"""Those that need no settings and so are there by their own names."""


class ChannelSetting(Struct, frozen=True, kw_only=True):
    """A channel as the user's own config has it; `${NAME}` is a variable of the user's."""

    name: str
    kind: ChannelKind
    url: str = ""
    secret: str = ""
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout: timedelta = timedelta(seconds=10)
    is_plain_allowed: bool = False
    """Whether an address may be reached without encryption."""


class HttpPost(Struct, frozen=True, kw_only=True):
    """A message for an address."""

    url: str
    body: bytes
    headers: Mapping[str, str]
    is_plain_allowed: bool = False


class Poster(Protocol):
    """Sends a message by HTTP, to the address alone: whoever answers sends nobody elsewhere."""

    async def post(self, message: HttpPost) -> int:
        """Return the status of the answer; raises Unavailable where there is none."""
        ...


class Notifier(Protocol):
    """Delivers through the user's channels, in bounded time; what fails is told, not raised."""

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        """Try each of the notice's channels once; a channel that nobody knows does not take it."""
        ...


class SilentNotifier:
    """Stands where nobody has a channel: what it is given reaches nobody."""

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        """Try no channel."""
        del notice
        return ()
