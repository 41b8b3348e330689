"""Forks and migrations of runs on kanbans."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from tests.unit.control.kanban_office import FILE, KANBAN, MAIN, PLACE, KanbanScene

from supervisor_ai.control.commands.run_fork import (
    ForkRequest,
    PreparedFork,
    prepare_fork,
    submit_fork,
)
from supervisor_ai.control.commands.run_migration import plan_migration
from supervisor_ai.domain.errors import Busy, NotFound
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId
from supervisor_ai.domain.project.events import PermitTaken
from supervisor_ai.domain.run.events import RunStarted, StepEntered
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.kanban.board.policy import KanbanPolicy
from supervisor_ai.drivers.kanban.runs import policy_of_run

R9: Final = RunId("r9")
POLICY: Final = KanbanPolicy(place=PLACE, instruction="Add it.")


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    scene = KanbanScene(tmp_path)
    scene.submit("r9", POLICY, status=RunStatus.RUNNING)
    started = RunStarted(driver="kanban", parent=None, root=R9)
    scene.add(R9, started, StepEntered(step=KANBAN, visit=1, start=MAIN, feedback=()))
    return scene


def fork(scene: KanbanScene) -> PreparedFork:
    return prepare_fork(scene.project, ForkRequest(run="r9", step=KANBAN))


def test_a_fork_has_the_kanban_for_itself(scene: KanbanScene) -> None:
    prepared = fork(scene)
    assert prepared.permit == f"kanban:{FILE}"
    assert asyncio.run(submit_fork(scene.project, prepared, queued=True)) == prepared.run
    [taken] = (it.event for it in scene.world.log.read(PROJECT_STREAM))
    assert taken == PermitTaken(permit=f"kanban:{FILE}", run=prepared.run)
    assert policy_of_run(scene.records, prepared.run) == POLICY


def test_a_second_fork_is_refused(scene: KanbanScene) -> None:
    asyncio.run(submit_fork(scene.project, fork(scene), queued=True))
    with pytest.raises(Busy, match="works on it already"):
        asyncio.run(submit_fork(scene.project, fork(scene), queued=True))


def test_a_fork_needs_the_commits_that_its_kanban_is_read_from(scene: KanbanScene) -> None:
    del scene.repository.commits[MAIN]
    with pytest.raises(NotFound, match="does not exist any more"):
        fork(scene)


def test_a_run_on_a_kanban_is_migrated_to_what_a_kanban_pins_today(scene: KanbanScene) -> None:
    planned = plan_migration(scene.project, "r9")
    assert not planned.is_needed
    assert scene.catalog.asked == [POLICY]
    # Who reconciles, and the one agent besides, were chosen for this run.
    assert scene.catalog.chosen == [("agent", "builtin")]
