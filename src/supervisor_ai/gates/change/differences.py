"""What differs between commits, in the words that gates need."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha

LARGEST: Final = 1024 * 1024
"""Files beyond this are not read."""
_SHOWN: Final = 300
_CONTROLS: Final = re.compile(
    r"[\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e|testing|testdata|fixtures)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$"
    r"|_(?:test|spec)\.[a-z]+$|[.-](?:test|spec|cy)\.[cm]?[jt]sx?$|Tests?\.(?:java|kt|cs|swift)$",
)


def is_absent(blob: str) -> bool:
    """Tell whether a side of a change has no file."""
    return not blob.strip("0")


def is_test_path(path: str) -> bool:
    """Tell whether a file looks as if it belonged to the tests."""
    return _TEST.search(path) is not None


def shown(text: str) -> str:
    """Make a foreign name fit for a message: bounded, without controls and broken characters."""
    clean = text[:_SHOWN].encode("utf-8", "backslashreplace").decode()
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", clean)


def read_small(
    commits: Commits, commit: CommitSha, paths: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Read the files of a commit that are not too large."""
    wanted = frozenset(paths)
    files = [file for file in commits.list(commit) if file.path in wanted and file.size <= LARGEST]
    for file, contents in commits.read(files):
        yield file.path, contents


def sizes(commits: Commits, commit: CommitSha) -> Mapping[str, CommitFile]:
    """Return the regular files of a commit by their paths."""
    return {file.path: file for file in commits.list(commit)}


def added_lines(patch: str) -> Iterator[str]:
    """Return the lines that a patch adds."""
    for line in _body(patch):
        if line.startswith("+"):
            yield line[1:]


def surviving_lines(patch: str) -> Iterator[str]:
    """Return the lines that a patch adds or shows around, and where its parts stand."""
    for line in _body(patch):
        if not line.startswith("-"):
            yield line[1:]


def _body(patch: str) -> Iterator[str]:
    """Leave out the header: a line of content never begins with `@@`."""
    lines = iter(patch.split("\n"))
    for line in lines:
        if line.startswith("@@"):
            yield line
            yield from lines


def changed_paths(changes: Iterable[ChangedPath]) -> tuple[str, ...]:
    """Return the paths of changes whose files are there afterwards."""
    return tuple(change.path for change in changes if not is_absent(change.after))
