"""Programs are found by absolute path, and never where a stranger may have put one."""

import os
from pathlib import Path

import pytest

from supervisor_ai.tools.programs import distrust, find_program, search_path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a place that is distrusted, with programs at several depths of it."""
    place = tmp_path / "project"
    for folder in (".", "bin", "node_modules/.bin"):
        make(place / folder / "git")
    distrust(place)
    return place


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    """Make a directory of the user's own programs."""
    return make(tmp_path / "honest/git").parent


def make(program: Path) -> Path:
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    "entry",
    ["", ".", "./bin", "bin", "..", "~/bin", "{project}", "{project}/bin", "{project}/bin/"],
)
@pytest.mark.parametrize("form", ["{entry}:{honest}", "{honest}:{entry}", "{entry}:{honest}:"])
def test_an_entry_that_a_stranger_fills_does_not_count(
    project: Path, honest: Path, monkeypatch: pytest.MonkeyPatch, entry: str, form: str
) -> None:
    monkeypatch.chdir(project)
    path = form.format(entry=entry.format(project=project), honest=honest)
    assert search_path(path) == str(honest)
    assert find_program("git", path) == str(honest / "git")


def test_no_way_into_a_distrusted_place_counts(project: Path, tmp_path: Path, honest: Path) -> None:
    (tmp_path / "link").symlink_to(project / "bin")
    (tmp_path / "chain").symlink_to("link")
    (tmp_path / "folder").symlink_to(project)
    (project / "out").symlink_to(honest)
    (tmp_path / "through").symlink_to(project / "out")
    (tmp_path / "circle").symlink_to("circle")
    ways = [
        *("link", "chain", "folder/bin", "through", "circle", "honest/../project/bin"),
        *("project/../honest", "project/bin/../../honest", "./project/./bin"),
    ]
    for way in ways:
        assert search_path(f"{tmp_path}/{way}:{honest}") == str(honest), way


def test_a_program_that_is_a_link_into_a_distrusted_place_is_passed_over(
    project: Path, tmp_path: Path, honest: Path
) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "git").symlink_to(project / "bin/git")
    assert find_program("git", f"{linked}:{honest}") == str(honest / "git")
    assert find_program(str(linked / "git"), None) is None


def test_a_place_is_distrusted_under_each_of_its_names(tmp_path: Path) -> None:
    real = make(tmp_path / "real/bin/tool").parents[1]
    (tmp_path / "name").symlink_to(real)
    distrust(tmp_path / "name")
    for place in (real, tmp_path / "name"):
        assert find_program("tool", f"{place}/bin") is None


def test_what_only_begins_like_a_distrusted_place_counts(project: Path) -> None:
    beside = make(project.with_name("project-tools") / "tool")
    assert find_program("tool", str(beside.parent)) == str(beside)


@pytest.mark.parametrize("path", ["", ":", ".", "{project}:."])
def test_a_path_of_which_nothing_is_left_means_the_system(project: Path, path: str) -> None:
    assert search_path(path.format(project=project)) == os.defpath


def test_only_programs_are_found(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("")
    for name in ("folder", "text", "nothing", "sub/git", "./git", "../git"):
        assert find_program(name, str(tmp_path)) is None
    assert find_program("sh", None) in ("/bin/sh", "/usr/bin/sh")
    assert find_program("/bin/sh", None) == "/bin/sh"
