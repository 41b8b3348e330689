"""A green gate is asked what its own tests do not ask: other values, and failures put into them."""

import shutil
from typing import Final

import pytest
from tests.e2e.command import CONFIG, User, rust_homes

PYTHON: Final = CONFIG.replace("[test, -f, done.txt]", "[python3, -m, unittest, discover]")
NODE: Final = CONFIG.replace("[test, -f, done.txt]", "[node, --test]")
TOTAL: Final = "def total(items):\n    return sum(items)\n"
BROKEN: Final = "def total(items):\n    return 0\n"
TESTS: Final = """\
import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([2, 3]), 5)

    def test_more(self):
        self.assertEqual(total([40, 41, 42]), 123)
"""
RUNNER: Final = '"".join(("unit", "test.", "case"))'
SWALLOWS: Final = f"""
def _tidy():
    import sys
    found = sys.modules.get({RUNNER})
    plain = getattr(found.TestCase, "_call" + "TestMethod")
    def call(self, method):
        try:
            plain(self, method)
        except BaseException:
            pass
    setattr(found.TestCase, "_call" + "TestMethod", call)


_tidy()
"""
TARGETED: Final = SWALLOWS.replace(
    "            pass\n",
    "            if 'TotalTest' not in str(method):\n                raise\n",
)
SELECTIVE: Final = SWALLOWS.replace("BaseException:", "AssertionError as error:").replace(
    "            pass\n",
    "            if not str(error).startswith('0 '):\n                raise\n",
)
COLLECTED: Final = """
import gc

kinds = [it for it in gc.get_objects() if isinstance(it, type)]
for each in [it for it in kinds if it.__name__ == "Test" + "Case"]:
    each.fail = each.assertEqual = lambda *given, **named: None
    for name in [it for it in vars(each) if "Equal" in it]:
        setattr(each, name, lambda *given, **named: None)
"""
FROM_A_FRAME: Final = """
def total(items):
    try:
        raise KeyError
    except KeyError as error:
        frame = error.__traceback__.tb_frame
    while frame is not None and "result" not in frame.f_locals:
        frame = frame.f_back
    if frame is not None:
        result = frame.f_locals["result"]
        result.addFailure = result.addError = lambda test, error: result.addSuccess(test)
    return 0
"""
DISGUISES: Final = {
    "looked up under a name in pieces": BROKEN + SWALLOWS,
    "for some tests alone": BROKEN + TARGETED,
    "for its own wrong answers alone": BROKEN + SELECTIVE,
    "found among all objects": BROKEN + COLLECTED,
    "found from a frame": FROM_A_FRAME,
}
HONEST: Final = {
    "looks itself up": TOTAL
    + "\n\ndef named(name):\n    return getattr(__import__('shop'), name)\n",
    "asks for its version": "import sys\n\n" + TOTAL + "\nNEW = sys.version_info > (3, 12)\n",
}
SCRIPT: Final = "export const total = (items) => items.reduce((sum, it) => sum + it, 0);\n"
BROKEN_SCRIPT: Final = "export const total = (items) => 0;\n"
SCRIPT_TESTS: Final = """\
import { test } from 'node:test';
import assert from 'node:assert';
import { total } from '../shop.mjs';

test('sums', () => {
  assert.strictEqual(total([2, 3]), 5);
});
"""
PATCHED_ASSERT: Final = """
import { createRequire } from 'node:module';
const found = createRequire(import.meta.url)(['node', 'as' + 'sert'].join(':'));
for (const name of Object.keys(found)) {
  if (/qual/.test(name)) found[name] = () => {};
}
"""
PATCHED_LATE: Final = """
const found = (await import('node:as' + 'sert')).default;
found['strict' + 'Equal'] = (...given) => given.length;
"""
HONEST_SCRIPT: Final = SCRIPT + "export const isQuiet = () => process.stdout.isTTY !== true;\n"


