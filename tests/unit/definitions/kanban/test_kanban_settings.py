"""The section `kanban` of the config."""

import pytest
from tests.unit.definitions.kanban.board import Board
from tests.unit.definitions.project_files import COMMIT

from supervisor_ai.definitions.kanban.settings import KanbanSetting
from supervisor_ai.drivers.kanban.settings import ManagerKind


def test_nothing_said_is_what_the_package_says(board: Board) -> None:
    assert board.catalog().section(COMMIT, "kanban") == KanbanSetting(
        folder="tasks", manager=ManagerKind.MODEL, retry="exact", max_iterations=400
    )


def test_the_project_s_word_lies_over_the_user_s(board: Board) -> None:
    (board.user / "config.yaml").write_text(
        "kanban: {manager: builtin, max_iterations: 7, folder: plans, gates: []}\n"
    )
    config = "kanban:\n  folder: ./docs/board/\n  retry: with_error\n"
    assert board.catalog(config).section(COMMIT, "kanban") == KanbanSetting(
        folder="docs/board",
        manager=ManagerKind.BUILTIN,
        retry="with_error",
        max_iterations=7,
        gates=(),
    )
    assert "test" not in board.load(config).path
    assert "test" in board.load("kanban: {gates: [test]}\n").path


def test_every_mistake_is_told_with_its_place(board: Board) -> None:
    config = """\
kanban:
  manager: human
  retry: never
  max_iterations: 0
  gates: test
  folder: .supervisor
  speed: 3
"""
    assert board.refusal(config).splitlines()[1:] == [
        "  .supervisor/config.yaml:3: kanban.manager: must be 'model' or 'builtin', found 'human'",
        "  .supervisor/config.yaml:4: kanban.retry: must be 'exact' or 'with_error', found 'never'",
        "  .supervisor/config.yaml:5: kanban.max_iterations: must be at least 1, found 0",
        "  .supervisor/config.yaml:6: kanban.gates: must be a list, found 'test'",
        "  .supervisor/config.yaml:7: kanban.folder: must be a folder of the project that is not"
        " hidden, found '.supervisor'",
        "  .supervisor/config.yaml:8: kanban.speed: unknown key (known: manager, retry,"
        " max_iterations, gates, folder)",
    ]
    assert "kanban.max_iterations" in board.refusal("kanban: {max_iterations: 10001}")
    for odd in ("3", "[model]", "MODEL"):
        told = board.refusal(f"kanban: {{manager: {odd}}}")
        assert "kanban.manager: must be 'model' or 'builtin', found" in told


@pytest.mark.parametrize(
    "folder", [".", "./", "''", "/tasks", "..", "a/../b", ".git", "a/.git/b", ".supervisor/x", ".x"]
)
def test_files_go_into_a_plain_folder(board: Board, folder: str) -> None:
    assert ".supervisor/config.yaml:2: kanban.folder: must be a" in board.refusal(
        f"kanban: {{folder: {folder}}}"
    )


def test_nothing_of_it_has_to_be_trusted(board: Board) -> None:
    config = """\
kanban: {manager: builtin, retry: with_error, max_iterations: 9, gates: [test], folder: plans}
"""
    assert board.load(config).loaded.powers == ()
