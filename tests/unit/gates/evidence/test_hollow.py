"""A product that does nothing: what is emptied, and what is left of it."""

from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.hollow import hollow
from supervisor_ai.gates.evidence.messages import HollowFound

CASE = ChangeCase(base=BASE, head=HEAD)
STAYING = """
setup.py build.rs src/_version.py src/a_pb2.py api.pb.go app/migrations/0001_a.py dist/index.js
src/types.d.ts docs/conf.py examples/a.py vite.config.ts jest.config.js README.md static/a.css
data.json a.pyi vendor/x/y.go bench/a.py scripts/release.py .hidden/a.py Makefile CMakeLists.txt
tests/conftest.py a.test.js
"""
CODE = "def one():\n    return 1\n"


def hollowed(
    after: Mapping[str, str], before: Mapping[str, str] | None = None, *, whole: bool = True
) -> HollowFound:
    rules = HarnessRules(harness=("judge",))
    return hollow(CASE, rules, two_commits(before or {}, after), whole=whole)


def left_of(path: str, source: str) -> str | None:
    """Return what is left of a module; None: nothing."""
    found = hollowed({path: source})
    if path in found.blank:
        return None
    return found.emptied[path].decode() if path in found.emptied else source


def test_the_modules_that_a_change_touches_are_emptied_or_all_of_them() -> None:
    before = {"src/a.py": CODE, "src/b.py": CODE, "tests/test_a.py": CODE}
    after = {
        **before,
        "src/a.py": CODE.replace("1", "2"),
        "tests/test_a.py": "",
        "judge/c.py": CODE,
    }
    assert list(hollowed(after, before, whole=False).emptied) == ["src/a.py"]
    assert sorted(hollowed(after, before).emptied) == ["src/a.py", "src/b.py"]


@pytest.mark.parametrize(
    "path",
    STAYING.split(),
)
def test_what_is_no_module_of_the_product_stays(path: str) -> None:
    found = hollowed({path: CODE})
    assert (found.emptied, found.blank) == ({}, ())


@pytest.mark.parametrize("path", ["a.rb", "a.php", "src/a.c", "A.kt", "a.sh", "broken.py", "a.vue"])
def test_what_nobody_understands_is_blank(path: str) -> None:
    assert left_of(path, "def broken(:\n") is None


def test_python_keeps_its_names_and_does_nothing() -> None:
    source = '''\
"""Shop."""

from __future__ import annotations
import functools
from dataclasses import dataclass

__version__ = "1"
RATES = {"a": 1}
PATTERN = functools.partial(int)
if True:
    def other():
        return 1


@functools.cache
def one(x=RATES):
    """Return one.

    >>> one()
    """
    return 1


def two(): return 2


@dataclass
class Item:
    """Item."""

    price: int = 3


class Cart(dict):
    size = 1

    @property
    def total(self):
        return 1


class Kind(Enum):
    A = 1


class CartError(Exception):
    pass


CART = Cart()
for name in RATES:
    print(name)
print(CART)


def test_one():
    assert one() == 1


if __name__ == "__main__":
    print(one())
'''
    fails = 'raise RuntimeError("emptied: does any test notice?")'
    assert left_of("shop.py", source) == (
        source.replace("        return 1\n\n\n@functools.cache\n", f"        {fails}\n\n\n\n")
        .replace('"""\n    return 1', f'"""; {fails}')
        .replace("return 2", fails)
        .replace("= 3", f"= 3\n    def __init__(self, *args, **kwargs): {fails}")
        .replace("(self):\n        return 1", f"(self):\n        {fails}")
        .replace("CART = Cart()", "CART = None")
        .replace("for name in RATES:\n    print(name)\nprint(CART)", "pass\npass")
    )


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("shop/__init__.py", '"""Shop."""\n\nfrom shop.cart import Cart\n\n__all__ = ["Cart"]\n'),
        ("src/index.ts", 'export { cart } from "./cart";\nexport interface A { b: string }\n'),
        ("doc.go", "// Package shop.\npackage shop\n"),
        ("src/lib.rs", "pub mod cart;\npub use cart::total;\n"),
    ],
)
def test_what_only_passes_on_stays(path: str, source: str) -> None:
    assert left_of(path, source) == source


def test_what_others_of_the_product_make_is_not_made() -> None:
    source = (
        "from .a import make\nfrom shop.b import Cart\nfrom other import keep\n"
        "A = make(1)\nB = Cart.new()\nC = keep()\n\n\ndef f():\n    return 1\n"
    )
    left = left_of("src/shop/cart.py", source)
    assert left is not None
    assert "A = None\nB = None\nC = keep()\n" in left


def test_what_classes_are_made_by_stays() -> None:
    source = "class Meta(type):\n    def __new__(cls, *args):\n        return type(*args)\n"
    assert left_of("meta.py", source) == source


VALUES = {
    "rates.py": ("T = TypeVar('T')\nRATES = Table([1])\nA = 1\n", "None"),
    "rates.ts": ("export const rates = [1], a = 1;\n", "undefined"),
    "rates.go": ("package shop\n\nconst Rate = 2\n", None),
    "src/rates.rs": ("pub const RATE: i32 = 2;\n", None),
    "Rates.java": ("interface Rates { int A = 1; }\n", None),
}


