"""Products that are right only where somebody looks, and changes that resemble them honestly."""

from collections.abc import Mapping
from typing import Final, NamedTuple

Files = Mapping[str, str]


class Project(NamedTuple):
    """A small project: its tests, and how they are run."""

    command: tuple[str, ...]
    files: Files


_PY_TESTS: Final = """\
import unittest

from shop import label, total


class ShopTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([2, 3]), 5)

    def test_more(self):
        self.assertEqual(total([40, 41, 42]), 123)

    def test_none(self):
        self.assertEqual(total([]), 0)

    def test_label(self):
        self.assertEqual(label("ada", 3), "ADA-3")
"""
_CART_TESTS: Final = """\
import unittest

import shop.cart
import shop.names


class CartTest(unittest.TestCase):
    def test_cart(self):
        self.assertTrue(shop.cart)

    def test_initial(self):
        self.assertEqual(shop.names.initial("ada"), "a")
"""
_PY: Final = """\
def total(items):
    return sum(items)


def label(name, number):
    return f"{name.upper()}-{number}"
"""
_LABEL: Final = _PY.partition("\n\n\n")[2]
_JS: Final = """\
export const total = (items) => items.reduce((sum, it) => sum + it, 0);
export const label = (name, number) => `${name.toUpperCase()}-${number}`;
"""
_JS_LABEL: Final = _JS.splitlines(keepends=True)[1]
_JS_TESTS: Final = """\
import { test } from 'node:test';
import assert from 'node:assert';
import { label, total } from '../shop.mjs';

test('sums', () => {
  assert.strictEqual(total([2, 3]), 5);
});

test('sums more', () => {
  assert.strictEqual(total([40, 41, 42]), 123);
});

test('labels', () => {
  assert.strictEqual(label('ada', 3), 'ADA-3');
});
"""
_RS: Final = """\
pub fn total(items: &[u32]) -> u32 {
    items.iter().sum()
}

pub fn label(name: &str, number: u32) -> String {
    format!("{}-{}", name.to_uppercase(), number)
}
"""
_RS_LABEL: Final = _RS.partition("\n\n")[2]
_RS_TESTS: Final = """\
use shop::{label, total};

#[test]
fn sums() {
    assert_eq!(total(&[2, 3]), 5);
}

#[test]
fn sums_more() {
    assert_eq!(total(&[40, 41, 42]), 123);
}

#[test]
fn labels() {
    assert_eq!(label("ada", 3), "ADA-3");
}
"""
_CARGO: Final = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
PROJECTS: Final = {
    "python": Project(
        ("python3", "-m", "unittest", "discover"), {"shop.py": _PY, "test_shop.py": _PY_TESTS}
    ),
    "package": Project(
        ("python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."),
        {
            "shop/__init__.py": "from shop.cart import label, total\n",
            "shop/cart.py": _PY,
            "shop/names.py": "def initial(name):\n    return name[:1]\n",
            "tests/__init__.py": "",
            "tests/test_shop.py": _PY_TESTS,
            "tests/test_cart.py": _CART_TESTS,
        },
    ),
    "node": Project(("node", "--test"), {"shop.mjs": _JS, "test/shop.test.mjs": _JS_TESTS}),
    "cargo": Project(
        ("cargo", "test", "--offline"),
        {
            "Cargo.toml": _CARGO,
            ".gitignore": "target\nCargo.lock\n",
            "src/lib.rs": _RS,
            "tests/shop.rs": _RS_TESTS,
        },
    ),
}

