"""What holds for every test."""

import gc
import os
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Final

import pytest
from coverage import Coverage
from tests.support.example_counts import load_profiles
from tests.support.forks import Forks
from tests.support.preloaded import Preloaded
from tests.support.processes import PATIENCE, mark, require_no_survivors
from tests.support.pure_branches import REACHING, PureBranches, pure_files

load_profiles()

# It begins before any other conftest imports what is measured.
BRANCHES: Final = (
    PureBranches(Path(file), files=pure_files(), places=REACHING)
    if (file := os.environ.get("PURE_BRANCHES"))
    else None
)

LONGEST_FIRST: Final = (
    *("tests/faults", "tests/projects"),
    *("tests/e2e/test_crash.py", "tests/e2e/test_kanban_crash.py", "tests/simulation"),
    *("tests/clis", "tests/attacks", "tests/e2e", "tests/contract", "tests/integration"),
)
"""A test that takes long and is begun last lets one core idle; within each place chance rules."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let whoever calls choose how many processes run the tests."""
    group = parser.getgroup("forks", "tests in several processes")
    group._addoption("-n", dest="workers", type=int, default=0, help="run tests in so many forks")


def pytest_configure(config: pytest.Config) -> None:
    """Measure the branches of the pure places, if asked to, in every process that runs tests."""
    import supervisor_ai.bootstrap.projects  # noqa: F401 - registers the drivers, and is measured as well

    if BRANCHES is not None:
        BRANCHES.import_all()
        config.pluginmanager.register(BRANCHES, "pure-branches")
    if workers := config.getoption("workers"):
        config.pluginmanager.register(Forks(workers, at_end=_write_coverage), "forks")


def _write_coverage() -> None:
    if BRANCHES is not None:
        BRANCHES.save()
    elif (measured := Coverage.current()) is not None:
        measured.save()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let what takes long be begun first."""
    items.sort(key=lambda item: _turn(config, item))


def _turn(config: pytest.Config, item: pytest.Item) -> int:
    path = item.path.relative_to(config.rootpath).as_posix()
    turns = [turn for turn, place in enumerate(LONGEST_FIRST) if path.startswith(place)]
    return min(turns, default=len(LONGEST_FIRST))


def pytest_collection_finish() -> None:
    """Spare every collection of garbage a walk through thousands of tests that stay."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Refuse cases without an order: each process would have them in another one."""
    for marker in metafunc.definition.iter_markers("parametrize"):
        if any(isinstance(it, Set) for it in marker.args[1:]):
            raise TypeError(f"The cases of {metafunc.definition.nodeid} are a set: sort them.")


@pytest.fixture(scope="session", autouse=True)
def _owned_processes() -> Iterator[None]:
    """Let no process outlive the tests."""
    mark()
    yield
    require_no_survivors(patience=PATIENCE)


@pytest.fixture(scope="session")
def preloaded() -> Iterator[Preloaded]:
    """Share a process that has imported everything between all tests."""
    process = Preloaded()
    yield process
    process.stop()
