"""Pairs of Rust: what breaks who depends on a crate, and what does not."""

import pytest
from tests.unit.gates.public_api.seen_breaks import told

MANIFEST = {"Cargo.toml": '[package]\nname = "shop"\n'}


def pair(before: str, after: str) -> list[str]:
    return told({**MANIFEST, "src/lib.rs": before}, {**MANIFEST, "src/lib.rs": after})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("pub fn total() {}", "", "removed total: the function is gone"),
        ("pub fn total() {}", "pub(crate) fn total() {}", "removed total: the function is gone"),
        (
            "pub fn total(a: u8) {}",
            "pub fn total(a: u8, b: u8) {}",
            "narrowed total: the parameter 'b' is new and required",
        ),
        (
            "pub fn total(a: u8) {}",
            "pub fn total(a: u16) {}",
            "narrowed total: the parameter 'a' was u8 and is u16",
        ),
        (
            "pub fn total() -> u8 {1}",
            "pub fn total() -> Result<u8, E> {Ok(1)}",
            "narrowed total: it returned u8 and returns Result<u8, E>",
        ),
        (
            "pub fn total<T>(a: T) {}",
            "pub fn total<T: Clone>(a: T) {}",
            "narrowed total: it became needs $0: Clone",
        ),
        (
            "pub fn total<T>(a: T) where T: Send {}",
            "pub fn total<T>(a: T) where T: Send + Sync {}",
            "narrowed total: it became needs $0: Sync",
        ),
        ("pub fn total() {}", "pub unsafe fn total() {}", "narrowed total: it became unsafe"),
        ("pub fn total() {}", "pub async fn total() {}", "narrowed total: it became async"),
        ("pub const fn total() {}", "pub fn total() {}", "narrowed total: it is no longer const"),
        ("pub struct A { pub b: u8 }", "pub struct A {}", "removed A::b: the field is gone"),
        (
            "pub struct A { pub b: u8 }",
            "pub struct A { b: u8 }",
            "hidden A::b: the field is no longer public",
        ),
        (
            "pub struct A(pub u8);",
            "pub struct A(pub u16);",
            "narrowed A::0: its type was u8 and is u16",
        ),
        ("pub enum E { A, B }", "pub enum E { A }", "removed E::B: the variant is gone"),
        ("pub enum E { A(u8) }", "pub enum E { A(u16) }", "narrowed E::A: its type was (u8)"),
        (
            "pub trait T { fn a(&self); }",
            "pub trait T { fn a(&self); fn b(&self); }",
            "narrowed T::b: the method is new, and others must have it",
        ),
        (
            "#[derive(Clone, Debug)]\npub struct A;",
            "#[derive(Debug)]\npub struct A;",
            "narrowed A: it is no longer implementing Clone",
        ),
        (
            "pub struct A;\nimpl A { pub fn b(&self) {} }",
            "pub struct A;\nimpl A { fn b(&self) {} }",
            "hidden A::b: the method is no longer public",
        ),
        (
            "pub struct A;\nimpl A { pub fn b(&self) {} }",
            "pub struct A;\nimpl A { pub fn b(&mut self) {} }",
            "narrowed A::b: the parameter 'self' was &self and is &mut self",
        ),
        (
            "pub struct A;\nimpl std::fmt::Display for A {}",
            "pub struct A;",
            "narrowed A: it is no longer implementing Display",
        ),
        ("pub mod m { pub fn a() {} }", "mod m { pub fn a() {} }", "removed m: the module is gone"),
        (
            "mod m { pub fn a() {} }\npub use m::a;",
            "mod m { pub fn a() {} }",
            "removed a: the function is gone",
        ),
        (
            "#[macro_export]\nmacro_rules! go { () => {} }",
            "macro_rules! go { () => {} }",
            "removed go!: the macro is gone",
        ),
        ("pub enum E { A }", "#[non_exhaustive]\npub enum E { A }", "it became non-exhaustive"),
        ("pub const A: u8 = 1;", "pub const A: u16 = 1;", "its type was u8 and is u16"),
    ],
)
def test_it_breaks(before: str, after: str, expected: str) -> None:
    found = pair(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fn total() {}", ""),
        ("pub(crate) fn total() {}", ""),
        ("pub fn total(a: u8) {}", "pub fn total(b: u8) {}"),
        ("pub fn total<T>(a: T) {}", "pub fn total<U>(a: U) {}"),
        ("pub fn total<T: Clone>(a: T) {}", "pub fn total<T>(a: T) {}"),
        ("pub fn total(a: String) {}", "pub fn total(a: impl Into<String>) {}"),
        ("pub fn total(a: &str) {}", "pub fn total(a: impl AsRef<str>) {}"),
        ("pub struct A { b: u8 }", "pub struct A { c: u16 }"),
        ("pub trait T { fn a(&self); }", "pub trait T { fn a(&self); fn b(&self) {} }"),
        (
            "#[derive(Clone)]\npub struct A;",
            "pub struct A;\nimpl Clone for A { fn clone(&self) -> A { A } }",
        ),
        ("pub fn a() {}", "mod m { pub fn a() {} }\npub use m::a;"),
        ("pub fn a() {}", "mod m { pub fn a() {} }\npub use m::*;"),
        ("pub fn a() {}", "mod m { pub fn b() {} }\npub use self::m::b as a;"),
        ("#[doc(hidden)]\npub fn a() {}", ""),
        ("#[cfg(test)]\npub mod tests { pub fn a() {} }", ""),
        ("pub fn a() {}", "pub const fn a() {}"),
    ],
)
def test_it_does_not_break(before: str, after: str) -> None:
    assert pair(before, after) == []


def test_a_module_in_a_file_of_its_own_is_public_where_its_parent_says_so() -> None:
    files = {**MANIFEST, "src/a.rs": "pub fn f() {}\n", "src/b/mod.rs": "pub fn g() {}\n"}
    before = {**files, "src/lib.rs": "pub mod a;\nmod b;\n"}
    gone = {**before, "src/a.rs": "\n", "src/b/mod.rs": "\n"}
    assert told(before, gone) == ["removed a::f: the function is gone"]


def test_a_program_has_no_api() -> None:
    before = {**MANIFEST, "src/main.rs": "pub fn f() {}\n"}
    assert told(before, {**MANIFEST, "src/main.rs": "\n"}) == []


def test_a_crate_of_a_workspace_is_read_by_itself() -> None:
    files = {"crates/a/Cargo.toml": "[package]\n", "crates/b/Cargo.toml": "[package]\n"}
    before = {**files, "crates/a/src/lib.rs": "pub fn f() {}\n", "crates/b/src/lib.rs": "\n"}
    assert told(before, {**before, "crates/a/src/lib.rs": "\n"}) == [
        "removed f: the function is gone"
    ]
