"""What the tests of kanban definitions share."""

from pathlib import Path

import pytest
from tests.unit.definitions.kanban.board import Board


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Give a project with an agent and nothing else."""
    return Board(tmp_path)
