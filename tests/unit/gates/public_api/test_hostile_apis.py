"""Files that were made to be too much end in bounded time, and are unread where they were."""

import json
from collections.abc import Callable
from time import thread_time

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits
from tests.unit.gates.public_api.seen_breaks import Files, seen

from supervisor_ai.engine.ports.gates import FactsCase
from supervisor_ai.gates.public_api.api_breaks import find_breaks
from supervisor_ai.gates.public_api.commit_side import CommitSide, ReadBudget, ReadTooMuchError
from supervisor_ai.gates.public_api.type_trees import FUNCTION, TypeTree, opaque, takes, union

SECONDS = 12.0
"""Far more than any of these takes, and far less than one without a bound would."""


def nested(opening: str, inner: str, closing: str, depth: int = 3_000) -> str:
    return opening * depth + inner + closing * depth


def star_cycle(count: int = 40) -> dict[str, str]:
    lines = "".join(f"export * from './m{it}';\n" for it in range(count))
    files = {f"m{it}.ts": f"{lines}export const c{it}: 1;\n" for it in range(count)}
    return {**files, "index.ts": lines, "package.json": json.dumps({"main": "index.ts"})}


def diamonds(count: int = 60) -> str:
    made = "class A0: ...\nclass B0: ...\n"
    for at in range(1, count):
        made += f"class A{at}(A{at - 1}, B{at - 1}):\n    def f{at}(self): ...\n"
        made += f"class B{at}(A{at - 1}, B{at - 1}):\n    def g{at}(self): ...\n"
    return made


def globs(count: int = 30) -> str:
    uses = "".join(f"pub use crate::m{it}::*;\n" for it in range(count))
    return uses + "".join(
        f"pub mod m{it} {{ {uses} pub fn f{it}() {{}} }}\n" for it in range(count)
    )


def embedded(count: int = 40) -> str:
    fields = "; ".join(f"T{it}" for it in range(count))
    return "package p\n" + "".join(f"type T{it} struct {{ {fields} }}\n" for it in range(count))


