"""Nobody else can look into the state directory, while a run is driven and after it was killed."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.command import User, furnish, make_user, until

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def user(tmp_path: Path, state: Path) -> User:
    user = make_user(tmp_path, state)
    furnish(user)
    return user


def exposed(place: Path) -> Iterator[Path]:
    """Find what others can use; behind a directory that is closed to them, they can use nothing."""
    found = place.lstat()
    if not found.st_mode & OTHERS and found.st_uid == os.geteuid():
        return
    yield place
    if stat.S_ISDIR(found.st_mode):
        for inner in place.iterdir():
            yield from exposed(inner)


def has_begun(user: User) -> bool:
    newest = user.newest()
    return newest is not None and "PromptSent" in user.types(newest["id"])


def test_all_of_it_is_private(user: User, state: Path) -> None:
    user.script(implement=["hang"])
    with user.start("run", "Do it", "--yes", "--workflow", "quick") as process:
        try:
            until(lambda: has_begun(user), "the attempt")
            found = [it for place in state.iterdir() for it in exposed(place)]
        finally:
            process.send_signal(signal.SIGKILL)
    assert found == []
    assert state.stat().st_mode & OTHERS == 0
    assert [it for place in state.iterdir() for it in exposed(place)] == []


def test_what_was_open_before_is_closed(user: User, state: Path) -> None:
    assert user.run("--workflow", "quick").code == 0
    places = [it for it in state.iterdir() if it.is_dir()]
    for place in places:
        place.chmod(0o711)
    assert user.run("--workflow", "quick").code == 0
    closed = [it for it in places if it.name not in {"ports", "bugs"}]
    assert {it.name for it in closed} > {"lists", "sandbox", "templates"}
    assert len(closed) == 4  # That of the project has a name made of its path.
    assert [it for place in closed for it in exposed(place)] == []
