"""How the end of a limit is told in each dialect."""

from datetime import UTC, datetime

from inline_snapshot import snapshot

from supervisor_ai.lab.limits import limit

NOON = datetime.fromtimestamp(1_800_000_000, UTC)


def test_anthropic() -> None:
    assert limit("anthropic", 29.2, NOON) == snapshot(
        (
            {
                "retry-after": "30",
                "anthropic-ratelimit-requests-limit": "50",
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:30Z",
            },
            {
                "type": "error",
                "error": {
                    "type": "rate_limit_error",
                    "message": "This request would exceed your account's rate limit.",
                },
            },
        )
    )


def test_responses() -> None:
    assert limit("responses", 29.2, NOON) == snapshot(
        (
            {
                "retry-after": "30",
                "x-ratelimit-limit-requests": "50",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "30s",
            },
            {
                "error": {
                    "type": "usage_limit_reached",
                    "message": "The usage limit has been reached",
                    "plan_type": "plus",
                    "resets_at": 1800000030,
                    "resets_in_seconds": 30,
                }
            },
        )
    )


def test_chat() -> None:
    assert limit("chat", 29.2, NOON) == snapshot(
        (
            {
                "retry-after": "30",
                "x-ratelimit-limit-requests": "50",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "30s",
            },
            {
                "error": {
                    "message": "Rate limit reached. Please try again in 30s.",
                    "type": "requests",
                    "param": None,
                    "code": "rate_limit_exceeded",
                }
            },
        )
    )


def test_gemini() -> None:
    assert limit("gemini", 29.2, NOON) == snapshot(
        (
            {"retry-after": "30"},
            {
                "error": {
                    "code": 429,
                    "message": "You exceeded your current quota. Please retry in 30s.",
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [
                        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "30s"}
                    ],
                }
            },
        )
    )


def test_no_limit_ends_in_no_time() -> None:
    headers, _ = limit("gemini", 0, NOON)
    assert headers == {"retry-after": "1"}
