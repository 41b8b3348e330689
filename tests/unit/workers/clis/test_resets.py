"""Reset times: every way in which providers are known to say them."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.workers.output.resets import FURTHEST, find_reset

NOW: Final = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
"""A Monday; in Los Angeles it is 4 in the morning, in Berlin 13 o'clock."""
EPOCH: Final = int(NOW.timestamp()) + 3600

IN_A_WHILE: Final = [
    # Headers, as they are shown in error records.
    ("retry-after: 30", timedelta(seconds=30)),
    ('{"retry-after": "120"}', timedelta(seconds=120)),
    ('{"Retry-After":"1.5"}', timedelta(seconds=1.5)),
    ("retry-after-ms: 1500", timedelta(seconds=1.5)),
    ("Retry-After: Mon, 16 Nov 2026 12:05:00 GMT", timedelta(minutes=5)),
    (
        '"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"',
        timedelta(minutes=6),
    ),
    ("x-ratelimit-reset: 90", timedelta(seconds=90)),
    (f"x-ratelimit-reset: {EPOCH}", timedelta(hours=1)),
    ("anthropic-ratelimit-requests-reset: 2026-11-16T12:30:00Z", timedelta(minutes=30)),
    # Fields of bodies and records.
    (f'"resets_at":{EPOCH}', timedelta(hours=1)),
    (f'"resetsAt": {EPOCH}', timedelta(hours=1)),
    (f'"resetsAt": {EPOCH}000', timedelta(hours=1)),
    ('"resets_in_seconds":5432', timedelta(seconds=5432)),
    ('"retryDelay": "34s"', timedelta(seconds=34)),
    ('"retryDelay": "34.074824224s"', timedelta(seconds=34.074824)),
    ("retryDelayMs: 3000", timedelta(seconds=3)),
    ('"quotaResetDelay": "373.5ms"', timedelta(milliseconds=373.5)),
    ('"quotaResetTimeStamp": "2026-11-16T12:30:00Z"', timedelta(minutes=30)),
    (f'"X-Codex-Primary-Reset-At":"{EPOCH}"', timedelta(hours=1)),
    (
        f'"resets_at":{EPOCH},"X-Codex-Secondary-Reset-At":"{EPOCH + 9999}"',
        timedelta(hours=1),
    ),
    # Words.
    ("Your quota will reset after 12h34m16s.", timedelta(hours=12, minutes=34, seconds=16)),
    (f"Claude AI usage limit reached|{EPOCH}", timedelta(hours=1)),
    ("try again in 1h 23m", timedelta(hours=1, minutes=23)),
    ("Try again in 2 days 3 hours 5 minutes.", timedelta(days=2, hours=3, minutes=5)),
    ("Please try again in 20ms.", timedelta(milliseconds=20)),
    ("Please try again in 6m0s. Visit …", timedelta(minutes=6)),
    ("Please retry in 34.07s.", timedelta(seconds=34.07)),
    ("Please retry in 1h2m3.5s.", timedelta(hours=1, minutes=2, seconds=3.5)),
    ("Suggested retry after 3s.", timedelta(seconds=3)),
    ("Your limit resets in an hour", timedelta(hours=1)),
    ("Wait for 5 minutes", timedelta(minutes=5)),
    ("try again in 1 hour and 5 minutes", timedelta(hours=1, minutes=5)),
    ("TRY AGAIN IN 5 MINUTES", timedelta(minutes=5)),
    ("try again in less than a minute", timedelta(minutes=1)),
]


@pytest.mark.parametrize(("text", "wait"), IN_A_WHILE)
def test_a_wait_is_added_to_now(text: str, wait: timedelta) -> None:
    assert find_reset(text, NOW) == NOW + wait


