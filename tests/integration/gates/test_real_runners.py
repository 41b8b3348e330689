"""Runners as they are installed, and what is read from their output."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.processes import PATIENCE
from tests.unit.gates.memory_commits import HEAD, MemoryCommits

from supervisor_ai.engine.ports.gates import Reading, ReportQuestion
from supervisor_ai.gates.examiner import RepositoryExaminer
from supervisor_ai.gates.runners.report_request import make_request
from supervisor_ai.gates.runners.test_results import read

PYTEST_FILE = """\
import pytest
def test_good(): pass
def test_bad(): assert 1 == 2
@pytest.mark.parametrize("value", ["a b", "c - d"])
def test_values(value): assert value == "a b"
@pytest.fixture
def broken(): raise RuntimeError("set-up")
def test_error(broken): pass
@pytest.mark.skip
def test_skipped(): pass
"""
UNITTEST_FILE = """\
import unittest
class Cart(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    def test_error(self): raise ValueError("x")
    @unittest.skip("no")
    def test_skipped(self): pass
"""
NODE_FILE = """\
const {test, describe, it} = require('node:test'); const assert = require('assert');
test('good', () => {}); test('bad', () => assert.strictEqual(1, 2));
describe('suite', () => { it('inner', () => { throw new Error('boom') });
  it.skip('no', () => {}) });
"""
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
FAULTY = "import os\n\n\ndef f(a: int) -> str:\n    return a\n"
node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def start(
    root: Path, *command: str, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "LC_ALL": "C.UTF-8"} | QUICK
    return subprocess.run(
        command,
        cwd=root,
        env=environment | dict(more or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def run(root: Path, *command: str) -> tuple[int, Reading]:
    done = start(root, *command)
    return done.returncode, read(done.stdout + done.stderr)


def asked(root: Path, *command: str) -> tuple[Reading, dict[str, bytes]]:
    """Run a command as a gate does: asked for reports, which are read with its output."""
    place = root / "the reports"
    place.mkdir()
    question = ReportQuestion(command=command, commit=HEAD, root=str(root), place=str(place))
    request = make_request(question, MemoryCommits(head={}))
    done = start(root, *request.argv, more=request.environment)
    reports = {file.name: file.read_bytes() for file in place.iterdir()}
    examiner = RepositoryExaminer(MemoryCommits(head={}), lambda _: True)
    return asyncio.run(examiner.read(done.stdout + done.stderr, request, reports)), reports


def fates(reading: Reading) -> dict[str, str]:
    return {result.name: result.outcome.value for result in reading.results}


def run_pytest(root: Path, *arguments: str) -> tuple[int, Reading]:
    quiet = ("-p", "no:cacheprovider", "--rootdir=.")
    return run(root, sys.executable, "-m", "pytest", *quiet, *arguments)


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)


@pytest.mark.parametrize("arguments", [(), ("-q",), ("-v",), ("--color=yes",), ("--tb=no", "-q")])
def test_pytest_is_read(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path, test_a__py=PYTEST_FILE)
    code, found = run_pytest(tmp_path, *arguments)
    assert (code, found.tool, found.tests, found.failed) == (1, "pytest", 5, 3)
    assert set(found.failing_tests) == {
        "test_a.py::test_bad",
        "test_a.py::test_values[c - d]",
        "test_a.py::test_error",
    }
    assert "test_a.py::test_bad" in found.failing
    assert "collected" not in found.failing


def test_pytest_reports_each_test_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, test_a__py=PYTEST_FILE, test_b__py="import nowhere\n")
    found, _ = asked(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert fates(found) == {"test_b.py": "failed"}
    (tmp_path / "test_b.py").unlink()
    (tmp_path / "the reports/pytest.xml").unlink()
    (tmp_path / "the reports").rmdir()
    found, _ = asked(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert fates(found) == {
        "test_a.py::test_good": "passed",
        "test_a.py::test_bad": "failed",
        "test_a.py::test_values[a b]": "passed",
        "test_a.py::test_values[c - d]": "failed",
        "test_a.py::test_error": "failed",
        "test_a.py::test_skipped": "skipped",
    }
    told = {result.name: result.told for result in found.results}
    assert "assert 1 == 2" in told["test_a.py::test_bad"]
    assert (found.tests, found.failed, found.skipped) == (5, 3, 1)


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("import os\nos._exit(0)\n", ()),
        ("import os\ndef test_a(): os._exit(0)\n", ("-q",)),
        ("def test_a(): pass\n", ("--collect-only", "-q")),
    ],
)
def test_pytest_without_an_end_is_caught(
    tmp_path: Path, file: str, arguments: tuple[str, ...]
) -> None:
    write(tmp_path, test_a__py=file)
    found, _ = asked(tmp_path, sys.executable, "-m", "pytest", *arguments)
    assert found.is_unfinished


def test_pytest_names_a_file_that_it_cannot_import(tmp_path: Path) -> None:
    write(tmp_path, test_b__py="import nowhere\n")
    code, found = run_pytest(tmp_path)
    assert code == 2
    assert found.failing_tests == ("test_b.py",)
    assert "No module named 'nowhere'" in found.failing


@pytest.mark.parametrize("arguments", [(), ("-q",), ("-k", "nothing"), ("--collect-only",)])
def test_pytest_without_tests_is_caught(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path, test_a__py="def test_a(): pass\n" if "-k" in arguments else "")
    code, found = run_pytest(tmp_path, *arguments)
    assert (code, found.tests, found.failing) == (5, 0, "")


def test_unittest_is_read(tmp_path: Path) -> None:
    write(tmp_path, test_un__py=UNITTEST_FILE)
    code, found = run(tmp_path, sys.executable, "-m", "unittest", "test_un")
    assert (code, found.tool, found.tests, found.failed) == (1, "unittest", 3, 2)
    assert [name.partition(" ")[0] for name in found.failing_tests] == ["test_error", "test_bad"]
    assert "1 != 2" in found.failing


def test_unittest_is_asked_for_names(tmp_path: Path) -> None:
    write(tmp_path, test_un__py=UNITTEST_FILE)
    found, _ = asked(tmp_path, sys.executable, "-m", "unittest", "test_un")
    assert fates(found) == {
        "test_un.Cart.test_good": "passed",
        "test_un.Cart.test_bad": "failed",
        "test_un.Cart.test_error": "failed",
        "test_un.Cart.test_skipped": "skipped",
    }
    (tmp_path / "the reports").rmdir()
    write(tmp_path, test_un__py=UNITTEST_FILE.replace("pass", "import os; os._exit(0)", 1))
    found, _ = asked(tmp_path, sys.executable, "-m", "unittest", "test_un.Cart.test_good")
    assert found.is_unfinished


def test_unittest_without_tests_is_caught(tmp_path: Path) -> None:
    _, found = run(tmp_path, sys.executable, "-m", "unittest")
    assert (found.tool, found.tests) == ("unittest", 0)


@node
@pytest.mark.parametrize("reporter", ["tap", "spec"])
def test_node_is_read(tmp_path: Path, reporter: str) -> None:
    write(tmp_path, a__test__js=NODE_FILE)
    code, found = run(tmp_path, "node", "--test", f"--test-reporter={reporter}", "a.test.js")
    assert (code, found.tool, found.tests, found.failed) == (1, "node --test", 3, 2)
    assert {"bad", "inner"} <= set(found.failing_tests)
    assert "boom" in found.failing
    assert "good" not in found.failing


@node
@pytest.mark.parametrize("reporter", ["tap", "spec"])
def test_node_with_empty_files_is_caught(tmp_path: Path, reporter: str) -> None:
    write(tmp_path, a__test__js="1\n")
    code, found = run(tmp_path, "node", "--test", f"--test-reporter={reporter}", "a.test.js")
    assert (code, found.tests) == (0, 0)


@node
def test_node_reports_each_test_with_its_file(tmp_path: Path) -> None:
    write(tmp_path, a__test__js=NODE_FILE, b__test__js="1\n")
    found, _ = asked(tmp_path, "node", "--test", "a.test.js", "b.test.js")
    assert fates(found) == {
        "a.test.js > good": "passed",
        "a.test.js > bad": "failed",
        "a.test.js > suite": "failed",
        "a.test.js > suite > inner": "failed",
        "a.test.js > suite > no": "skipped",
    }
    told = {result.name: result.told for result in found.results}
    assert "Error: boom" in told["a.test.js > suite > inner"]


MOCHA = """\
const { EventEmitter } = require('events');
module.exports = class Runner extends EventEmitter {
  run(done) {
    const test = (...titles) => ({ titlePath: () => titles, file: process.cwd() + '/m.js' });
    this.emit('pass', test('suite', 'adds'));
    this.emit('fail', test('suite', 'bad'), new Error('boom'));
    this.emit('pending', test('left'));
    if (process.argv.includes('--out')) process.exit(0);
    this.emit('end');
    done(process.env.SUPERVISOR_REPORTS);
  }
};
"""


@node
def test_mocha_is_listened_to_whatever_its_reporter(tmp_path: Path) -> None:
    root = tmp_path / "node_modules/mocha"
    for folder in ("bin", "lib"):
        (root / folder).mkdir(parents=True)
    (root / "lib/runner.js").write_text(MOCHA)
    start_it = (
        "const R = require('../lib/runner.js'); new R().run((seen) => console.log('saw', seen))"
    )
    (root / "bin/mocha.js").write_text(start_it)
    found, reports = asked(tmp_path, "node", "node_modules/mocha/bin/mocha.js")
    assert fates(found) == {
        "m.js > suite > adds": "passed",
        "m.js > suite > bad": "failed",
        "m.js > left": "skipped",
    }
    assert len(reports) == 1
    for report in (tmp_path / "the reports").iterdir():
        report.unlink()
    (tmp_path / "the reports").rmdir()
    found, _ = asked(tmp_path, "node", "node_modules/mocha/bin/mocha.js", "--out")
    assert found.is_unfinished


@node
@pytest.mark.parametrize(
    ("place", "given", "added"),
    [
        ("jest/bin/jest.js", (), ["--json", "--outputFile={}/jest-{}.json"]),
        ("jest/bin/jest.js", ("--json",), []),
        (
            "vitest/vitest.mjs",
            ("run",),
            ["--reporter=default", "--reporter=json", "--outputFile.json={}/vitest-{}.json"],
        ),
        (
            "vitest/vitest.mjs",
            ("--reporter=dot",),
            ["--reporter=json", "--outputFile.json={}/vitest-{}.json"],
        ),
        ("other/jest.js", (), []),
    ],
)
def test_jest_and_vitest_are_given_words(
    tmp_path: Path, place: str, given: tuple[str, ...], added: list[str]
) -> None:
    program = tmp_path / "node_modules" / place
    program.parent.mkdir(parents=True)
    program.write_text("console.log(JSON.stringify([process.pid, ...process.argv.slice(2)]))")
    question = ReportQuestion(command=("npx", "jest"), commit=HEAD, root="", place=str(tmp_path))
    request = make_request(question, MemoryCommits(head={}))
    done = start(tmp_path, "node", str(program), *given, more=request.environment)
    number, *words = json.loads(done.stdout)
    assert words == [*given, *(word.format(tmp_path, number) for word in added)]


@pytest.mark.parametrize(
    ("command", "tool", "words"),
    [
        (("ruff", "check", "--isolated"), "ruff", "F401"),
        (("ruff", "check", "--isolated", "--output-format=concise"), "ruff", "F401"),
        (("ruff", "format", "--isolated", "--check"), "ruff", "reformat"),
        (("mypy", "--no-incremental", "--config-file="), "mypy", "Incompatible return value"),
    ],
)
def test_linters_are_read(tmp_path: Path, command: tuple[str, ...], tool: str, words: str) -> None:
    write(tmp_path, faulty__py=FAULTY.replace("    return", "  return"), fine__py="x = 1\n")
    program = str(Path(sys.executable).with_name(command[0]))
    code, found = run(tmp_path, program, *command[1:], "faulty.py")
    assert (code, found.tool, found.tests) == (1, tool, None)
    assert words in found.failing
    code, found = run(tmp_path, program, *command[1:], "fine.py")
    assert (code, found.tool, found.failing) == (0, tool, "")


def test_coverage_that_is_too_low_is_read(tmp_path: Path) -> None:
    write(tmp_path, a__py="def f(a):\n    return a\n")
    program = str(Path(sys.executable).with_name("coverage"))
    run(tmp_path, program, "run", "a.py")
    code, found = run(tmp_path, program, "report", "--fail-under=90")
    assert (code, found.tool) == (2, "coverage")
    assert found.failing == "Coverage failure: total of 50 is less than fail-under=90"
