import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.context.material import bounded, cleaned, fenced, label

hostile = st.text(
    alphabet=st.one_of(st.sampled_from("`~ \t\r\n\x0b\x0c\x1c\x85\u2028"), st.characters()),
    max_size=200,
)


@given(hostile, hostile)
def test_no_text_can_close_its_fence(text: str, title: str) -> None:
    opening, *body, closing = fenced(text, title).split("\n")
    fence = re.match("`+", opening)
    assert fence is not None
    assert closing == fence.group()
    assert closing not in "\n".join(body)
    assert "`" not in opening.removeprefix(closing)


@given(hostile)
def test_a_fenced_text_is_kept(text: str) -> None:
    inside = fenced(text, "task").partition("\n")[2].rpartition("\n")[0]
    kept = cleaned(text).removesuffix("\n")
    assert inside == (kept or "(empty)")


@given(st.text(alphabet="`", max_size=50))
def test_the_fence_is_longer_than_any_run_inside(run: str) -> None:
    assert fenced(f"a\n{run}\nb", "x").startswith("`" * max(4, len(run) + 1) + "material x\n")


def test_text_loses_control_characters_and_half_characters() -> None:
    assert cleaned("a\x1b[31m\0b\r\nc\td\ud800") == "a[31mb\nc\td?"


def test_a_label_is_one_short_line() -> None:
    assert label("a\n## b `c`  d") == "a ## b 'c' d"
    assert len(label("x" * 1000)) == 80


@pytest.mark.parametrize("length", [0, 9, 10])
def test_a_short_text_is_not_cut(length: int) -> None:
    assert bounded("x" * length, 10) == "x" * length


def test_a_long_text_loses_its_middle() -> None:
    assert bounded("abc" + "-" * 100 + "uvwxyz", 9) == (
        "abc\n(cut: 100 characters left out)\nuvwxyz"
    )
