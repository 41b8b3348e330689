"""Tests that are made to fail: an assertion of their own says the opposite."""

from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import ProbeKind
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.failing_compiled import failing_go, failing_rust
from supervisor_ai.gates.evidence.probes.failing_python import failing_python
from supervisor_ai.gates.evidence.probes.failing_script import failing_script
from supervisor_ai.gates.evidence.probes.kinds import PROBES
from supervisor_ai.gates.evidence.probes.opposites import Which

CASE = ChangeCase(base=BASE, head=HEAD)
PLAIN = "def total(items):\n    return sum(items)\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([40, 41]) == 81\n"

PYTHON = """\
def test_a():
    with x:
        assert f() == 1  # said
    assert g(), "why"


def test_left():
    if x:
        return
    f()


def test_line(): assert f()


def test_plain():
    f()


def test_short(): f()


def check():
    assert f()


class T(unittest.TestCase):
    async def test_b(self):
        def inner():
            assert h()
        self.assertIsNone(inner())
        self.assertListEqual(a, b)
        other.assertEqual(a, b)
        self.check(a)
"""
SCRIPT = """\
describe('a', () => {
  it('one', () => { assert.equal(f(), 1); assert(g(), 2); });
  test('two', async (t) => { expect(f()).toEqual(1); expect(g()).not.toBe(2); });
  it('three', function () { f(); });
  it('four', (done) => { f(done); });
  it('five', () => { if (x) return; f(); });
  it('six', () => t.is(f(), 1));
  it('seven', () => { t.test('inner', (t) => { t.ok(f()); }); });
  it('eight', () => { other.equal(1, 2); expect; assert(); expect(1)(2); });
  it('nine', declared);
});
"""
GO = """\
package a

func TestOne(t *testing.T) {
	if err != nil {
		t.Fatal(err)
	}
	if got := f(); got != 1 {
		t.Errorf("no")
	}
	if x {
		f()
	}
	assert.Equal(t, f(), 1)
	other.Equal(t, f(), 1)
}

func TestTwo(t *testing.T) {
	f()
}

func Testing(t *testing.T) { f() }

func TestUnnamed(*testing.T) { f() }

func TestElsewhere(t *testing.T)
"""
RUST = """\
fn plain() { assert!(x); }

// told
#[test]
fn one() { assert!(f(1, 2) == 3, "why"); assert_eq!(g(), 1); }

mod tests {
    #[test]
    fn two() -> Result<(), ()> { f(); Ok(()) }

    #[test]
    fn three() { assert!(); debug_assert!(x); assert_ne!(a, b); }
}
"""


def added(before: str, after: str) -> list[str]:
    old = before.splitlines()
    return [line.strip() for line in after.splitlines() if line not in old]


@pytest.mark.parametrize(
    ("which", "lines"),
    [
        (
            Which.FIRST,
            [
                "assert not (f() == 1)  # said",
                "def test_line(): assert not (f())",
                "assert 14 == 15",
                "self.assertIsNotNone(inner())",
            ],
        ),
        (
            Which.LAST,
            [
                'assert not (g()), "why"',
                "def test_line(): assert not (f())",
                "assert 14 == 15",
                "self.assertNotEqual(a, b)",
            ],
        ),
    ],
)
def test_python_tests_say_the_opposite(which: Which, lines: list[str]) -> None:
    made = failing_python("test_a.py", PYTHON.encode(), which).decode()
    compile(made, "test_a.py", "exec")
    assert added(PYTHON, made) == lines


@pytest.mark.parametrize(
    ("which", "lines"),
    [
        (
            Which.FIRST,
            [
                "it('one', () => { assert.notEqual(f(), 1); assert(g(), 2); });",
                "test('two', async (t) => { expect(f()).not.toEqual(1);"
                " expect(g()).not.toBe(2); });",
                "it('three', function () { f();",
                ';throw new Error("19 is not 20");',
                "it('six', () => t.not(f(), 1));",
                "it('seven', () => { t.test('inner', (t) => { t.ok(!(f())); }); });",
                "it('eight', () => { other.equal(1, 2); expect; assert(); expect(1)(2);",
                ';throw new Error("65 is not 66");',
            ],
        ),
        (
            Which.LAST,
            [
                "it('one', () => { assert.equal(f(), 1); assert(!(g()), 2); });",
                "test('two', async (t) => { expect(f()).toEqual(1); expect(g()).toBe(2); });",
                "it('three', function () { f();",
                ';throw new Error("19 is not 20");',
                "it('six', () => t.not(f(), 1));",
                "it('seven', () => { t.test('inner', (t) => { t.ok(!(f())); }); });",
                "it('eight', () => { other.equal(1, 2); expect; assert(); expect(1)(2);",
                ';throw new Error("65 is not 66");',
            ],
        ),
    ],
)
def test_script_tests_say_the_opposite(which: Which, lines: list[str]) -> None:
    made = failing_script("a.test.js", SCRIPT.encode(), which).decode()
    assert [line for line in added(SCRIPT, made) if line != "});"] == lines


