"""Delivers notices through the channels of the user's config, all of them at once."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, assert_never

from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.notifications import (
    READY_CHANNELS,
    ChannelKind,
    ChannelSetting,
    Delivery,
    Notice,
)
from supervisor_ai.notifications.apprise_channel import AppriseChannel
from supervisor_ai.notifications.channel import ChannelSurroundings, NotDelivered, NoticeChannel
from supervisor_ai.notifications.commands import CommandChannel, DesktopChannel
from supervisor_ai.notifications.terminal import BellChannel, BoardChannel
from supervisor_ai.notifications.webhook import WebhookChannel

READY: Final = {kind.value: ChannelSetting(name=kind.value, kind=kind) for kind in READY_CHANNELS}


class ChannelNotifier:
    """Knows the user's channels, and those that need no settings, by their names."""

    def __init__(
        self,
        channels: Callable[[], Mapping[str, ChannelSetting]],
        around: ChannelSurroundings,
        clock: Clock,
    ) -> None:
        self._channels = channels
        self._around = around
        self._clock = clock

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        """Try each of the notice's channels once."""
        known = {**READY, **self._channels()}
        tries = (self._try(known.get(name), name, notice) for name in notice.channels)
        return tuple(await asyncio.gather(*tries))

    def obstacle(self, name: str) -> str | None:
        """Say what is missing of a channel, without a try."""
        setting = {**READY, **self._channels()}.get(name)
        if setting is None:
            return f"Your config has no channel {name!r}."
        try:
            self._channel(setting).require()
        except NotDelivered as error:
            return str(error)
        return None

    async def _try(self, setting: ChannelSetting | None, name: str, notice: Notice) -> Delivery:
        is_delivered = False
        try:
            detail = await self._send(setting, name, notice)
            is_delivered = True
        except NotDelivered as error:
            detail = str(error)
        except TimeoutError:
            detail = "It took longer than its time-out allows."
        except Exception as error:  # noqa: BLE001 - the boundary of one channel: its bugs stop no run
            detail = f"It failed: {type(error).__name__}."
        now = self._clock.now()
        return Delivery(channel=name, is_delivered=is_delivered, detail=detail, at=now)

    async def _send(self, setting: ChannelSetting | None, name: str, notice: Notice) -> str:
        if setting is None:
            raise NotDelivered(f"Your config has no channel {name!r}.")
        return await asyncio.wait_for(
            self._channel(setting).send(notice), setting.timeout.total_seconds()
        )

    def _channel(self, setting: ChannelSetting) -> NoticeChannel:
        around = self._around
        match setting.kind:
            case ChannelKind.TUI:
                return BoardChannel()
            case ChannelKind.BELL:
                return BellChannel(around=around)
            case ChannelKind.DESKTOP:
                return DesktopChannel(around=around)
            case ChannelKind.COMMAND:
                return CommandChannel(setting=setting, around=around)
            case ChannelKind.WEBHOOK:
                return WebhookChannel(setting=setting, around=around, clock=self._clock)
            case ChannelKind.APPRISE:
                return AppriseChannel(setting=setting, around=around)
            case _:
                assert_never(setting.kind)
