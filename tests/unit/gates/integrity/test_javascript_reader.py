"""Tests of JavaScript and TypeScript, as the test-integrity gate reads them."""

import pytest

from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import known_languages
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT
from supervisor_ai.gates.integrity.model import Strength, TestCase, TestFile, Unreadable

NONE, WEAK, PARTIAL, EXACT = Strength.NONE, Strength.WEAK, Strength.PARTIAL, Strength.EXACT


def read(source: str, path: str = "cart.test.ts") -> TestFile:
    found = TableReader(JAVASCRIPT).read(path, source.encode())
    assert isinstance(found, TestFile)
    return found


def one(body: str, parameters: str = "") -> TestCase:
    (test,) = read(f"it('works', async ({parameters}) => {{ {body} }});").tests
    return test


def strengths(body: str, parameters: str = "") -> list[Strength]:
    return [each.strength for each in one(body, parameters).assertions]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/cart.test.js", True),
        ("src/cart.spec.tsx", True),
        ("src/__tests__/cart.mjs", True),
        ("test/cart.cjs", True),
        ("tests/deep/cart.mts", True),
        ("src/cart.js", False),
        ("src/latest.ts", False),
        ("tests/cart.py", False),
        ("tests/fixtures/cart.js", False),
        ("node_modules/a/a.test.js", False),
    ],
)
def test_a_test_is_known_by_its_path(path: str, *, expected: bool) -> None:
    assert TableReader(JAVASCRIPT).is_test(path, b"") is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("expect(f(2)).toBe(3)", EXACT),
        ("expect(f(2)).toEqual({ a: 1 })", EXACT),
        ("expect(f(2)).toBe(true)", EXACT),
        ("expect(f(2)).toHaveLength(3)", EXACT),
        ("expect(f(2)).toBeNull()", EXACT),
        ("expect(f(2)).toHaveProperty('a', 1)", EXACT),
        ("expect(f(2)).toHaveProperty('a')", PARTIAL),
        ("expect(spy).toHaveBeenCalledWith(1)", EXACT),
        ("expect(spy).not.toHaveBeenCalled()", EXACT),
        ("expect(spy).toHaveBeenCalled()", PARTIAL),
        ("expect(spy).toHaveBeenCalledWith(expect.anything())", WEAK),
        ("expect(f(2)).toContain(3)", PARTIAL),
        ("expect(f(2)).toMatch(/a/)", PARTIAL),
        ("expect(f(2)).toBeGreaterThan(3)", PARTIAL),
        ("expect(f(2)).toMatchSnapshot()", PARTIAL),
        ("expect(f(2)).toMatchInlineSnapshot()", PARTIAL),
        ("expect(f(2)).toMatchInlineSnapshot(`3`)", EXACT),
        ("expect(f(2)).toEqual({ a: expect.any(String) })", PARTIAL),
        ("expect(f(2)).toEqual(expect.anything())", WEAK),
        ("expect(f(2)).toEqual(expect.objectContaining({ a: 1 }))", PARTIAL),
        ("expect(() => f(2)).toThrow()", PARTIAL),
        ("expect(() => f(2)).toThrow(Error)", PARTIAL),
        ("expect(() => f(2)).toThrow('too small')", EXACT),
        ("expect(() => f(2)).toThrow(RangeError)", EXACT),
        ("expect(() => f(2)).not.toThrow()", WEAK),
        ("expect(f(2)).toBeTruthy()", WEAK),
        ("expect(f(2)).toBeDefined()", WEAK),
        ("expect(f(2)).not.toBeDefined()", EXACT),
        ("expect(f(2)).not.toBeNull()", WEAK),
        ("expect(f(2)).not.toBe(3)", WEAK),
        ("expect(f(2)).toBeInstanceOf(Cart)", WEAK),
        ("expect(f(2) === 3).toBe(true)", EXACT),
        ("expect(f(2) === 3).toBe(false)", WEAK),
        ("expect(f(2) !== 3).toBeFalsy()", EXACT),
        ("expect(f(2) > 3).toBe(true)", PARTIAL),
        ("expect(typeof f(2) === 'string').toBe(true)", WEAK),
        ("expect(f(2) === 3 || f(2) > 1).toBe(true)", PARTIAL),
        ("expect(f(2) === 3 && f(2)).toBe(true)", EXACT),
        ("expect(f(2))", NONE),
        ("expect(f(2)).to.equal(3)", EXACT),
        ("expect(f(2)).to.be.true", EXACT),
        ("expect(f(2)).to.exist", WEAK),
        ("expect(f(2)).to.not.be.null", WEAK),
        ("expect(f(2)).to.have.property('a').that.equals(3)", EXACT),
        ("f(2).should.equal(3)", EXACT),
        ("assert.strictEqual(f(2), 3)", EXACT),
        ("assert.equal(3, f(2))", EXACT),
        ("assert(f(2))", WEAK),
        ("assert(isPrime(2))", PARTIAL),
        ("assert(!(f(2) !== 3))", EXACT),
        ("assert.ok(f(2) === 3, 'a message')", EXACT),
        ("assert.throws(() => f(2))", PARTIAL),
        ("assert.throws(() => f(2), RangeError)", EXACT),
        ("sinon.assert.calledWith(spy, 3)", EXACT),
        ("await request(app).get('/').expect(200)", EXACT),
        ("expectTypeOf<A>().toEqualTypeOf<B>()", PARTIAL),
        ("util.assertEqual<A, B>(true)", PARTIAL),
        ("expect.soft(f(2)).toBe(3)", EXACT),
    ],
)
def test_an_assertion_is_as_strong_as_its_matcher(code: str, expected: Strength) -> None:
    assert strengths(code) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "expect(true).toBe(true)",
        "expect(1).toBe(1)",
        "expect([1, { a: -2 }]).toEqual([1, { a: -2 }])",
        "expect(undefined).toBeUndefined()",
        "const x = f(2); expect(x).toBe(x)",
        "const x = f(2); const y = x; expect(x).toEqual(y)",
        "const x = 3; expect(x).toBe(3)",
        "expect(f(2) || true).toBeTruthy()",
        "expect(f(2) ?? 3).toBe(3)",
        "expect(f(2) || 3).toBe(3)",
        "expect(f(2) === f(2)).toBe(true)",
        "assert.ok(true)",
        "assert(!false)",
        "assert('yes')",
        "assert.equal(1, 1)",
        "t.pass(f(2))",
    ],
)
def test_what_always_holds_checks_nothing(code: str) -> None:
    assert strengths(code, "t") == [NONE]


