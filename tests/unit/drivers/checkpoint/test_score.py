"""The score is exact, and no rounding crosses a threshold."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.checkpoint.score import (
    CheckpointVerdict,
    CheckVerdict,
    QualityTrend,
    Score,
    score,
    trend,
)

PASS, WARN, FAIL = CheckVerdict.PASS, CheckVerdict.WARN, CheckVerdict.FAIL


@pytest.mark.parametrize(
    ("verdicts", "text", "verdict"),
    [
        ([PASS], "1.00", CheckpointVerdict.PASS),
        ([PASS] * 9 + [FAIL], "0.90", CheckpointVerdict.PASS),
        ([PASS] * 4 + [FAIL], "0.80", CheckpointVerdict.PASS),
        ([PASS] * 3 + [WARN, WARN], "0.80", CheckpointVerdict.PASS),
        ([PASS] * 7 + [WARN, FAIL], "0.83", CheckpointVerdict.PASS),
        ([PASS, WARN, WARN], "0.67", CheckpointVerdict.WARN),
        ([PASS, FAIL], "0.50", CheckpointVerdict.WARN),
        ([WARN], "0.50", CheckpointVerdict.WARN),
        ([PASS, FAIL, FAIL], "0.33", CheckpointVerdict.BLOCK),
        ([FAIL], "0.00", CheckpointVerdict.BLOCK),
    ],
)
def test_checks_are_scored(
    verdicts: list[CheckVerdict], text: str, verdict: CheckpointVerdict
) -> None:
    found = score(verdicts)
    assert (found.text, found.verdict, found.number) == (text, verdict, float(text))


@pytest.mark.parametrize(
    ("halves", "checks", "text", "verdict"),
    [
        (319, 200, "0.79", CheckpointVerdict.WARN),  # 0.7975
        (1999, 2000, "0.49", CheckpointVerdict.BLOCK),  # 0.49975
        (1, 1, "0.50", CheckpointVerdict.WARN),
        (1995, 1000, "1.00", CheckpointVerdict.PASS),  # 0.9975
    ],
)
def test_a_score_below_a_threshold_is_shown_below_it(
    halves: int, checks: int, text: str, verdict: CheckpointVerdict
) -> None:
    found = Score(halves=halves, checks=checks)
    assert (found.text, found.verdict) == (text, verdict)


@given(st.lists(st.sampled_from(CheckVerdict), min_size=1, max_size=400))
def test_what_is_shown_says_the_same_verdict(verdicts: list[CheckVerdict]) -> None:
    found = score(verdicts)
    shown = Fraction(found.text)
    by_text = (
        CheckpointVerdict.PASS
        if shown >= Fraction("0.8")
        else CheckpointVerdict.WARN
        if shown >= Fraction("0.5")
        else CheckpointVerdict.BLOCK
    )
    assert found.verdict == by_text
    assert abs(shown - found.value) <= Fraction(1, 100)
    assert found == score(reversed(verdicts))


def test_nothing_has_no_score() -> None:
    with pytest.raises(InternalError, match="0 halves for 0 checks"):
        score([])


@pytest.mark.parametrize("halves", [-1, 3])
def test_a_score_is_between_nothing_and_all(halves: int) -> None:
    with pytest.raises(InternalError):
        Score(halves=halves, checks=1)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (None, (1, 10), QualityTrend.STABLE),
        ((10, 10), (11, 10), QualityTrend.IMPROVING),
        ((10, 10), (9, 10), QualityTrend.DEGRADING),
        ((100, 100), (109, 100), QualityTrend.STABLE),
        ((100, 100), (91, 100), QualityTrend.STABLE),
        ((100, 100), (110, 100), QualityTrend.IMPROVING),
        ((100, 100), (90, 100), QualityTrend.DEGRADING),
    ],
)
def test_the_trend_compares_with_the_score_before(
    before: tuple[int, int] | None, now: tuple[int, int], expected: QualityTrend
) -> None:
    first = None if before is None else Score(halves=before[0], checks=before[1])
    assert trend(first, Score(halves=now[0], checks=now[1])) is expected


@given(st.lists(st.sampled_from(CheckVerdict), min_size=1, max_size=400))
def test_one_more_warning_lifts_no_verdict(verdicts: list[CheckVerdict]) -> None:
    order = list(CheckpointVerdict)
    before, after = score(verdicts).verdict, score([*verdicts, WARN]).verdict
    assert order.index(after) >= order.index(before)
