"""When a limit ends, as the headers of an answer say it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.failures.reset_headers import FURTHEST, find_reset

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
EPOCH = int(NOW.timestamp())


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "2m"}, 120),
        ({"retry-after": "Tue, 01 Jan 2030 12:00:30 GMT"}, 30),
        ({"retry-after": "Tue, 01 Jan 2030 13:00:30 +0100"}, 30),
        ({"retry-after": str(EPOCH + 60)}, 60),
        ({"retry-after": str(400 * 86_400)}, 400 * 86_400),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9),
        ({"retry-after": "x", "x-ratelimit-reset-tokens": "7s"}, 7),
        ({"x-ratelimit-reset-tokens": "1h2m3.5s", "x-ratelimit-reset-requests": "5s"}, 3723.5),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360),
        ({"x-ratelimit-reset-requests": "20ms"}, 0.02),
        ({"x-ratelimit-reset-requests": "1d"}, 86_400),
        ({"x-ratelimit-reset": str(EPOCH + 90)}, 90),
        ({"x-ratelimit-reset": str((EPOCH + 90) * 1000)}, 90),
        ({"ratelimit-reset": "30"}, 30),
        ({"anthropic-ratelimit-tokens-reset": "2030-01-01T12:00:10+00:00"}, 10),
        ({"anthropic-ratelimit-input-tokens-reset": "2030-01-01T12:00:10Z"}, 10),
        ({"anthropic-ratelimit-output-tokens-reset": "2030-01-01T14:00:00+02:00"}, 0),
        ({"anthropic-ratelimit-unified-reset": str(EPOCH + 7200)}, 7200),
        ({"x-codex-primary-reset-at": str(EPOCH + 60)}, 60),
        ({"x-codex-bengal-secondary-reset-at": str(EPOCH + 60)}, 60),
    ],
)
def test_a_reset_is_found_in_every_form(headers: dict[str, str], wait: float) -> None:
    assert find_reset(headers, NOW) == NOW + timedelta(seconds=wait)


def test_of_what_is_used_up_the_last_to_come_back_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "5s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "9s",
        "x-ratelimit-reset": "20",
        "anthropic-ratelimit-requests-remaining": "10",
        "anthropic-ratelimit-requests-reset": "2030-01-01T13:00:00Z",
    }
    assert find_reset(headers, NOW) == NOW + timedelta(seconds=9)


def test_of_the_windows_of_a_subscription_the_full_one_counts() -> None:
    headers = {
        "x-codex-primary-used-percent": "100.0",
        "x-codex-primary-reset-at": str(EPOCH + 60),
        "x-codex-secondary-used-percent": "99",
        "x-codex-secondary-reset-at": str(EPOCH + 6000),
        "x-codex-other-primary-used-percent": "nonsense",
        "x-codex-other-primary-reset-at": str(EPOCH + 600),
    }
    assert find_reset(headers, NOW) == NOW + timedelta(seconds=60)


def test_a_window_that_rejects_counts_before_one_that_has_room() -> None:
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(EPOCH + 3600),
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": str(EPOCH + 3600),
        "anthropic-ratelimit-unified-7d-status": "allowed",
        "anthropic-ratelimit-unified-7d-reset": str(EPOCH + 500_000),
    }
    assert find_reset(headers, NOW) == NOW + timedelta(hours=1)


def test_where_nobody_says_what_is_used_up_what_may_be_counts_before_what_is_not() -> None:
    left = {"x-ratelimit-remaining-tokens": "3", "x-ratelimit-reset-tokens": "1h"}
    assert find_reset(left, NOW) == NOW + timedelta(hours=1)
    unsaid = {**left, "x-ratelimit-reset-requests": "5s"}
    assert find_reset(unsaid, NOW) == NOW + timedelta(seconds=5)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "soon",
        "-5",
        "1e9",
        "9" * 14,
        "9" * 40,
        "9" * 10_000,
        "99999d",
        f"{401 * 86_400}",
        f"{EPOCH - 1}",
        "2030-01-01T12:00:10",
        "2030-01-01T11:59:59Z",
        "2030-13-01T00:00:00Z",
        "9999-12-31T23:59:59-23:59",
        "\u00b2",
        "Tue, 01 Jan 2030 11:00:00 GMT",
        "Tue, 01 Jan 2030 12:00:30 -0000",
        "Sat, 01 Jan 9999 00:00:00 GMT",
        "Tue, 01 Jan 2030 12:00:30 GMT" + " " * 100,
    ],
)
@pytest.mark.parametrize(
    "name", ["retry-after", "x-ratelimit-reset", "anthropic-ratelimit-unified-reset"]
)
def test_a_reset_that_makes_no_sense_is_none(name: str, value: str) -> None:
    assert find_reset({name: value}, NOW) is None


@pytest.mark.parametrize("name", ["x-other-reset", "anthropic-ratelimit-reset-tokens", "date"])
def test_other_headers_say_nothing(name: str) -> None:
    assert find_reset({name: "1"}, NOW) is None
    assert find_reset({}, NOW) is None


names = st.sampled_from([
    "retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens",
    "x-ratelimit-remaining-tokens", "anthropic-ratelimit-unified-reset",
    "anthropic-ratelimit-unified-status", "anthropic-ratelimit-requests-reset",
])  # fmt: skip
dates = st.datetimes().map(lambda moment: f"{moment:%a, %d %b %Y %H:%M:%S} GMT")
values = st.one_of(
    st.text(max_size=80),
    st.text("0123456789.:-+TZ dhms", max_size=80),
    st.integers().map(str),
    st.floats().map(str),
    st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat()),
    dates,
)


@given(st.dictionaries(names, values))
def test_whatever_is_said_nobody_waits_for_ever_or_for_the_past(headers: dict[str, str]) -> None:
    found = find_reset(headers, NOW)
    assert found is None or NOW <= found <= NOW + FURTHEST
