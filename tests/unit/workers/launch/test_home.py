"""The files of a home, and the blanks over what a repository brings along."""

from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.workers.launch.home import found_covers, furnished


def test_files_are_shown_read_only_at_their_places_and_are_gone_afterwards() -> None:
    with furnished({".a/b.json": "{}", "c.md": "✓"}, {}) as mounts:
        assert [(str(it.target), it.source.read_text()) for it in mounts] == [
            ("/home/agent/.a/b.json", "{}"),
            ("/home/agent/c.md", "✓"),
        ]
        assert not any(mount.is_writable for mount in mounts)
        assert all(mount.source.stat().st_mode & 0o777 == 0o644 for mount in mounts)
    assert not any(mount.source.exists() for mount in mounts)


def test_what_is_covered_is_empty_and_of_the_same_kind(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text("{}")
    (tmp_path / "opencode.json").write_text("{}")
    covers = found_covers(tmp_path, (".gemini", "opencode.json", "absent"))
    with furnished({}, covers) as (directory, file):
        assert directory.target == tmp_path / ".gemini"
        assert list(directory.source.iterdir()) == []
        assert file.target == tmp_path / "opencode.json"
        assert file.source.read_bytes() == b""


def test_a_workspace_without_any_needs_no_cover(tmp_path: Path) -> None:
    assert found_covers(tmp_path, (".gemini",)) == {}


def test_a_link_cannot_be_covered(tmp_path: Path) -> None:
    (tmp_path / ".gemini").symlink_to("elsewhere")
    with pytest.raises(InvalidInput, match=r"a link '\.gemini'"):
        found_covers(tmp_path, (".gemini",))
