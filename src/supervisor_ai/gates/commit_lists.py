"""Lists of all files of commits, which a reader is told once for all of its tasks.

Each task is done by a fork of the reader, which has what the reader knows. A commit that differs
little from the one before is told by what differs.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits, amended
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import CommitSha, is_full_sha
from supervisor_ai.gates.reader_messages import read_files, write_files
from supervisor_ai.tools.confined_child import read_frame, write_frame

_MOST_KNOWN: Final = 4
"""Commits that a reader knows: the base, what a run made of it, and both of another run."""
_MOST_READERS: Final = 16
_LITTLE: Final = 1_000
_BETWEEN: Final = "\0"
_NO_LIMIT: Final = 1 << 62


class TaughtLists:
    """The side that has the repository; it knows what each reader was told."""

    def __init__(self, commits: Commits) -> None:
        self._commits = commits
        self._taught: dict[int, list[CommitSha]] = {}

    def lessons(self, reader: int, wanted: Sequence[CommitSha]) -> bytes:
        """Write what a reader has to be told besides what it knows."""
        for oldest in tuple(self._taught)[:-_MOST_READERS]:
            self._taught.pop(oldest, None)
        taught = self._taught.setdefault(reader, [])
        told = BytesIO()
        for commit in dict.fromkeys(wanted):
            # Where git cannot tell, whoever needs the list asks, and hears why.
            with suppress(SupervisorError):
                if commit not in taught and is_full_sha(commit):
                    write_frame(told, self._lesson(commit, taught))
                    taught.append(commit)
                    del taught[:-_MOST_KNOWN]
        return told.getvalue()

    def _lesson(self, commit: CommitSha, taught: Sequence[CommitSha]) -> bytes:
        files, near = self._commits.list(commit), taught[-1] if taught else ""
        changes = self._commits.changes(CommitSha(near), commit) if near else ()
        if not near or len(changes) > _LITTLE:
            return _written(commit, "", (), files)
        gone = frozenset(change.path for change in changes)
        return _written(commit, near, tuple(gone), [it for it in files if it.path in gone])


class KnownLists:
    """The side of the reader."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[CommitFile, ...]] = {}

    def learn(self, lessons: bytes) -> None:
        """Take in what the other side says; what builds on something unknown is asked for later."""
        for lesson in _frames(lessons):
            commit, near, count, *rest = lesson.decode(errors="surrogateescape").split(_BETWEEN)
            gone, said = rest[: int(count)], _BETWEEN.join(rest[int(count) :])
            if not near or near in self._known:
                new = read_files(said)
                self._known[commit] = (
                    amended(self._known[near], frozenset(gone), new) if near else new
                )
            for oldest in tuple(self._known)[:-_MOST_KNOWN]:
                del self._known[oldest]

    def of(self, commit: CommitSha) -> tuple[CommitFile, ...] | None:
        """Return the files of a commit, if they are known."""
        return self._known.get(commit)


def _written(
    commit: CommitSha, near: str, gone: Sequence[str], files: Sequence[CommitFile]
) -> bytes:
    head = (commit, near, str(len(gone)), *gone)
    said = (write_files(files),) if files else ()
    return _BETWEEN.join((*head, *said)).encode(errors="surrogateescape")


def _frames(lessons: bytes) -> Iterator[bytes]:
    stream = BytesIO(lessons)
    while (frame := read_frame(stream, most=_NO_LIMIT)) is not None:
        yield frame
