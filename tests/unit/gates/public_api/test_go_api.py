"""Pairs of Go: what breaks who imports a package, and what does not."""

import pytest
from tests.unit.gates.public_api.seen_breaks import told

HEAD = "package shop\n"


def pair(before: str, after: str, path: str = "shop/a.go") -> list[str]:
    return told({path: HEAD + before}, {path: HEAD + after})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("func Total(a int) int {return a}", "", "removed shop.Total: the function is gone"),
        (
            "func Total(a int) int",
            "func Total(a int, b int) int",
            "narrowed shop.Total: the parameter 'b' is new and required",
        ),
        (
            "func Total(a, b int) int",
            "func Total(a int) int",
            "narrowed shop.Total: the parameter 'b' is gone",
        ),
        (
            "func Total(a int) int",
            "func Total(a int64) int",
            "narrowed shop.Total: the parameter 'a' was int and is int64",
        ),
        (
            "func Total(a int) int",
            "func Total(a int) (int, error)",
            "narrowed shop.Total: it returned int and returns (int, error)",
        ),
        (
            "func Total(a ...int) int",
            "func Total(a int) int",
            "narrowed shop.Total: it no longer takes any number of arguments",
        ),
        (
            "type Cart struct { Items []string }",
            "type Cart struct { items []string }",
            "removed shop.Cart.Items: the field is gone",
        ),
        (
            "type Cart struct { Size int }",
            "type Cart struct { Size uint }",
            "narrowed shop.Cart.Size: its type was int and is uint",
        ),
        (
            "type Cart struct{}\nfunc (c Cart) Add() {}",
            "type Cart struct{}\nfunc (c Cart) add() {}",
            "removed shop.Cart.Add: the method is gone",
        ),
        (
            "type Cart struct{}\nfunc (c Cart) Add() {}",
            "type Cart struct{}\nfunc (c *Cart) Add() {}",
            "narrowed shop.Cart.Add: it became called on a pointer",
        ),
        (
            "type Store interface { Get(k string) string }",
            "type Store interface { Get(k string) string; Put(k string) }",
            "narrowed shop.Store.Put: the method is new, and others must have it",
        ),
        (
            "type Store interface { Get(k string) string; Put(k string) }",
            "type Store interface { Get(k string) string }",
            "removed shop.Store.Put: the method is gone",
        ),
        ("const Max = 3", "const max = 3", "removed shop.Max: the constant is gone"),
        ("var Default string", "var Default []byte", "its type was string and is []byte"),
        ("type Kind string", "type Kind int", "narrowed shop.Kind: its type was string and is int"),
        (
            "type Cart struct{}",
            "type Cart interface{}",
            "narrowed shop.Cart: it was a struct and is an interface",
        ),
        (
            "func Map[T any](a []T) []T",
            "func Map[T comparable](a []T) []T",
            "narrowed shop.Map: a type parameter had to be anything and has to be comparable",
        ),
        (
            "type Base struct{}\nfunc (b Base) ID() int\ntype Cart struct { Base }",
            "type Base struct{}\nfunc (b Base) ID() int\ntype Cart struct {}",
            "removed shop.Cart.ID: the method is gone",
        ),
    ],
)
def test_it_breaks(before: str, after: str, expected: str) -> None:
    assert any(expected in it for it in pair(before, after)), pair(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("func Total(a int) int", "func Total(b int) int"),
        ("func Total(a int) int", "func Total(a int, more ...Option) int"),
        ("func Total(a int) int", "func Total(a int) (sum int)"),
        ("func total(a int) int", ""),
        ("type cart struct{}\nfunc (c cart) Add() {}", ""),
        ("type Cart struct { a int }", "type Cart struct { b string; C int }"),
        ("func Map[T any](a []T) []T", "func Map[E any](a []E) []E"),
        ("const A = 1", "const A = 2\nconst B = 3"),
        (
            "type Cart struct{}\nfunc (c Cart) ID() int",
            "type part struct{}\nfunc (p part) ID() int\ntype Cart struct { part }",
        ),
        (
            "type Store interface { get() }",
            "type Store interface { get(); Put(k string) }",
        ),
        ("type Cart struct { Size int }", 'type Cart struct { Size int `json:"size"` }'),
        (
            "func (c *Cart) Add() {}\ntype Cart struct{}",
            "type Cart struct{}\nfunc (c Cart) Add() {}",
        ),
    ],
)
def test_it_does_not_break(before: str, after: str) -> None:
    assert pair(before, after) == []


@pytest.mark.parametrize(
    "path", ["shop/internal/a.go", "shop/a_test.go", "vendor/x/a.go", "internal/a.go"]
)
def test_what_nobody_can_import_is_no_api(path: str) -> None:
    assert pair("func Total() int", "", path) == []


def test_a_program_has_no_api() -> None:
    assert told({"a.go": "package main\nfunc Run() {}"}, {"a.go": "package main\n"}) == []


def test_a_generated_file_is_no_api() -> None:
    made = "// Code generated by x. DO NOT EDIT.\npackage p\nfunc A() {}"
    assert told({"a.go": made}, {"a.go": "package p\n"}) == []


def test_what_moves_to_another_file_of_its_package_is_still_there() -> None:
    before = {"a.go": "package p\nfunc A() {}\nfunc B() {}", "b.go": "package p\n"}
    after = {"a.go": "package p\nfunc A() {}", "b.go": "package p\nfunc B() {}"}
    assert told(before, after) == []


def test_a_package_that_is_gone_takes_its_names_with_it() -> None:
    assert told({"p/a.go": "package p\nfunc A() {}"}, {}) == ["removed p.A: the function is gone"]
