"""What a blind role does not see: hidden files, and every history in which they would be.

Git itself decides what a pattern matches, by the rules of its ignore files.
"""

import os
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.workspaces.repositories.bare_repository import write
from supervisor_ai.workspaces.repositories.git import OURS, Git, signature

_MATCHING: Final = ("ls-files", "-z", "--cached", "--ignored")
_MESSAGE: Final = b"Start\n"
_WHEN: Final = datetime(2000, 1, 1, tzinfo=UTC)
_PUT: Final = ("update-index", "-z", "--replace", "--index-info")


def write_patterns(path: Path, patterns: Collection[str]) -> None:
    """Keep patterns where git can read them; each must be one line."""
    for pattern in patterns:
        if "\n" in pattern or "\0" in pattern:
            raise InvalidInput(f"The pattern {pattern!r} is more than one line.")
    write(path, "".join(f"{pattern}\n" for pattern in patterns), 0o600)


def blind_commit(git: Git, start: CommitSha, patterns: Path, *, above: str = "") -> CommitSha:
    """Make a commit without a parent that holds what the patterns do not hide.

    `above` is where its files lie for the patterns, with a slash at its end.
    """
    index = _index(git)
    hidden = _hidden_below(git, start, patterns, above) if above else None
    git.run("read-tree", start, environment=index)
    _drop(git, _matching(git, patterns, index) if hidden is None else hidden, start, index)
    tree = git.run("write-tree", environment=index).text
    made = git.run("commit-tree", tree, stdin=_MESSAGE, environment=signature(OURS, _WHEN))
    return CommitSha(made.text)


def _hidden_below(git: Git, start: CommitSha, patterns: Path, above: str) -> frozenset[bytes]:
    index, place = _index(git), os.fsencode(above)
    git.run("read-tree", "--empty", environment=index)
    git.run("read-tree", "-i", f"--prefix={above}", start, environment=index)
    return frozenset(path.removeprefix(place) for path in _matching(git, patterns, index))


def put_back(git: Git, start: CommitSha, patterns: Path) -> None:
    """Let the index hold at hidden paths what the start holds, whatever was put there."""
    _drop(git, _matching(git, patterns), start)
    index = _index(git)
    git.run("read-tree", start, environment=index)
    git.run(*_PUT, stdin=_list(git, patterns, index, "--stage"))


def matching(
    git: Git, start: CommitSha, patterns: Path, paths: Collection[bytes]
) -> frozenset[bytes]:
    """Choose those of some paths that the patterns hide."""
    index = _index(git)
    git.run("read-tree", "--empty", environment=index)
    # Any object will do: only the names are looked at.
    entries = b"".join(b"100644 %b\t%b\0" % (start.encode(), path) for path in paths)
    git.run(*_PUT, stdin=entries, environment=index)
    return _matching(git, patterns, index)


def _matching(git: Git, patterns: Path, index: Mapping[str, str] | None = None) -> frozenset[bytes]:
    return frozenset(_list(git, patterns, index).split(b"\0")) - {b""}


def _list(git: Git, patterns: Path, index: Mapping[str, str] | None, *how: str) -> bytes:
    # Git asks for a work tree though it looks at the index only: it need not be the worker's.
    placed = replace(git, work_tree=git.directory)
    question = (*_MATCHING, *how, f"--exclude-from={patterns}")
    return placed.run(*question, environment=index).output


def _drop(
    git: Git,
    paths: Collection[bytes],
    start: CommitSha,
    index: Mapping[str, str] | None = None,
) -> None:
    removals = b"".join(b"0 %b\t%b\0" % (start.encode(), path) for path in paths)
    git.run(*_PUT, stdin=removals, environment=index)


def _index(git: Git) -> Mapping[str, str]:
    return {"GIT_INDEX_FILE": str(git.directory / "blind.index")}
