"""What a change takes away from tests of JavaScript, and what it only says in another way."""

from collections.abc import Mapping

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import examine_tests
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT


def errors(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    commits = two_commits(before, after)
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, [TableReader(JAVASCRIPT)])
    return {each.rule for each in seen.findings if each.severity is Severity.ERROR}


ROWS = "const rows = [['a', 1], ['b', 2], ['c', 3]];\n"
EACH = "test.each(%s)('x %%s', (t, n) => { %s expect(f(t)).toBe(n) })"
LOOP = "for (const [t, n] of %s) { %s expect(f(t)).toBe(n); %s }"


def file(source: str) -> dict[str, str]:
    return {"src/a.test.js": f"const {{ f, g, Cart }} = require('./a');\n{ROWS}{source}\n"}


def one(body: str) -> dict[str, str]:
    return file(f"test('it', async () => {{ {body} }});")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (file(EACH % ("rows", "")), file(EACH % ("rows.filter(([t]) => t !== 'b')", ""))),
        (file(EACH % ("rows", "")), file(EACH % ("rows.slice(0, -1)", ""))),
        (file(EACH % ("rows", "")), file(EACH % ("rows", "if (t === 'b') return;"))),
        (one(LOOP % ("rows", "", "")), one(LOOP % ("rows.filter((r) => r[1] > 1)", "", ""))),
        (one(LOOP % ("rows", "", "")), one(LOOP % ("rows", "if (!n) continue;", ""))),
        (one(LOOP % ("rows", "", "")), one(LOOP % ("rows", "", "break;"))),
    ],
)
def test_rows_that_no_longer_run_are_missed(
    before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    assert errors(before, after) & {"cases_removed", "assertion_weakened"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("expect(f(1)).toBeCloseTo(0.3, 5)", "expect(f(1)).toBeCloseTo(0.3, 0)"),
        ("expect(f(1)).toBe(0.3)", "expect(Math.abs(f(1) - 0.3) < 9).toBe(true)"),
        ("expect(f(1)).to.be.closeTo(3, 0.01)", "expect(f(1)).to.be.closeTo(3, 30)"),
        ("expect(f(1)).toBe(3)", "expect(f(1) === 3 || f(1) === 4).toBe(true)"),
        ("expect(f(1)).toBe(3)", "expect(typeof f(1)).toBe('number')"),
        ("expect(f(1)).toBe(3)", "expect(f(1)).toBe(process.env.CI ? f(1) : 3)"),
        ("expect(f(1)).toEqual({ a: 1, b: 2 })", "expect(f(1)).toMatchObject({ a: 1 })"),
        ("expect(f(1)).to.deep.equal(['a'])", "expect(f(1)).to.have.members(['a'])"),
        (
            "const s = jest.fn(); f(s); expect(s).toHaveBeenCalledWith('a')",
            "const s = jest.fn(); f(s); expect(s).toHaveBeenCalledTimes(1)",
        ),
    ],
)
def test_an_assertion_that_says_less_is_found(before: str, after: str) -> None:
    assert errors(one(before), one(after)) & {"assertion_weakened", "assertion_removed"}


def test_a_wanted_value_that_becomes_what_was_found_is_a_tautology() -> None:
    before = "let want = 3; const got = f(1); expect(got).toBe(want)"
    after = "let want = 3; const got = f(1); want = got; expect(got).toBe(want)"
    assert errors(one(before), one(after)) == {"assertion_tautological"}


CART = "const cart = new Cart(); %s expect(cart.total()).toBe(3)"


@pytest.mark.parametrize(
    "after",
    [
        one(CART % "jest.spyOn(cart, 'total').mockReturnValue(3);"),
        one(CART % "sinon.stub(cart, 'total').returns(3);"),
        one(CART % "cart.total = () => 3;"),
        one(CART % "Cart.prototype.total = jest.fn(() => 3);"),
        file("vi.mock('./a.js');\ntest('it', async () => { " + CART % "" + " });"),
        file(
            "beforeEach(() => jest.spyOn(Cart.prototype, 'total').mockReturnValue(3));\n"
            "test('it', async () => { " + CART % "" + " });"
        ),
    ],
)
def test_a_subject_that_is_replaced_is_found(after: Mapping[str, str]) -> None:
    assert errors(one(CART % ""), after) == {"subject_patched"}


def test_a_subject_that_a_mocked_module_makes_is_found() -> None:
    before = "import { f as ask } from './a';\ntest('it', () => { expect(%s).toEqual([3]) });"
    mock = "vi.mock('./a', async (old) => ({ ...(await old()), f: () => 3, importOriginal }));\n"
    for subject in ("ask(1)", "[1].map((x) => ask(x))", "new ask(1)"):
        sides = [{"a.spec.ts": text % subject} for text in (before, mock + before)]
        assert errors(*sides) == {"subject_patched"}


