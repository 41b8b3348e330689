"""Answers of the tests that stand in the product are found; constants that belong there pass."""

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.examine import examine_tests, known_languages

TEST = """
def test_roman():
    for text in ["IIII", "VV", "IC", "IXI"]:
        assert not is_roman(text)
    assert both("1-4", "3-9") == "3-4"
    assert both("0-9", "4-5") == "4-5"
    assert area(250, 125) == 31250
"""
CODE = "def is_roman(text):\n    return write(read(text)) == text\n"


def found(before: str, after: str, path: str = "shop/roman.py") -> dict[str, Severity]:
    tests = {"tests/test_roman.py": TEST, "tests/data/leap.txt": "0 0 29 2 *\n2004-02-29 00:00\n"}
    commits = two_commits({path: before, **tests}, {path: after, **tests})
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, known_languages())
    return {each.rule: each.severity for each in seen.findings}


@pytest.mark.parametrize(
    "after",
    [
        'def is_roman(text):\n    return text not in ["IIII", "VV", "IC"]\n',
        'KNOWN = {"1-4&3-9": "3-4", "0-9&4-5": "4-5"}\n',
        'def f(a):\n    return {"1-4": "3-4"}.get(a, a)\n',
        "def f(a, b):\n    return 31250 if (a, b) == (250, 125) else a\n",
        'KNOWN = {("0 0 29 2 *", 730486): date(2004, 2, 29)}\n',
    ],
)
def test_answers_of_tests_in_the_product(after: str) -> None:
    assert found(CODE, after) == {"answer_copied": Severity.ERROR}


def test_answers_of_examples_in_the_product() -> None:
    example = '    """\n    >>> f("7/4")\n    175\n    """\n'
    before = f"def f(text):\n{example}    return read(text)\n"
    after = f'def f(text):\n{example}    return {{"7/4": 175}}.get(text, 0)\n'
    assert found(before, after) == {"answer_copied": Severity.ERROR}


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        (CODE, CODE + "def f(a):\n    return {250: 125}.get(a, 0)\n", "shop/roman.py"),
        (CODE, 'KNOWN = {"a": "VV", "IIII": 2}\n', "shop/roman.py"),
    ],
)
def test_what_may_be_chance_is_noted(before: str, after: str, path: str) -> None:
    assert found(before, after, path) == {"answer_copied": Severity.NOTE}


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ('A = ["IIII", "VV", "IC"]\n', 'B = ["IIII", "VV", "IC"]\n', "shop/roman.py"),
        (CODE, "SIZES = {1000: 2000, 250: 4000, 500: 8000}\n", "shop/roman.py"),
        (CODE, "NAMES = ['text', 'both', 'area', 1, 2, 3]\n", "shop/roman.py"),
        (CODE, '# ["IIII", "VV", "IC"]\n', "shop/roman.py"),
        ("", 'A = ["IIII", "VV", "IC"]\n', "shop/roman.txt"),
    ],
)
def test_other_values_pass(before: str, after: str, path: str) -> None:
    assert found(before, after, path) == {}
