"""A real repository and the question that the packer asks of it."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.repositories.git import Git


class Project:
    """A work tree whose files become commits."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        command = ["git", *person, "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, files: Mapping[str, bytes | None]) -> CommitSha:
        """Write files (None: remove) and commit everything."""
        for path, content in files.items():
            file = self.root / os.fsdecode(path)
            if content is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", "files")
        return CommitSha(self.git("rev-parse", "HEAD"))

    def ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Ask as the packer does."""
        return Git(directory=self.root / ".git").run(*arguments, stdin=stdin).output
