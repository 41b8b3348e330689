"""Where a kanban is that a person names on a command line."""

from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.places import (
    KanbanRoot,
    find_any_place,
    find_directory,
    find_place,
    permit_of,
    place_of,
    typed,
)

FILE: Final = "tasks/0-kanban-x.md"


@pytest.fixture
def desk(tmp_path: Path) -> KanbanRoot:
    top = tmp_path / "project"
    (top / "tasks").mkdir(parents=True)
    (tmp_path / "plans").mkdir()
    return KanbanRoot(checkout=top, start=top)


def below(desk: KanbanRoot, folder: str) -> KanbanRoot:
    return KanbanRoot(checkout=desk.checkout, start=desk.checkout / folder)


def test_a_file_is_named_from_where_a_person_stands(desk: KanbanRoot) -> None:
    expected = KanbanPlace(file=FILE)
    assert find_place(desk, FILE) == expected
    assert find_place(desk, f"./tasks/../{FILE}") == expected
    assert find_place(desk, str(desk.checkout / FILE)) == expected
    assert find_place(below(desk, "tasks"), "0-kanban-x.md") == expected
    assert typed(desk, expected) == FILE
    assert typed(below(desk, "tasks"), expected) == "0-kanban-x.md"
    assert permit_of(expected) == f"kanban:{FILE}"


def test_a_checkout_is_the_same_through_a_link(desk: KanbanRoot, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(desk.checkout)
    linked = KanbanRoot(checkout=desk.checkout, start=tmp_path / "short")
    assert find_place(linked, FILE).file == FILE
    assert find_place(desk, str(tmp_path / "short" / FILE)).file == FILE


def test_a_plain_directory_inside_the_project_is_seen_where_it_is(desk: KanbanRoot) -> None:
    place = find_place(desk, "0-kanban-x.md", "tasks")
    directory = str(desk.checkout / "tasks")
    assert place == KanbanPlace(file=FILE, directory=directory)
    assert find_place(desk, FILE, "tasks") == place
    assert permit_of(place) == f"kanban:{directory}/0-kanban-x.md"
    assert typed(desk, place) == f"0-kanban-x.md --dir {directory}"


def test_a_plain_directory_elsewhere_is_seen_under_a_name_of_its_own(
    desk: KanbanRoot, tmp_path: Path
) -> None:
    place = find_place(desk, "0-kanban-x.md", "../plans")
    assert place == KanbanPlace(
        file="supervisor-kanban/0-kanban-x.md", directory=str(tmp_path / "plans")
    )
    assert find_any_place(desk, "../plans/0-kanban-x.md") == place
    assert find_any_place(desk, FILE) == KanbanPlace(file=FILE)


@pytest.mark.parametrize(
    ("file", "directory", "problem"),
    [
        ("../plans/0-kanban-x.md", None, "is not in the project"),
        ("0-kanban-x.md", None, "at the top of the project"),
        ("0-kanban-x.md", ".", "at the top of the project"),
        ("tasks/0-kanban.txt", None, "is a markdown file"),
        ("tasks/a\nb.md", None, "is a markdown file"),
        (".git/0-kanban.md", None, "cannot be in"),
        ("tasks/.supervisor/0-kanban.md", None, "cannot be in"),
        ("tasks/0-kanban-x.md", "../plans", "is not in the directory"),
    ],
)
def test_what_can_be_no_kanban_is_refused(
    desk: KanbanRoot, file: str, directory: str | None, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        find_place(desk, file, directory)


def test_a_directory_has_to_be_there(desk: KanbanRoot) -> None:
    with pytest.raises(NotFound, match="no directory 'nowhere'"):
        find_directory(desk, "nowhere")


@pytest.mark.parametrize("folder", ["/etc", "../other", "tasks/../..", ".hidden", "a/.b"])
def test_a_new_kanban_stays_in_the_project(desk: KanbanRoot, folder: str) -> None:
    with pytest.raises(InvalidInput, match="is no folder for a kanban"):
        place_of(desk, "0-kanban-x.md", folder=folder, directory=None)


def test_a_new_kanban_is_in_a_folder_of_the_project_wherever_one_stands(desk: KanbanRoot) -> None:
    place = place_of(below(desk, "tasks"), "0-kanban-x.md", folder="tasks", directory=None)
    assert place.file == FILE
