"""Starting runs on kanbans: what is checked before anything is written."""

from pathlib import Path

import pytest
from tests.unit.control.kanban_office import (
    FILE,
    FILES,
    FIRST,
    MAIN,
    PLACE,
    KanbanScene,
    kanban_text,
    task_text,
)

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.commands.start import (
    KanbanRequest,
    prepare_kanban_run,
    prepare_new_kanban,
)
from supervisor_ai.drivers.kanban.runs import known_kanbans, newest_on, unfinished_on

ASKED = KanbanRequest(cli="agent", manager="builtin")


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    return KanbanScene(tmp_path)


def new_file(scene: KanbanScene, text: str, **where: str | None) -> str:
    place, _ = prepare_new_kanban(
        scene.office,
        text,
        ASKED,
        folder=where.get("folder"),
        directory=where.get("directory"),
    )
    return place.file


def test_a_run_has_the_title_the_request_and_the_permit(scene: KanbanScene) -> None:
    found = prepare_kanban_run(scene.office, PLACE, ASKED)
    assert found.prepared is not None
    assert found.prepared.task == "Login page\n\nAdd a login page."
    assert found.prepared.branch.endswith("-login-page")
    assert found.prepared.driver == "kanban"
    assert found.prepared.permit == f"kanban:{FILE}"
    assert scene.catalog.asked == [KanbanPolicy(place=PLACE)]
    assert scene.catalog.chosen == [("agent", "builtin")]


def test_a_complete_kanban_needs_no_run(scene: KanbanScene) -> None:
    done = task_text("state: done\n")
    complete = kanban_text(None, FIRST, phase="complete")
    scene.repository.commits[MAIN] = {FILE: complete, FIRST: done}
    assert prepare_kanban_run(scene.office, PLACE, ASKED).prepared is None


def test_every_mistake_is_told_at_once_with_its_line(scene: KanbanScene) -> None:
    broken = {FILE: kanban_text(phase="someday"), FIRST: task_text("state: odd\n")}
    scene.repository.commits[MAIN] = broken
    with pytest.raises(InvalidInput) as error:
        prepare_kanban_run(scene.office, PLACE, ASKED)
    told = error.value.message
    assert told.startswith(f"The kanban {FILE!r} cannot be read:\n")
    assert f"{FILE}:4:" in told
    assert f"{FIRST}:3:" in told


def test_a_file_that_is_not_committed_is_not_there(scene: KanbanScene, tmp_path: Path) -> None:
    scene.repository.commits[MAIN] = {}
    with pytest.raises(NotFound, match="in main at aaaaaaaaaaaa") as error:
        prepare_kanban_run(scene.office, PLACE, ASKED)
    assert error.value.hint == 'Create a kanban: supervisor kanban new "…"'
    (tmp_path / "tasks").mkdir()
    (tmp_path / FILE).write_text("")
    with pytest.raises(NotFound) as error:
        prepare_kanban_run(scene.office, PLACE, ASKED)
    assert (error.value.hint or "").startswith("It is not committed.")
    assert (error.value.hint or "").endswith("--dir tasks")


def test_a_file_on_the_branch_of_a_run_is_found_there(scene: KanbanScene) -> None:
    scene.repository.commits[MAIN] = {}
    scene.submit("r1")
    scene.repository.branch("ai/r1", FILES)
    scene.submit("r2")
    with pytest.raises(NotFound) as error:
        prepare_kanban_run(scene.office, PLACE, ASKED)
    assert error.value.hint == "It is on a branch of run r1: say --base ai/r1"
    found = prepare_kanban_run(scene.office, PLACE, replace(ASKED, base="ai/r1"))
    assert found.prepared is not None


def test_a_plain_directory_is_read_as_it_is(scene: KanbanScene, tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    place = KanbanPlace(file=FILE, directory=str(tmp_path / "plans"))
    with pytest.raises(NotFound, match=r"no file '0-kanban-login\.md' in the directory"):
        prepare_kanban_run(scene.office, place, ASKED)
    for path, text in FILES.items():
        (tmp_path / "plans" / Path(path).name).write_text(text)
    found = prepare_kanban_run(scene.office, place, ASKED)
    assert found.prepared is not None
    assert found.prepared.permit == f"kanban:{tmp_path}/plans/0-kanban-login.md"


def test_a_new_kanban_counts_on_from_the_files_of_its_folder(scene: KanbanScene) -> None:
    assert new_file(scene, "Add  a Lögin\npage!") == "tasks/3-kanban-add-a-login.md"
    assert new_file(scene, "Add it", folder="plans") == "plans/0-kanban-add-it.md"
    assert new_file(scene, "日本") == "tasks/3-kanban-request.md"
    assert scene.catalog.asked[0].instruction == "Add  a Lögin\npage!"


def test_a_new_kanban_is_not_called_like_one_on_another_branch(scene: KanbanScene) -> None:
    elsewhere = KanbanPlace(file="other/80-kanban-x.md")
    scene.submit("r1", KanbanPolicy(place=KanbanPlace(file="tasks/7-kanban-x.md")))
    scene.submit("r2", KanbanPolicy(place=elsewhere))
    assert new_file(scene, "Add it") == "tasks/8-kanban-add-it.md"
    assert known_kanbans(scene.records) == ("other/80-kanban-x.md", "tasks/7-kanban-x.md")


def test_a_new_kanban_in_a_plain_directory(scene: KanbanScene, tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "4-x.md").write_text("")
    assert new_file(scene, "Add it", directory="plans") == "plans/5-kanban-add-it.md"
    with pytest.raises(InvalidInput, match="not in both"):
        new_file(scene, "Add it", directory="plans", folder="tasks")


def test_a_request_has_to_say_something(scene: KanbanScene) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        new_file(scene, "  ")


def test_the_runs_on_a_kanban_are_known_by_its_place(scene: KanbanScene) -> None:
    assert newest_on(None, PLACE) is None
    assert newest_on(scene.records, PLACE) is None
    scene.submit("r1", status=RunStatus.WAITING)
    scene.submit("r2")
    scene.submit("r3", KanbanPolicy(place=KanbanPlace(file=FILE, directory="/plans")))
    newest, unfinished = newest_on(scene.records, PLACE), unfinished_on(scene.records, PLACE)
    assert newest is not None
    assert newest.row.id == "r2"
    assert unfinished is not None
    assert unfinished.row.id == "r1"


def test_work_that_went_on_elsewhere_is_named(scene: KanbanScene) -> None:
    scene.submit("r1")
    assert prepare_kanban_run(scene.office, PLACE, ASKED).newer is None
    scene.repository.branch("ai/r1", FILES)
    assert prepare_kanban_run(scene.office, PLACE, ASKED).newer is None
    scene.repository.branch("ai/r1", {**FILES, FILE: kanban_text(phase="validate")})
    assert prepare_kanban_run(scene.office, PLACE, ASKED).newer == "ai/r1"
    scene.repository.branch("ai/r1", {**FILES, FILE: "\0"})
    assert prepare_kanban_run(scene.office, PLACE, ASKED).newer == "ai/r1"
    named = replace(ASKED, base="main")
    assert prepare_kanban_run(scene.office, PLACE, named).newer is None
