"""Counting without a tokenizer."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.context.tokens import (
    CLAUDE,
    O200K,
    OLDER_CLAUDE,
    Estimator,
    Family,
    added,
    family_of,
)

PROSE = "def add(one: int, other: int) -> int:\n    return one + other  # 42 times\n"


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-opus-4-7", CLAUDE),
        ("claude-opus-4.7", CLAUDE),
        ("claude-opus-5", CLAUDE),
        ("claude", CLAUDE),
        ("claude-opus-4", OLDER_CLAUDE),
        ("claude-opus-4-6", OLDER_CLAUDE),
        ("claude-sonnet-4-20250514", OLDER_CLAUDE),
        ("claude-sonnet-4-5-20250929", OLDER_CLAUDE),
        ("anthropic/claude-3-5-sonnet", OLDER_CLAUDE),
        ("gpt-5", O200K),
        ("codex", O200K),
        ("openai/gpt-4o", O200K),
        ("o3-mini", O200K),
        ("gemini-2.5-pro", CLAUDE),
        ("", CLAUDE),
    ],
)
def test_a_family_is_known_by_the_name_of_the_model(model: str, family: Family) -> None:
    assert family_of(model) is family


def test_the_estimate_weighs_pairs_of_classes() -> None:
    counter = Estimator(family=O200K)
    # One pair of space and letter, one line break: 1.05 + 0.98.
    assert counter.raw(counter.measure("a b\n")) == pytest.approx(2.03)
    assert counter.tokens(counter.measure("a b\n")) == math.ceil(2.03 * 1.1)


def test_a_correction_is_applied_and_named() -> None:
    plain = Estimator(family=CLAUDE)
    corrected = Estimator(family=CLAUDE, correction=1.5)
    measure = plain.measure(PROSE * 100)
    assert corrected.tokens(measure) == pytest.approx(plain.tokens(measure) * 1.5, abs=2)
    assert plain.name == "estimate for claude-4.7"
    assert corrected.name == "estimate for claude-4.7, corrected by 1.50"


def test_newer_models_need_more_tokens_for_code() -> None:
    counts = [
        Estimator(family=family).raw(Estimator(family=family).measure(PROSE))
        for family in (O200K, OLDER_CLAUDE, CLAUDE)
    ]
    assert counts == sorted(counts)


@given(st.lists(st.text(max_size=60), max_size=6))
def test_measures_of_lines_add_up(lines: list[str]) -> None:
    counter = Estimator(family=CLAUDE)
    total = counter.measure("")
    for line in lines:
        total = added(total, counter.measure("\n" + line))
    assert total == counter.measure("".join("\n" + line for line in lines))


def test_what_no_encoding_can_write_is_counted_too() -> None:
    assert sum(Estimator(family=CLAUDE).measure("\udcff\n")[:-1]) == 1


@given(st.text(st.sampled_from("abzABZ019éü€ \n\t.,;(_"), max_size=200))
def test_pairs_are_counted_as_they_stand_there(text: str) -> None:
    letters = "".join(map(_letter, text.encode()))
    pairs = (*(" a", ".a", "na", "aA", " A", ".A", "..", " ."), *("a.", "n.", "0", "uu", "n"))
    wanted = tuple(letters.count(pair) for pair in (*pairs, "AA", "ta", "aaaaaaaa"))
    assert Estimator(family=CLAUDE).measure(text) == (*wanted, len(letters))


def _letter(code: int) -> str:
    kinds = {"u": code > 127, "a": chr(code).islower(), "A": chr(code).isupper()}
    kinds |= {"0": chr(code).isdigit(), " ": code == 32, "n": code == 10, "t": code == 9}
    return next((letter for letter, is_it in kinds.items() if is_it), ".")
