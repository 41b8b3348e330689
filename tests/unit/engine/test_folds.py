"""Folding code is named by what it is."""

import compileall
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import supervisor_ai.domain
from supervisor_ai.domain.run import run as kernel
from supervisor_ai.drivers.kanban import state as kanban_state
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.moves import state as moves_state
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.folds import code_digest, code_places, fold_name

DOMAIN = Path(supervisor_ai.domain.__path__[0])


@pytest.fixture
def package(tmp_path: Path) -> Path:
    place = tmp_path / "package"
    (place / "inner").mkdir(parents=True)
    (place / "__init__.py").write_text("")
    (place / "inner/fold.py").write_text("def evolve(state): return state + 1\n")
    return place


def rewrite(place: Path) -> None:
    (place / "inner/fold.py").write_text("def evolve(state): return state + 2\n")


def add(place: Path) -> None:
    (place / "inner/more.py").write_text("")


def rename(place: Path) -> None:
    (place / "inner/fold.py").rename(place / "inner/unfold.py")


@pytest.mark.parametrize("change", [rewrite, add, rename])
def test_every_change_gives_another_name(package: Path, change: Callable[[Path], None]) -> None:
    before = code_digest(package)
    assert code_digest(package) == before
    change(package)
    assert code_digest(package) != before


def test_code_without_sources_has_a_name_too(package: Path) -> None:
    def compiled() -> bytes:
        compileall.compile_dir(package, quiet=2, legacy=True, force=True)
        kept = {path: path.read_text() for path in package.rglob("*.py")}
        for path in kept:
            path.unlink()
        found = code_digest(package)
        for path, text in kept.items():
            path.write_text(text)
        return found

    before = compiled()
    assert compiled() == before
    rewrite(package)
    assert compiled() != before


def test_the_name_covers_the_kernel_and_the_driver(tmp_path: Path) -> None:
    assert kernel.__file__ is not None
    assert Path(kernel.__file__).is_relative_to(DOMAIN)
    assert fold_name("workflow", WorkflowDriver) == fold_name("workflow", WorkflowDriver)
    assert fold_name("workflow", WorkflowDriver) != fold_name("workflow", type(tmp_path))


@pytest.mark.parametrize("driver", [WorkflowDriver, KanbanDriver])
def test_the_name_covers_what_drivers_share(driver: type) -> None:
    (place,) = map(Path, code_places(driver))
    for module in (moves_state, kanban_state, sys.modules[driver.__module__]):
        assert module.__file__ is not None
        assert Path(module.__file__).is_relative_to(place)


def test_a_driver_from_elsewhere_is_its_module(tmp_path: Path) -> None:
    module = sys.modules[type(tmp_path).__module__]
    assert code_places(type(tmp_path)) == (module.__file__,)