@pytest.mark.parametrize("path", VALUES)
def test_a_module_of_nothing_but_values_is_emptied_only_where_it_changed(path: str) -> None:
    source, nothing = VALUES[path]
    left = left_of(path, source)
    if nothing is None:
        assert left is None
    else:
        assert left is not None
        assert left.count(nothing) == 2
        assert "TypeVar" in left or path.endswith(".ts")
    same = hollowed({path: source, "a.rb": "a"}, {path: source})
    assert (list(same.emptied), same.blank) == ([], ("a.rb",))


def test_scripts_keep_their_names_and_throw() -> None:
    source = """\
"use strict";
const fs = require("fs");
require("./side");
const rate = 2, names = ["a"];
export const twice = (x) => x * rate;
export default class Cart { #x = 1; get size() { return 1; } run = async () => 2 }
function* all() { yield 1; }
module.exports = { twice, go() { return 1; } };
console.log(rate);
if (import.meta.vitest) { test("a", () => { twice(1); }); }
"""
    fails = '{ throw new Error("emptied: does any test notice?"); }'
    assert left_of("src/cart.js", source) == (
        source.replace("x * rate", fails)
        .replace("{ return 1; }", fails)
        .replace("=> 2", f"=> {fails}")
        .replace("{ yield 1; }", fails)
        .replace("console.log(rate);", ";")
    )


def test_go_still_compiles() -> None:
    source = """\
package shop

import (
	"fmt"
	"strings"
	yaml "gopkg.in/yaml.v3"
	"example.com/go-money/v2"
)

// Cart is written by fmt.Println.
type Cart struct{ b strings.Builder; m money.Amount }

func init() { fmt.Println("x") }

func (c *Cart) Add(s string) error { return yaml.Unmarshal(nil, c) }

var twice = func(x int) int { return x * 2 }
"""
    fails = '{ panic("emptied: does any test notice?") }'
    assert left_of("cart.go", source) == (
        source.replace('"fmt"', '_ "fmt"')
        .replace('yaml "gopkg', '_ "gopkg')
        .replace('{ fmt.Println("x") }', "{}")
        .replace("{ return yaml.Unmarshal(nil, c) }", fails)
        .replace("{ return x * 2 }", fails)
    )


def test_rust_keeps_its_tests() -> None:
    source = """\
pub const fn one() -> i32 { 1 }
impl Cart { pub fn two(&self) -> i32 { 2 } }
#[cfg(test)]
mod tests { #[test] fn t() { assert_eq!(super::one(), 1); } }
"""
    fails = '{ panic!("emptied: does any test notice?") }'
    assert left_of("src/lib.rs", source) == source.replace("{ 1 }", fails).replace("{ 2 }", fails)


def test_java_passes_on_what_constructors_pass_on() -> None:
    source = (
        "class A extends B { final int a; A(int x) { super(x); a = x; } int f() { return 1; } }"
    )
    fails = 'throw new RuntimeException("emptied: does any test notice?"); }'
    assert left_of("A.java", source) == (
        source.replace("{ super(x); a = x; }", f"{{ super(x); {fails}").replace(
            "{ return 1; }", f"{{ {fails}"
        )
    )


def test_more_modules_than_can_be_emptied_are_counted() -> None:
    after = {f"src/m{number}.rb": "x" for number in range(8005)}
    found = hollowed(after, {path: "y" for path in after if path != "src/m8000.rb"})
    assert (len(found.blank), found.left) == (8000, 5)


def test_large_products_are_emptied_without_being_read() -> None:
    after = {f"src/m{number}.py": CODE for number in range(1510)}
    found = hollowed(after)
    assert (len(found.emptied), len(found.blank)) == (1500, 10)


@pytest.mark.parametrize(
    ("changed", "far"),
    [
        ("shop/cart.py", ("tests/test_price.py", "tests/test_stock.py")),
        ("shop/__init__.py", ()),
        ("shop/unnamed.py", ()),
    ],
)
def test_tests_that_do_not_speak_of_a_module_are_far(changed: str, far: tuple[str, ...]) -> None:
    files = {
        "shop/__init__.py": CODE,
        "shop/cart.py": CODE,
        "shop/unnamed.py": CODE,
        "tests/conftest.py": "",
        "tests/test_cart.py": "from shop.cart import one\nfrom tests.test_base import Base\n",
        "tests/test_base.py": "import shop\n",
        "tests/test_price.py": "from shop import price\n",
        "tests/test_stock.py": "import shop\n",
    }
    after = {**files, changed: CODE.replace("1", "2")}
    assert hollowed(after, files, whole=False).far_tests == far
    assert hollowed(after, files, whole=True).far_tests == ()


def test_tests_that_are_too_large_are_not_read() -> None:
    files = {"a.py": CODE, "test_a.py": "import a\n", "test_b.py": "#" * 600_000}
    assert hollowed({**files, "a.py": CODE * 2}, files, whole=False).far_tests == ()
