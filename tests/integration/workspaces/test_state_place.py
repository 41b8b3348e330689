from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.workspaces.state_place import own_place

ROOT = Path("/home/me/project")


def state(place: Path, mark: str | None, root: Path = ROOT) -> Path:
    return own_place(place, root, mark)


def test_what_was_there_before_there_were_marks_stays_in_use(tmp_path: Path) -> None:
    assert state(tmp_path, None) == state(tmp_path, "one") == state(tmp_path, "one")


def test_another_repository_at_the_same_path_gets_another_one(tmp_path: Path) -> None:
    places = [state(tmp_path, mark) for mark in ("one", "other", None)]
    assert len({*places, state(tmp_path, "one", Path("/elsewhere"))}) == 4
    assert places == [state(tmp_path, mark) for mark in ("one", "other", None)]


def test_a_directory_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    place = state(tmp_path, None)
    (place / "mark").mkdir()
    with pytest.raises(Unavailable, match="Is a directory"):
        state(tmp_path, "one")
