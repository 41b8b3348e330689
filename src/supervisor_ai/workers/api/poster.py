"""Posts short messages over the same connection that models are asked through."""

import asyncio
from urllib.parse import urlsplit

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.engine.ports.notifications import HttpPost


class HttpPoster:
    """Sends a message to an address, and follows nobody elsewhere."""

    async def post(self, message: HttpPost) -> int:
        """Return the status of the answer; raises Unavailable where there is none."""
        # Imported when the first one is sent: most commands send none.
        import ssl

        from supervisor_ai.workers.api import exchange as http

        call = http.HttpCall(
            url=message.url,
            body=message.body,
            headers=message.headers,
            is_plain_allowed=message.is_plain_allowed,
        )
        host = urlsplit(message.url).hostname
        try:
            async with http.exchange(call, ssl.create_default_context()) as answer:
                return answer.status
        except http.Insecure as error:
            raise Unavailable(str(error)) from None
        except (http.NotHttp, http.NothingCame, asyncio.IncompleteReadError):
            raise Unavailable(f"{host} gave no answer that can be understood.") from None
        except OSError as error:
            raise Unavailable(f"{host} cannot be reached: {_cause(error)}.") from None


def _cause(error: OSError) -> str:
    return error.strerror or type(error).__name__