def test_a_value_that_is_kept_to_be_compared_later_is_no_tautology() -> None:
    assert strengths("const before = cart.size; cart.clear(); expect(cart.size).toBe(before)") > [
        NONE
    ]
    assert strengths("let n = 0; run(() => n++); expect(n).toBe(0)") == [EXACT]
    assert strengths("const a = f(); const b = f(); expect(a).toBe(b)") == [WEAK]


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("expect(f(2)).toBe(3)", "f(2)"),
        ("const got = f(2); expect(got).toBe(3)", "f(2)"),
        ("const got = await f( 2, ); expect(got!).toBe(3)", "f(2)"),
        ("const a = f(2); const b = a.total; expect(b as number).toBe(3)", "f(2).total"),
        ("expect(() => f(2)).toThrow()", "f(2)"),
        ("expect(() => { f(2); }).toThrow()", "f(2)"),
        ("expect(f(2) > 3).toBe(true)", "f(2)"),
        ("expect(3 < f(2)).toBe(true)", "f(2)"),
        ("expect(f(2).includes(3)).toBe(true)", "f(2)"),
        ("expect(f(2)).toHaveLength(3)", "f(2).length"),
        ("assert.equal(3, f(2), 'message')", "f(2)"),
        ("let a = 1; a = 2; expect(a).toBe(f(2))", "a"),
    ],
)
def test_the_subject_is_what_is_checked_whatever_it_is_called(body: str, subject: str) -> None:
    assert [each.subject for each in one(body).assertions] == [subject]


def test_equal_assertions_have_equal_texts() -> None:
    first = one("const got = f('a'); expect(got).toBe(3); assert.equal(got, 4, 'one')")
    second = one(
        'const result = f("a");\n// why\nexpect( result ).toBe( 3 );assert.equal(result, 4)'
    )
    assert [each.text for each in first.assertions] == [each.text for each in second.assertions]


