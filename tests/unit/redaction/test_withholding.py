"""A rule that fails lets nothing pass."""

import re
from typing import Final

from tests.redaction_corpus.kinds import KINDS

from supervisor_ai.domain.redaction.formats import FORMATS
from supervisor_ai.domain.redaction.redacted import SecretFinding
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rule import RedactionRule
from supervisor_ai.domain.redaction.rules import RuleBook

SECRET: Final = KINDS[0].secret


def fails(match: re.Match[str], value: str) -> bool:
    raise IndexError(f"{match} {value}")


BROKEN: Final = RuleBook(
    formats=FORMATS,
    places=[RedactionRule(id="broken", keywords=("bang",), pattern="bang", test=fails)],
)


def test_the_text_is_withheld_from_where_a_rule_fails() -> None:
    found: list[SecretFinding] = []
    stream = RuleRedactor(rules=BROKEN).stream(found.append)

    passed = [stream.feed(piece) for piece in ("one\n", f"bang {SECRET}\ntwo\n", "three\n")]

    assert passed == ["one\n", "[REDACTED:withheld]\n\n", "\n"]
    assert stream.close() == ""
    assert stream.count == 1
    assert found == [SecretFinding(rule="withheld", line=2, column=1)]


def test_a_very_long_line_is_withheld_to_its_end() -> None:
    text = "bang " + "a " * 100_000 + SECRET

    redacted = RuleRedactor(rules=BROKEN).redact(text)

    assert redacted.text == "[REDACTED:withheld]"
    assert redacted.count == 1


def test_a_rule_that_is_not_tried_cannot_fail() -> None:
    assert RuleRedactor(rules=BROKEN).redact("no noise\n").text == "no noise\n"


def test_a_line_that_never_comes_to_an_end_is_withheld_alone() -> None:
    text = f"before {SECRET}\n{'p8e-' * 500}{'a1b2c3d4' * 4}\nafter\n"

    redacted = RuleRedactor().redact(text).text

    assert redacted == "before [REDACTED:anthropic-key]\n[REDACTED:withheld]\nafter\n"
    assert RuleRedactor().redact(redacted).text == redacted
