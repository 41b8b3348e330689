"""Kill the real process at commits and effect boundaries, resume, and compare.

One boundary of each class in `make test`, all of them in `make test-long`.
"""

import pytest
from tests.e2e.crash_drill import Drill, Rehearsal
from tests.e2e.crash_scene import FILES
from tests.e2e.kill_points import classes
from tests.support.preloaded import Preloaded

SHARDS = 6


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory, preloaded: Preloaded) -> Drill:
    return Drill(tmp_path_factory.mktemp("crash"), Rehearsal(files=FILES), preloaded)


def test_the_uncrashed_run_passes_every_kind_of_boundary(drill: Drill) -> None:
    kinds = {" ".join(name.split()[:2]) for name in drill.boundaries}
    assert {"before commit", "after commit", "before command", "after land"} <= kinds
    assert len(drill.boundaries) > 80
    assert len(drill.points) > 60
    assert len(drill.representatives) > 25
    gates = [facts for kind, facts in drill.uncrashed.story() if kind == "GateEnded"]
    assert [at["verdict"].value for at in gates if at["gate"] == "test"] == ["failed", "passed"]
    assert {at["gate"] for at in gates} == {"claims", "auto_run_files", "test_integrity", "test"}
    assert len(drill.uncrashed.landed()) == 1


def test_the_kills_cover_every_class_of_boundaries(drill: Drill) -> None:
    covered = classes(drill.boundaries, drill.representatives)
    assert covered.keys() == classes(drill.boundaries, drill.points).keys()


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_run_survives_a_kill_at_a_boundary_of_every_class(drill: Drill, shard: int) -> None:
    for number in drill.representatives[shard::SHARDS]:
        drill.kill(number)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_run_survives_a_kill_at_every_boundary(drill: Drill, shard: int) -> None:
    for number in drill.points[shard::SHARDS]:
        drill.kill(number)