def test_a_body_counts_without_blanks_and_comments() -> None:
    first, second = read("""
        it('a', () => { f(1, 2); /* so */ expect(g()).toBe(3) });
        it('b', () => {
            f(1,
              2,
            )  // here
            expect(g()).toBe(3);
        });
    """).tests
    assert first.body == second.body
    assert (first.line, second.line) == (2, 3)


def test_names_tell_where_a_test_stands_and_are_told_apart() -> None:
    found = read("""
        describe('cart', () => {
            describe(Cart, () => { test(`adds`, () => {}); test(`adds`, () => {}) });
            specify("x" + y, function () {});
        });
        Deno.test("deno", () => {});
        Deno.test(function named() {});
        QUnit.module("q", () => { QUnit.test("unit", () => {}) });
    """)
    assert [test.name for test in found.tests] == [
        "cart > Cart > adds",
        "cart > Cart > adds #2",
        'cart > "x"+y',
        "deno",
        "named",
        "q > unit",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "it.skip('a', () => {})",
        "xit('a', () => {})",
        "xtest('a', () => {})",
        "xdescribe('s', () => { it('a', () => {}) })",
        "describe.skip('s', () => { describe('t', () => { it('a', () => {}) }) })",
        "it.todo('a')",
        "test.failing('a', () => {})",
        "test.fails('a', () => {})",
        "it.skipIf(true)('a', () => {})",
        "it.skipIf(process.env.CI)('a', () => {})",
        "it.runIf(false)('a', () => {})",
        "describe.skipIf(true)('s', () => { it('a', () => {}) })",
        "it('a', { skip: true }, () => {})",
        "it('a', { todo: 'later' }, () => {})",
        "it('a', function () { this.skip(); })",
        "it('a', function () { if (slow) this.skip(); })",
        "test('a', (t) => { t.skip('why') })",
        "test('a', () => { test.skip() })",
        "it('a', () => { pending() })",
        "const maybe = it.skip; maybe('a', () => {})",
        "const maybe = CI ? it.skip : it; maybe('a', () => {})",
        "if (false) { it('a', () => {}) }",
        "for (const x of []) { it('a', () => {}) }",
        "it.each([])('a', () => {})",
        "describe.each([])('s', () => { it('a', () => {}) })",
        "const it = () => {}; it('a', () => {})",
        "function test() {}; test('a', () => {})",
    ],
)
def test_a_test_that_does_not_run_is_skipped(code: str) -> None:
    assert [test.is_skipped for test in read(code).tests] == [True]


@pytest.mark.parametrize(
    "code",
    [
        "it('a', () => {})",
        "it('a', { skip: false, timeout: 5 }, () => {})",
        "it.skipIf(false)('a', () => {})",
        "it.runIf(true)('a', () => {})",
        "it.concurrent('a', () => {})",
        "it('a', () => { list.skip(3); test.skip(false) })",
        "import it from 'x'; it('a', () => {})",
    ],
)
def test_a_test_that_runs_is_not_skipped(code: str) -> None:
    assert [test.is_skipped for test in read(code).tests] == [False]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("it.only('a', () => {})", True),
        ("fit('a', () => {})", True),
        ("fdescribe('a', () => { it('b', () => {}) })", True),
        ("describe.only('a', () => {})", True),
        ("it('a', { only: true }, () => {})", True),
        ("it('a', () => {})", False),
    ],
)
def test_a_focused_test_leaves_out_the_others(code: str, *, expected: bool) -> None:
    assert read(code).is_focused is expected


