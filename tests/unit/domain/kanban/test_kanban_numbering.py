"""Files are numbered in one sequence and named with a few plain words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.drivers.kanban.board.numbers import (
    UNTITLED,
    next_number,
    number_of,
    task_path,
    title_of,
)

NUMBERS = {
    "a task": ("tasks/12-slug.md", 12),
    "no folder": ("7-x.md", 7),
    "leading zeros": ("tasks/007-x.md", 7),
    "only the name counts": ("9-tasks/notes.md", None),
    "no number": ("tasks/notes.md", None),
    "a number inside": ("tasks/v2-3.md", None),
    "too many digits": ("tasks/1234567890-x.md", None),
    "digits of another script": ("tasks/٣-x.md", None),
}


@pytest.mark.parametrize(("path", "number"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_is_what_a_name_begins_with(path: str, number: int | None) -> None:
    assert number_of(path) == number


@pytest.mark.parametrize(
    ("paths", "number"),
    [([], 0), (["readme.md"], 0), (["t/0-kanban-x.md"], 1), (["t/3-a.md", "t/11-b", "t/x.md"], 12)],
)
def test_the_next_number_is_one_more_than_the_highest(paths: list[str], number: int) -> None:
    assert next_number(paths) == number


TITLES = {
    "one line": ("Sell more shoes", "Sell more shoes"),
    "the first line that says something": ("\n  \n Sell  shoes \nand hats", "Sell shoes"),
    "nothing": (" \n", UNTITLED),
    "cut between words": ("word " * 30, "word " * 13 + "word…"),
    "cut inside a word": ("x" * 100, "x" * 71 + "…"),
    "no terminal sequences": ("\x1b[31mred\x1b[0m", "red"),
}


@pytest.mark.parametrize(("text", "title"), TITLES.values(), ids=TITLES)
def test_a_title_is_the_shortened_first_line(text: str, title: str) -> None:
    assert title_of(text) == title


SLUGS = {
    "words": ("Sell more shoes!", "sell-more-shoes"),
    "accents": ("Größe ändern", "groe-andern"),
    "another script": ("日本語", "task"),
    "long": ("alpha " * 20, "alpha-alpha-alpha-alpha-alpha-alpha"),
    "no way out": ("../../etc/passwd", "etc-passwd"),
}


@pytest.mark.parametrize(("text", "slug"), SLUGS.values(), ids=SLUGS)
def test_a_file_name_is_short_and_ascii(text: str, slug: str) -> None:
    assert task_path("tasks/0-kanban-x.md", 4, text) == f"tasks/4-{slug}.md"


@given(text=st.text())
def test_any_text_makes_a_title_and_a_name(text: str) -> None:
    title, path = title_of(text), task_path("tasks/0-kanban-x.md", 4, text)
    assert 0 < len(title) <= 72
    assert len(title.splitlines()) == 1
    assert path.startswith("tasks/4-")
    assert path.removeprefix("tasks/").replace("-", "").replace(".md", "").isalnum()
    assert path.isascii()
    assert number_of(path) == 4
