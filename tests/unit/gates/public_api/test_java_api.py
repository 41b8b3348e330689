"""Pairs of Java: what breaks who compiles against a class, and what does not."""

import pytest
from tests.unit.gates.public_api.seen_breaks import told

PATH = "src/main/java/shop/Cart.java"


def pair(before: str, after: str) -> list[str]:
    return told({PATH: f"package shop;\n{before}"}, {PATH: f"package shop;\n{after}"})


def in_class(before: str, after: str) -> list[str]:
    return pair(f"public class Cart {{ {before} }}", f"public class Cart {{ {after} }}")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("public int total() {return 1;}", "", "removed shop.Cart.total: the method is gone"),
        (
            "public int total() {return 1;}",
            "private int total() {return 1;}",
            "hidden shop.Cart.total: the method is no longer public",
        ),
        (
            "public int total() {return 1;}",
            "protected int total() {return 1;}",
            "narrowed shop.Cart.total: it became protected",
        ),
        (
            "public int total(int a) {return 1;}",
            "public int total(int a, int b) {return 1;}",
            "narrowed shop.Cart.total: the parameter 'b' is new and required",
        ),
        (
            "public void add(String a) {}\npublic void add(int a) {}",
            "public void add(String a) {}",
            "narrowed shop.Cart.add: the parameter 'a' was int and is String",
        ),
        (
            "public int total() {return 1;}",
            "public long total() {return 1;}",
            "narrowed shop.Cart.total: it returned int and returns long",
        ),
        (
            "public void save() {}",
            "public void save() throws IOException {}",
            "narrowed shop.Cart.save: it became throws IOException",
        ),
        (
            "public void save() {}",
            "public static void save() {}",
            "narrowed shop.Cart.save: it became static",
        ),
        (
            "public void save() {}",
            "public final void save() {}",
            "narrowed shop.Cart.save: it became final",
        ),
        (
            "public int size;",
            "public long size;",
            "narrowed shop.Cart.size: its type was int and is long",
        ),
        (
            "protected int size;",
            "int size;",
            "hidden shop.Cart.size: the field is no longer public",
        ),
        (
            "",
            "public Cart(int a) {}",
            "narrowed shop.Cart: the parameter 'a' is new and required",
        ),
        ("public Cart() {}", "private Cart() {}", "narrowed shop.Cart: it became for nobody else"),
        ("public enum Kind { A, B }", "public enum Kind { A }", "removed shop.Cart.Kind.B"),
        ("public static class Row {}", "", "removed shop.Cart.Row: the class is gone"),
    ],
)
def test_a_member_breaks(before: str, after: str, expected: str) -> None:
    found = in_class(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "public class Cart {}",
            "class Cart {}",
            "hidden shop.Cart: the class is no longer public",
        ),
        ("public class Cart {}", "public final class Cart {}", "shop.Cart: it became final"),
        ("public class Cart {}", "public interface Cart {}", "it was a class and is an interface"),
        (
            "public class Cart extends Base implements Shelf {}",
            "public class Cart extends Base {}",
            "narrowed shop.Cart: it is no longer a Shelf",
        ),
        (
            "public interface Cart { void add(); }",
            "public interface Cart { void add(); void remove(); }",
            "narrowed shop.Cart.remove: the method is new, and others must have it",
        ),
        (
            "public record Cart(int a, String b) {}",
            "public record Cart(int a) {}",
            "removed shop.Cart.b: the component is gone",
        ),
        (
            "public @interface Cart { String value(); }",
            "public @interface Cart { String value(); int size(); }",
            "narrowed shop.Cart.size: the method is new, and others must have it",
        ),
        (
            "public class Cart<T> {}",
            "public class Cart<T, U> {}",
            "narrowed shop.Cart: it has a type parameter more that must be given",
        ),
    ],
)
def test_a_type_breaks(before: str, after: str, expected: str) -> None:
    found = pair(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("private int a() {return 1;}", ""),
        ("int a() {return 1;}", ""),
        ("public void add(String a) {}", "public void add(String b) {}"),
        ("public void add(String a) {}", "public void add(String a) {}\npublic void add(int a) {}"),
        ("public <T> T get(T a) {return a;}", "public <E> E get(E a) {return a;}"),
        ("public void add() { one(); }", "@Override public void add() { two(); }"),
        ("", "public void add() {}"),
        ("", "public Cart() {}"),
        ("public final int a = 1;", "public final int a = 2;"),
        ("public void save() throws IOException {}", "public void save() {}"),
    ],
)
def test_a_member_does_not_break(before: str, after: str) -> None:
    assert in_class(before, after) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Cart { public void add() {} }", ""),
        (
            "public interface Cart { void add(); }",
            "public interface Cart { void add(); default void more() {} }",
        ),
        (
            "public @interface Cart { String value(); }",
            "public @interface Cart { String value(); int size() default 1; }",
        ),
        ("public final class Cart {}", "public class Cart {}"),
        ("public enum Cart { A }", "public enum Cart { A, B }"),
    ],
)
def test_a_type_does_not_break(before: str, after: str) -> None:
    assert pair(before, after) == []


def test_a_method_that_moves_into_a_superclass_is_still_there() -> None:
    base = "src/main/java/shop/Base.java"
    before = {
        PATH: "package shop;\npublic class Cart extends Base { public void add() {} }",
        base: "package shop;\npublic class Base {}",
    }
    after = {
        PATH: "package shop;\npublic class Cart extends Base {}",
        base: "package shop;\npublic class Base { public void add() {} }",
    }
    assert told(before, after) == []


def test_tests_are_no_api() -> None:
    path = "src/test/java/shop/CartTest.java"
    assert told({path: "package shop;\npublic class CartTest {}"}, {}) == []