@pytest.mark.parametrize(
    "mock",
    [
        "jest.mock('./db', () => ({ load: () => 3 }));",
        "jest.mock('./a', () => ({ ...jest.requireActual('./a'), g: () => 3 }));",
        "jest.spyOn(Date, 'now').mockReturnValue(5);",
        "jest.spyOn(api, 'f').mockReturnValue(5);",
        "test('other', () => { jest.spyOn(f, 'call').mockReturnValue(5); expect(g()).toBe(1) });",
    ],
)
def test_what_the_subject_needs_may_be_replaced(mock: str) -> None:
    test = "test('it', () => { expect(f(1)).toBe(3); expect(f.call(2)).toBe(4) });"
    assert errors(file(test), file(f"{mock}\n{test}")) == set()


def test_how_a_mock_was_used_may_be_asked() -> None:
    source = (
        "const { Mailer } = require('./mailer');\njest.mock('./mailer');\n"
        "test('mail', () => { const m = new Mailer(); f(m);\n"
        "expect(m.send).toHaveBeenCalledTimes(1) });"
    )
    assert errors(file(""), file(source)) == set()


@pytest.mark.parametrize(
    "end", ["process.exit(0)", "afterAll(() => process.exit())", "process.exitCode = 0"]
)
def test_a_run_that_is_ended_with_success_is_found(end: str) -> None:
    test = "test('it', () => { expect(f(1)).toBe(3) });"
    assert errors(file(test), file(f"{end};\n{test}")) == {"collection_changed"}
    assert errors(file(test), file(f"{test}\nprocess.exit(1);")) == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "assert.equal(f(1), 3); assert.ok(g(2))",
            "expect(f(1)).toBe(3); expect(g(2)).toBeTruthy()",
        ),
        (
            "expect(f(4)).to.have.length(2); expect(f(5)).to.include('a')",
            "expect(f(4)).toHaveLength(2); expect(f(5)).toContain('a')",
        ),
        ("expect(f(1).includes('a')).toBe(true)", "expect(f(1)).toContain('a')"),
        ("expect(f(1)).toBe(0.3)", "expect(f(1)).toBeCloseTo(0.3)"),
        ("await expect(f(1)).resolves.toBe(3)", "expect(await f(1)).toBe(3)"),
        (
            "const s = jest.fn(); f(s); expect(s.mock.calls.length).toBe(1)",
            "const s = vi.fn(); f(s); expect(s).toHaveBeenCalledTimes(1)",
        ),
        (
            "const s = sinon.spy(); f(s); expect(s.calledOnce).to.equal(true)",
            "const s = jest.fn(); f(s); expect(s).toHaveBeenCalledOnce()",
        ),
        (
            "const s = jest.fn(); f(s); expect(s).toHaveBeenCalled()",
            "const s = jest.fn(); f(s); expect(s).toHaveBeenCalledWith('a', 3)",
        ),
        (
            LOOP % ("rows", "", ""),
            LOOP % ("rows", "expect(g(t)).toBe(4); if (!n) continue;", ""),
        ),
    ],
)
def test_another_way_to_ask_is_no_loss(before: str, after: str) -> None:
    assert errors(one(before), one(after)) == set()


def test_tests_may_become_rows_of_a_loop() -> None:
    apart = "".join(f"test('{t}', () => {{ expect(f('{t}')).toBe({n}) }});\n" for t, n in ROW_LIST)
    assert errors(file(apart), file("for (const [t, n] of rows) " + IN_LOOP)) == set()
    assert errors(file(apart), file("rows.forEach(([t, n]) => " + IN_LOOP + ");")) == set()


ROW_LIST = (("a", 1), ("b", 2), ("c", 3))
IN_LOOP = "{ test(`is ${t}`, () => { expect(f(t)).toBe(n) }) }"


def test_tests_under_a_condition_do_not_run() -> None:
    test = "describe('d', () => { test('it', () => { expect(f(1)).toBe(3) }) });"
    assert errors(file(test), file(f"if (process.env.SLOW) {{ {test} }}")) == {"test_skipped"}
    assert errors(file(test), file(f"if (true) {{ {test} }}")) == set()


def test_nobody_listens_after_the_end() -> None:
    before = "test('it', (done) => { f(1, (r) => { expect(r).toBe(3); done(); }); });"
    after = "test('it', (done) => { done(); f(1, (r) => { expect(r).toBe(3); }); });"
    assert errors(file(before), file(after)) == {"failure_swallowed"}


def test_nobody_waits_for_what_a_loop_of_functions_starts() -> None:
    before = "for (const [t, n] of rows) { expect(await f(t)).toBe(n) }"
    after = "rows.forEach(async ([t, n]) => { expect(await f(t)).toBe(n) })"
    together = "await Promise.all(rows.map(async ([t, n]) => { expect(await f(t)).toBe(n) }))"
    assert errors(one(before), one(after)) == {"assertion_weakened"}
    assert errors(one(before), one(together)) == set()
