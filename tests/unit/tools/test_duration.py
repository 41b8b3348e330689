from datetime import timedelta

import pytest

from supervisor_ai.tools.text import duration


@pytest.mark.parametrize(
    ("written", "length"),
    [
        ("30s", timedelta(seconds=30)),
        ("45m", timedelta(minutes=45)),
        ("2h", timedelta(hours=2)),
        ("1d", timedelta(days=1)),
        ("1h30m", timedelta(minutes=90)),
        (90, timedelta(seconds=90)),
        (0.5, timedelta(milliseconds=500)),
        ("250ms", timedelta(milliseconds=250)),
        ("0.5s", timedelta(milliseconds=500)),
        ("1s250ms", timedelta(milliseconds=1250)),
        ("1m5ms", timedelta(minutes=1, milliseconds=5)),
    ],
)
def test_durations(written: object, length: timedelta) -> None:
    assert duration(written) == length


@pytest.mark.parametrize(
    "written", ["", "45", "1.5h", "m", "30m1h", "5ms1s", ".5s", "1.s", True, [1], None]
)
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(ValueError, match="must be a duration such as 250ms, 30s, 45m, 2h or 14d"):
        duration(written)


@pytest.mark.parametrize("written", [0, -1, -1e300, "0s", "0ms", "0.0s", "367d", 1e300, "999999d"])
def test_durations_that_cannot_be_meant(written: object) -> None:
    with pytest.raises(ValueError, match="longer than nothing and at most a year"):
        duration(written)