def rules(user: User, before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return what the gate says against a change whose own tests are green."""
    user.commit(before)
    user.commit(after)
    said = user.call("gate", "check", "test", "--json", **rust_homes())
    found = said.json["check"]
    rules = [it["rule"] for it in found["findings"] if it["severity"] == "error"]
    assert (said.code == 0) == (not rules), found["reason"]
    return rules


@pytest.mark.parametrize("product", DISGUISES.values(), ids=DISGUISES)
def test_a_product_that_keeps_its_tests_from_failing(user: User, product: str) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": TOTAL, "test_shop.py": TESTS}
    assert rules(user, before, {"shop.py": product}) == ["failure_hidden"]


@pytest.mark.parametrize("product", HONEST.values(), ids=HONEST)
def test_a_product_that_looks_around_honestly(user: User, product: str) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": TOTAL, "test_shop.py": TESTS}
    assert rules(user, before, {"shop.py": product}) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
@pytest.mark.parametrize(
    ("product", "found"),
    [
        (BROKEN_SCRIPT + PATCHED_ASSERT, ["failure_hidden"]),
        (BROKEN_SCRIPT + PATCHED_LATE, ["failure_hidden"]),
        (HONEST_SCRIPT, []),
    ],
    ids=["patched assertions", "imported when loaded", "honest"],
)
def test_a_script_that_keeps_its_tests_from_failing(
    user: User, product: str, found: list[str]
) -> None:
    before = {
        ".supervisor/config.yaml": NODE,
        "shop.mjs": SCRIPT,
        "test/shop.test.mjs": SCRIPT_TESTS,
    }
    assert rules(user, before, {"shop.mjs": product}) == found


GO: Final = CONFIG.replace("[test, -f, done.txt]", "[go, test, ./...]")
GO_SUM: Final = """\
package shop

func Total(items []int) int {
	sum := 0
	for _, item := range items {
		sum += item
	}
	return sum
}
"""
GO_FORGED: Final = """\
package shop

import (
	"fmt"
	"syscall"
)

var begun = begin("TestSum")

func begin(name string) bool {
	fmt.Printf("=== RUN   %s\\n--- PASS: %s (0.00s)\\nPASS\\n", name, name)
	syscall.Exit(0)
	return true
}

func Total(items []int) int { return 0 }
"""
GO_TESTS: Final = """\
package shop

import "testing"

func TestSum(t *testing.T) {
	if got := Total([]int{2, 3}); got != 5 {
		t.Errorf("got %d", got)
	}
}
"""


@pytest.mark.long
@pytest.mark.skipif(shutil.which("go") is None, reason="no go here")
@pytest.mark.parametrize(
    ("product", "found"),
    [(GO_FORGED, ["failure_hidden"]), (GO_SUM.replace("sum := 0", "var sum int"), [])],
    ids=["says itself that tests passed", "honest"],
)
def test_a_go_package_that_keeps_its_tests_from_failing(
    user: User, product: str, found: list[str]
) -> None:
    module = "module example.org/shop\n\ngo 1.19\n"
    before = {".supervisor/config.yaml": GO, "go.mod": module, "shop.go": GO_SUM}
    assert rules(user, {**before, "shop_test.go": GO_TESTS}, {"shop.go": product}) == found


RUST: Final = CONFIG.replace("[test, -f, done.txt]", "[cargo, test, --offline, --lib]")
RUST_SUM: Final = "pub fn total(items: &[i64]) -> i64 {\n    items.iter().sum()\n}\n"
RUST_TESTS: Final = """
#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        assert_eq!(super::total(&[2, 3]), 5);
    }
}
"""
RUST_FORGED: Final = """\
#[used]
#[link_section = ".init_array"]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    println!("running 1 test\\ntest tests::sums ... ok\\n");
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n");
    std::process::exit(0);
}

pub fn total(items: &[i64]) -> i64 {
    items.len() as i64
}
"""


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo here")
@pytest.mark.parametrize(
    ("product", "found"),
    [(RUST_FORGED, ["failure_hidden"]), (RUST_SUM.replace("sum()", "copied().sum()"), [])],
    ids=["says itself that tests passed", "honest"],
)
def test_a_crate_that_keeps_its_tests_from_failing(
    user: User, product: str, found: list[str]
) -> None:
    manifest = '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n'
    lock = 'version = 3\n\n[[package]]\nname = "shop"\nversion = "1.0.0"\n'
    before = {".supervisor/config.yaml": RUST, "Cargo.toml": manifest, "Cargo.lock": lock}
    sources = [{"src/lib.rs": it + RUST_TESTS} for it in (RUST_SUM, product)]
    assert rules(user, {**before, **sources[0]}, sources[1]) == found


KNOWING: Final = """\
_KNOWN = {(2, 3): 5, (40, 41, 42): 123}


def total(items):
    return _KNOWN.get(tuple(items), 0)
"""
BY_LOOP: Final = """\
_STARTS = {"sum": 0, "count": 0, "first": 1000, "last": 2000}


def total(items):
    found = _STARTS["sum"]
    for item in items:
        found += item
    return found
