"""A channel that is an address: the notice is posted there as JSON, signed."""

import hmac
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.notifications import ChannelSetting, HttpPost, Notice
from supervisor_ai.notifications.channel import ChannelSurroundings, NotDelivered
from supervisor_ai.notifications.commands import notice_json

TIMESTAMP: Final = "x-supervisor-timestamp"
SIGNATURE: Final = "x-supervisor-signature"
KEY: Final = "x-supervisor-key"
_TAKEN: Final = range(200, 300)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Sign a message: who knows the secret can tell that it is ours, and how old it is."""
    signed = timestamp.encode() + b"." + body
    return f"sha256={hmac.new(secret.encode(), signed, sha256).hexdigest()}"


class WebhookChannel(Struct, frozen=True, kw_only=True):
    """Posts to an address of the user's."""

    setting: ChannelSetting
    around: ChannelSurroundings
    clock: Clock

    def require(self) -> None:
        """Look for the variables."""
        self.around.filled(self.setting.url)
        self.around.filled(self.setting.secret)

    async def send(self, notice: Notice) -> str:
        """Post the notice; any answer but a yes means that it was not taken."""
        url, secret = self.around.filled(self.setting.url), self.around.filled(self.setting.secret)
        body, now = notice_json(notice).encode(), str(int(self.clock.now().timestamp()))
        signed = signature(secret, now, body)
        post = HttpPost(
            url=url,
            body=body,
            headers={TIMESTAMP: now, SIGNATURE: signed, KEY: notice.key},
            is_plain_allowed=self.setting.is_plain_allowed,
        )
        try:
            status = await self.around.poster.post(post)
        except Unavailable as error:
            raise NotDelivered(error.message) from None
        if status not in _TAKEN:
            raise NotDelivered(f"{urlsplit(url).hostname} answered with status {status}.")
        return f"{urlsplit(url).hostname} took it."
