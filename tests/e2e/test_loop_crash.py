"""Kill a loop at boundaries, resume, and compare: branch, story, supervisors.

Some boundaries in `make test`, one of each class in `make test-long`.
"""

import json
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.crash_drill import Drill, Rehearsal
from tests.support.preloaded import Preloaded

HERE: Final = Path(__file__).parent
SUPERVISED: Final = """\
cli: agent
clis:
  agent: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [test, -d, app]}
baseline: note
loop: {gates: [test]}
quality:
  supervisors:
    code_style: {every: 1, moments: []}
    design: {enabled: false}
    internaliser: {enabled: false}
"""
FEW: Final = 5
SHARDS: Final = 4


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory, preloaded: Preloaded) -> Drill:
    """Rehearse a remit of one task, after which a supervisor writes a document."""
    files = {
        ".supervisor/config.yaml": SUPERVISED,
        "tools/agent.py": (HERE / "loop_agent.py").read_text(),
        "tools/loop.json": json.dumps({"milestones": [1], "deeds": {}}),
        "app/README": "An app.\n",
    }
    rehearsal = Rehearsal(files=files, remit="Build the app", landings=2)
    return Drill(tmp_path_factory.mktemp("loop"), rehearsal, preloaded)


def test_the_uncrashed_loop_lands_its_task_and_the_document(drill: Drill) -> None:
    types = drill.uncrashed.types()
    assert (types.count("TaskMarked"), types.count("SupervisorRan")) == (1, 1)
    assert drill.uncrashed.status == "completed"


def test_a_loop_survives_a_kill_at_several_points(drill: Drill) -> None:
    chosen = drill.representatives
    for number in chosen[:: max(1, len(chosen) // FEW)]:
        drill.kill(number)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_loop_survives_a_kill_at_a_boundary_of_every_class(drill: Drill, shard: int) -> None:
    for number in drill.representatives[shard::SHARDS]:
        drill.kill(number)
