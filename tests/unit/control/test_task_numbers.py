"""Tasks are counted per project, and no two runs have the same number."""

from pathlib import Path

import pytest
from tests.unit.control.kanban_office import KanbanScene
from tests.unit.control.racing_log import race

from supervisor_ai.control.commands.run_start import append_birth
from supervisor_ai.control.commands.task_branches import choose_branch, naming
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId
from supervisor_ai.domain.project.events import PermitTaken, TaskNumbered
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.ledger_harness import birth

SEED = "ai/{task_id}-{description}"
FIRST, SECOND = RunId("r1"), RunId("r2")


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    return KanbanScene(tmp_path)


def begin(scene: KanbanScene, run: RunId, permit: str | None = None) -> str | None:
    name = naming(scene.preflight.repository, SEED, run, "Add it")
    born = replace(birth(), root=run)
    append_birth(scene.project, run, born, queued=True, permit=permit, name=name)
    return scene.birth(run).branch


def numbers(scene: KanbanScene) -> list[object]:
    return [it.event for it in scene.world.log.read(PROJECT_STREAM)]


def test_each_task_has_the_next_number(scene: KanbanScene) -> None:
    assert begin(scene, FIRST) == "ai/task-001-add-it"
    assert begin(scene, SECOND) == "ai/task-002-add-it"
    first, second = TaskNumbered(run=FIRST, number=1), TaskNumbered(run=SECOND, number=2)
    assert numbers(scene) == [first, second]


def test_who_is_faster_has_the_number(scene: KanbanScene) -> None:
    race(scene, TaskNumbered(run=SECOND, number=1))
    assert begin(scene, FIRST) == "ai/task-002-add-it"


def test_a_number_whose_branch_is_there_is_left_alone(scene: KanbanScene) -> None:
    scene.repository.branch("ai/task-001-add-it", {})
    assert begin(scene, FIRST) == "ai/task-002-add-it"


def test_a_number_and_a_permit_are_taken_together(scene: KanbanScene) -> None:
    assert begin(scene, FIRST, permit="p") == "ai/task-001-add-it"
    assert numbers(scene) == [
        PermitTaken(permit="p", run=FIRST),
        TaskNumbered(run=FIRST, number=1),
    ]


def test_a_name_without_a_number_asks_nobody(scene: KanbanScene) -> None:
    pattern, repository = "ai/{run_id}-{slug}", scene.preflight.repository

    def unasked() -> int:
        raise AssertionError

    assert naming(repository, pattern, FIRST, "Add it") is None
    assert choose_branch(repository, pattern, FIRST, "Add it", unasked) == "ai/r1-add-it"
    assert choose_branch(repository, SEED, FIRST, "Add it", lambda: 4) == "ai/task-005-add-it"
