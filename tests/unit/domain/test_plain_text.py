"""What a terminal would obey, or a reader not see, is gone, wherever the pieces were cut."""

import re
import unicodedata
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.terminal import _HARMLESS, PlainStream, plain, stripped

PLAIN = {
    "text": ("hello\tworld\n", "hello\tworld\n"),
    "colour": ("\x1b[1;31mred\x1b[0m", "red"),
    "cursor": ("a\x1b[2J\x1b[Hb", "ab"),
    "private mode": ("\x1b[?25lx\x1b[?25h", "x"),
    "title": ("\x1b]0;evil title\x07text", "text"),
    "title, string terminator": ("\x1b]2;evil\x1b\\text", "text"),
    "link": ("\x1b]8;;https://evil\x1b\\click\x1b]8;;\x1b\\", "click"),
    "device control": ("\x1bPq#0;2;0\x1b\\text", "text"),
    "application command": ("\x1b_Gpayload\x1b\\text", "text"),
    "privacy message": ("\x1b^secret\x1b\\text", "text"),
    "character set": ("\x1b(Btext\x1b)0", "text"),
    "reset": ("\x1bctext", "text"),
    "save cursor": ("\x1b7text\x1b8", "text"),
    "one byte sequences": ("\x9b31mred\x9b0m \x9d0;t\x9ctext \x90q\x9c!", "red text !"),
    "unfinished sequence": ("text\x1b[31", "text"),
    "unfinished title ends with the line": ("a\x1b]0;never ends\nb", "a\nb"),
    "sequence broken by a line": ("a\x1b[12\nb", "a\nb"),
    "two escapes": ("\x1b\x1b[31mx", "x"),
    "controls": ("a\x00b\x07c\x08d\x0be\x0cf\x7fg\x85h", "abcdefgh"),
    "windows line": ("a\r\nb\r\n", "a\nb\n"),
    "progress bar": ("10%\r20%\r30%\n", "10%\n20%\n30%\n"),
    "return before sequence": ("a\r\x1b[Kb", "a\nb"),
    "bidi override": ("if \u202eevil\u202c:", "if <U+202E>evil<U+202C>:"),
    "isolates and marks": ("\u2066a\u2069\u200f", "<U+2066>a<U+2069><U+200F>"),
    "zero width": ("pass\u200bword\ufeff\u00ad\u2060", "password"),
    "tags": ("ok\U000e0041\U000e007f", "ok"),
    "line separators": ("a\u2028b\u2029c", "a\nb\nc"),
    "lone surrogate": ("a\ud800b\udfff", "a\ufffdb\ufffd"),
    "letters of the world": ("äöü 漢字 עברית 🙂\n", "äöü 漢字 עברית 🙂\n"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_text_is_made_plain(name: str) -> None:
    text, expected = PLAIN[name]

    assert plain(text) == expected
    assert plain(stripped(text)) == expected
    assert "\x1b" not in stripped(text)


def test_what_is_stripped_keeps_all_that_is_no_escape_sequence() -> None:
    coloured = "\x1b]8;;file:a\x07\x1b[1m\u200fa\x08\u200db\x1b[0m\x1b]8;;\x1b\\\r\n"
    assert stripped(coloured) == "\u200fa\x08\u200db\r\n"
    assert stripped("a\u200db") == "a\u200db"


HOSTILE = st.sampled_from("\x1b\x9b\x9d\x90\x9c\x07\r\n\t[]PX^_\\;?0m(B \u202e\u200b\ud800")
TEXTS = st.text(HOSTILE | st.characters(), max_size=60)


@given(text=TEXTS, cuts=st.sets(st.integers(min_value=0, max_value=60)))
def test_pieces_give_the_same_as_the_whole(text: str, cuts: set[int]) -> None:
    stream = PlainStream()
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]

    pieces = [stream.feed(text[at:to]) for at, to in pairwise(places)]

    assert "".join(pieces) + stream.close() == plain(text)


@given(text=TEXTS)
def test_nothing_harmful_is_left(text: str) -> None:
    made = plain(text)

    assert plain(made) == made
    controls = {letter for letter in made if unicodedata.category(letter) in {"Cc", "Cs"}}
    assert controls <= {"\n", "\t"}


def test_little_is_remembered_of_an_endless_sequence() -> None:
    stream = PlainStream()
    for _ in range(1000):
        assert stream.feed("\x1b[" + "1;" * 100) == ""
        assert stream.feed("1;" * 100) == ""

    assert len(stream._open) <= 2
    assert stream.feed("mtext") == "text"


@pytest.mark.parametrize("pattern", ["\x1b", "\x1b[1;", "\x1b]0;", "\r", "\x01", "\u202e", "\x9b"])
def test_hostile_text_costs_in_proportion_to_its_length(pattern: str) -> None:
    def cost(text: str) -> float:
        start = process_time()
        plain(text)
        return process_time() - start

    text = pattern * 50_000

    assert min(cost(text * 4) for _ in range(2)) < 12 * max(cost(text) for _ in range(3))


SIMPLE = re.compile(
    r"\x1b(?:\[[\x20-?]*[@-~]?|[\]PX^_]STRING|[\x20-/]*[0-~]?)"
    r"|\x9b[\x20-?]*[@-~]?|[\x90\x98\x9d-\x9f]STRING".replace(
        "STRING", r"[^\x00-\x08\x0a-\x1f\x7f-\x9f]*"
    )
)
SIGNS = ("\x1b", "\x9b", "\x9d", "\x90", "[", "31m", "]0;", "x" * 5000, "\r\n", "\r", "\n", "\t")
ODD = ("é", "\u200b", "\u202e", "\ufe0f", "\U000e0100", "\u2028", "\ud800", "\x00", "\x7f", "✓")
BITS = st.sampled_from([*SIGNS, *ODD])


@given(st.lists(BITS, max_size=20).map("".join))
def test_the_quick_way_says_what_the_simple_one_says(text: str) -> None:
    lines = SIMPLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    assert plain(text) == lines.translate(_HARMLESS)
