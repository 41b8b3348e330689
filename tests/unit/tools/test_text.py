"""One rule for what was probably meant."""

from pathlib import Path

import pytest

import supervisor_ai
from supervisor_ai.cli.main import supervisor
from supervisor_ai.tools.text import counted, escaped, excerpt, nearest, one_line

SOURCES = Path(supervisor_ai.__path__[0])


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("stauts", "status"),
        ("stat", "status"),
        ("event", "events"),
        ("rn", "run"),
        ("gaet", "gate"),
        ("workflows", "workflow"),
        ("log", "logs"),
        ("lad", "lab"),
        ("projects", None),
        ("settings", None),
        ("push", None),
        ("", None),
    ],
)
def test_a_verb_is_suggested_only_where_it_is_close(word: str, meant: str | None) -> None:
    assert nearest(word, supervisor.verbs) == meant


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("wbe", ["web"], "web"),
        ("npn", ["npm"], "npm"),
        ("max_steps", ["workflow_max_steps"], "workflow_max_steps"),
        ("projects", ["roles"], None),
        ("gone", ["go"], None),
        ("abc", [], None),
    ],
)
def test_short_words_and_parts_count_where_they_are_sure(
    word: str, known: list[str], meant: str | None
) -> None:
    assert nearest(word, known) == meant


def test_nobody_has_a_rule_of_their_own() -> None:
    users = [path for path in SOURCES.rglob("*.py") if "get_close_matches" in path.read_text()]
    assert [path.name for path in users] == ["text.py"]


def test_things_are_counted() -> None:
    assert [counted(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n b\t c", "a b c"),
        ("x" * 10, "x" * 10),
        ("x" * 11, "x" * 9 + "…"),
        (" " * 39 + "ab", "a…"),
    ],
)
def test_a_text_is_put_on_one_line(text: str, line: str) -> None:
    assert one_line(text, 10) == line


def test_what_somebody_wrote_is_quoted_in_part() -> None:
    assert excerpt("a\x1b") == "'a\\x1b'"
    assert excerpt("x" * 9, 3) == "'xxx…'"
    assert excerpt(10**9, 3) == "100"


def test_what_could_trick_an_eye_is_escaped() -> None:
    assert escaped("é\u202ea\u2028\x00\n") == "é\\u202ea\\u2028\\x00\\n"
