"""Who hears of the user's runs: only what their own config says now."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from supervisor_ai.domain.notices import NO_NOTICES, NoticePolicy
from supervisor_ai.engine.ports.notifications import ChannelSetting

if TYPE_CHECKING:
    from supervisor_ai.definitions.config.notifications import Notifications

_CONFIG = "config.yaml"
_KEY = "notifications"


class OwnNotifications:
    """Reads the user's config once; what reads it is imported only where it says anything."""

    def __init__(self, user_directory: Path) -> None:
        self._directory = user_directory

    def policy(self) -> NoticePolicy:
        """Return who hears of what, and when nobody is disturbed."""
        return self._said.policy if self._said else NO_NOTICES

    def channels(self) -> dict[str, ChannelSetting]:
        """Return the user's channels."""
        return dict(self._said.channels) if self._said else {}

    @cached_property
    def _said(self) -> "Notifications | None":
        try:
            text = (self._directory / _CONFIG).read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        if _KEY not in text:
            return None
        from supervisor_ai.definitions.consent.own_settings import read_own_settings

        return read_own_settings(self._directory).notifications
