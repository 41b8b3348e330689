"""Pairs of TypeScript and JavaScript: what breaks who imports a package, and what does not."""

import json

import pytest
from tests.unit.gates.public_api.seen_breaks import seen, told

MANIFEST = {"package.json": json.dumps({"name": "shop", "types": "index.d.ts"})}


def pair(before: str, after: str, path: str = "index.d.ts") -> list[str]:
    return told({**MANIFEST, path: before}, {**MANIFEST, path: after})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("export function f(): void;", "", "removed f: the function is gone"),
        (
            "export function f(a?: string): void;",
            "export function f(a: string): void;",
            "narrowed f: the parameter 'a' became required",
        ),
        (
            "export function f(a: string, b: number): void;",
            "export function f(a: string): void;",
            "narrowed f: the parameter 'b' is gone",
        ),
        (
            "export function f(a: string): void;",
            "export function f(a: string, b: number): void;",
            "narrowed f: the parameter 'b' is new and required",
        ),
        (
            "export function f(a: string | number): void;",
            "export function f(a: string): void;",
            "narrowed f: the parameter 'a' was string | number and is string",
        ),
        (
            "export function f(): string;",
            "export function f(): string | undefined;",
            "narrowed f: it returned string and returns string | undefined",
        ),
        (
            "export function f(a: string): void;\nexport function f(a: number): void;",
            "export function f(a: string): void;",
            "narrowed f: the parameter 'a' was number and is string",
        ),
        (
            "export function f<T>(a: T): T;",
            "export function f<T extends object>(a: T): T;",
            "narrowed f: a type parameter had to be anything and has to be object",
        ),
        ("export class A { b(): void }", "export class A {}", "removed A.b: the method is gone"),
        (
            "export class A { b(): void }",
            "export class A { private b(): void }",
            "hidden A.b: the method is no longer public",
        ),
        (
            "export class A { constructor(a?: string) }",
            "export class A { constructor(a: string) }",
            "narrowed A: the parameter 'a' became required",
        ),
        (
            "export class A extends B {}",
            "export class A {}",
            "narrowed A: it is no longer a B",
        ),
        ("export class A { static b(): void }", "export class A { b(): void }", "no longer static"),
        ("export class A {}", "export abstract class A {}", "narrowed A: it became abstract"),
        (
            "export interface A { b: string }",
            "export interface A { b: number }",
            "narrowed A.b: its type was string and is number",
        ),
        ("export interface A { b?: string }", "export interface A {}", "removed A.b: the property"),
        (
            "export interface A<T = string> { b: T }",
            "export interface A<T> { b: T }",
            "narrowed A: a type parameter lost its default",
        ),
        ("export enum E { A, B }", "export enum E { A }", "removed E.B: the member is gone"),
        (
            "export type A = 'x' | 'y';",
            "export type A = 'x';",
            "narrowed A: its type was 'x' | 'y'",
        ),
        (
            "export const a: string;",
            "export const a: string | null;",
            "narrowed a: its type was string and is string | null",
        ),
        ("export default function f(): void;", "export function f(): void;", "removed default"),
        (
            "declare function f(): void;\nexport = f;",
            "export default function f(): void;",
            "narrowed default: it is no longer loaded by `require` as a whole",
        ),
        (
            "declare namespace n { function a(): void }\nexport = n;",
            "declare namespace n { function b(): void }\nexport = n;",
            "removed default.a: the function is gone",
        ),
        (
            "export interface Options { a?: string }\nexport function f(o: Options): void;",
            "export interface Options { a?: string; b: string }\n"
            "export function f(o: Options): void;",
            "narrowed Options.b: the property is new, and others must have it",
        ),
        (
            "export interface Result { a: string }\nexport function f(): Result;",
            "export interface Result { a?: string }\nexport function f(): Result;",
            "narrowed Result.a: its type was string and is string | undefined",
        ),
        (
            "export interface State { a: string }",
            "export interface State { readonly a: string }",
            "narrowed State.a: it became readonly",
        ),
        (
            "export function f(o: {a?: string; b?: string}): void;",
            "export function f(o: {a?: string}): void;",
            "narrowed f: the parameter 'o' was {a?: string; b?: string}",
        ),
        ("function a() {}\nexport {a as b};", "function a() {}\nexport {a};", "removed b"),
    ],
)
def test_it_breaks(before: str, after: str, expected: str) -> None:
    found = pair(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("export function f(a: string): void;", "export function f(b: string): void;"),
        ("export function f(a: string): void;", "export function f(a: string, b?: number): void;"),
        ("export function f(a: string): void;", "export function f(a: string | number): void;"),
        ("export function f(a: string[]): void;", "export function f(a: Iterable<string>): void;"),
        ("export function f(a: string[]): void;", "export function f(a: readonly string[]): void;"),
        ("export function f(): string | null;", "export function f(): string;"),
        ("export function f<T>(a: T): T;", "export function f<U>(a: U): U;"),
        ("export function f<T>(a: T): T;", "export function f<T, U = T>(a: T): T;"),
        (
            "export function f(a: string): void;",
            "export function f(a: string): void;\nexport function f(a: number): void;",
        ),
        ("function f(): void;", ""),
        ("export interface A { b: string }", "export type A = { b: string };"),
        (
            "interface B { c: string }\nexport interface A extends B { b: string }",
            "export interface A { b: string; c: string }",
        ),
        ("export interface A { b: string }", "export interface A { b: string; c?: string }"),
        (
            "export interface Options { a?: string }\nexport function f(o: Options): void;",
            "export interface Options { readonly a?: string | number }\n"
            "export function f(o: Options): void;",
        ),
        (
            "export interface Result { a?: string }\nexport function f(): Result;",
            "export interface Result { a: string; b: number }\nexport function f(): Result;",
        ),
        (
            "export type M = (a: string) => string;\nexport function f(m: M): void;",
            "export type M = (a: string) => string | null;\nexport function f(m: M): void;",
        ),
        ("export class A { private b(): void }", "export class A { private c(): void }"),
        ("export class A { #b = 1; _c = 2 }", "export class A {}"),
        (
            "export class A { b(): void }",
            "declare class B { b(): void }\nexport class A extends B {}",
        ),
        ("export enum E { A }", "export enum E { A, B }"),
        ("export const a: string | null;", "export const a: string;"),
        (
            "export function f(o: {a?: string}): void;",
            "export function f(o: {a?: string; b?: string}): void;",
        ),
        ("export class A { readonly b: string }", "export class A { get b(): string }"),
        ("export class A { b: string | undefined }", "export class A { b?: string }"),
        ("export declare function f(): void;", "declare function f(): void;\nexport {f};"),
    ],
)
def test_it_does_not_break(before: str, after: str) -> None:
    assert pair(before, after) == []


