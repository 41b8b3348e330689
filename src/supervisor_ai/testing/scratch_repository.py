"""A real git repository with a checkout, for tests."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.workspaces.repositories.git import Git, signature

USER: Final = Identity(name="Ada", email="ada@example.org")
_LONG_AGO: Final = datetime(2001, 2, 3, tzinfo=UTC)


class ScratchRepository:
    """A user's repository; equal content gives equal commits."""

    def __init__(self, path: Path, *, object_format: str = "sha1") -> None:
        path.mkdir(parents=True, exist_ok=True)
        (path / ".git").mkdir()
        self.path = path
        self.git = Git(directory=path / ".git", work_tree=path)
        self.git.run("init", "--initial-branch=main", f"--object-format={object_format}")
        self.git.run("config", "user.name", USER.name)
        self.git.run("config", "user.email", USER.email)

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the checkout."""
        for name, text in files.items():
            place = self.path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def commit(self, files: Mapping[str, str] | None = None) -> CommitSha:
        """Write files and commit the checkout."""
        self.write(files or {})
        self.git.run("add", "--all")
        signed = signature(USER, _LONG_AGO)
        self.git.run("commit", "--quiet", "--allow-empty", "-m", "user", environment=signed)
        return CommitSha(self.git.run("rev-parse", "HEAD").text)

    def plant(self, files: Mapping[str, str], *, parent: CommitSha | None = None) -> CommitSha:
        """Make a commit behind the checkout's back; no branch points to it."""
        index = {"GIT_INDEX_FILE": str(self.git.directory / "planting")}
        self.git.run("read-tree", "--empty", environment=index)
        for path, text in files.items():
            blob = self.git.run("hash-object", "-w", "--stdin", stdin=text.encode()).text
            entry = ("--add", "--cacheinfo", f"100644,{blob},{path}")
            self.git.run("update-index", *entry, environment=index)
        tree = self.git.run("write-tree", environment=index).text
        parents = () if parent is None else ("-p", parent)
        made = self.git.run(
            *("commit-tree", "-m", "user", tree, *parents),
            environment=signature(USER, _LONG_AGO),
        )
        return CommitSha(made.text)
