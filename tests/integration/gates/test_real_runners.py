"""Runners as they are installed, and what is read from their output."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.processes import PATIENCE

from supervisor_ai.engine.ports.gates import Reading
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


def run(root: Path, *command: str) -> tuple[int, Reading]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "LC_ALL": "C.UTF-8"} | QUICK
    done = subprocess.run(
        command,
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.returncode, read(done.stdout + done.stderr)


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