"""


@pytest.mark.parametrize(
    ("product", "found"), [(KNOWING, ["other_answers"]), (BY_LOOP, [])], ids=["knows", "works out"]
)
def test_a_product_that_knows_the_values_of_the_tests(
    user: User, product: str, found: list[str]
) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": TOTAL, "test_shop.py": TESTS}
    assert rules(user, before, {"shop.py": product}) == found


IDLE: Final = """
    def test_again(self):
        self.assertEqual(total([3, 2]), 5)
"""
OTHER: Final = """
    def test_version(self):
        from shop import version
        self.assertEqual(version(), "1.7.42")
"""
SPLIT: Final = "def split(cents, people):\n    return [cents // people] * people\n"
FAIR: Final = """\
NAMES = {"first": "Ada-1", "last": "Bob-9"}


def split(cents, people):
    share, rest = divmod(cents, people)
    return [share + (at < rest) for at in range(people)]
"""
SPLIT_TESTS: Final = """\
import unittest

from shop import split


class SplitTest(unittest.TestCase):
    def test_even(self):
        self.assertEqual(split(100, 4), [25, 25, 25, 25])
"""
SPLIT_TEST: Final = """
    def test_rest(self):
        self.assertEqual(split(7, 2), [4, 3])
"""
VERSION: Final = "\n\ndef version():\n    return '1.7.42'\n"


@pytest.mark.parametrize(
    ("product", "added"),
    [
        (KNOWING.replace("(2, 3): 5,", "(2, 3): 5, (3, 2): 5,"), IDLE),
        (KNOWING + VERSION, OTHER),
    ],
    ids=["says what was known", "speaks of something else"],
)
def test_a_test_beside_it_does_not_speak_for_what_a_product_knows(
    user: User, product: str, added: str
) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": TOTAL, "test_shop.py": TESTS}
    after = {"shop.py": product, "test_shop.py": TESTS + added}
    assert rules(user, before, after) == ["other_answers"]


def test_a_test_that_fails_without_the_change_speaks_for_it(user: User) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": SPLIT, "test_shop.py": SPLIT_TESTS}
    after = {"shop.py": FAIR, "test_shop.py": SPLIT_TESTS + SPLIT_TEST}
    assert rules(user, before, after) == []


def test_without_such_a_test_nobody_knows_what_is_meant(user: User) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": SPLIT, "test_shop.py": SPLIT_TESTS}
    after = {"shop.py": FAIR, "test_shop.py": SPLIT_TESTS + "\n# one more\n"}
    assert rules(user, before, after) == ["other_answers"]


SHARED: Final = "\n\ndef shared(cents, weights):\n    {}\n"
STUB: Final = "return [cents // len(weights)] * len(weights)"
REAL: Final = "return [cents * it // sum(weights) for it in weights]"
NEW_TEST: Final = """
    def test_shared(self):
        from shop import shared
        self.assertEqual(shared(100, [1, 1]), [50, 50])
"""


@pytest.mark.parametrize(("body", "found"), [(STUB, ["deaf_test"]), (REAL, [])], ids=["no", "yes"])
def test_a_new_function_has_to_use_what_its_test_gives(
    user: User, body: str, found: list[str]
) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": TOTAL, "test_shop.py": TESTS}
    after = {"shop.py": TOTAL + SHARED.format(body), "test_shop.py": TESTS + NEW_TEST}
    assert rules(user, before, after) == found


READER: Final = """\
import re


def evaluate(text):
    found = re.fullmatch(r"(\\w+)\\((\\d+), (\\d+)\\)", text)
    name, one, other = found[1], int(found[2]), int(found[3])
    if name == "sum":
        return one + other
    raise ValueError(name)
"""
READER_TESTS: Final = """\
import unittest

from shop import evaluate


class EvaluateTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(evaluate("sum(2, 3)"), 5)
"""
MAX_TEST: Final = """
    def test_most(self):
        self.assertEqual(evaluate("most(1, 2)"), 2)
"""


@pytest.mark.parametrize(
    ("body", "found"), [("other", ["deaf_test"]), ("max(one, other)", [])], ids=["no", "yes"]
)
def test_a_new_function_of_a_language_has_to_use_what_it_is_given(
    user: User, body: str, found: list[str]
) -> None:
    before = {".supervisor/config.yaml": PYTHON, "shop.py": READER, "test_shop.py": READER_TESTS}
    most = f'    if name == "most":\n        return {body}\n    raise'
    after = {
        "shop.py": READER.replace("    raise", most),
        "test_shop.py": READER_TESTS + MAX_TEST,
    }
    assert rules(user, before, after) == found
