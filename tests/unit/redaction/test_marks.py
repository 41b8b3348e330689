"""What stands in the place of a secret: the same for the same secret, and nothing of it."""

import re
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redaction_corpus.kinds import KINDS, Kind
from tests.redaction_corpus.private_keys import KEYS

from supervisor_ai.domain.redaction.position import Shifts
from supervisor_ai.domain.redaction.redacted import MARK, Marker, SecretFinding
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rule import FoundSecret
from supervisor_ai.domain.redaction.stream import LONG_LINE

TAGGED: Final = RuleRedactor(key=b"one key")
ONE, OTHER = KINDS[0].secret, KINDS[14].secret


def tags(text: str) -> list[str]:
    return [mark.partition("#")[2] for mark in MARK.findall(text)]


def secret(start: int, end: int) -> FoundSecret:
    return FoundSecret(start, end, "jwt", start, end)


def located(text: str, *, size: int | None = None) -> tuple[str, list[SecretFinding]]:
    """Redact a text in pieces and return it with what was reported."""
    found: list[SecretFinding] = []
    stream = TAGGED.stream(found.append)
    size = size or len(text) + 1
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return "".join(map(stream.feed, pieces)) + stream.close(), found


def test_the_same_secret_has_the_same_tag() -> None:
    [first, second, third] = tags(TAGGED.redact(f"{ONE}\n{OTHER}\n'{ONE}'").text)

    assert first == third != second
    assert re.fullmatch(r"[0-9a-f]{4}\]", first)


def test_another_key_gives_other_tags() -> None:
    redactors = [RuleRedactor(key=bytes([number])) for number in range(4)]

    assert len({redactor.redact(ONE).text for redactor in redactors}) == 4


def test_without_a_key_there_are_no_tags() -> None:
    assert RuleRedactor().redact(ONE).text == "[REDACTED:anthropic-key]"


def test_half_a_character_can_be_marked() -> None:
    assert MARK.fullmatch(Marker(b"key").mark("jwt", "\udc80"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name}: {kind.line}"[:60])
def test_a_tagged_text_is_redacted_already(kind: Kind) -> None:
    once = TAGGED.redact(f"a\n{kind.text}\nb\n").text

    assert TAGGED.redact(once).text == once
    assert RuleRedactor().redact(once).count == 0


@pytest.mark.parametrize("name", KEYS)
def test_a_tagged_key_is_redacted_already(name: str) -> None:
    once = TAGGED.redact(KEYS[name][0]).text

    assert TAGGED.redact(once).text == once


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_finding_says_where_the_secret_stood(size: int) -> None:
    text = f"first\n\n  x = {ONE} {OTHER}\nlast {ONE}"

    _, found = located(text, size=size)

    assert [(it.rule, it.line, it.column) for it in found] == [
        ("anthropic-key", 3, 7),
        ("github-token", 3, 8 + len(ONE)),
        ("anthropic-key", 4, 6),
    ]


def test_a_private_key_is_found_once_at_its_first_line() -> None:
    text, lines = KEYS["PKCS8"]

    _, found = located(f"a\n{text}b {ONE}\n")

    assert [(it.rule, it.line) for it in found] == [
        ("private-key", 3),
        ("anthropic-key", len(lines) + 4),
    ]


def test_a_finding_in_a_very_long_line_has_its_column() -> None:
    text = "a " * LONG_LINE + ONE

    assert [it.column for it in located(text)[1]] == [2 * LONG_LINE + 1]


def test_a_secret_that_a_later_look_finds_to_be_longer_is_reported_once() -> None:
    lines = ("machine git", "ANTHROPIC_API_KEY", "AccountName")
    text = "".join(next(it.text for it in KINDS if it.text.startswith(line)) for line in lines)

    [found] = located(text)[1]

    assert found.rule == "login"


def test_a_place_behind_marks_leads_back_to_the_text_without_them() -> None:
    shifts = Shifts()
    text = "ab SECRET cd S ef"
    shifts.add([secret(3, 9), secret(13, 14)], ["[1]", "[long]"])
    shifts.add([secret(7, 9)], ["[]"])
    shown = "ab [1] [] [long] ef"

    assert shifts.origin(shown.index("ab")) == text.index("ab")
    assert shifts.origin(shown.index("[1]")) == text.index("SECRET")
    assert shifts.origin(shown.index("[]")) == text.index("cd")
    assert shifts.origin(shown.index("[long]")) == text.index("S ef")
    assert shifts.origin(shown.index("ef")) == text.index("ef")


@given(
    parts=st.lists(st.sampled_from([*(kind.text for kind in KINDS), "\n", " ", "x" * 30, '"'])),
    size=st.integers(min_value=1, max_value=50),
)
def test_findings_and_tags_do_not_depend_on_pieces(parts: list[str], size: int) -> None:
    text = "".join(parts)
    whole, found = located(text)
    in_pieces, found_in_pieces = located(text, size=size)

    def by_place(it: SecretFinding) -> tuple[int, int, str]:
        return it.line, it.column, it.rule

    assert in_pieces == whole
    assert sorted(found_in_pieces, key=by_place) == sorted(found, key=by_place)
    assert all(1 <= it.line <= text.count("\n") + 1 and it.column >= 1 for it in found)
    assert all(one != other for one, other in pairwise(sorted(found, key=by_place)))
