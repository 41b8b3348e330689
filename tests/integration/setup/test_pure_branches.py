"""The number that `scripts/test` demands can fail: by a branch, and by a file nobody imports."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.support.pure_branches import PURE, REACHING, ROOT, pure_files

CONFTEST: Final = """\
from pathlib import Path
from tests.support.pure_branches import PureBranches

HERE = Path(__file__).parent

def pytest_configure(config):
    files = [str(HERE / name) for name in ("used.py", "unused.py")]
    config.pluginmanager.register(PureBranches(HERE / "data", files=files, places=[HERE / "near"]))
"""
USED: Final = """\
def sign(number):
    if number < 0:
        return "minus"
    return "plus"
"""
TEST: Final = "from used import sign\n\ndef test_it(): assert sign({}) == {!r}\n"
DRAWN: Final = """\
from hypothesis import given, strategies
from used import sign

@given(strategies.just(1))
def test_it(number): assert sign(number) == "plus"
"""


def run(*command: str | Path, where: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{where}:{ROOT}", "COVERAGE_FILE": "data"}
    return subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_the_tests_that_are_to_reach_everything_count(tmp_path: Path) -> None:
    tests = {
        "near/test_near.py": TEST.format(-1, "minus"),
        "near/test_drawn.py": DRAWN,
        "far/test_far.py": TEST.format(1, "plus"),
    }
    files = {"conftest.py": CONFTEST, "used.py": USED, "unused.py": "x = 1\n", **tests}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    plain = ("-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".")
    ran = run("pytest", "near", "far", *plain, where=tmp_path)
    assert ran.returncode == 0, ran.stdout
    assert run("coverage", "combine", where=tmp_path).returncode == 0
    said = run("coverage", "report", "--show-missing", "--fail-under=100", where=tmp_path)

    assert said.returncode == 2
    told = {line.split()[0]: line.split()[-1] for line in said.stdout.splitlines() if ".py" in line}
    assert told == {"used.py": "4", "unused.py": "1"}


def test_what_is_demanded_is_there() -> None:
    assert len(pure_files()) > 50
    assert all((ROOT / place).exists() for place in REACHING)
    with pytest.raises(AssertionError, match="nothing"):
        pure_files(patterns=[*PURE, "nothing/*.py"])