def test_what_an_entry_point_re_exports_is_followed() -> None:
    before = {**MANIFEST, "index.d.ts": "export * from './a.js';\nexport {b} from './b';"}
    before |= {"a.d.ts": "export function a(): void;", "b.d.ts": "export function b(): void;"}
    moved = {**before, "a.d.ts": "export {a} from './c.js';", "c.d.ts": before["a.d.ts"]}
    assert told(before, moved) == []
    gone = {**before, "a.d.ts": "export function other(): void;"}
    assert told(before, gone) == ["removed a: the function is gone"]


def test_what_no_entry_point_exports_is_no_api() -> None:
    before = {**MANIFEST, "index.d.ts": "export const a: 1;", "inner.ts": "export function b() {}"}
    assert told(before, {**before, "inner.ts": ""}) == []


def test_a_source_is_found_for_what_will_be_built() -> None:
    manifest = {"package.json": json.dumps({"name": "shop", "main": "dist/index.js"})}
    before = {**manifest, "src/index.ts": "export function a(b: string) {}"}
    assert told(before, {**manifest, "src/index.ts": "export function a(b: number) {}"}) == [
        "narrowed a: the parameter 'b' was string and is number"
    ]


def test_plain_scripts_are_compared_by_names() -> None:
    manifest = {"package.json": json.dumps({"name": "shop", "main": "index.js"})}
    before = {
        **manifest,
        "index.js": "module.exports = {a, b: function () {}};\nfunction a(x) {}\n",
    }
    assert told(before, {**manifest, "index.js": "exports.a = function (x, y) {};\n"}) == [
        "removed b: the function is gone"
    ]
    es = {**manifest, "index.js": "export const a = (x) => x;\nexport class B { c() {} }\n"}
    assert told(es, {**manifest, "index.js": "export const a = x => x;\nexport class B {}\n"}) == [
        "removed B.c: the method is gone"
    ]


