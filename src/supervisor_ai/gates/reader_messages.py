"""What is said between the examiner and the process that reads hostile code for it.

JSON, because names of files may hold bytes that are no text, and because nothing that is read back
can be more than a value.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, Commits, LineCount
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import ProbeKind
from supervisor_ai.engine.ports.gates import (
    NOTHING_READ,
    ChangeCase,
    FactsCase,
    Reading,
    ReportQuestion,
)

NOT_UNDERSTOOD: Final = (ValueError, RecursionError, msgspec.MsgspecError)
_BATCH: Final = 4 * 1024 * 1024
_BETWEEN: Final = "\0"
"""What no name of a file can hold."""
_MOST_WRITTEN: Final = 4

_NO_CHANGE: Final = ChangeCase(base=CommitSha(""), head=CommitSha(""))
_NO_RULES: Final = HarnessRules()

T = TypeVar("T")


class ReaderWork(StrEnum):
    """What a reader is asked to do."""

    LOOK = "look"
    NEW_TESTS = "new_tests"
    MUTANTS = "mutants"
    REPORT = "report"
    REQUEST = "request"
    HALVES = "halves"
    HOLLOW = "hollow"
    FACTS = "facts"
    PROBES = "probes"


class Task(Struct, frozen=True, kw_only=True):
    """One piece of work."""

    work: ReaderWork
    case: ChangeCase = _NO_CHANGE
    report: bytes = b""
    is_json: bool = False
    """Whether the report is JSON, and no XML."""
    root: str = ""
    """The directory that is left out of the names of tests."""
    question: ReportQuestion | None = None
    """The command that is asked for reports."""
    look: str = ""
    """Where the function is that looks at the change."""
    run_files: dict[str, str] = {}
    """Paths that something of the user's runs, and what runs them."""
    limit: int = 0
    facts: FactsCase | None = None
    """The change that facts are wanted of."""
    rules: HarnessRules = _NO_RULES
    whole: bool = False
    """Whether all of the product is meant, or only what the change touches."""
    probe: ProbeKind = ProbeKind.NEIGHBOURS
    speaking: tuple[str, ...] = ()
    """The tests that speak for a change, by the names that their runner has for them."""

    @property
    def commits(self) -> tuple[CommitSha, ...]:
        """Return the commits whose files are going to be looked for."""
        asked = self.question.commit if self.question is not None else CommitSha("")
        return tuple(filter(None, (asked, self.case.base, self.case.start, self.case.head)))


class ReadReport(Struct, frozen=True, kw_only=True):
    """What a report says, or why it says nothing."""

    reading: Reading = NOTHING_READ
    fault: str | None = None


class CommitQuestion(StrEnum):
    """What a reader may want to know."""

    LIST = "list"
    READ = "read"
    CHANGES = "changes"
    PATCHES = "patches"
    LINE_COUNTS = "line_counts"
    HAS_COMMIT = "has_commit"


class Asked(Struct, frozen=True, kw_only=True):
    """One question about the repository."""

    question: CommitQuestion
    commits: tuple[CommitSha, ...] = ()
    files: tuple[CommitFile, ...] = ()
    paths: tuple[str, ...] = ()


def encode(value: object) -> bytes:
    """Write a value."""
    return json.dumps(msgspec.to_builtins(value)).encode()


def decode(text: bytes, kind: type[T]) -> T:
    """Read a value; raise one of NOT_UNDERSTOOD where it is no such one."""
    return msgspec.convert(json.loads(text), kind)


def write_files(files: Sequence[CommitFile]) -> str:
    """Write a list of files, of which there may be very many, as one text."""
    fields = (part for file in files for part in (file.path, file.blob, str(file.size)))
    return _BETWEEN.join(fields)


def read_files(said: str) -> tuple[CommitFile, ...]:
    """Read such a list; raise one of NOT_UNDERSTOOD where it is none."""
    fields = said.split(_BETWEEN) if said else []
    rows = zip(fields[::3], fields[1::3], fields[2::3], strict=True)
    return tuple(CommitFile(path, blob, int(size)) for path, blob, size in rows)


