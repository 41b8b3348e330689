"""A drill: a run is killed at every boundary, resumed, and compared with one that was not."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tests.e2e.crash_scene import LOST, Sight, environment, make_repository
from tests.e2e.kill_points import points, representatives
from tests.support.preloaded import Preloaded
from tests.support.processes import PATIENCE


@dataclass(frozen=True, slots=True)
class Driven:
    """How a supervisor ended, and what it passed unless it was killed."""

    code: int
    boundaries: list[str]
    marks: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What the run is about, and what it makes."""

    files: Mapping[str, str]
    kanban: str | None = None
    kanban_directory: str | None = None
    remit: str | None = None
    """What a loop is to achieve."""
    landings: int = 1
    at_once: int = 3
    """So many operations are under way together."""
    plain: tuple[str, ...] = field(default_factory=tuple)
    """The files beside the branch that the run writes."""


class Drill:
    """A repository to copy, and a process that forks supervisors for the copies."""

    def __init__(self, place: Path, rehearsal: Rehearsal, preloaded: Preloaded) -> None:
        self.place = place
        self.rehearsal = rehearsal
        make_repository(place / "template", rehearsal.files)
        self._preloaded = preloaded
        self._environment = environment(place)
        done = self.drive(self.copy("uncrashed"), kill_at=None, run=None)
        assert done.code == 0
        self.boundaries = done.boundaries
        self.points = points(done.marks)
        self.representatives = representatives(self.boundaries, self.points)
        self.uncrashed = self.sight(place / "uncrashed")

    def copy(self, name: str) -> Path:
        """Make a fresh repository."""
        return Path(shutil.copytree(self.place / "template", self.place / name))

    def drive(self, directory: Path, *, kill_at: int | None, run: str | None) -> Driven:
        """Let a supervisor start a run or go on with one."""
        order = {
            "directory": str(directory),
            "kill_at": kill_at,
            "run": run,
            "kanban": self.rehearsal.kanban,
            "kanban_directory": self.rehearsal.kanban_directory,
            "remit": self.rehearsal.remit,
        }
        code, out, _ = self._preloaded.call(
            [json.dumps(order)],
            directory=directory,
            environment=self._environment,
            seconds=PATIENCE,
            module="tests.e2e.crash_run",
        )
        return Driven(code, *(json.loads(out) if out else ([], [])))

    def sight(self, directory: Path) -> Sight:
        """Look at the run in a repository."""
        return Sight(directory, self.place)

    def kill(self, number: int) -> None:
        """Kill a run at a boundary, resume it, and find it equal to the uncrashed one."""
        point = f"{number}: {self.boundaries[number - 1]}"
        directory = self.copy(f"killed-{number}")
        killed = self.drive(directory, kill_at=number, run=None)
        assert killed.code == -9, point
        resumed = self.drive(directory, kill_at=None, run=self.sight(directory).run)
        assert resumed.code == 0, point
        self._compare(directory, point)
        shutil.rmtree(directory)

    def _compare(self, directory: Path, point: str) -> None:
        """Find nothing that the crash does not explain."""
        crashed, uncrashed = self.sight(directory), self.uncrashed
        types = crashed.types()
        assert _first_other(crashed.story(), uncrashed.story()) is None, point
        assert sum(kind in LOST for kind in types) <= self.rehearsal.at_once, point
        assert types.count("RunOwned") <= 2, point
        assert crashed.tree() == uncrashed.tree(), point
        assert len(crashed.landed()) == len(set(crashed.landed())), point
        assert len(crashed.landed()) == self.rehearsal.landings, point
        assert crashed.faults() == (), point
        assert crashed.strays() == [], point
        for name in self.rehearsal.plain:
            there = (directory / name).read_text()
            assert there == (self.place / "uncrashed" / name).read_text(), point


def _first_other(found: list[Any], expected: list[Any]) -> tuple[Any, Any] | None:
    """Return the first fact that differs, beside what it should be."""
    pairs = zip_longest(found, expected)
    return next(((one, other) for one, other in pairs if one != other), None)