@pytest.mark.parametrize(
    ("which", "line"),
    [
        (Which.FIRST, "if got := f(); !(got != 1) {"),
        (Which.LAST, "assert.NotEqual(t, f(), 1)"),
    ],
)
def test_go_tests_say_the_opposite(which: Which, line: str) -> None:
    made = failing_go("a_test.go", GO.encode(), which).decode()
    assert added(GO, made) == [line, 't.Errorf("%d is not %d", 19, 20)']


@pytest.mark.parametrize(
    ("which", "lines"),
    [
        (
            Which.FIRST,
            [
                'fn one() { assert!(!(f(1, 2) == 3), "why"); assert_eq!(g(), 1); }',
                "fn two() -> Result<(), ()> { assert_eq!(26, 27); f(); Ok(()) }",
                "fn three() { assert!(); debug_assert!(!(x)); assert_ne!(a, b); }",
            ],
        ),
        (
            Which.LAST,
            [
                'fn one() { assert!(f(1, 2) == 3, "why"); assert_ne!(g(), 1); }',
                "fn two() -> Result<(), ()> { assert_eq!(26, 27); f(); Ok(()) }",
                "fn three() { assert!(); debug_assert!(x); assert_eq!(a, b); }",
            ],
        ),
    ],
)
def test_rust_tests_say_the_opposite(which: Which, lines: list[str]) -> None:
    assert added(RUST, failing_rust("a.rs", RUST.encode(), which).decode()) == lines


def probed(before: Mapping[str, str], after: Mapping[str, str]) -> ProbesFound:
    commits = two_commits(before, {**before, **after})
    return PROBES[ProbeKind.FAILURES](CASE, HarnessRules(), commits)


@pytest.mark.parametrize(
    ("after", "is_asked"),
    [
        (PLAIN + "import sys\n", True),
        (PLAIN + "found = getattr(x, y)\n", True),
        (PLAIN + "import code\n", True),
        (PLAIN + "found = x.__globals__\n", True),
        (PLAIN + "found = string.Formatter().get_field(name, [re], {})\n", True),
        (PLAIN.replace("sum(items)", "sum(items) + 0"), False),
        (PLAIN + "super().__init__()\n", False),
        (PLAIN + "# sys.modules\n", False),
    ],
)
def test_who_could_reach_into_its_runner_is_asked(after: str, *, is_asked: bool) -> None:
    found = probed({"shop.py": PLAIN, "test_shop.py": TEST}, {"shop.py": after})
    assert bool(found.probes) == is_asked


def test_a_test_is_asked_twice_where_it_asserts_more_than_once() -> None:
    tests = {"test_shop.py": TEST + "    assert total([]) == 0\n"}
    found = probed({"shop.py": PLAIN, **tests}, {"shop.py": PLAIN + "import sys\n"})
    assert [list(it.variants[0]) for it in found.probes] == [["test_shop.py"]] * 2


def test_a_file_of_rust_stays_the_one_of_the_change_where_the_change_is_judged() -> None:
    tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(f(), 1); }\n}\n"
    old, new = "pub fn f() -> i32 { 1 }\n" + tests, "pub fn f() -> i32 { exit(0) }\n" + tests
    (probe,) = probed({"src/lib.rs": old, "src/b.rs": "fn b() {}\n"}, {"src/lib.rs": new}).probes
    denied = tests.replace("assert_eq", "assert_ne")
    assert probe.variants == ({"src/lib.rs": old.replace(tests, denied).encode()},)
    assert probe.on_head == {"src/lib.rs": new.replace(tests, denied).encode()}


def test_what_cannot_be_read_is_left_alone() -> None:
    broken = {"shop.py": PLAIN, "test_shop.py": "def test_(:\n"}
    assert probed(broken, {"shop.py": PLAIN + "import sys\n"}).probes == ()