CARGO = {"Cargo.toml": "[package]\n"}
PACKAGE = {"p/__init__.py": "", "setup.py": ""}
HOSTILE: dict[str, tuple[Files, Files]] = {
    "deep brackets": (PACKAGE, {**PACKAGE, "p/a.py": "x: " + nested("list[", "int", "]") + "\n"}),
    "deep unions": (
        {**PACKAGE, "p/a.py": "def f(a: int): ...\n"},
        {**PACKAGE, "p/a.py": f"def f(a: {' | '.join(f'T{it}' for it in range(20_000))}): ...\n"},
    ),
    "many functions": (
        {**PACKAGE, "p/a.py": "".join(f"def f{it}(a, b=1): ...\n" for it in range(3_000))},
        {**PACKAGE, "p/a.py": "".join(f"def f{it}(a): ...\n" for it in range(3_000))},
    ),
    "stars in a circle": (star_cycle(), {**star_cycle(), "m1.ts": "export const z: 1;\n"}),
    "diamonds": (
        {**PACKAGE, "p/a.py": diamonds()},
        {**PACKAGE, "p/a.py": diamonds().replace("def f1(self)", "def h1(self)")},
    ),
    "a class of itself": (
        {**PACKAGE, "p/a.py": "class A(B): ...\nclass B(A): ...\n"},
        {**PACKAGE, "p/a.py": "class A(B):\n    x = 1\nclass B(A): ...\n"},
    ),
    "an alias of itself": (
        {**PACKAGE, "p/a.py": "a = b\nb = a\nfrom .c import d\n", "p/c.py": "from .a import d\n"},
        {**PACKAGE, "p/a.py": "a = b\nb = a\n", "p/c.py": "from .a import d\n"},
    ),
    "globs in a circle": (
        {**CARGO, "src/lib.rs": globs()},
        {**CARGO, "src/lib.rs": globs().replace("pub fn f1()", "fn f1()")},
    ),
    "embedded in each other": ({"p/a.go": embedded()}, {"p/a.go": embedded(39)}),
    "deep types": (
        {"index.d.ts": "export type A = " + nested("Array<", "string", ">") + ";\n"},
        {"index.d.ts": "export type A = " + nested("Array<", "number", ">") + ";\n"},
    ),
    "deep namespaces": (
        {"index.d.ts": nested("declare namespace a {", "", "}", 250) + "export = a;\n"},
        {"index.d.ts": nested("declare namespace a {", "const b: 1;", "}", 250) + "export = a;\n"},
    ),
    "a mistake without end": (
        {"index.d.ts": "export const a: 1;\n"},
        {"index.d.ts": "export const " + "<{(" * 60_000},
    ),
    "blank lines": (
        {"openapi.yaml": "\n" * 900_000 + "openapi: 3.0.0\npaths: {}\n"},
        {"openapi.yaml": " \n" * 400_000},
    ),
    "classes in classes": (
        {"A.java": nested("public class A {", "", "}", 300)},
        {"A.java": nested("public class A {", "public int x;", "}", 300)},
    ),
    "odd bytes": ({**PACKAGE, "p/a.py": b"\xff\xfe\0def f(): ...\n"}, PACKAGE),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_ends(name: str) -> None:
    before, after = HOSTILE[name]
    start = thread_time()
    found = seen(before, after)
    assert thread_time() - start < SECONDS
    assert len(found.breaks) <= 200
    seen(after, before)
    assert thread_time() - start < 2 * SECONDS


def test_a_break_is_found_among_much() -> None:
    before, after = HOSTILE["diamonds"]
    assert any(it.symbol.endswith(".f1") for it in seen(before, after).breaks)
    before, after = HOSTILE["stars in a circle"]
    assert "c1" in {it.symbol for it in seen(before, after).breaks}


@pytest.mark.parametrize("budget", [lambda: ReadBudget(size=10), lambda: ReadBudget(seconds=-1.0)])
def test_nothing_is_read_beyond_the_budget(budget: Callable[[], ReadBudget]) -> None:
    side = CommitSide(two_commits({"a.py": "x = 1\n" * 10}, {}), BASE, budget())
    with pytest.raises(ReadTooMuchError):
        side.text("a.py")


def test_what_there_is_no_time_for_is_unread() -> None:
    large = {f"p/m{it}.py": "x = 1\n" * 150_000 for it in range(30)}
    commits = two_commits({**PACKAGE, **large}, PACKAGE)
    found = find_breaks(FactsCase(base=BASE, head=HEAD), commits, commits.changes(BASE, HEAD))
    assert found.breaks == ()
    assert {reason for _, reason in found.unread} == {
        "there is more of it than anybody has time for"
    }


def test_a_file_that_is_too_large_is_unread() -> None:
    found = seen({**PACKAGE, "p/a.py": "x = 1\n" * 200_000}, PACKAGE)
    assert found.unread == (("p/a.py", "it is too large to be looked at"),)


INT, STRING = TypeTree("int"), TypeTree("str")


@pytest.mark.parametrize(
    ("wide", "narrow", "is_taken"),
    [
        (union([INT, STRING]), INT, True),
        (INT, union([INT, STRING]), False),
        (union([STRING, INT]), union([INT, STRING]), True),
        (TypeTree("Any"), INT, True),
        (INT, TypeTree("Any"), False),
        (TypeTree("list", (INT,)), TypeTree("list", (STRING,)), False),
        (TypeTree("list"), TypeTree("list", (STRING,)), True),
        (TypeTree("Iterable", (INT,)), TypeTree("list", (INT,)), True),
        (TypeTree("Iterable", (INT,)), TypeTree("list", (STRING,)), False),
        (TypeTree(FUNCTION, (INT, INT)), TypeTree(FUNCTION, (INT,)), True),
        (TypeTree(FUNCTION, (INT,)), TypeTree(FUNCTION, (INT, INT)), False),
        (TypeTree(FUNCTION, (INT, TypeTree("void"))), TypeTree(FUNCTION, (INT, STRING)), True),
        (opaque("a  b"), opaque("a b"), True),
        (INT, TypeTree("never"), True),
    ],
)
def test_types_take_what_is_surely_theirs(
    wide: TypeTree, narrow: TypeTree, *, is_taken: bool
) -> None:
    assert takes(wide, narrow) is is_taken
