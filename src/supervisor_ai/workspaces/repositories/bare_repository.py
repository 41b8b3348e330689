"""Git directories of our own, made by hand: no template, no hook, no foreign setting."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.repositories.git import Git

READABLE: Final = 0o755
TRAVERSABLE: Final = 0o711
PRIVATE: Final = 0o700


class Mold(Struct, frozen=True, kw_only=True):
    """What every git directory beside the same repository has in common with it."""

    object_format: str
    shallow: Path | None

    def cast(
        self,
        path: Path,
        *,
        borrows: Path | None = None,
        branch: str = "none",
        tip: CommitSha | None = None,
        is_bare: bool = True,
    ) -> Git:
        """Make a git directory that reads another's objects, with at most one branch."""
        make_directory(path, READABLE)
        for part in ("objects", "objects/info", "objects/pack", "refs", "refs/heads"):
            make_directory(path / part, READABLE)
        write(path / "HEAD", f"ref: refs/heads/{branch}\n")
        write(path / "config", self._configuration(is_bare=is_bare))
        if borrows is not None:
            write(path / "objects" / "info" / "alternates", f"{borrows}\n")
        if tip is not None:
            write(path / "refs" / "heads" / branch, f"{tip}\n")
        if self.shallow is not None and self.shallow.exists():
            shutil.copyfile(self.shallow, path / "shallow")
            (path / "shallow").chmod(0o644)
        return Git(directory=path, is_scratch=True)

    @contextmanager
    def lend(self, parent: Path, *, borrows: Path) -> Iterator[Git]:
        """Make a git directory that is gone afterwards."""
        path = parent / f"scratch-{token_hex(8)}.git"
        try:
            git = self.cast(path, borrows=borrows)
            path.chmod(PRIVATE)
            yield git
        finally:
            remove(path)

    def boundary(self) -> str:
        """Name where the history ends that the repository has."""
        if self.shallow is None or not self.shallow.exists():
            return ""
        return sha256(self.shallow.read_bytes()).hexdigest()

    def _configuration(self, *, is_bare: bool) -> str:
        is_plain = self.object_format == "sha1"
        core = f"[core]\n\trepositoryformatversion = {0 if is_plain else 1}\n\tfilemode = true\n"
        extensions = "" if is_plain else f"[extensions]\n\tobjectFormat = {self.object_format}\n"
        return f"{core}\tbare = {str(is_bare).lower()}\n{extensions}[gc]\n\tauto = 0\n"


def make_directory(path: Path, mode: int) -> None:
    """Make a directory with exactly these permissions, whatever the umask."""
    path.mkdir(exist_ok=True)
    path.chmod(mode)


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a small file with exactly these permissions, whatever the umask."""
    path.write_bytes(text.encode(errors="surrogateescape"))
    path.chmod(mode)
