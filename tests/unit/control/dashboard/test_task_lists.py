"""Lists of tasks that runs work through, whichever driver they have."""

from pathlib import Path

import pytest
from tests.unit.control.kanban_office import FILES, FIRST, LOG_ENTRY, MAIN, KanbanScene, task_text
from tests.unit.control.run_rows import run_row

from supervisor_ai.control.dashboard.task_lists import read_tasks
from supervisor_ai.control.slices import TaskDesk
from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus

OPENED: list[tuple[str, str]] = []


def open_port(driver: str, port: str) -> object:
    OPENED.append((driver, port))
    return MarkdownKanbanReader()


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    return KanbanScene(tmp_path)


def desk(scene: KanbanScene) -> TaskDesk:
    checkout = scene.preflight.checkout
    return TaskDesk(records=scene.records, preflight=scene.preflight, start=checkout)


def test_the_tasks_of_a_kanban_are_told_in_plain_words(scene: KanbanScene) -> None:
    scene.repository.commits[MAIN] = {**FILES, FIRST: task_text(more=LOG_ENTRY)}
    scene.submit("r1", status=RunStatus.RUNNING)
    OPENED.clear()
    found = read_tasks(desk(scene), RunId("r1"), open_port)
    assert OPENED == [("kanban", "reader")]
    assert (found.title, found.noun, found.phase) == ("Login page", "kanban", "execute")
    assert found.source == f"main at {MAIN[:12]}"
    told = [(it.name, it.state, it.said, it.is_current) for it in found.tasks]
    assert told == [("1", "todo", "blocked", True), ("2", "done", "", False)]
    assert {it.state for it in found.tasks} <= set(found.states)


def test_a_run_of_another_driver_has_no_list(scene: KanbanScene) -> None:
    scene.queries.rows.append(run_row("r9", scene.world.artifacts.put("Do it")))
    with pytest.raises(NotFound, match="works through no list of tasks"):
        read_tasks(desk(scene), RunId("r9"), open_port)
