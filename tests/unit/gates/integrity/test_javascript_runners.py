"""Tests of tape, tap, ava, uvu, qunit and node:test are known by any name in a file."""

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.examine import examine_tests, known_languages

PATH = "test/a.js"
UVU = "import { suite } from 'uvu';\nimport * as assert from 'uvu/assert';\nconst S = suite('s');\n"


def errors(before: str, after: str) -> set[str]:
    commits = two_commits({PATH: before}, {PATH: after})
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, known_languages())
    return {each.rule for each in seen.findings if each.severity is Severity.ERROR}


@pytest.mark.parametrize(
    ("first", "before", "after", "rule"),
    [
        ("const tape = require('tape');\n", "tape('a', (t) => { t.equal(f(1), 2); t.end(); });",
         "tape.skip('a', (t) => { t.equal(f(1), 2); t.end(); });", "test_skipped"),
        ("const tap = require('tap');\n", "tap.test('a', (t) => { t.equal(f(1), 2); t.end(); });",
         "tap.test('a', (t) => { t.ok(f(1)); t.end(); });", "assertion_weakened"),
        ("const tap = require('tap');\n", "tap.equal(f(1), 2);", "tap.ok(f(1));",
         "assertion_weakened"),
        ("const assert = require('assert');\n", "assert.equal(f(1), 2);", "assert.ok(f(1));",
         "assertion_weakened"),
        ("import check from 'ava';\n", "check('a', t => { t.is(f(1), 2); });",
         "check('a', t => { t.truthy(f(1)); });", "assertion_weakened"),
        ("import check from 'ava';\n", "check('a', t => { t.is(f(1), 2); });",
         "check.failing('a', t => { t.is(f(1), 2); });", "test_skipped"),
        (UVU, "S('a', () => { assert.is(f(1), 2); });\nS.run();",
         "S('a', () => { assert.is(f(1), 2); });", "test_skipped"),
        (UVU, "S('a', () => { assert.is(f(1), 2); });\nS.run();",
         "S('a', () => { assert.ok(f(1)); });\nS.run();", "assertion_weakened"),
        ("import { test as check } from 'node:test';\n",
         "check('a', () => { assert.equal(f(1), 2); });", "check('a', () => { f(1); });",
         "test_emptied"),
        ("import test from 'node:test';\n",
         "test('a', async (t) => { await t.test('b', () => { assert.equal(f(1), 2); }); });",
         "test('a', async (t) => { await t.test('b', { skip: 1 }, () => {\n"
         "  assert.equal(f(1), 2); }); });", "test_skipped"),
        ("import test from 'tape';\n",
         "test('a', (t) => { t.test('b', (s) => { s.equal(f(1), 2); s.end(); }); });",
         "test('a', (t) => { t.test('b', (s) => { s.ok(f(1)); s.end(); }); });",
         "assertion_weakened"),
        ("import test from 'tape';\n",
         "test('a', (t) => { t.test('b', (s) => { s.equal(f(1), 2); s.end(); }); });",
         "test('a', (t) => { t.skip('b', (s) => { s.equal(f(1), 2); s.end(); }); });",
         "test_skipped"),
        ("import test from 'tape';\n", "test('a', (t) => { t.equal(f(1), 2); });",
         "test('a', (t) => { t.equal(f(1), 2, 'm', { skip: true }); });", "test_skipped"),
        ("import { module, test as check } from 'qunit';\n",
         "check('a', (assert) => { assert.equal(f(1), 2); });",
         "check.skip('a', (assert) => { assert.equal(f(1), 2); });", "test_skipped"),
    ],
)  # fmt: skip
def test_what_says_less_with_any_runner(first: str, before: str, after: str, rule: str) -> None:
    assert errors(first + before, first + after) == {rule}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("const tape = require('tape');\ntape('a', (t) => { t.equal(f(1), 2); t.end(); });",
         "import { test } from 'node:test';\ntest('a', () => { assert.equal(f(1), 2); });"),
        ("import t from 'tap';\nt.test('a', (t) => { t.equal(f(1), 2); t.end(); });",
         "import t from 'tap';\nt.test('a', (t) => {\n  t.equal(f(1), 2);\n  t.end();\n});\n"
         "t.equal(f(2), 4);"),
        (UVU + "S('a', () => { assert.is(f(1), 2); });\nS.run();",
         UVU + "S('one', () => { assert.is(f(1), 2); });\nS.run();"),
    ],
)  # fmt: skip
def test_what_says_as_much(before: str, after: str) -> None:
    assert errors(before, after) == set()