@pytest.mark.parametrize(
    ("code", "cases"),
    [
        ("it.each([[1, 2], [3, 4]])('%s', (a, b) => {})", 2),
        ("const rows = [1, 2, 3]; it.each(rows)('%s', (a) => {})", 3),
        ("it.each`a | b\n${1} | ${2}\n${3} | ${4}\n${5} | ${6}`('$a', ({ a }) => {})", 3),
        ("describe.each([1, 2])('%s', (a) => { it.each([1, 2, 3])('b', () => {}) })", 6),
        ("for (const x of [1, 2]) { it(`${x}`, () => {}) }", 2),
        ("[1, 2, 3].forEach((x) => { it(`${x}`, () => {}) })", 3),
        ("Object.entries({ a: 1, b: 2 }).forEach(([k, v]) => { it(k, () => {}) })", 2),
        ("it('a', () => { for (const x of [1, 2]) { expect(f(x)).toBe(3) } })", 2),
        ("const rows = [1, 2, 3]; it.each(rows.slice(1))('a', () => {})", 2),
        ("const rows = [1, 2, 3]; it.each(rows.slice(0, 1))('a', () => {})", 1),
        ("const rows = [1, 2, 3]; it.each(rows.slice())('a', () => {})", 3),
        ("const rows = [1, 2, 3]; it.each(rows.slice(n))('a', () => {})", 0),
        ("it.each(load())('a', () => {})", 0),
        ("it.each([...rows, 1])('a', () => {})", 0),
        ("it('a', () => { for (const x of load()) { expect(f(x)).toBe(3) } })", 0),
        ("it('a', () => {})", 1),
    ],
)
def test_cases_are_the_rows_of_the_table(code: str, cases: int) -> None:
    (test,) = read(code).tests
    times = [each.times for each in test.assertions] or [1]
    assert test.cases * times[0] == cases


@pytest.mark.parametrize(
    "body",
    [
        "try { expect(f()).toBe(3) } catch (e) {}",
        "try { expect(f()).toBe(3) } catch { console.log('no') }",
        "try { expect(f()).toBe(3) } finally { return }",
        "return; expect(f()).toBe(3)",
        "if (true) { return } expect(f()).toBe(3)",
        "if (1) return; expect(f()).toBe(3)",
        "if (false) { expect(f()).toBe(3) }",
        "if (true) { g() } else { expect(f()).toBe(3) }",
        "while (false) { expect(f()).toBe(3) }",
        "for (const x of []) { expect(f(x)).toBe(3) }",
        "[].forEach((x) => { expect(f(x)).toBe(3) })",
        "const check = () => { expect(f()).toBe(3) }",
        "function check() { expect(f()).toBe(3) }",
        "f().then((x) => { expect(x).toBe(3) })",
        "setTimeout(() => { expect(f()).toBe(3) }, 10)",
        "await f().then((x) => expect(x).toBe(3)).catch(() => {})",
        "false && expect(f()).toBe(3)",
        "this.skip(); expect(f()).toBe(3)",
    ],
)
def test_a_failure_that_nobody_sees_is_swallowed(body: str) -> None:
    found = one(body)
    assert found.swallows
    assert [each.strength for each in found.assertions] == [NONE]


@pytest.mark.parametrize(
    "body",
    [
        "try { expect(f()).toBe(3) } catch (e) { throw e }",
        "try { expect(f()).toBe(3) } finally { close() }",
        "try { f(); expect.fail() } catch (e) { expect(e.code).toBe(3) }",
        "expect.assertions(1); try { f() } catch (e) { expect(e.code).toBe(3) }",
        "return f().then((x) => { expect(x).toBe(3) })",
        "await f().then((x) => { expect(x).toBe(3) })",
        "const check = () => { expect(f()).toBe(3) }; check()",
        "const onError = () => { expect(f()).toBe(3) }; run({ onError })",
        "if (true) { expect(f()).toBe(3) }",
        "true && expect(f()).toBe(3)",
        "if (x) { expect(f()).toBe(3) } else { throw new Error('no') }",
        "list.forEach((x) => { if (x.ok) { expect(f(x)).toBe(3) } })",
    ],
)
def test_a_failure_that_is_seen_is_not_swallowed(body: str) -> None:
    found = one(body)
    assert not found.swallows
    assert [each.strength for each in found.assertions][:1] == [EXACT]


def test_what_happens_later_counts_where_the_test_waits_for_it() -> None:
    body = "setTimeout(() => { expect(f()).toBe(3); done() }, 10)"
    assert strengths(body, "done") == [EXACT]
    assert strengths(body) == [NONE]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("expect(f()).resolves.toBe(3)", WEAK),
        ("await expect(f()).resolves.toBe(3)", EXACT),
        ("return expect(f()).rejects.toThrow(RangeError)", EXACT),
        ("assert.rejects(f(), RangeError)", WEAK),
        ("if (x) { expect(f()).toBe(3) }", PARTIAL),
        ("if (x) return; expect(f()).toBe(3)", PARTIAL),
        ("x && expect(f()).toContain(3)", WEAK),
        ("try { f() } catch (e) { expect(e.code).toBe(3) }", PARTIAL),
    ],
)
def test_what_nobody_waits_for_or_runs_only_sometimes_says_less(
    body: str, expected: Strength
) -> None:
    assert strengths(body) == [expected]


