"""Ordinary code, configuration and prose come through unchanged."""

from pathlib import Path

import pytest
from tests.redaction_corpus.traps import TRAPS

import supervisor_ai
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rule import lower

REDACTOR = RuleRedactor()


@pytest.mark.parametrize("line", TRAPS)
def test_a_trap_is_left_alone(line: str) -> None:
    text = f"before\n{line}\nafter\n"

    assert REDACTOR.redact(text).text == text
    assert REDACTOR.redact(line).count == 0


def test_our_own_code_is_left_alone() -> None:
    sources = Path(supervisor_ai.__file__).parent.rglob("*.py")

    touched = [path.name for path in sources if REDACTOR.redact(path.read_text()).count]

    assert touched == []


def test_lower_case_keeps_every_character_in_its_place() -> None:
    odd = [chr(point) for point in range(0x110000) if len(chr(point).lower()) != 1]

    assert [letter for letter in odd if len(lower(letter)) != 1] == []
    assert odd != []


def test_lower_case_makes_no_new_letter_of_ours() -> None:
    others = [chr(point) for point in range(0x80, 0x110000)]

    assert [
        letter for letter in others if lower(letter).isascii() and lower(letter).isalnum()
    ] == []
