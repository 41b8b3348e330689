"""Content that would like to be something else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.context.elements import escaped, opening, unescaped, without_controls

OURS = re.compile(r"</?\s*(?:context|file|diff|tree|plan)\b", re.IGNORECASE)
TRICKS = st.lists(
    st.sampled_from(
        ["<", "</", "file", "FILE ", "context>", "&lt;", "&amp;", "lt;", " ", "\n", "x"]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("</file>", "&lt;/file>"),
        ('<file path="a">', '&lt;file path="a">'),
        ("</ FILE >", "&lt;/ FILE >"),
        ("&lt;/file>", "&amp;lt;/file>"),
        ("if a < b and file > c: <div>&lt;p>", "if a < b and file > c: <div>&lt;p>"),
        ("<files>", "<files>"),
    ],
)
def test_only_what_poses_as_an_element_is_escaped(text: str, expected: str) -> None:
    assert escaped(text) == expected


@given(TRICKS)
def test_no_content_opens_or_closes_an_element(text: str) -> None:
    assert not OURS.search(escaped(text))


@given(TRICKS)
def test_escaping_can_be_undone(text: str) -> None:
    assert unescaped(escaped(text)) == text


def test_an_attribute_cannot_end_itself() -> None:
    assert opening("file", {"path": 'a"/>\n<file path="b&c'}) == (
        '<file path="a&quot;/&gt; &lt;file path=&quot;b&amp;c">'
    )


def test_control_characters_are_left_out() -> None:
    assert without_controls("a\x1b[31mb\r\nc\td") == "a[31mb\nc\td"
    assert without_controls("plain\n") == "plain\n"
