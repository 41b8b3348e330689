"""The files of a kanban as a commit or a directory has them."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from tests.unit.control.kanban_office import FILE, FILES, FIRST, MAIN, PLACE, FakeRepository

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import FILE_BYTES, MOST_FILES
from supervisor_ai.drivers.kanban.board.kanban import Kanban
from supervisor_ai.drivers.kanban.files import FoundFiles, files_of_commit, files_of_directory

if TYPE_CHECKING:
    from supervisor_ai.engine.ports.workspaces import Repository


def of_commit(files: dict[str, str]) -> FoundFiles:
    repository = FakeRepository(commits={MAIN: files})
    return files_of_commit(cast("Repository", repository), MAIN, "tasks")


def written(directory: Path) -> Path:
    for path, text in FILES.items():
        (directory / Path(path).name).write_text(text)
    return directory


def test_a_commit_has_the_markdown_files_right_in_the_folder() -> None:
    found = of_commit({**FILES, "tasks/deep/1.md": "", "tasks/a.txt": "", "README.md": ""})
    assert set(found.files) == set(FILES)
    assert found.has(PLACE)
    assert not of_commit({"README.md": ""}).has(PLACE)
    assert isinstance(found.kanban(MarkdownKanbanReader(), FILE), Kanban)


def test_what_is_no_text_is_a_mistake_only_where_it_counts() -> None:
    reader = MarkdownKanbanReader()
    assert isinstance(of_commit({**FILES, "tasks/z.md": "\0"}).kanban(reader, FILE), Kanban)
    told = of_commit({**FILES, FIRST: "\0"}).kanban(reader, FILE)
    assert not isinstance(told, Kanban)
    assert [str(mistake) for mistake in told] == [f"{FIRST}: The file is not UTF-8 text."]
    assert of_commit({FILE: "\0"}).has(PLACE)


def test_a_file_of_a_commit_can_be_too_large() -> None:
    found = of_commit({**FILES, FIRST: "x" * (FILE_BYTES + 1)})
    assert "larger than" in found.unreadable[0].problem


def test_a_directory_has_the_same(tmp_path: Path) -> None:
    found = files_of_directory(written(tmp_path), "tasks")
    assert found.files == {path: text.encode() for path, text in FILES.items()}
    assert files_of_directory(tmp_path / "nowhere", "tasks").files == {}


def test_a_directory_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InvalidInput, match="cannot be read"):
        files_of_directory(tmp_path / "loop", "tasks")


def test_links_and_other_kinds_of_files_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    inside = tmp_path / "tasks"
    inside.mkdir()
    written(inside)
    (inside / "9-link.md").symlink_to(tmp_path / "secret")
    os.mkfifo(inside / "9-pipe.md")
    (inside / "9-large.md").write_bytes(b"x" * (FILE_BYTES + 1))
    (inside / "9-folder.md").mkdir()
    found = files_of_directory(inside, "tasks")
    assert set(found.files) == set(FILES)
    assert [Path(it.file).name for it in found.unreadable] == [
        "9-folder.md",
        "9-large.md",
        "9-link.md",
        "9-pipe.md",
    ]


def test_a_folder_with_everything_in_it_is_refused() -> None:
    many = {f"tasks/{number}-x.md": "" for number in range(MOST_FILES + 1)}
    with pytest.raises(InvalidInput, match="are the most that are read"):
        of_commit(many)