def test_functions_that_check_are_shared_checkers() -> None:
    found = read("""
        export function checkTotal(cart) { expect(cart.total).toBe(3) }
        const checkSize = (cart) => { expect(cart.size).toBe(3) };
        function build() { return new Cart() }
        function suite(name) { it(name, () => { checkTotal(build()); this.checkSize(1) }) }
        describe('cart', () => { afterEach(() => { expect(open()).toBe(0) }) });
    """)
    assert [(each.name, len(each.assertions)) for each in found.checkers] == [
        ("checkTotal", 1),
        ("checkSize", 1),
        ("cart > afterEach", 1),
    ]
    (test,) = found.tests
    assert set(test.calls) >= {"checkTotal", "build", "checkSize"}


def test_an_expect_of_the_file_itself_may_check_nothing() -> None:
    (test,) = read(
        "const expect = () => ({ toBe() {} }); it('a', () => { expect(f()).toBe(3) })"
    ).tests
    assert [each.strength for each in test.assertions] == [NONE]


def test_a_body_holds_the_rows_and_values_that_a_test_runs_with() -> None:
    first, second = read("""
        const rows = [[41, 42]];
        it.each(rows)('a', (x, y) => { expect(f(x)).toBe(y) });
        describe.each([51])('d', (x) => { it('b', () => { expect(f(x)).toBe(52) }) });
    """).tests
    assert "41" in first.body
    assert "51" in second.body


def test_an_assertion_that_says_less_at_its_place_reads_otherwise() -> None:
    texts = [
        each.text for each in one("if (x) { expect(f()).toBe(3) } expect(f()).toBe(3)").assertions
    ]
    assert texts == ["sometimes f() == 3", "f() == 3"]
    (floating,) = one("expect(f()).resolves.toBe(3)").assertions
    assert floating.text == "unawaited f() == 3"


def test_what_is_commented_out_is_gone() -> None:
    assert read("// it('a', () => {})\n/* it('b', () => {}) */").tests == ()


@pytest.mark.parametrize("path", ["a.test.js", "a.test.ts", "a.test.tsx"])
def test_a_file_with_a_syntax_error_cannot_be_understood(path: str) -> None:
    found = TableReader(JAVASCRIPT).read(path, b"it('a', () => { expect(f()).toBe(3)")
    assert isinstance(found, Unreadable)
    assert "syntax error" in found.reason


def test_a_small_part_beyond_the_grammar_does_not_hide_the_tests() -> None:
    source = b"it('a', () => { expect(f()).toBe(3) });\n" * 20 + b"@@;\n"
    found = TableReader(JAVASCRIPT).read("a.test.js", source)
    assert isinstance(found, TestFile)
    assert len(found.tests) == 20


@pytest.mark.parametrize(
    "source",
    [
        b"(" * 5_000,
        b"it('a', () => {" * 3_000,
        b"!" * 50_000 + b"a",
        b"a" + b".b()" * 20_000,
        b"\x00\xff\xfe" * 1_000,
    ],
)
def test_hostile_text_is_answered(source: bytes) -> None:
    assert isinstance(TableReader(JAVASCRIPT).read("a.test.js", source), TestFile | Unreadable)


def test_names_that_double_each_other_do_not_explode() -> None:
    lines = ["const a0 = f();", *(f"const a{n} = a{n - 1} + a{n - 1};" for n in range(1, 60))]
    (test,) = read(f"it('a', () => {{ {' '.join(lines)} expect(a59).toBe(1) }})").tests
    assert len(test.assertions[0].text) < 20_000


def test_a_file_that_only_a_machine_can_have_written_is_not_looked_at() -> None:
    found = TableReader(JAVASCRIPT).read("a.test.js", b"f(1);\n" * 40_000)
    assert found == Unreadable(path="a.test.js", reason="it is too large to be looked at")


def test_every_language_is_known() -> None:
    paths = ["test_a.py", "a.test.ts", "a_test.go", "tests/a.rs", "ATest.java"]
    known = known_languages()
    assert [[each.is_test(path, b"") for path in paths].index(True) for each in known] == [
        *range(5)
    ]
