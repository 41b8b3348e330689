"""Supervisor works on projects that other people made, and its green means something there."""

from collections import Counter
from pathlib import Path

import pytest
from tests.projects.outcomes import FEWEST, Outcome, faults, recorded
from tests.projects.page import PAGE, page
from tests.projects.table import load
from tests.projects.workshop import tried

LANGUAGES = {"python", "javascript", "typescript", "go", "rust"}


def test_the_table_has_every_kind_of_project() -> None:
    projects = load()
    assert len({project.name for project in projects}) == len(projects) >= FEWEST
    assert {project.language for project in projects} == LANGUAGES
    assert {project.layout for project in projects} == {"flat", "src", "monorepo"}
    assert Counter(bool(project.lock) for project in projects)[True] >= 5
    assert all(len(project.sha256) == 64 for project in projects)


def test_the_page_shows_what_was_recorded_of_each_project() -> None:
    table, outcomes = load(), recorded()
    assert [(it.name, it.version) for it in outcomes] == [(it.name, it.version) for it in table]
    assert PAGE.read_text(encoding="utf-8") == page(table, outcomes)
    assert list(faults(outcomes)) == []


def good(number: int) -> Outcome:
    return Outcome(name=f"p{number}", version="1", gates={"test": 1}, is_green=True, is_red=True)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ([], []),
        ([Outcome(name="a", version="1", works_plainly=False)], []),
        ([Outcome(name=f"a{it}", version="1") for it in range(3)], []),
        ([Outcome(name=f"a{it}", version="1") for it in range(4)], ["4 of 34 are not green"]),
        ([Outcome(name="a", version="1", is_green=True)], ["green though a line is broken: a"]),
    ],
)
def test_what_has_to_hold_is_held_against_the_outcomes(
    others: list[Outcome], told: list[str]
) -> None:
    found = list(faults([*map(good, range(30)), *others]))
    assert [it[: len(words)] for it, words in zip(found, told, strict=True)] == told


def test_few_projects_prove_nothing() -> None:
    assert list(faults([*map(good, range(29))])) == [
        "only 29 projects work here by their own instructions"
    ]


@pytest.mark.long
@pytest.mark.timeout(5400)
def test_nine_in_ten_are_green_and_every_broken_one_is_red(tmp_path: Path) -> None:
    assert list(faults(list(tried(load(), tmp_path)))) == []