AT_A_TIME: Final = [
    ("You've hit your limit · resets at 3pm (UTC)", "2026-11-16T15:00"),
    ("resets 3am (../etc/passwd)", "2026-11-17T03:00"),
    ("resets 3pm", "2026-11-16T15:00"),
    ("resets 3:30pm (UTC)", "2026-11-16T15:30"),
    ("limit reached ∙ resets 3am (Europe/Berlin)", "2026-11-17T02:00"),
    ("resets 2pm (Europe/Berlin)", "2026-11-16T13:00"),
    ("resets 9:15am (America/Los_Angeles)", "2026-11-16T17:15"),
    ("resets 5am PT", "2026-11-16T13:00"),
    ("resets at 15:00 UTC", "2026-11-16T15:00"),
    ("resets at 11:59:30 UTC", "2026-11-16T11:59"),
    ("resets 12am (UTC)", "2026-11-17T00:00"),
    ("resets 12pm (UTC)", "2026-11-16T12:00"),
    ("resets 11am (UTC)", "2026-11-17T11:00"),
    ("resets Wednesday 9am (UTC)", "2026-11-18T09:00"),
    ("resets Mon 9am (UTC)", "2026-11-23T09:00"),
    ("resets Nov 18, 3pm (UTC)", "2026-11-18T15:00"),
    ("resets Nov 20 at 6am (UTC)", "2026-11-20T06:00"),
    ("Try again at Nov 16th, 2026 3:04 PM", "2026-11-16T15:04"),
    ("or try again at Nov 17th, 2026 3:04 AM.", "2026-11-17T03:04"),
    ("or try again at Nov 18, 2026, 7:38 AM.", "2026-11-18T07:38"),
    ("Limit reached · resets 11:30am (Asia/Calcutta) · /upgrade", "2026-11-17T06:00"),
    ("Limits will reset at 9:30 AM.  View your usage details.", "2026-11-17T09:30"),
    ("or try again at 3:04 PM.", "2026-11-16T15:04"),
    ("available again at 2026-11-16T18:00:00Z", "2026-11-16T18:00"),
    ("until 2026-11-16 18:00:00 UTC", "2026-11-16T18:00"),
    ("resets at 2026-11-16T18:00:00.123+02:00", "2026-11-16T16:00"),
    ("resets at 2026-11-16T18:00", "2026-11-16T18:00"),
    # A daily quota ends at midnight in California, whatever delay is suggested besides.
    ("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "2026-11-17T08:00"),
    ('"quotaId": "GenerateRequestsPerDay", "retryDelay": "34s"', "2026-11-17T08:00"),
    ("You have exhausted your daily quota on this model.", "2026-11-17T08:00"),
]


@pytest.mark.parametrize(("text", "moment"), AT_A_TIME)
def test_a_time_is_the_next_of_its_kind(text: str, moment: str) -> None:
    assert find_reset(text, NOW) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


def test_a_date_without_a_year_may_be_in_the_next_one() -> None:
    now = datetime(2026, 12, 31, 12, tzinfo=UTC)
    assert find_reset("resets Jan 2, 3pm (UTC)", now) == datetime(2027, 1, 2, 15, tzinfo=UTC)


def test_a_day_begins_an_hour_earlier_in_summer() -> None:
    now = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert find_reset("PerDay", now) == datetime(2026, 7, 2, 7, tzinfo=UTC)


UNKNOWN: Final = [
    "",
    "This request would exceed your account's rate limit.",
    "try again later",
    "Try again in a moment.",
    "exceeded retry limit, last status: 429 Too Many Requests",
    "Resource has been exhausted (e.g. check quota).",
    "Attempt 1 failed. Retrying after 5669ms...",
    '"date": "Mon, 16 Nov 2026 12:00:10 GMT"',
    "Claude AI usage limit reached|1731700000",
    "resets at 2026-11-16T11:58:59Z",
    "Retry-After: Mon, 16 Nov 2026 11:00:00 GMT",
    "try again at Nov 10th, 2026 3:04 PM",
    "resets 25:99pm",
    "resets at 99:99",
    "resets Nov 45, 3pm",
    "resets 3am (Mars/Olympus)",
    "resets at 2026-13-45T99:99:99Z",
    "stay at 5 workers",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_not_said_or_over_is_unknown(text: str) -> None:
    assert find_reset(text, NOW) is None


@pytest.mark.parametrize(
    "text",
    ["retry-after: 99999999", "try again in 500 days", "reset|9999999999", "resets in 999999w"],
)
def test_no_reset_is_further_away_than_the_longest_limit(text: str) -> None:
    assert find_reset(text, NOW) == NOW + FURTHEST


def test_a_reset_that_is_just_over_is_still_told() -> None:
    assert find_reset("resets at 2026-11-16T11:59:30Z", NOW) == NOW - timedelta(seconds=30)


def test_a_clock_of_another_zone_does_not_matter() -> None:
    now = datetime.fromisoformat("2026-11-16T13:00:00+01:00")
    assert find_reset("resets at 3pm (UTC)", now) == datetime(2026, 11, 16, 15, tzinfo=UTC)


def test_only_the_end_of_a_long_text_is_read() -> None:
    assert find_reset("try again in 5s" + " " * 100_000, NOW) is None
    assert find_reset("\0" * 100_000 + "try again in 5s", NOW) == NOW + timedelta(seconds=5)


WORDS: Final = st.sampled_from(
    [
        *("resets", "at", "try again", "in", "retry-after:", "|", "(UTC)", "(Europe/Berlin)", "pm"),
        *("Nov", "Feb", "30th,", "2026", "0000", "9999", "3:04", "99:99", "h", "m", "days", "Mon"),
        *("retryDelay:", "T", "Z", "+99:99", "PerDay", "-", ":", "99999999999999999999", "0", "an"),
    ]
)
MOMENTS: Final = st.datetimes(
    min_value=datetime(2000, 1, 1),  # noqa: DTZ001 - the strategy puts the zone in
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001 - likewise
    timezones=st.just(UTC),
)


@given(st.lists(WORDS | st.text(max_size=8), max_size=14).map(" ".join) | st.text(), MOMENTS)
def test_no_text_can_break_it_and_every_reset_is_within_bounds(text: str, now: datetime) -> None:
    found = find_reset(text, now)
    assert found is None or now - timedelta(minutes=1) <= found <= now + FURTHEST
