"""Honest everyday changes that look like losses at first sight pass; their dishonest kin do not."""

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.examine import examine_tests, known_languages

CHECK = """package check

import (
    "reflect"
    "testing"
)

func Equal(t *testing.T, got, want any) {
    if !reflect.DeepEqual(got, want) {
        t.Errorf("got %v, want %v", got, want)
    }
}
"""
TRUE = """
func True(t *testing.T, ok bool, what string) {
    if !ok {
        t.Error(what)
    }
}
"""
GO = "package calc\n\nfunc TestIt(t *testing.T) {\n    CHECK\n}\n"
SCRIPT = """const { render } = require('../lib');
function check(name) {
  const read = (ending) => READ;
  assert.strictEqual(render(read('.in')), read('.out'));
}
it('renders', () => check('a'));
"""
RUST = """#[test]
fn rejects() {
    for text in ["IIII", "VV"] {
        assert_eq!(read(text), Err(Fault::Form));
    }
}

#[test]
fn all() {
    for number in 1..=MAX {
        assert_eq!(read(&write(number)), Ok(number));
    }
}
"""


def errors(before: dict[str, str], after: dict[str, str]) -> set[str]:
    commits = two_commits(before, after)
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, known_languages())
    return {each.rule for each in seen.findings if each.severity is Severity.ERROR}


def go(check: str, library: str = CHECK) -> dict[str, str]:
    return {"calc/calc_test.go": GO.replace("CHECK", check), "third/check/check.go": library}


def test_another_function_that_checks_as_much() -> None:
    before = go("check.Equal(t, errors.Is(err, ErrZero), true)")
    assert errors(before, go('check.True(t, errors.Is(err, ErrZero), "x")', CHECK + TRUE)) == set()
    assert errors(before, go('check.True(t, err != nil, "x")', CHECK + TRUE)) == {
        "assertion_removed"
    }
    assert errors(
        go("check.Equal(t, Sum(1), 3)"), go('check.True(t, Sum(1) > 0, "x")', CHECK + TRUE)
    ) == {"assertion_removed"}


def test_how_a_function_within_a_test_is_made_says_nothing_about_what_is_checked() -> None:
    before = SCRIPT.replace("READ", "fs.readFileSync(path.join(FOLDER, name + ending), 'utf8')")
    after = SCRIPT.replace("READ", "readFixture(name, ending)")
    assert errors({"test/a.test.js": before}, {"test/a.test.js": after}) == set()


def test_a_case_is_not_found_in_a_test_that_expects_something_else() -> None:
    after = RUST.replace(', "VV"', "")
    assert errors({"tests/a.rs": RUST}, {"tests/a.rs": after}) == {"cases_removed"}


@pytest.mark.parametrize(
    ("path", "before", "after", "rule"),
    [
        ("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -race -shuffle=on ./...\n", ""),
        ("Makefile", "test:\n\tcargo test -q\n", "test:\n\tcargo test -q --workspace\n", ""),
        ("package.json", '{"scripts": {"test": "jest"}}',
         '{"scripts": {"test": "jest --ci --coverage"}}', ""),
        ("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -short ./...\n", "gate_changed"),
        ("Makefile", "test:\n\tpytest tests\n", "test:\n\tpytest -ra\n", "gate_changed"),
        ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest || true\n", "gate_changed"),
        ("testdata/golden.txt", "1 = 1\n2 = 2\n", "1 = 1\n2 = 2\n3 = 3\n", ""),
        ("testdata/golden.txt", "1 = 1\n2 = 2\n", "1 = 1\n2 = 3\n", "snapshot_changed"),
        ("testdata/golden.txt", "1 = 1\n2 = 2\n", "2 = 2\n1 = 1\n", "snapshot_changed"),
        ("testdata/golden.bin", "1\n", "1\n\0\n", "snapshot_changed"),
        ("testdata/golden.txt", "", "1 = 1\n", "snapshot_changed"),
    ],
)  # fmt: skip
def test_what_asks_for_more_passes(path: str, before: str, after: str, rule: str) -> None:
    assert errors({path: before}, {path: after}) == ({rule} if rule else set())
