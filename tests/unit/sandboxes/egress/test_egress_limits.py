"""What the broker remembers of a usage limit."""

from datetime import UTC, datetime, timedelta

import pytest

from supervisor_ai.sandboxes.egress.connection import LimitNote
from supervisor_ai.sandboxes.egress.head import ResponseHead, parse_answer

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


def answer(status: int, *lines: str) -> ResponseHead:
    return parse_answer("\r\n".join([f"HTTP/1.1 {status} X", *lines, "", ""]).encode())


def heard(*answers: ResponseHead, is_free: bool = False) -> datetime | None:
    note = LimitNote(lambda: NOW)
    for one in answers:
        note.hear(one, is_free=is_free)
    return note.reset_at


MINUTE = answer(429, "Retry-After: 60")
LATER = answer(429, "Anthropic-RateLimit-Requests-Reset: 2030-01-01T14:00:00Z")
GOOD = answer(200, "Retry-After: 5", "x-ratelimit-reset-requests: 1s")
SILENT = answer(429)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_refusal_tells_when_the_limit_ends(status: int) -> None:
    assert heard(answer(status, "Retry-After: 60")) == NOW + timedelta(minutes=1)


@pytest.mark.parametrize("status", [200, 204, 301, 400, 401, 500, 502])
def test_other_answers_tell_nothing(status: int) -> None:
    assert heard(answer(status, "Retry-After: 60")) is None


def test_the_last_word_counts() -> None:
    assert heard(MINUTE, LATER) == NOW + timedelta(hours=2)
    assert heard(LATER, MINUTE) == NOW + timedelta(minutes=1)


def test_who_says_nothing_takes_nothing_back() -> None:
    assert heard(MINUTE, SILENT, answer(500)) == NOW + timedelta(minutes=1)


def test_a_request_that_gets_through_ends_the_limit() -> None:
    assert heard(MINUTE, GOOD) is None
    assert heard(MINUTE, GOOD, LATER) == NOW + timedelta(hours=2)


def test_what_costs_nothing_gets_through_a_limit_as_well() -> None:
    assert heard(MINUTE, GOOD, is_free=True) == NOW + timedelta(minutes=1)


@pytest.mark.parametrize(
    "value", ["-1", "soon", "9" * 30, "2020-01-01T00:00:00Z", "Sat, 01 Jan 2050 00:00:00 GMT"]
)
def test_nonsense_is_not_believed(value: str) -> None:
    assert heard(answer(429, f"Retry-After: {value}")) is None


def test_the_clock_is_the_worlds() -> None:
    note = LimitNote()
    note.hear(MINUTE, is_free=False)
    assert note.reset_at is not None
    assert timedelta(0) < note.reset_at - datetime.now(UTC) <= timedelta(minutes=1)
