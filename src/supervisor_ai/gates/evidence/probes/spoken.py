"""What the new tests of a change speak of: where they say how it answers, nobody else is asked.

A test speaks that passes with the change and not without it. It speaks of the definitions of the
change that it leads to, and so of all tests of the base that lead there as well.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.probes.literals import GRAMMARS
from supervisor_ai.gates.evidence.probes.reach import Reach, changed_names, words_of
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.examine import Languages, known_languages
from supervisor_ai.gates.integrity.model import TestFile

_LARGEST: Final = 256 * 1024
_BYTES: Final = 4 * 1024 * 1024
_FILES: Final = 500
_NOT_WORDS: Final = re.compile(r"\W+")


class _Part(Struct, frozen=True, kw_only=True):
    """A test in its file, up to the next one."""

    name: str
    """Nothing where no test stands: before the first one."""
    start: int
    end: int
    text: str


class Spoken:
    """What the tests that speak lead to."""

    def __init__(
        self,
        case: ChangeCase,
        commits: Commits,
        product: Sequence[FileSides],
        speaking: Collection[str],
    ) -> None:
        self._languages = Languages(known_languages())
        before = {it.path: it.before for it in product if it.before and _is_read(it.path)}
        after = {it.path: it.after for it in product if it.after and _is_read(it.path)}
        old, new = (_sources(commits, side) for side in (case.base, case.head))
        self._reach = Reach((*old.items(), *new.items()))
        told = "\n".join(self._told(old, new, speaking))
        self._names = changed_names(before, after) & self._reach.of(words_of(told))

    def places(self, path: str, source: bytes) -> Iterator[tuple[int, int]]:
        """Yield the places of a file of tests where the change says itself how it answers."""
        parts = self._parts(path, source)
        spoken = [bool(it.name) and self._leads_there(it) for it in parts]
        for at, part in enumerate(parts):
            # What stands before a test may be the cases that it is run with.
            is_shared = any(spoken) if not part.name else any(spoken[at : at + 2])
            if is_shared:
                yield part.start, part.end

    def _leads_there(self, part: _Part) -> bool:
        return not self._names.isdisjoint(self._reach.of(words_of(part.text)))

    def _told(
        self, old: Mapping[str, bytes], new: Mapping[str, bytes], speaking: Collection[str]
    ) -> Iterator[str]:
        """Yield the code of the tests that speak; what stood there before says nothing new."""
        known = {it.text for path, source in old.items() for it in self._parts(path, source)}
        parts = [it for path, source in new.items() for it in self._parts(path, source) if it.name]
        for name in speaking:
            meant = [it for it in parts if _is_same(name, it.name)]
            yield from (it.text for it in meant or parts if it.text not in known)

    def _parts(self, path: str, source: bytes) -> list[_Part]:
        read = self._languages.read(path, source)
        if not isinstance(read, TestFile):
            return []
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        tests = sorted((it.line, it.name) for it in read.tests if it.line < len(starts))
        begins = [("", 0), *((name, starts[line - 1]) for line, name in tests)]
        ends = [*(start for _, start in begins[1:]), len(source)]
        return [
            _Part(name=name, start=start, end=end, text=source[start:end].decode(errors="replace"))
            for (name, start), end in zip(begins, ends, strict=True)
        ]


def _is_same(told: str, name: str) -> bool:
    """Tell whether a runner speaks of a test: it may say more, or less, of where that stands."""
    one, other = (f" {_NOT_WORDS.sub(' ', it).strip()} " for it in (told.partition("[")[0], name))
    return one in other or other in one


def _is_read(path: str) -> bool:
    return PurePosixPath(path).suffix in GRAMMARS


def _sources(commits: Commits, commit: CommitSha) -> dict[str, bytes]:
    chosen: list[CommitFile] = []
    left = _BYTES
    for file in commits.list(commit):
        if _is_read(file.path) and file.size <= min(_LARGEST, left) and len(chosen) < _FILES:
            left -= file.size
            chosen.append(file)
    return {file.path: source for file, source in commits.read(chosen)}
