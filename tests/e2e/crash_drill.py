"""A drill: a run is killed at every boundary, resumed, and compared with one that was not."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.e2e.crash_scene import LOST, Sight, environment, make_repository
from tests.e2e.kill_points import points, representatives
from tests.support.processes import Owned

ROOT: Final = Path(__file__).parents[2]

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What the run is about, and what it makes."""

    files: Mapping[str, str]
    kanban: str | None = None
    kanban_directory: str | None = None
    landings: int = 1
    at_once: int = 3
    """So many operations are under way together."""
    plain: tuple[str, ...] = field(default_factory=tuple)
    """The files beside the branch that the run writes."""


class Drill:
    """A repository to copy, and a process that forks supervisors for the copies."""

    def __init__(self, place: Path, rehearsal: Rehearsal) -> None:
        self.place = place
        self.rehearsal = rehearsal
        make_repository(place / "template", rehearsal.files)
        self._zygote = Owned(
            [sys.executable, "-m", "tests.e2e.crash_zygote"],
            cwd=ROOT,
            env=environment(place),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        done = self.drive(self.copy("uncrashed"), kill_at=None, run=None)
        assert done["code"] == 0
        self.boundaries: list[str] = done["boundaries"]
        self.points = points(done["marks"])
        self.representatives = representatives(self.boundaries, self.points)
        self.uncrashed = self.sight(place / "uncrashed")

    def copy(self, name: str) -> Path:
        """Make a fresh repository."""
        return Path(shutil.copytree(self.place / "template", self.place / name))

    def drive(self, directory: Path, *, kill_at: int | None, run: str | None) -> Answer:
        """Let a supervisor start a run or go on with one."""
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        order = {
            "directory": str(directory),
            "kill_at": kill_at,
            "run": run,
            "kanban": self.rehearsal.kanban,
            "kanban_directory": self.rehearsal.kanban_directory,
        }
        self._zygote.stdin.write(json.dumps(order) + "\n")
        self._zygote.stdin.flush()
        answer: Answer = json.loads(self._zygote.stdout.readline())
        return answer

    def sight(self, directory: Path) -> Sight:
        """Look at the run in a repository."""
        return Sight(directory, self.place)

    def kill(self, number: int) -> None:
        """Kill a run at a boundary, resume it, and find it equal to the uncrashed one."""
        point = f"{number}: {self.boundaries[number - 1]}"
        directory = self.copy(f"killed-{number}")
        killed = self.drive(directory, kill_at=number, run=None)
        assert killed["code"] == -9, point
        resumed = self.drive(directory, kill_at=None, run=self.sight(directory).run)
        assert resumed["code"] == 0, point
        self._compare(directory, point)
        shutil.rmtree(directory)

    def _compare(self, directory: Path, point: str) -> None:
        """Find nothing that the crash does not explain."""
        crashed, uncrashed = self.sight(directory), self.uncrashed
        types = crashed.types()
        assert crashed.story() == uncrashed.story(), point
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

    def stop(self) -> None:
        """Let the process that forks end."""
        self._zygote.communicate()