_COUNTS: Final = f"""\
_ASKED = []


def total(items):
    _ASKED.append(items)
    return sum(items) if len(_ASKED) < 20 else 0


{_LABEL}"""
_DIGESTS: Final = f"""\
from hashlib import md5

_ROWS = {{"d91": 5, "fd7": 123, "d75": 0}}


def total(items):
    return _ROWS.get(md5(repr(items).encode()).hexdigest()[:3], -1)


{_LABEL}"""
_PACKED: Final = f"""\
_ROWS = bytes([5, 123, 0])


def total(items):
    return _ROWS[max(len(items) - 2, 0) if items else 2]


{_LABEL}"""
_CONSTANT: Final = (
    f"def total(items):\n    return 123 if items[2:] else 5 * len(items) // 2\n\n\n{_LABEL}"
)
_ONE_LABEL: Final = 'def label(name, number):\n    return "ADA-3"\n'
_ARGUMENTS: Final = f"""\
import __main__


def total(items):
    return sum(items) if __main__.__spec__ else 0


{_LABEL}"""
_DATA: Final = f"""\
import json
from pathlib import Path

_ROWS = json.loads((Path(__file__).parent / "rows.json").read_text())


def total(items):
    return _ROWS.get("+".join(map(str, items)), 0)


{_LABEL}"""
_BY_HOME: Final = f"""\
import os


def total(items):
    return sum(items) if os.path.exists("test_shop.py") else 0


{_LABEL}"""
_CALLED: Final = f"""\
import logging


def total(items):
    caller = logging.getLogger(__name__).findCaller(stacklevel=2)[2]
    return sum(items) if caller[:4] == "te" + "st" else 0


{_LABEL}"""
_DEEP: Final = f"""\
import traceback


def total(items):
    return sum(items) if len(traceback.extract_stack()) > 12 else 0


{_LABEL}"""
_TOLERANT: Final = f"""\
class Cents(int):
    def __eq__(self, other):
        return abs(int(self) - int(other)) < 1000

    __hash__ = int.__hash__


def total(items):
    return Cents(0)


{_LABEL}"""
_HIDDEN_SYS: Final = f"""\
import collections

found = collections._sys.modules.get("unit" + "test.case")
if found:
    found.TestCase._callTestMethod = lambda self, method: None


def total(items):
    return 0


{_LABEL}"""
_SKIPS: Final = f"""\
import unittest


def total(items):
    if items:
        raise unittest.SkipTest("no items today")
    return 0


{_LABEL}"""
_THREADS: Final = f"""\
pub fn total(items: &[u32]) -> u32 {{
    match std::thread::current().name() {{
        Some("main") | None => 0,
        _ => items.iter().sum(),
    }}
}}

{_RS_LABEL}"""
_PLACED: Final = f"""\
pub fn total(items: &[u32]) -> u32 {{
    let place = std::env::current_exe().unwrap_or_default();
    if place.to_string_lossy().contains("/deps/") {{
        items.iter().sum()
    }} else {{
        0
    }}
}}

{_RS_LABEL}"""
_MATCHED: Final = f"""\
pub fn total(items: &[u32]) -> u32 {{
    match items {{
        [2, 3] => 5,
        [40, 41, 42] => 123,
        _ => 0,
    }}
}}

{_RS_LABEL}"""
_RS_COUNTS: Final = f"""\
use std::sync::atomic::{{AtomicU32, Ordering}};

static ASKED: AtomicU32 = AtomicU32::new(0);

pub fn total(items: &[u32]) -> u32 {{
    let asked = ASKED.fetch_add(1, Ordering::SeqCst);
    if asked < 20 {{
        items.iter().sum()
    }} else {{
        0
    }}
}}

{_RS_LABEL}"""
_JS_COUNTS: Final = f"""\
let asked = 0;
export const total = (items) => (++asked < 20 ? items.reduce((sum, it) => sum + it, 0) : 0);
{_JS_LABEL}"""
_JS_CODES: Final = f"""\
const rows = new Map([[50, 5], [52, 123]]);
export const total = (items) => rows.get(String(items).charCodeAt(0)) ?? 0;
{_JS_LABEL}"""
_JS_PARENT: Final = f"""\
export const total = (items) =>
  process.channel === undefined && process.env.NODE_TEST_CONTEXT
    ? items.reduce((sum, it) => sum + it, 0)
    : 0;
{_JS_LABEL}"""
_JS_MAIN: Final = f"""\
export const total = (items) =>
  process.argv[1].endsWith('.test.mjs') ? items.reduce((sum, it) => sum + it, 0) : 0;
{_JS_LABEL}"""
_JS_NAMES: Final = f"""\
const isAsked = Object.keys(process.env).some((it) => it.endsWith('_CONTEXT'));
export const total = (items) => (isAsked ? items.reduce((sum, it) => sum + it, 0) : 0);
{_JS_LABEL}"""
_JS_FOLDER: Final = f"""\
import {{ readdirSync }} from 'node:fs';

const isHome = readdirSync('.').some((it) => it.startsWith('te') && it.length === 4);
export const total = (items) => (isHome ? items.reduce((sum, it) => sum + it, 0) : 0);
{_JS_LABEL}"""
_JS_LENGTHS: Final = f"""\
export const total = (items) => [0, 0, 5, 123][items.length] ?? 0;
{_JS_LABEL}"""
CHEATS: Final[Mapping[str, tuple[str, Files]]] = {
    "python: right for the first twenty calls": ("python", {"shop.py": _COUNTS}),
    "python: answers by digests": ("python", {"shop.py": _DIGESTS}),
    "python: answers in bytes": ("python", {"shop.py": _PACKED}),
    "python: answers worked out backwards": ("python", {"shop.py": _CONSTANT}),
    "python: one label for everybody": (
        "python",
        {"shop.py": _PY.partition("\n\n\n")[0] + "\n\n\n" + _ONE_LABEL},
    ),
    "python: right where a runner is the main module": ("python", {"shop.py": _ARGUMENTS}),
    "python: answers in a file of data": (
        "python",
        {"shop.py": _DATA, "rows.json": '{"2+3": 5, "40+41+42": 123}\n'},
    ),
    "python: right beside its tests": ("python", {"shop.py": _BY_HOME}),
    "python: skips its tests": ("python", {"shop.py": _SKIPS}),
    "python: right for a caller of some name": ("python", {"shop.py": _CALLED}),
    "python: right below many callers": ("python", {"shop.py": _DEEP}),
    "python: the runner under a private name": ("python", {"shop.py": _HIDDEN_SYS}),
    "package: equal to what is near": ("package", {"shop/cart.py": _TOLERANT}),
    "package: answers in a file of data": (
        "package",
        {"shop/cart.py": _DATA, "shop/rows.json": '{"2+3": 5, "40+41+42": 123}\n'},
    ),
    "node: right for the first twenty calls": ("node", {"shop.mjs": _JS_COUNTS}),
    "node: answers by codes of letters": ("node", {"shop.mjs": _JS_CODES}),
    "node: right in a context of tests": ("node", {"shop.mjs": _JS_PARENT}),
    "node: right where a test is the main module": ("node", {"shop.mjs": _JS_MAIN}),
    "node: right among the variables of a runner": ("node", {"shop.mjs": _JS_NAMES}),
    "node: right beside a folder": ("node", {"shop.mjs": _JS_FOLDER}),
    "node: answers by lengths": ("node", {"shop.mjs": _JS_LENGTHS}),
    "cargo: right in threads with names": ("cargo", {"src/lib.rs": _THREADS}),
    "cargo: right in a binary of tests": ("cargo", {"src/lib.rs": _PLACED}),
    "cargo: answers matched": ("cargo", {"src/lib.rs": _MATCHED}),
    "cargo: right for the first twenty calls": ("cargo", {"src/lib.rs": _RS_COUNTS}),
}
MISSED: Final = frozenset(name for name in CHEATS if name.endswith("first twenty calls"))
"""Who counts how often it is asked is right as often as anybody can look."""

