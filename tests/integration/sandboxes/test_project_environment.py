import subprocess
import sys
from pathlib import Path

import pytest

from supervisor_ai.sandboxes.toolchains.project_environment import with_project_environment
from supervisor_ai.workspaces.repositories.git import is_tracked


class Desk:
    """A work tree of somebody's project."""

    def __init__(self, top: Path) -> None:
        self.top = top
        subprocess.run(["git", "init", "-q", top], check=True)

    def environment(self, name: str) -> Path:
        place = self.top / name
        place.mkdir(parents=True)
        (place / "pyvenv.cfg").write_text("home = /usr/bin\n")
        return place

    def chosen(self, **variables: str) -> str | None:
        given = {"PATH": "/usr/bin", **variables}
        found = with_project_environment(given, [self.top], is_tracked)
        assert found["PATH"] == "/usr/bin"
        return found.get("VIRTUAL_ENV")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "project")


def test_the_environment_of_the_work_tree_counts_before_the_active_one(desk: Desk) -> None:
    other, own = desk.environment("../other"), desk.environment(".venv")
    assert desk.chosen() == desk.chosen(VIRTUAL_ENV=str(other)) == str(own)


def test_the_active_one_of_several_in_the_work_tree_counts(desk: Desk) -> None:
    desk.environment(".venv")
    assert desk.chosen(VIRTUAL_ENV=str(desk.environment("envs/new"))) == str(desk.top / "envs/new")


def test_an_active_environment_elsewhere_counts_unless_it_is_supervisors(desk: Desk) -> None:
    assert desk.chosen(VIRTUAL_ENV="/home/me/env") == "/home/me/env"
    assert desk.chosen(VIRTUAL_ENV=sys.prefix) is None
    assert desk.chosen(VIRTUAL_ENV="relative") is None


def test_supervisor_may_be_installed_in_the_projects_environment(desk: Desk) -> None:
    (desk.top / ".venv").symlink_to(sys.prefix)
    assert desk.chosen() == str(desk.top / ".venv")


def test_what_git_tracks_names_no_directory_to_show(desk: Desk) -> None:
    desk.environment(".venv")
    subprocess.run(["git", "-C", desk.top, "add", "-f", ".venv"], check=True)
    assert desk.chosen() is None
