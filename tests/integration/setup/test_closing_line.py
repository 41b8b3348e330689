"""The test runner's last line counts every step and every test."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
TESTS: Final = """
import pytest

@pytest.fixture
def broken():
    yield
    raise OSError

def test_passes(): pass
def test_fails(): assert False
def test_fails_twice(broken): assert False
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_expected_to_fail(): assert False
"""


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def closing_line(reports: Path) -> tuple[int, str]:
    ended = run(sys.executable, ROOT / "scripts/closing_line.py", reports)
    return ended.returncode, ended.stdout


def test_tests_of_a_real_report_are_counted(tmp_path: Path) -> None:
    (tmp_path / "steps").write_text("passed lint\nfailed types\n")
    (tmp_path / "test_sample.py").write_text(TESTS)
    options = (
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
        f"--junit-xml={tmp_path}/unit.xml",
    )
    run(sys.executable, "-m", "pytest", tmp_path, *options)
    code, line = closing_line(tmp_path)
    assert code == 1
    assert line == "2 passed, 4 failed, 2 skipped\n"


@pytest.mark.parametrize(
    ("steps", "code", "line"),
    [
        ("passed lint\npassed types\n", 0, "2 passed, 0 failed\n"),
        ("passed lint\nfailed e2e: pytest ended with exit code 3\n", 1, "1 passed, 1 failed\n"),
        ("", 1, "0 passed, 0 failed\n"),
    ],
)
def test_the_exit_code_follows_the_counts(tmp_path: Path, steps: str, code: int, line: str) -> None:
    (tmp_path / "steps").write_text(steps)
    assert closing_line(tmp_path) == (code, line)


def test_a_failing_step_shows_its_output_and_stops_nothing(tmp_path: Path) -> None:
    script = "source scripts/steps.bash; step types ls /none; step lint echo fine; exit $failures"
    command = f"cd {ROOT} && {script}"
    ended = run("bash", "-euc", command, STEP_RESULTS=str(tmp_path / "steps"))
    assert ended.returncode == 1
    assert "/none" in ended.stdout
    assert "fine" not in ended.stdout
    assert (tmp_path / "steps").read_text() == "failed types\npassed lint\n"


@pytest.mark.parametrize(
    ("recipe", "code", "last"),
    [
        ("echo 5 passed, 0 failed", 0, "5 passed, 0 failed"),
        (
            "mkdir -p build/reports; echo 4 passed, 1 failed >build/reports/closing-line; false",
            2,
            "4 passed, 1 failed",
        ),
        ("false", 2, "0 passed, 1 failed"),
    ],
)
def test_the_build_machine_sees_the_closing_line_last(
    tmp_path: Path, recipe: str, code: int, last: str
) -> None:
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/run").write_text((ROOT / ".ci/run").read_text())
    (tmp_path / "Makefile").write_text(f"test:\n\t@{recipe}\n")
    ended = run("bash", "-c", f"bash {tmp_path}/.ci/run 2>&1")
    assert ended.returncode == code
    assert ended.stdout.splitlines()[-1] == last
