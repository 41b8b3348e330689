"""What was looked for and not found, in the words of runners and compilers."""

import pytest

from supervisor_ai.engine.ports.gates import Missing
from supervisor_ai.gates.runners.test_results import read


@pytest.mark.parametrize(
    ("line", "name", "is_module"),
    [
        ("E   ModuleNotFoundError: No module named 'shop.cart'", "shop.cart", True),
        ("E   ImportError: cannot import name 'total' from 'shop' (a.py)", "total", False),
        ("    Cannot find module '../lib/sum' from 'tests/sum.test.js'", "../lib/sum", True),
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'yargs' imported from a",
            "yargs",
            True,
        ),
        ('Error: Failed to resolve import "./x" from "a.test.ts". Does it exist?', "./x", True),
        ("SyntaxError: The module './a.js' does not provide an export named 'b'", "b", False),
        ("a.ts(1,9): error TS2305: Module '\"./a\"' has no exported member 'b'.", "b", False),
        ("./a_test.go:6:7: undefined: Total", "Total", False),
        ("./a_test.go:6:7: undefined: shop.Total", "Total", False),
        (
            "./a_test.go:7:4: cart.Total undefined (type Cart has no field or method)",
            "Total",
            False,
        ),
        ("a_test.go:3:8: package example.com/x is not in std (/usr/go)", "example.com/x", True),
        ("error[E0432]: unresolved import `crate::cart`", "crate::cart", True),
        ("error[E0425]: cannot find function `total` in this scope", "total", False),
        ("error[E0412]: cannot find type `Cart` in this scope", "Cart", False),
        ("error[E0599]: no method named `total` found for struct `Cart`", "total", False),
        ("  symbol:   method total(int)", "total", False),
        ("A.java:1: error: package shop.cart does not exist", "shop.cart", True),
        ("cannot load such file -- shop/cart (LoadError)", "shop/cart", True),
    ],
)
def test_what_is_missing_has_a_name(line: str, name: str, is_module: bool) -> None:  # noqa: FBT001 - a table
    assert Missing(name, is_module) in read(f"running\n{line}\n").missing


def test_nothing_is_missing_where_nobody_says_so() -> None:
    assert read("E   AssertionError: assert 1 == 2\n1 failed in 0.1s\n").missing == ()


def test_only_so_much_is_listed() -> None:
    text = "".join(f"No module named 'a{number}'\n" for number in range(500))
    assert len(read(text).missing) == 100
