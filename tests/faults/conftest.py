"""A seed for all chances, a user for each story, and a table at the end."""

import os
import shutil
import time
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User, furnish, make_user
from tests.faults.figures import PLACE, REPORTS, SEED, table
from tests.faults.scene import MakeUser
from tests.support.preloaded import Preloaded

from supervisor_ai.domain.structs import replace

BEGAN: Final = time.time()


def pytest_configure() -> None:
    """Choose a seed unless somebody repeats what was found before."""
    os.environ.setdefault(SEED, str(time.time_ns() % 1_000_000))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was tried, and keep it."""
    if any(it.stat().st_mtime > BEGAN for it in PLACE.glob("*.json")):
        rows = table()
        REPORTS.joinpath("faults.md").write_text(rows)
        terminalreporter.section(f"faults, {SEED}={os.environ[SEED]}")
        terminalreporter.write(rows)


@pytest.fixture(scope="session")
def proved(tmp_path_factory: pytest.TempPathFactory, preloaded: Preloaded) -> User:
    """Make a user whose sandbox has been proved, and a repository that is ready for runs."""
    place = tmp_path_factory.mktemp("proved")
    user = replace(make_user(place, place / "state"), preloaded=preloaded)
    furnish(user)
    assert user.run("--workflow", "quick").code == 0
    return user


@pytest.fixture
def make(tmp_path: Path, proved: User, preloaded: Preloaded) -> MakeUser:
    """Return what makes users, each in a place of its own with its own temporary directory."""

    def make_one(name: str) -> User:
        place = tmp_path / name
        shutil.copytree(proved.home.parent / "state" / "sandbox", place / "state" / "sandbox")
        user = replace(make_user(place, place / "state"), preloaded=preloaded)
        place.joinpath("tmp").mkdir()
        user.environment["TMPDIR"] = str(place / "tmp")
        return user

    return make_one
