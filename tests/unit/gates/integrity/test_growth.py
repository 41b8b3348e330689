"""A file that is four times as long is about four times the work, whatever stands in it.

What is counted is calls, which do not depend on the machine. Files of some size show in `make test`
what grows with the square; in `make test-long` they are longer.
"""

from cProfile import Profile

import pytest
from tests.unit.gates.integrity.long_sources import ALL, SHAPES, source
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.examine import examine_tests, known_languages

CASE = ChangeCase(base=BASE, head=HEAD)
SMALL, FACTOR, MOST = 30, 4, 6.5
"""Work that grows with the square of the size is sixteen times as much."""
SIZES = [SMALL, pytest.param(2 * SMALL, marks=pytest.mark.long)]
UNNOTICED = 20_000
"""What is less than this may be anything: it takes a few milliseconds."""


def work(language: str, before: str, after: str) -> int:
    """Count the calls that it takes to compare a file with what it was."""
    path = ALL[language].path
    with Profile() as profile:
        examine_tests(CASE, two_commits({path: before}, {path: after}), known_languages())
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("language", ALL)
def test_the_work_grows_as_the_file_does(language: str, shape: str, size: int) -> None:
    small, large = grown(language, shape, size)
    assert large <= max(MOST * small, UNNOTICED), (small, large)


@pytest.mark.long
@pytest.mark.parametrize("language", ["javascript", "python"])
def test_thousands_of_names_that_stand_for_each_other(language: str) -> None:
    small, large = grown(language, "names that stand for each other", 10 * SMALL)
    assert large <= MOST * small


def grown(language: str, shape: str, size: int) -> tuple[int, int]:
    """Count the work for a file, and for one that is some times as long."""
    first = source(language, shape, 1)
    work(language, first, first + "\n")
    texts = (source(language, shape, each) for each in (size, FACTOR * size))
    small, large = (work(language, first, text) for text in texts)
    return small, large


def test_a_file_in_which_everything_differs_is_compared_in_bounds() -> None:
    work("python", "", "x = 1\n")
    counts = []
    for size in (200, 800):
        text = source("python", "many checks", size)
        counts.append(work("python", text, text.replace("1", "5").replace("3", "4")))
    assert counts[1] <= MOST * counts[0]
