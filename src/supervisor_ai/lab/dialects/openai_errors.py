"""The errors of OpenAI's services, which Responses and Chat Completions share."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.tools.json_value import Json

_OTHER: Final = ("server_error", None, None)
_KNOWN: Final[Mapping[int, tuple[str, str | None, str | None]]] = {
    400: ("invalid_request_error", None, None),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    403: ("invalid_request_error", "unsupported_country_region_territory", None),
    404: ("invalid_request_error", "model_not_found", None),
    405: ("invalid_request_error", "method_not_supported", None),
    413: ("invalid_request_error", "request_too_large", None),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached. Please try again later."),
    503: ("server_error", "server_is_overloaded", "The server is currently overloaded."),
}


def openai_error(status: int, message: str | None = None) -> Mapping[str, Json]:
    """Write an error."""
    kind, code, words = _KNOWN.get(status, _OTHER)
    said = message or words or f"The script says {status}."
    return {"error": {"message": said, "type": kind, "param": None, "code": code}}
