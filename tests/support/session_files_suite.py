"""What every implementation of the ports of a session's folder must do."""

import hashlib
from collections.abc import Callable
from typing import Final

import pytest

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput

REPORT: Final = "CHECKPOINT-001-report.md"


class SessionFilesSuite:
    """Subclass it and say how to make new folders."""

    folders: Callable[[], SessionFolders]

    @pytest.fixture
    def place(self) -> tuple[SessionFolders, str]:
        folders = self.folders()
        folder = folders.choose("S1", None)
        folders.prepare(folder)
        return folders, folder

    def test_a_folder_that_is_not_there_is_empty(self) -> None:
        folders = self.folders()
        folder = folders.choose("S2", None)
        assert folders.list(folder).files == ()
        assert folders.read(folder, "artifacts/a.md") is None
        assert folders.fetch(folder, "artifacts/a.md", 10) is None

    def test_files_are_listed_by_path_with_their_hashes(
        self, place: tuple[SessionFolders, str]
    ) -> None:
        folders, folder = place
        for path in ("wisdom/b.md", "artifacts/a.md", ".msg/messages.jsonl", "team-session.json"):
            folders.replace(folder, path, path.encode(), expected=None)
        found = {it.path: (it.content, it.size) for it in folders.list(folder).files}
        assert list(found) == ["artifacts/a.md", "team-session.json", "wisdom/b.md"]
        assert found["wisdom/b.md"] == (hashlib.sha256(b"wisdom/b.md").hexdigest(), 11)

    def test_a_glimpse_tells_that_a_file_has_changed(
        self, place: tuple[SessionFolders, str]
    ) -> None:
        folders, folder = place
        assert folders.glimpse(folder, "spec/a.md") is None
        assert folders.glimpse(folder, "../a.md") is None
        assert folders.glimpse(folders.choose("S2", None), "spec/a.md") is None
        folders.append(folder, "spec/a.md", b"a")
        first = folders.glimpse(folder, "spec/a.md")
        assert first is not None
        assert (first.size, folders.glimpse(folder, "spec/a.md")) == (1, first)
        folders.append(folder, "spec/a.md", b"b")
        assert folders.glimpse(folder, "spec/a.md") != first

    def test_what_was_written_is_read(self, place: tuple[SessionFolders, str]) -> None:
        folders, folder = place
        folders.replace(folder, "spec/a.md", "é\n".encode(), expected=None)
        assert folders.read(folder, "spec/a.md") == "é\n"
        assert folders.fetch(folder, "spec/a.md", 3) == "é\n".encode()
        with pytest.raises(InvalidInput):
            folders.fetch(folder, "spec/a.md", 2)

    @pytest.mark.parametrize(
        "path", ["", "/etc/passwd", "../x", "a/../../x", "./a", "a//b", "a\0b", "a\nb", "a/"]
    )
    def test_a_path_that_leaves_the_folder_names_nothing(
        self, place: tuple[SessionFolders, str], path: str
    ) -> None:
        folders, folder = place
        assert folders.read(folder, path) is None

    def test_a_file_is_replaced_only_where_it_is_as_expected(
        self, place: tuple[SessionFolders, str]
    ) -> None:
        folders, folder = place
        folders.replace(folder, "team-session.json", b"1", expected=None)
        with pytest.raises(Conflict):
            folders.replace(folder, "team-session.json", b"2", expected=None)
        with pytest.raises(Conflict):
            folders.replace(folder, "team-session.json", b"2", expected="0" * 64)
        before = hashlib.sha256(b"1").hexdigest()
        folders.replace(folder, "team-session.json", b"2", expected=before)
        assert folders.fetch(folder, "team-session.json", 9) == b"2"

    def test_lines_are_added_at_the_end(self, place: tuple[SessionFolders, str]) -> None:
        folders, folder = place
        folders.append(folder, ".msg/messages.jsonl", b"a\n")
        folders.append(folder, ".msg/messages.jsonl", b"b\n")
        assert folders.fetch(folder, ".msg/messages.jsonl", 9) == b"a\nb\n"

    def test_a_report_is_written_once_and_none_is_lost(
        self, place: tuple[SessionFolders, str]
    ) -> None:
        folders, folder = place
        for text in ("one\n", "one\n", "two\n", "three\n"):
            assert folders.write_report(folder, REPORT, text) == f"artifacts/{REPORT}"
        found = {it.path: folders.read(folder, it.path) for it in folders.list(folder).files}
        assert found == {
            "artifacts/CHECKPOINT-001-report.1.md": "one\n",
            "artifacts/CHECKPOINT-001-report.2.md": "two\n",
            "artifacts/CHECKPOINT-001-report.md": "three\n",
        }

    @pytest.mark.parametrize(
        "name", ["brief.md", "CHECKPOINT-001.md", "../CHECKPOINT-1-report.md", "x/y-report.md"]
    )
    def test_only_reports_are_written_as_reports(
        self, place: tuple[SessionFolders, str], name: str
    ) -> None:
        folders, folder = place
        with pytest.raises(Denied):
            folders.write_report(folder, name, "x")

    def test_wisdom_grows_by_whole_entries(self, place: tuple[SessionFolders, str]) -> None:
        folders, folder = place
        folders.append(folder, "wisdom/risks.md", b"# Risks")
        for entry in ("- one", "- two\n", "- one"):
            assert folders.append_wisdom(folder, "risks.md", entry) == "wisdom/risks.md"
        assert folders.read(folder, "wisdom/risks.md") == "# Risks\n- one\n- two\n"

    @pytest.mark.parametrize("name", ["../risks.md", "risks.txt", "a/b.md"])
    def test_only_wisdom_is_appended_to_as_wisdom(
        self, place: tuple[SessionFolders, str], name: str
    ) -> None:
        folders, folder = place
        with pytest.raises(Denied):
            folders.append_wisdom(folder, name, "x")
