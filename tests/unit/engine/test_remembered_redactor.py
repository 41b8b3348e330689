"""A text that was redacted is not redacted again."""

import pytest

from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.engine.ports.redaction import RedactionStream
from supervisor_ai.engine.remembered_redactor import RememberedRedactor

SECRET = "token: ghp_" + "a1B2" * 9


class Counted:
    """A redactor that counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._redactor = RuleRedactor(key=b"k")

    def redact(self, text: str) -> Redacted:
        self.asked.append(text)
        return self._redactor.redact(text)

    def stream(self) -> RedactionStream:
        return self._redactor.stream()


@pytest.fixture
def inner() -> Counted:
    return Counted()


@pytest.mark.parametrize("text", ["", "plain", SECRET, "a\ud800b"])
def test_the_answer_is_the_same_and_given_once(inner: Counted, text: str) -> None:
    redactor = RememberedRedactor(inner)
    wanted = RuleRedactor(key=b"k").redact(text)
    assert [redactor.redact(text) for _ in range(3)] == [wanted] * 3
    assert inner.asked == [text]


def test_what_was_not_asked_for_longest_is_forgotten(inner: Counted) -> None:
    redactor = RememberedRedactor(inner, texts=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        redactor.redact(text)
    assert inner.asked == ["a", "b", "c", "b"]


def test_a_long_text_is_not_remembered(inner: Counted) -> None:
    redactor = RememberedRedactor(inner, length=3)
    for text in ("abc", "abc", "abcd", "abcd"):
        redactor.redact(text)
    assert inner.asked == ["abc", "abcd", "abcd"]


def test_streams_are_the_redactor_s_own(inner: Counted) -> None:
    stream = RememberedRedactor(inner).stream()
    assert SECRET not in stream.feed(SECRET) + stream.close()
