"""Every test is run once, whatever becomes of the processes that run them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as Xml

from tests.support.forks import Deck
from tests.support.pure_branches import ROOT

CONFTEST: Final = """\
import os
import pathlib
import pytest
from tests.support.forks import Forks

HERE = pathlib.Path(__file__).parent

def told(words):
    with (HERE / "told").open("a") as file:
        file.write(words + "\\n")

def pytest_configure(config):
    config.pluginmanager.register(Forks(2, at_end=lambda: told("saved")))

@pytest.fixture(scope="session", autouse=True)
def shared():
    yield
    told("torn down")

@pytest.fixture(scope="module")
def of_the_file():
    told("made")
"""
MANY: Final = """\
import pytest

@pytest.mark.parametrize("number", range(20))
def test_it(of_the_file, number, tmp_path, capfd):
    print(number)
    assert capfd.readouterr().out == f"{number}\\n"
    assert list(tmp_path.iterdir()) == []
"""
BAD: Final = """\
import os

def test_before(): pass
def test_wrong(): print("printed"); assert 1 == 2
def test_fatal(): os._exit(3)
def test_after(): pass
"""


def verdicts(where: Path, files: Mapping[str, str], *options: str) -> tuple[str, dict[str, str]]:
    """Run the files as tests; return what was printed and what came of each test."""
    for name, text in {"conftest.py": CONFTEST, **files}.items():
        (where / name).write_text(text)
    plain = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".")
    report = where / "report.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plain, *options, f"--junit-xml={report}"],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    cases = Xml.parse(report).iter("testcase")  # noqa: S314 - our own pytest wrote it
    found = {
        f"{it.get('classname')}.{it.get('name')}": " ".join(at.tag for at in it) for it in cases
    }
    return done.stdout + done.stderr, found


def test_each_test_is_run_once_and_its_file_by_one_process(tmp_path: Path) -> None:
    said, found = verdicts(tmp_path, {f"test_{name}.py": MANY for name in "abcd"})
    assert f"{4 * 20} passed" in said, said
    assert len(found) == 4 * 20
    told = (tmp_path / "told").read_text().split("\n")
    assert 4 <= told.count("made") <= 5
    assert (told.count("torn down"), told.count("saved")) == (2, 2)


def test_a_process_that_dies_is_a_failure_of_its_test_alone(tmp_path: Path) -> None:
    said, found = verdicts(tmp_path, {"test_bad.py": BAD, "test_many.py": MANY})
    assert "2 failed, 22 passed" in said, said
    assert {name for name, verdict in found.items() if verdict} == {
        "test_bad.test_wrong",
        "test_bad.test_fatal",
    }
    assert "ended with 3 in this test" in said
    assert "Captured stdout call" in said


def test_the_first_failure_is_the_last_test_where_that_is_wanted(tmp_path: Path) -> None:
    said, found = verdicts(tmp_path, {"test_bad.py": BAD, "test_many.py": MANY}, "-x")
    assert "stopping after 1 failures" in said, said
    assert len(found) < 24


def test_a_file_is_split_when_no_other_is_left() -> None:
    deck = Deck([[0, 1, 2, 3, 4], [5]])
    assert [deck.deal(1), deck.deal(2)] == [0, 5]
    assert [deck.deal(2), deck.deal(2)] == [3, 4]
    deck.put_back([5])
    assert [deck.deal(2), deck.deal(1), deck.deal(1), deck.deal(2)] == [5, 1, 2, None]
