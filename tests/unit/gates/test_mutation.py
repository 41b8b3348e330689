"""Faults stand in changed lines only, one at a time, and the rest stays as it is."""

import ast

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.engine.ports.gates import ChangeCase, Mutant
from supervisor_ai.gates.mutation import mutants

CASE = ChangeCase(base=BASE, head=HEAD)


def of(after: str | bytes, before: str | bytes = "", *, limit: int = 100) -> tuple[Mutant, ...]:
    commits = two_commits({"shop.py": before}, {"shop.py": after})
    return mutants(CASE, commits, limit=limit)


@pytest.mark.parametrize(
    ("source", "mutated"),
    [
        ("x = a == b", "x = a != b"),
        ("x = a < b", "x = a <= b"),
        ("x = (a) >= (b)", "x = (a) > (b)"),
        ("x = a not  in b", "x = a in b"),
        ("x = a is b", "x = a is not b"),
        ("x = a + b", "x = a - b"),
        ("x = a and b and c", "x = a or b and c"),
        ("x = not a", "x =  a"),
        ("x = not(a)", "x = (a)"),
        ("x = True", "x = False"),
        ("x = 41", "x = 42"),
        ("def f():\n    return a", "def f():\n    return None"),
        ("raise ValueError", "pass"),
        ("def f():\n    if a:\n        return", "def f():\n    if False:\n        return"),
        ("x = 'é' + a == b", "x = 'é' - a == b"),
        ("x = 'é' + a == b", "x = 'é' + a != b"),
        ("# é\r\nx = a + b\r\n", "# é\r\nx = a - b\r\n"),
    ],
)
def test_one_small_fault_is_put_in(source: str, mutated: str) -> None:
    assert mutated.encode() in [mutant.contents for mutant in of(source)]


def test_only_changed_lines_of_the_product_get_faults() -> None:
    before = "a = 1\nb = 2\nc = 3\n"
    after = "a = 1\nb = 20\nc = 3\nd = 4\n"
    assert [(each.file, each.line) for each in of(after, before)] == [
        ("shop.py", 2),
        ("shop.py", 4),
    ]
    commits = two_commits({}, {"tests/test_a.py": "a = 1\n", "notes.md": "a = 1\n"})
    assert mutants(CASE, commits, limit=5) == ()


def test_faults_are_spread_over_the_lines_and_are_the_same_every_time() -> None:
    source = "".join(f"x{number} = a + b == {number} and True\n" for number in range(100))
    found = of(source, limit=10)
    assert [each.line for each in found] == list(range(1, 101, 10))
    assert found == of(source, limit=10)
    assert len({each.contents for each in of("x = a + b == 7 and True\n", limit=3)}) == 3


def test_every_mutant_is_python_and_differs() -> None:
    with open(ast.__file__, "rb") as file:  # noqa: PTH123 - a large real module
        source = file.read()
    found = of(source, limit=12)
    assert len(found) == 12
    for each in found:
        ast.parse(each.contents)
        assert each.contents != source


@pytest.mark.parametrize("source", ["x = = 1", b"x = 1\0", b"\xff = 1", "(" * 5000, "-" * 50_000])
def test_what_is_no_python_has_no_mutants(source: str | bytes) -> None:
    commits = two_commits({}, {"shop.py": source})
    assert mutants(CASE, commits, limit=5) == ()


def test_nothing_is_asked_for() -> None:
    assert of("x = 1", limit=0) == ()
    assert of('if __name__ == "__main__":\n    main()\n') == ()