class WrittenLists:
    """Lists of files as they are said, for the few commits that all readers ask about."""

    def __init__(self, commits: Commits) -> None:
        self._commits = commits
        self._known: dict[CommitSha, tuple[Sequence[CommitFile], str]] = {}

    def of(self, commit: CommitSha) -> str:
        """Write the files of a commit; what it holds is asked each time, and never another's."""
        files = self._commits.list(commit)
        known = self._known.get(commit)
        if known is not None and known[0] is files:
            return known[1]
        for oldest in tuple(self._known)[: 1 - _MOST_WRITTEN]:
            self._known.pop(oldest, None)
        said = write_files(files)
        self._known[commit] = (files, said)
        return said


class Answers:
    """The side that has the repository."""

    def __init__(
        self,
        commits: Commits,
        has_commit: Callable[[str], bool],
        lists: WrittenLists | None = None,
    ) -> None:
        self._commits = commits
        self._has_commit = has_commit
        self._lists = lists or WrittenLists(commits)

    def answer(self, question: bytes) -> bytes:
        """Answer a question of the reader."""
        return encode(self._found(decode(question, Asked)))

    def _found(self, asked: Asked) -> object:
        first, last = (*asked.commits, CommitSha(""), CommitSha(""))[:2]
        match asked.question:
            case CommitQuestion.LIST:
                return self._lists.of(first)
            case CommitQuestion.READ:
                return [contents for _, contents in self._commits.read(asked.files)]
            case CommitQuestion.CHANGES:
                return self._commits.changes(first, last)
            case CommitQuestion.PATCHES:
                return list(self._commits.patches(first, last, asked.paths))
            case CommitQuestion.LINE_COUNTS:
                return self._commits.line_counts(first, last)
            case CommitQuestion.HAS_COMMIT:
                return self._has_commit(first)


class AskedCommits:
    """The side that has only questions."""

    def __init__(
        self,
        ask: Callable[[bytes], bytes],
        known: Callable[[CommitSha], tuple[CommitFile, ...] | None] = lambda _: None,
    ) -> None:
        self._ask = ask
        self._known = known
        self._listed: dict[CommitSha, tuple[CommitFile, ...]] = {}

    def list(self, commit: CommitSha) -> tuple[CommitFile, ...]:
        """Return the regular files of a commit, in git's order; each is asked about once."""
        known = self._known(commit)
        if known is not None:
            return known
        if commit not in self._listed:
            asked = Asked(question=CommitQuestion.LIST, commits=(commit,))
            self._listed[commit] = read_files(self._answer(asked, str))
        return self._listed[commit]

    def read(self, files: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
        """Read files, a bounded number of bytes at a time."""
        for batch in _batches(files):
            asked = Asked(question=CommitQuestion.READ, files=batch)
            yield from zip(batch, self._answer(asked, tuple[bytes, ...]), strict=True)

    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[ChangedPath, ...]:
        """Return what differs between two commits."""
        asked = Asked(question=CommitQuestion.CHANGES, commits=(base, commit))
        return self._answer(asked, tuple[ChangedPath, ...])

    def patches(
        self, base: CommitSha, commit: CommitSha, paths: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """Return each path's difference as text."""
        asked = Asked(question=CommitQuestion.PATCHES, commits=(base, commit), paths=tuple(paths))
        yield from self._answer(asked, tuple[tuple[str, str], ...])

    def line_counts(self, base: CommitSha, commit: CommitSha) -> tuple[LineCount, ...]:
        """Count the lines of each path that differs."""
        asked = Asked(question=CommitQuestion.LINE_COUNTS, commits=(base, commit))
        return self._answer(asked, tuple[LineCount, ...])

    def has_commit(self, sha: str) -> bool:
        """Tell whether the repository holds a commit."""
        asked = Asked(question=CommitQuestion.HAS_COMMIT, commits=(CommitSha(sha),))
        return self._answer(asked, bool)

    def _answer(self, asked: Asked, kind: type[T]) -> T:
        return decode(self._ask(encode(asked)), kind)


def _batches(files: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, ...]]:
    batch: list[CommitFile] = []
    size = 0
    for file in files:
        if batch and size + file.size > _BATCH:
            yield tuple(batch)
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield tuple(batch)
