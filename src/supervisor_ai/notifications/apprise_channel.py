"""A channel behind the package Apprise: Slack, mail and many more, by an address of theirs."""

import logging
from importlib.util import find_spec
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.notices import NoticeSeverity
from supervisor_ai.engine.ports.notifications import ChannelSetting, Notice
from supervisor_ai.notifications.channel import ChannelSurroundings, NotDelivered

_KINDS: Final = {
    NoticeSeverity.INFO: "info",
    NoticeSeverity.WARNING: "warning",
    NoticeSeverity.CRITICAL: "failure",
}
_MISSING: Final = (
    "The package that reaches it is not installed: pip install 'supervisor-ai[notify]'."
)


class AppriseChannel(Struct, frozen=True, kw_only=True):
    """Hands the notice to Apprise, which is imported when the first one is sent."""

    setting: ChannelSetting
    around: ChannelSurroundings

    def require(self) -> None:
        """Look for the variable and the package."""
        self.around.filled(self.setting.url)
        if find_spec("apprise") is None:
            raise NotDelivered(_MISSING)

    async def send(self, notice: Notice) -> str:
        """Deliver to the address."""
        try:
            import apprise
        except ImportError:
            raise NotDelivered(_MISSING) from None
        # It would print to the terminal what it thinks of an address, secrets and all.
        logging.getLogger("apprise").addHandler(logging.NullHandler())
        sender = apprise.Apprise(asset=apprise.AppriseAsset(app_id="Supervisor"))
        if not sender.add(self.around.filled(self.setting.url)):
            raise NotDelivered("Apprise does not understand the address.")
        is_taken = await sender.async_notify(
            title=notice.title,
            body=notice.body,
            notify_type=_KINDS[notice.severity],
            body_format="text",
        )
        if not is_taken:
            raise NotDelivered("Apprise could not deliver it.")
        return "Apprise delivered it."
