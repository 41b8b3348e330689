"""Kill the real process at every commit and every effect boundary, resume, and compare."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.crash_scene import LOST, Sight, environment, make_repository

SHARDS = 8
ROOT = Path(__file__).parents[2]

Answer = dict[str, Any]


class Scene:
    """A repository to copy, and a process that forks supervisors for the copies."""

    def __init__(self, place: Path) -> None:
        self.place = place
        make_repository(place / "template")
        self._zygote = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.crash_zygote"],
            cwd=ROOT,
            env=environment(place),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.place / "template", self.place / name))

    def drive(self, directory: Path, *, kill_at: int | None, run: str | None) -> Answer:
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        order = {"directory": str(directory), "kill_at": kill_at, "run": run}
        self._zygote.stdin.write(json.dumps(order) + "\n")
        self._zygote.stdin.flush()
        answer: Answer = json.loads(self._zygote.stdout.readline())
        return answer

    def sight(self, directory: Path) -> Sight:
        return Sight(directory, self.place)

    def stop(self) -> None:
        self._zygote.communicate()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    scene = Scene(tmp_path_factory.mktemp("crash"))
    yield scene
    scene.stop()


@pytest.fixture(scope="module")
def boundaries(scene: Scene) -> list[str]:
    done = scene.drive(scene.copy("uncrashed"), kill_at=None, run=None)
    assert done["code"] == 0
    passed: list[str] = done["boundaries"]
    return passed


@pytest.fixture(scope="module")
def uncrashed(scene: Scene, boundaries: list[str]) -> Sight:
    assert boundaries
    return scene.sight(scene.place / "uncrashed")


def test_the_uncrashed_run_passes_every_kind_of_boundary(
    boundaries: list[str], uncrashed: Sight
) -> None:
    kinds = {" ".join(name.split()[:2]) for name in boundaries}
    assert {"before commit", "after commit", "before command", "after land"} <= kinds
    assert len(boundaries) > 80
    gates = [facts for kind, facts in uncrashed.story() if kind == "GateEnded"]
    assert [at["verdict"].value for at in gates if at["gate"] == "test"] == ["failed", "passed"]
    assert {at["gate"] for at in gates} == {"claims", "auto_run_files", "test_integrity", "test"}
    assert len(uncrashed.landed()) == 1


@pytest.mark.timeout(600)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_run_survives_a_kill_at_every_boundary(
    scene: Scene, boundaries: list[str], uncrashed: Sight, shard: int
) -> None:
    for number in range(1 + shard, len(boundaries) + 1, SHARDS):
        point = f"{number}: {boundaries[number - 1]}"
        directory = scene.copy(f"killed-{number}")
        killed = scene.drive(directory, kill_at=number, run=None)
        assert killed["code"] == -9, point
        resumed = scene.drive(directory, kill_at=None, run=scene.sight(directory).run)
        assert resumed["code"] == 0, point
        compare(uncrashed, scene.sight(directory), point)
        shutil.rmtree(directory)


AT_ONCE = 3
"""So many gates are under way together."""


def compare(uncrashed: Sight, crashed: Sight, point: str) -> None:
    """Find a crashed and resumed run equal to the uncrashed one but for what the crash explains."""
    types = crashed.types()
    assert crashed.story() == uncrashed.story(), point
    assert sum(kind in LOST for kind in types) <= AT_ONCE, point
    assert types.count("RunOwned") <= 2, point
    assert crashed.tree() == uncrashed.tree(), point
    assert len(crashed.landed()) == 1, point
    assert crashed.faults() == (), point
    assert crashed.strays() == [], point