def manifest(**keys: object) -> dict[str, str]:
    return {"package.json": json.dumps({"name": "shop", **keys}), "a.js": "", "b.js": ""}


def test_entry_points_that_are_gone_are_breaks() -> None:
    before = manifest(exports={".": "./a.js", "./b": "./b.js"})
    assert told(before, manifest(exports={".": "./a.js"})) == [
        "removed ./b: the entry point is gone"
    ]


@pytest.mark.parametrize(
    ("before", "after", "is_break"),
    [
        ({"main": "a.js"}, {"main": "a.js", "type": "module"}, True),
        ({"main": "a.js"}, {"type": "module", "exports": "./a.js"}, True),
        (
            {"main": "a.js"},
            {"type": "module", "exports": {"import": "./a.js", "require": "./b.js"}},
            False,
        ),
        ({"type": "module", "exports": "./a.js"}, {"type": "module", "exports": "./a.js"}, False),
        ({"main": "a.js"}, {"main": "a.js", "module": "b.js"}, False),
    ],
)
def test_a_package_that_can_no_longer_be_required_is_a_break(
    before: dict[str, object], after: dict[str, object], *, is_break: bool
) -> None:
    found = told(manifest(**before), manifest(**after))
    assert found == (["removed shop: it can no longer be loaded by `require`"] if is_break else [])


def test_an_application_has_no_api() -> None:
    private = {"package.json": json.dumps({"private": True}), "src/a.ts": "export function a() {}"}
    assert told(private, {**private, "src/a.ts": ""}) == []


def test_without_a_manifest_every_file_is_public_but_internal_ones() -> None:
    before = {"src/a.ts": "export function a() {}", "src/internal/b.ts": "export function b() {}"}
    assert told(before, {"src/a.ts": "", "src/internal/b.ts": ""}) == [
        "removed a: the function is gone"
    ]


def test_packages_of_one_repository_are_apart() -> None:
    one, two = ({f"packages/{it}/{name}": text for name, text in MANIFEST.items()} for it in "ab")
    before = {**one, **two, "packages/a/index.d.ts": "export const a: 1;"}
    before["packages/b/index.d.ts"] = "export const b: 1;"
    after = {**before, "packages/b/index.d.ts": "export const c: 1;"}
    assert told(before, after) == ["removed b: the value is gone"]


def test_a_file_with_a_mistake_is_unread() -> None:
    found = seen({**MANIFEST, "index.d.ts": "export const a: 1;"}, {**MANIFEST, "index.d.ts": "}{"})
    assert [it[0] for it in found.unread] == ["index.d.ts"]


def test_a_type_that_is_computed_in_another_way_is_unknown() -> None:
    before = {**MANIFEST, "index.d.ts": "export type A<T> = T extends string ? 1 : 2;"}
    found = seen(before, {**MANIFEST, "index.d.ts": "export type A<T> = T extends string ? 1 : 3;"})
    assert found.breaks == ()
    assert found.unread == (("index.d.ts", "nobody can tell whether the type 'A' takes less now"),)