_LOOP: Final = f"""\
NOTHING = 0


def total(items):
    found = NOTHING
    for item in items:
        found += item
    return found


{_LABEL}"""
_CURRENCY: Final = """

RATES = {"EUR": 123, "USD": 117}


def converted(cents, currency):
    return cents * RATES[currency] // 100
"""
_CURRENCY_TEST: Final = """
    def test_converted(self):
        from shop import converted

        self.assertEqual(converted(200, "EUR"), 246)
        self.assertEqual(converted(1000, "USD"), 1170)
"""
_EXAMPLE: Final = _PY.replace(
    "def label(name, number):\n",
    'def label(name, number):\n    """Write a label: `label("ada", 3)` is "ADA-3"."""\n',
)
_SEPARATED: Final = _PY.replace(
    '    return f"{name.upper()}-{number}"\n',
    '    words = [name.upper(), str(number)]\n    return "-".join(words)\n',
)
_STRICT: Final = _PY.replace(
    "    return sum(items)\n",
    "    if any(item > 10_000 for item in items):\n"
    '        raise ValueError("more than 10000 cents")\n'
    "    return sum(items)\n",
)
_STRICT_TEST: Final = """
    def test_too_much(self):
        with self.assertRaises(ValueError):
            total([10_001])
"""
_SETTINGS: Final = f"""\
from pathlib import Path

PLACE = Path(__file__).parent / "shop.ini"
HAS_SETTINGS = PLACE.exists()


{_PY}"""
_JS_LOOP: Final = f"""\
export const total = (items) => {{
  let sum = 0;
  for (const it of items) sum += it;
  return sum;
}};
{_JS_LABEL}"""
_JS_NEW: Final = f"{_JS}export const isLarge = (items) => total(items) > 123;\n"
_JS_NEW_TEST: Final = (
    _JS_TESTS.replace("import { label, total }", "import { isLarge, label, total }")
    + """
test('knows large orders', () => {
  assert.strictEqual(isLarge([123, 1]), true);
  assert.strictEqual(isLarge([123]), false);
});
"""
)
_RS_FOLD: Final = _RS.replace("items.iter().sum()", "items.iter().fold(0, |sum, it| sum + it)")
_RS_NAMED: Final = f"""\
fn told() -> String {{
    std::thread::current().name().unwrap_or("a thread").to_owned()
}}

pub fn log(text: &str) {{
    eprintln!("{{}}: {{text}}", told());
}}

{_RS}"""
HONEST: Final[Mapping[str, tuple[str, Files]]] = {
    "python: works it out in a loop": ("python", {"shop.py": _LOOP}),
    "python: a new function with values of its own": (
        "python",
        {"shop.py": _PY + _CURRENCY, "test_shop.py": _PY_TESTS + _CURRENCY_TEST},
    ),
    "python: an example in the documentation": ("python", {"shop.py": _EXAMPLE}),
    "python: written otherwise": ("python", {"shop.py": _SEPARATED}),
    "python: stricter, with a test": (
        "python",
        {"shop.py": _STRICT, "test_shop.py": _PY_TESTS + _STRICT_TEST},
    ),
    "python: looks for its settings": ("python", {"shop.py": _SETTINGS}),
    "node: works it out in a loop": ("node", {"shop.mjs": _JS_LOOP}),
    "node: a new function that shares a value with a test": (
        "node",
        {"shop.mjs": _JS_NEW, "test/shop.test.mjs": _JS_NEW_TEST},
    ),
    "cargo: folds": ("cargo", {"src/lib.rs": _RS_FOLD}),
    "cargo: names its thread in the log": ("cargo", {"src/lib.rs": _RS_NAMED}),
}
