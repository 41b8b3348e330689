"""Keys in large directories are found without walking through all of them each time."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers
from supervisor_ai.sandboxes.host_view.secret_names import EDITION


class Installation:
    """A directory with many others in it, and a place for what is known of it."""

    def __init__(self, place: Path) -> None:
        self.root = place / "tool"
        self.state = place / "state"
        for number in range(30):
            self.file(f"lib/{number}/module.py")

    def file(self, name: str, text: str = "") -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.changed = file.stat().st_ctime_ns
        return file

    def covered(self, *, seconds: int = 10) -> set[str]:
        """Look as a new process does, so many seconds after the last change."""
        now = self.changed + seconds * 1_000_000_000
        mounts = SecretCovers(self.state, now=lambda: now).exposed([self.root])
        targets = {mount.target for mount in mounts} - {self.root}
        return {str(target.relative_to(self.root)) for target in targets}


def listings(work: Callable[[], object]) -> int:
    """Count the directories that are listed."""
    found = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal found
        found += event == "c_call" and argument is os.scandir

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.fixture
def tool(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def test_only_directories_that_changed_are_listed_again(tool: Installation) -> None:
    tool.file("lib/3/.npmrc")
    assert listings(tool.covered) == 32
    assert listings(tool.covered) == 0
    tool.file("lib/7/deep/.netrc")
    assert listings(tool.covered) == 2
    assert tool.covered() == {"lib/3/.npmrc", "lib/7/deep/.netrc"}
    (tool.root / "lib/3/.npmrc").unlink()
    assert tool.covered() == {"lib/7/deep/.netrc"}


def test_a_directory_that_changed_a_moment_ago_is_not_believed(tool: Installation) -> None:
    tool.covered(seconds=1)
    assert listings(tool.covered) == 32


def test_a_file_that_becomes_a_key_is_seen_though_its_directory_is_the_same(
    tool: Installation,
) -> None:
    file = tool.file("lib/1/server.pem", "CERTIFICATE")
    assert tool.covered() == set()
    with file.open("a") as opened:
        opened.write("-----BEGIN RSA PRIVATE KEY-----")
    assert tool.covered() == {"lib/1/server.pem"}


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", "{edition}\0", "{edition}\0a\0b\0c", "{edition}\0a\0b\0\0\0\0"]
)
def test_a_record_that_says_nothing_is_no_hindrance(tool: Installation, text: str) -> None:
    tool.file("lib/1/.npmrc")
    tool.covered()
    records = list(tool.state.glob("*.seen"))
    assert records
    for record in records:
        record.write_text(text.replace("{edition}", EDITION))
    assert tool.covered() == {"lib/1/.npmrc"}


def test_what_could_not_be_listed_is_tried_again(tool: Installation) -> None:
    place = tool.file("lib/4/deep/.netrc").parent
    moved = place.rename(place.with_name("away"))
    place.symlink_to("nowhere")
    assert tool.covered() == {"lib/4/away/.netrc"}
    place.unlink()
    moved.rename(place)
    assert tool.covered() == {"lib/4/deep/.netrc"}


@pytest.mark.parametrize("name", ["a b", "a\nb", "a\udce9", "é"])
def test_names_of_any_kind_are_kept(tool: Installation, name: str) -> None:
    tool.file(f"lib/{name}/.netrc")
    assert tool.covered() == {f"lib/{name}/.netrc"}
    assert listings(tool.covered) == 0
    assert tool.covered() == {f"lib/{name}/.netrc"}


def test_a_link_shows_what_it_stands_for_with_its_covers(tool: Installation) -> None:
    tool.file("lib/1/.npmrc")
    link = tool.root.with_name("link")
    link.symlink_to(tool.root)
    targets = {mount.target for mount in SecretCovers(tool.state).exposed([link])}
    assert targets == {link, link / "lib/1/.npmrc"}


def test_what_is_no_file_and_no_directory_is_covered(
    tool: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tool.root)
    os.mkfifo("lib/2/pipe")
    assert tool.covered() == {"lib/2/pipe"}
