"""The quick look misses no rule that the slow look would find."""

from re import _parser  # type: ignore[attr-defined]

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redaction_corpus.kinds import FORM_KINDS, Kind

from supervisor_ai.domain.redaction.formats import FORMATS
from supervisor_ai.domain.redaction.prefilter import Prefilter
from supervisor_ai.domain.redaction.rule import (
    LEAST_WORD,
    FoundSecret,
    KeywordPlaces,
    RedactionRule,
)

PREFILTER = Prefilter(FORMATS)
KEYWORDS = sorted({keyword for rule in FORMATS for keyword in rule.keywords})


def slowly(text: str) -> set[FoundSecret]:
    return {found for rule in FORMATS for found in rule.find(text, KeywordPlaces(text))}


def quickly(text: str) -> set[FoundSecret]:
    at = KeywordPlaces(text)
    return {it for rule in PREFILTER.possible(at.lowered) for it in rule.find(text, at)}


def test_what_is_one_word_is_long_and_has_no_space() -> None:
    for rule in FORMATS:
        if rule.is_one_word:
            assert _parser.parse(rule.pattern).getwidth()[0] + len("12345678") >= LEAST_WORD
            assert " " not in rule.pattern
            assert r"\s" not in rule.pattern


def test_keywords_are_lower_case_and_stand_in_what_matches() -> None:
    assert [keyword for keyword in KEYWORDS if keyword != keyword.lower()] == []


@pytest.mark.parametrize("kind", FORM_KINDS, ids=lambda kind: kind.name)
def test_every_kind_passes(kind: Kind) -> None:
    assert quickly(kind.text) == slowly(kind.text) != set()


GLUE = st.sampled_from(
    ["", " ", "\n", "\\n", "\\t", "%3D", "\\u003d", "\x1b[1;31m", "\x1b[m", "=", '"', "-", "_", "a"]
)
WORDS = st.sampled_from([*KEYWORDS, *(kind.secret for kind in FORM_KINDS), "Kelvin \u212a", "İ"])


@given(parts=st.lists(st.tuples(GLUE, WORDS), max_size=6))
def test_the_quick_look_finds_what_the_slow_look_finds(parts: list[tuple[str, str]]) -> None:
    text = "".join(glue + word for glue, word in parts)

    assert quickly(text) == slowly(text)


def test_no_rules_is_nothing_to_look_for() -> None:
    assert Prefilter([]).possible("sk-ant-something-that-is-long") == []


def test_a_rule_of_several_words_is_looked_for_everywhere() -> None:
    rule = RedactionRule(id="two", keywords=("a b",), pattern="a b")

    assert Prefilter([rule]).possible("x a b x") == [rule]
    assert Prefilter([rule]).possible("x a c x") == []
