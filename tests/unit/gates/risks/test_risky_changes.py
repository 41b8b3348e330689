"""A change that people should look at twice is not simple, wherever it stands; others are."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits
from tests.unit.gates.risks.corpus import HARMLESS, RISKY, Pair

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import Complexity
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.complexity import examine_complexity
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.change.risks.table import parse_rules, risk_rules
from supervisor_ai.gates.change.risks.units import Unit, units_of


def examine(pair: Pair) -> Examination:
    path, before, after = pair
    old = {path: before} if before else {}
    case = ChangeCase(base=BASE, head=HEAD)
    return examine_complexity(case, MemoryCommits(base=old, head={path: after}))


@pytest.mark.parametrize("pair", RISKY.values(), ids=RISKY)
def test_a_risky_change_is_not_simple(pair: Pair) -> None:
    found = examine(pair)
    assert found.complexity is not Complexity.SIMPLE, found.summary


@pytest.mark.parametrize("pair", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_change_is_simple(pair: Pair) -> None:
    found = examine(pair)
    assert found.complexity is Complexity.SIMPLE, found.summary


def test_what_only_moves_to_another_file_is_no_risk() -> None:
    code = "def f(t):\n    return eval(t)\n"
    commits = MemoryCommits(base={"src/a.py": code}, head={"src/b.py": code})
    found = examine_complexity(ChangeCase(base=BASE, head=HEAD), commits)
    assert "risk" not in found.summary


def test_what_is_risky_goes() -> None:
    found = examine(("src/a.py", "eval(text)\nb = 1\n", "b = 1\n"))
    assert found.complexity is Complexity.SIMPLE


def test_code_that_cannot_be_read_is_never_taken_for_good() -> None:
    found = examine(("src/a.py", "", "a = 1\n" * 200_000))
    assert found.complexity is Complexity.COMPLEX
    assert "code that cannot be looked at (src/a.py)" in found.summary
    many = {f"src/a{number}.py": "b = 1" + " " * 1_000_000 for number in range(4)}
    commits = MemoryCommits(base={}, head=many)
    found = examine_complexity(ChangeCase(base=BASE, head=HEAD), commits)
    assert "code that cannot be looked at" in found.summary


def test_pictures_are_no_code() -> None:
    case = ChangeCase(base=BASE, head=HEAD)
    commits = MemoryCommits(base={}, head={"logo.png": b"\x89PNG\0eval(", "a.py": b"\0eval(x)"})
    assert examine_complexity(case, commits).complexity is Complexity.SIMPLE


HOSTILE = (
    "(" * 200_000,
    "/*" * 200_000,
    '"' * 300_001,
    "'''" * 100_001,
    '"""\\' * 80_000,
    "a = '" + "\\" * 300_000,
    ("x" * 1_990 + "\n") * 150,
    "update t set " * 30_000,
    "curl " * 60_000,
    "chmod " * 60_000,
    "if user.role == user.role == " * 20_000,
    "execute(" * 40_000,
    "<!--" * 80_000,
    "- *\n" * 100_000,
)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.yaml", "a.sql", "a.sh"])
def test_hostile_text_takes_no_time(path: str, number: int) -> None:
    begun = process_time()
    examine((path, "", HOSTILE[number]))
    assert process_time() - begun < 10


@given(text=st.text(alphabet="\"'`#/*-\\\nabc(){}[]:;=<>!", max_size=200))
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.go", "a.rs", "A.java", "a.sql", "a.tf"])
def test_every_line_stays_where_it_is(path: str, text: str) -> None:
    family = family_of(path)
    assert family is not None
    source = read_source(family, text)
    assert source.text.count("\n") == source.code.count("\n") == text.count("\n")


def test_an_item_has_its_key() -> None:
    source = read_source("yaml", "verbs:\n  - '*'\n")
    assert Unit("verbs: - '*'", "verbs: - ''") in units_of(source)


@pytest.mark.parametrize("path", ["Dockerfile.prod", "Containerfile", "Makefile", "x.dockerfile"])
def test_files_are_known_by_their_names_too(path: str) -> None:
    assert family_of(path) is not None


def test_every_kind_that_was_asked_for_is_in_the_table() -> None:
    kinds = {rule.kind for rule in risk_rules()}
    wanted = {
        *("evaluation of code", "commands for a shell", "TLS verification", "permissions"),
        *("access checks", "migrations", "destructive SQL"),
    }
    assert wanted <= kinds


@pytest.mark.parametrize("text", ["{}", "[1]", "[{in: a, pattern: b}]", "[{pattern: '('}]", "[{}]"])
def test_a_broken_table_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_rules(text)
