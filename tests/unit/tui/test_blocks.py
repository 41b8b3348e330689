"""Words are cut, wrapped and measured for a width."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from supervisor_ai.tui.key_table import BOARD, SECTIONS, key_line
from supervisor_ai.tui.pages.blocks import (
    cell,
    code,
    cut,
    joined,
    length,
    money,
    own,
    said,
    wrapped,
)

TEXTS = st.text(alphabet="ab  c日本é-[]/", max_size=80)


@given(TEXTS, st.integers(8, 40))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = wrapped(own(text), width)
    assert all(line.cell_len <= width for line in lines)
    assert "".join(line.plain for line in lines) == text


@given(TEXTS, st.integers(12, 40))
def test_further_lines_are_indented(text: str, width: int) -> None:
    lines = wrapped(own(text), width, indent=3)
    assert all(line.cell_len <= width for line in lines)
    assert "".join(line.plain[3 * (at > 0) :] for at, line in enumerate(lines)) == text


@given(TEXTS, st.integers(1, 40))
def test_a_cell_has_its_width(text: str, width: int) -> None:
    assert cell(own(text), width).cell_len == width
    assert cell(own(text), width, right=True).cell_len == width
    assert cut(own(text), width).cell_len <= width


def test_words_from_outside_are_never_markup() -> None:
    assert said("[red]a\x1b[2J\nb[/]").plain == "[red]a b[/]"
    assert code("\ta\x00b").plain == "    ab"
    assert joined("x", said("[b]")).plain == "x[b]"


def test_styles_stay_with_their_words() -> None:
    first, *_, last = wrapped(joined(own("a" * 10, "bold"), own("b" * 10, "italic")), 10)
    assert [str(span.style) for span in first.spans] == ["bold"]
    assert [str(span.style) for span in last.spans] == ["italic"]
    assert isinstance(first, Text)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0:00"), (59, "0:59"), (61, "1:01"), (3600, "1h00m"), (90_000, "1d01h")],
)
def test_lengths_are_short(seconds: int, words: str) -> None:
    assert length(timedelta(seconds=seconds)) == words


def test_money_says_when_it_is_estimated() -> None:
    assert money(Decimal("1.239")) == "1.24"
    assert money(Decimal(0), is_estimated=True) == "~0.00"


@pytest.mark.parametrize("width", [10, 40, 80, 200])
def test_the_line_of_keys_fits_and_names_the_help(width: int) -> None:
    line = key_line(BOARD, width)
    assert line.cell_len <= width
    assert line.plain.endswith("? help")


def test_no_key_of_a_screen_has_two_meanings() -> None:
    everywhere = dict(SECTIONS)["Everywhere"]
    for _, keys in SECTIONS:
        pressed = [name for it in keys if it.action for name in it.key.split(",")]
        assert len(pressed) == len(set(pressed))
        if keys is not everywhere:
            common = {name for it in everywhere if it.action for name in it.key.split(",")}
            assert not common & set(pressed)
