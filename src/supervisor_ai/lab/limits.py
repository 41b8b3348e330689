"""How each service says that a limit is reached and when it will be lifted."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final

from supervisor_ai.lab.shapes import DialectName
from supervisor_ai.tools.json_value import Json

Headers = Mapping[str, str]
Limit = tuple[Headers, Mapping[str, Json]]


def limit(dialect: DialectName, remaining: float, now: datetime) -> Limit:
    """Return the headers and the body of a refusal that ends after so many seconds."""
    seconds = max(1, ceil(remaining))
    headers, body = _FORMS[dialect](seconds, now + timedelta(seconds=seconds))
    return {"retry-after": str(seconds), **headers}, body


def _anthropic(seconds: int, until: datetime) -> Limit:
    del seconds
    message = "This request would exceed your account's rate limit."
    return {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": f"{until.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }, {"type": "error", "error": {"type": "rate_limit_error", "message": message}}


def _openai(seconds: int) -> Headers:
    return {
        "x-ratelimit-limit-requests": "50",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": f"{seconds}s",
    }


def _responses(seconds: int, until: datetime) -> Limit:
    return _openai(seconds), {
        "error": {
            "type": "usage_limit_reached",
            "message": "The usage limit has been reached",
            "plan_type": "plus",
            "resets_at": int(until.timestamp()),
            "resets_in_seconds": seconds,
        }
    }


def _chat(seconds: int, until: datetime) -> Limit:
    del until
    return _openai(seconds), {
        "error": {
            "message": f"Rate limit reached. Please try again in {seconds}s.",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }


def _gemini(seconds: int, until: datetime) -> Limit:
    del until
    retry: Json = {
        "@type": "type.googleapis.com/google.rpc.RetryInfo",
        "retryDelay": f"{seconds}s",
    }
    return {}, {
        "error": {
            "code": 429,
            "message": f"You exceeded your current quota. Please retry in {seconds}s.",
            "status": "RESOURCE_EXHAUSTED",
            "details": [retry],
        }
    }


def _ollama(seconds: int, until: datetime) -> Limit:
    del until
    return {"retry-after": str(seconds)}, {"error": "too many requests; try again later"}


_FORMS: Final[Mapping[DialectName, Callable[[int, datetime], Limit]]] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
    "ollama": _ollama,
}
