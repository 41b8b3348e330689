"""Files of commits, read from the trusted repository and never from a work tree."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.quality.ports import Files
from supervisor_ai.workspaces.commits.commit_files import CommitFiles
from supervisor_ai.workspaces.commits.composition import is_plain
from supervisor_ai.workspaces.in_thread import perform
from supervisor_ai.workspaces.repositories.repository import GitRepository

_SUFFIX: Final = ".md"
_MOST_FILES: Final = 5_000
_MOST_BYTES: Final = 256 * 1024
"""A document that is larger is none that anybody would read."""


def open_store_files(project: Callable[[], SliceProject]) -> "GitStoreFiles":
    """Open the files of a project's commits."""
    opened = project()
    if not isinstance(opened.repository, GitRepository):
        raise InternalError("The files of commits are in git repositories only.")
    return GitStoreFiles(opened.repository)


class GitStoreFiles:
    """Reads what commits hold; links and submodules are not there."""

    def __init__(self, repository: GitRepository) -> None:
        self._repository = repository
        self._commits = CommitFiles(self._ask)

    async def read(self, commit: CommitSha, folder: str) -> Files:
        """Read the markdown files below a folder; what is too large is left out."""
        return await perform(self._read, commit, folder)

    async def sizes(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, int]:
        """Say how many bytes some files have; what is not there is left out."""
        return await perform(self._sizes, commit, paths)

    def _read(self, commit: CommitSha, folder: str) -> Files:
        if not is_plain(folder):
            raise InvalidInput(f"The folder {folder!r} is not one of a commit's own.")
        listed = self._commits.list_below(commit, folder)
        found = [it for it in listed if it.path.endswith(_SUFFIX) and it.size <= _MOST_BYTES]
        return {file.path: content for file, content in self._commits.read(found[:_MOST_FILES])}

    def _sizes(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, int]:
        wanted = frozenset(paths)
        if not wanted:
            return {}
        return {it.path: it.size for it in self._commits.list(commit) if it.path in wanted}

    def _ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return self._repository.git.run(*arguments, stdin=stdin).output
