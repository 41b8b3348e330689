"""The diff of a run, file by file."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from supervisor_ai.context.contents import Contents
from supervisor_ai.context.elements import without_controls
from supervisor_ai.context.pack_cache import Shown
from supervisor_ai.control.ports.commits import ChangedPath, CommitFile
from supervisor_ai.domain.ids import CommitSha

_TAKEN_OUT: Final = "[REDACTED:secret-line]"
_NONE: Final[frozenset[str]] = frozenset()
_HEADING: Final = re.compile(r"@@ [^@]{1,80} @@")
_SIGNS: Final = ("+", "-", " ")


class Diffs:
    """The changes between two commits, without secrets."""

    def __init__(self, contents: Contents, base: CommitSha, commit: CommitSha) -> None:
        self._contents = contents
        self._base = base
        self._commit = commit
        self._patches: dict[str, Shown] = {}

    def load(
        self,
        changes: Collection[ChangedPath],
        files: Sequence[CommitFile],
    ) -> None:
        """Bring the differences of some paths into memory; the files are both their sides."""
        secrets = self._contents.secret_lines(files)
        of_path = {
            change.path: secrets.get(change.before, _NONE) | secrets.get(change.after, _NONE)
            for change in changes
        }
        patches = self._contents.files.patches(self._base, self._commit, tuple(of_path))
        for path, patch in patches:
            self._patches[path] = self._contents.shown(
                _without(without_controls(patch), of_path[path])
            )

    def whole(self, path: str) -> Shown | None:
        """Return the difference of a path."""
        return self._patches.get(path)

    def headings(self, path: str) -> Shown | None:
        """Return only where the path differs."""
        patch = self._patches.get(path)
        if patch is None:
            return None
        lines = [line for line in patch.body.splitlines() if line.startswith("@@")]
        return self._contents.derived("\n".join(lines)) if lines else None


def _without(patch: str, secrets: frozenset[str]) -> str:
    """Take out lines of which only the whole file tells that they are secret, as in a key."""
    if not secrets:
        return patch
    return "\n".join(_line_without(line, secrets) for line in patch.split("\n"))


def _line_without(line: str, secrets: frozenset[str]) -> str:
    heading = _HEADING.match(line)
    if heading:
        # Git repeats a line of the file behind the numbers.
        return heading[0]
    is_secret = line[:1] in _SIGNS and line[1:] in secrets
    return f"{line[0]}{_TAKEN_OUT}" if is_secret else line
