"""Two runs cannot begin with the same permit, however close they come."""

from pathlib import Path

import pytest
from tests.unit.control.kanban_office import KanbanScene
from tests.unit.control.racing_log import race

from supervisor_ai.control.commands.run_start import append_birth
from supervisor_ai.control.ports.queries import OwnerRow, RunRow
from supervisor_ai.domain.errors import Busy, StaleVersion
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, run_stream
from supervisor_ai.domain.project.events import FailureCounted, PermitTaken
from supervisor_ai.domain.run.events import PermitGranted, RunSubmitted
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.ledger_harness import BEGIN, birth

PERMIT = "kanban:tasks/0-kanban-login.md"
FIRST, SECOND = RunId("r1"), RunId("r2")


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    return KanbanScene(tmp_path)


def begin(scene: KanbanScene, run: RunId, permit: str | None = PERMIT) -> None:
    born = replace(birth(), root=run)
    append_birth(scene.project, run, born, queued=False, permit=permit)


def hold(scene: KanbanScene, status: RunStatus) -> RunRow:
    begin(scene, FIRST)
    scene.versions[RunId("r0")] = 0
    row = replace(scene.submit("r0"), id=FIRST, status=status)
    scene.queries.rows[:] = [row]
    return row


def test_a_run_and_its_permit_are_written_together(scene: KanbanScene) -> None:
    begin(scene, FIRST)
    born, granted = (it.event for it in scene.world.log.read(run_stream(FIRST)))
    [taken] = (it.event for it in scene.world.log.read(PROJECT_STREAM))
    assert isinstance(born, RunSubmitted)
    assert granted == PermitGranted(permit=PERMIT)
    assert taken == PermitTaken(permit=PERMIT, run=FIRST)


def test_a_run_without_a_permit_takes_nothing(scene: KanbanScene) -> None:
    begin(scene, FIRST, permit=None)
    assert not list(scene.world.log.read(PROJECT_STREAM))


def test_the_second_run_is_refused_and_nothing_of_it_is_left(scene: KanbanScene) -> None:
    hold(scene, RunStatus.WAITING)
    with pytest.raises(Busy, match="Run 'r1'") as error:
        begin(scene, SECOND)
    assert error.value.message == "Run 'r1' works on it already."
    assert not list(scene.world.log.read(run_stream(SECOND)))


def test_a_refusal_names_who_drives_the_other_run(scene: KanbanScene) -> None:
    hold(scene, RunStatus.RUNNING)
    scene.queries.driven[FIRST] = OwnerRow(owner="bob", epoch=1, is_alive=True)
    with pytest.raises(Busy, match="already, driven by bob"):
        begin(scene, SECOND)


def test_a_run_that_has_ended_holds_nothing(scene: KanbanScene) -> None:
    hold(scene, RunStatus.FAILED)
    begin(scene, SECOND)
    assert len(list(scene.world.log.read(run_stream(SECOND)))) == 2


def test_who_is_faster_between_the_look_and_the_write_wins(scene: KanbanScene) -> None:
    race(scene, PermitTaken(permit=PERMIT, run=SECOND))
    with pytest.raises(Busy, match="Run 'r2' works on it already"):
        begin(scene, FIRST)
    assert not list(scene.world.log.read(run_stream(FIRST)))


def test_what_else_happens_in_the_project_is_no_hindrance(scene: KanbanScene) -> None:
    race(scene, FailureCounted(breaker="b", run=SECOND, at=BEGIN))
    begin(scene, FIRST)
    assert len(list(scene.world.log.read(PROJECT_STREAM))) == 2


def test_a_project_that_never_rests_is_told_of(scene: KanbanScene) -> None:
    race(scene, *(FailureCounted(breaker="b", run=SECOND, at=BEGIN) for _ in range(30)))
    with pytest.raises(StaleVersion, match="grew faster"):
        begin(scene, FIRST)
