"""Test files as machines write them, in every language: long, deep, and of any size."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple


class Language(NamedTuple):
    """How a language writes a test, and what stands in one."""

    path: str
    opening: str
    closing: str
    setting: str
    """How a name is set to a value."""
    check: str
    """How a value is compared."""
    list: str
    call: str
    comment: str
    condition: str
    nested: str
    test: str
    """One more test, at the top of the file."""
    helper: str
    """A function that checks something and calls the one before it."""
    constant: str


_SCRIPT: Final = Language(
    path="a.test.js",
    opening="it('adds', () => {\n",
    closing="\n})\n",
    setting="const {0} = {1};",
    check="expect({0}).toBe({1});",
    list="[{0}]",
    call="{0};",
    comment="// {0}",
    condition="if (v{0}) {{ return }}",
    nested="if (v) {{ {0} }}",
    test="it('t{0}', () => {{ expect(f(c{0})).toBe({0}) }})",
    helper="function h{0}(x) {{ expect(x).toBe({0}); h{1}(x) }}",
    constant="const c{0} = c{1} + {0};",
)
ALL: Final[Mapping[str, Language]] = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT._replace(path="a.test.ts"),
    "python": Language(
        path="test_a.py",
        opening="def test_a():\n",
        closing="\n",
        setting="    {0} = {1}",
        check="    assert {0} == {1}",
        list="[{0}]",
        call="    {0}",
        comment="    # {0}",
        condition="    if v{0}:\n        return",
        nested="    g(lambda: 1)",
        test="class TestT{0}(TestT{1}):\n    def test_t(self):\n        assert f(c{0}) == {0}\n",
        helper="def h{0}(x):\n    assert x == {0}\n    h{1}(x)\n",
        constant="c{0} = c{1} + {0}",
    ),
    "go": Language(
        path="a_test.go",
        opening="package a\nfunc TestA(t *testing.T) {\n",
        closing="\n}\n",
        setting="{0} := {1}",
        check='if {0} != {1} {{ t.Fatal("no") }}',
        list="[]int{{{0}}}",
        call="{0}",
        comment="// {0}",
        condition="if v{0} {{ return }}",
        nested="if v {{ {0} }}",
        test="func TestT{0}(t *testing.T) {{ if F(c{0}) != {0} {{ t.Fatal(1) }} }}",
        helper="func h{0}(t *testing.T, x int) {{ if x != {0} {{ t.Fatal(1) }}; h{1}(t, x) }}",
        constant="var c{0} = c{1} + {0}",
    ),
    "rust": Language(
        path="tests/a.rs",
        opening="#[test]\nfn adds() {\n",
        closing="\n}\n",
        setting="let {0} = {1};",
        check="assert_eq!({0}, {1});",
        list="[{0}]",
        call="{0};",
        comment="// {0}",
        condition="if v{0} {{ return; }}",
        nested="if v {{ {0} }}",
        test="#[test]\nfn t{0}() {{ assert_eq!(f(c{0}), {0}); }}",
        helper="fn h{0}(x: i32) {{ assert_eq!(x, {0}); h{1}(x) }}",
        constant="const c{0}: i32 = c{1} + {0};",
    ),
    "java": Language(
        path="src/test/java/ATest.java",
        opening="class ATest {\n@Test void adds() {\n",
        closing="\n}\n}\n",
        setting="int {0} = {1};",
        check="assertEquals({1}, {0});",
        list="new int[]{{{0}}}",
        call="{0};",
        comment="// {0}",
        condition="if (v{0}) {{ return; }}",
        nested="if (v) {{ {0} }}",
        test="class T{0}Test {{ @Test void t{0}() {{ assertEquals({0}, f(A.c{0})); }} }}",
        helper="class H{0} {{ void h{0}(int x) {{ assertEquals({0}, x); h{1}(x); }} }}",
        constant="class C{0} {{ static int c{0} = C{1}.c{1} + {0}; }}",
    ),
}


def _chained(it: Language, size: int) -> str:
    lines = [it.setting.format("a0", "f(1)")]
    for at in range(1, size):
        lines.append(it.setting.format(f"a{at}", f"a{at - 1} + 1"))
        lines.append(it.check.format(f"a{at}", at))
    return "\n".join(lines)


def _doubled(it: Language, size: int) -> str:
    lines = [it.setting.format(f"a{at}", f"g(a{at - 1}, a{at - 1})") for at in range(1, size)]
    return "\n".join([*lines, it.check.format(f"a{size - 1}", 3)])


def _asked_table(it: Language, size: int) -> str:
    rows = it.list.format(", ".join(map(str, range(size))))
    checks = (it.check.format(f"f(xs, {at})", at) for at in range(size))
    return "\n".join([it.setting.format("xs", rows), *checks])


def _wanted_table(it: Language, size: int) -> str:
    rows = it.list.format(", ".join(f"v{at}" for at in range(size)))
    checks = (it.check.format(f"f({at})", "xs") for at in range(size))
    return "\n".join([it.setting.format("xs", rows), *checks])


def _nested(it: Language, size: int) -> str:
    text = it.call.format("g()").strip()
    for _ in range(size):
        text = it.nested.format(text)
    return text


def _lines(make: Callable[[Language, int], str]) -> Callable[[Language, int], str]:
    return lambda it, size: "\n".join(make(it, at) for at in range(size))


BODIES: Final[Mapping[str, Callable[[Language, int], str]]] = {
    "names that stand for each other": _chained,
    "names that double": _doubled,
    "a table that every check asks": _asked_table,
    "a table that every check wants": _wanted_table,
    "a chain of members": lambda it, size: it.check.format("x" + ".a" * size, 3),
    "a chain of calls": lambda it, size: it.check.format("x" + ".a(1)" * size, 3),
    "a long sum": lambda it, size: it.check.format(" + ".join(["v"] * size), 3),
    "brackets": lambda it, size: it.check.format("(" * size + "1" + ")" * size, 3),
    "calls in calls": lambda it, size: it.check.format("g(" * size + "1" + ")" * size, 3),
    "indexes": lambda it, size: it.check.format("x" + "[0]" * size, 3),
    "conditions in each other": _nested,
    "many checks": _lines(lambda it, at: it.check.format(f"f({at})", at)),
    "one check again and again": _lines(lambda it, _: it.check.format("f(1)", 1)),
    "many calls": _lines(lambda it, at: it.call.format(f"g({at})")),
    "many ways out": _lines(lambda it, at: it.condition.format(at)),
    "a long comment": lambda it, size: it.comment.format("word " * size),
    "many comments": _lines(lambda it, at: it.comment.format(f"f({at}) is {at}")),
    "a long text": lambda it, size: it.setting.format("s", '"' + "f(1) == " * size + '"'),
}
FILES: Final[Mapping[str, Callable[[Language, int], str]]] = {
    "many tests": _lines(lambda it, at: it.test.format(at, at - 1)),
    "many helpers": _lines(lambda it, at: it.helper.format(at, at - 1)),
    "many constants": _lines(lambda it, at: it.constant.format(at, at - 1)),
    "tests and constants": _lines(
        lambda it, at: f"{it.constant.format(at, at - 1)}\n{it.test.format(at, at - 1)}"
    ),
}


def _suite(language: str, size: int) -> str:
    if language == "python":
        tests = "".join(
            f"    def test_{at}(self):\n        assert f({at}) == 1\n" for at in range(size)
        )
        return f"class TestAll:\n{tests}"
    tests = "\n".join(ALL[language].test.format(at, at - 1) for at in range(size))
    around = {"rust": ("mod all {", "}"), "java": ("class All {", "}"), "go": ("", "")}
    opening, closing = around.get(language, ("describe('all', () => {", "})"))
    return f"{opening}\n{tests}\n{closing}\n"


def source(language: str, shape: str, size: int) -> str:
    """Write a file of tests in a shape and of a size."""
    it = ALL[language]
    check = it.check.format("f(1)", 3)
    if shape in BODIES:
        return f"{it.opening}{BODIES[shape](it, size)}\n{check}{it.closing}"
    more = _suite(language, size) if shape == SUITE else FILES[shape](it, size)
    return f"{it.opening}{check}{it.closing}\n{more}\n"


SUITE: Final = "many tests in one suite"
SHAPES: Final = (*BODIES, *FILES, SUITE)
