"""The names of the tests that a change adds, as the readers of their languages see them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.gates.change.differences import (
    LARGEST,
    added_lines,
    is_test_path,
    read_small,
    sizes,
    surviving_lines,
)
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.integrity.examine import Languages
from supervisor_ai.gates.integrity.model import TestFile
from supervisor_ai.gates.worker_claims.claimed_paths import Paths

_FILES: Final = 500
_WORD: Final = re.compile(r"\w+")
_INLINE: Final = (".rs",)
"""Languages whose tests stand beside the code."""
_NO_CODE: Final = frozenset({None, "json", "markup", "settings", "yaml"})
_TITLES_ARE_STRINGS: Final = frozenset({"ruby", "script", "other", "java"})
_MADE: Final = re.compile(r"[$%{]")
"""What stands in the name of a test that is only known when it runs."""


class AddedTests(Struct, frozen=True, kw_only=True):
    """The tests of the changed files: their words and titles, where the change adds them."""

    words: frozenset[str] = frozenset()
    titles: str = ""
    nearby: frozenset[str] = frozenset()
    """The words of tests near which something changed."""

    def has_added(self, name: str) -> bool:
        """Tell whether a test with that name or title is among what the change adds."""
        return name in self.words or (" " in name and _even(name) in self.titles)


class _Patch(Struct, frozen=True, kw_only=True):
    """What a change does to one file."""

    added: tuple[str, ...]
    surviving: tuple[str, ...]


def added_tests(commits: Commits, head: CommitSha, paths: Paths, reader: Languages) -> AddedTests:
    """Read what the change does to tests; to all files with code where none looks like a test."""
    files = sizes(commits, head)
    small = [
        path for path in sorted(paths.changed) if path in files and files[path].size <= LARGEST
    ]
    tests = [path for path in small if is_test_path(path) or path.endswith(_INLINE)]
    wanted = (tests or small)[:_FILES]
    patches = _patches(commits, head, paths, wanted)
    found = [
        _of_file(path, contents, patches[path], reader)
        for path, contents in read_small(commits, head, wanted)
        if path in patches
    ]
    return AddedTests(
        words=frozenset[str]().union(*(it.words for it in found)),
        titles="\n".join(it.titles for it in found),
        nearby=frozenset[str]().union(*(it.nearby for it in found)),
    )


def _patches(
    commits: Commits, head: CommitSha, paths: Paths, wanted: Sequence[str]
) -> Mapping[str, _Patch]:
    texts: dict[str, list[str]] = defaultdict(list)
    for at in paths.earlier:
        for path, patch in commits.patches(at, head, wanted):
            texts[path].append(patch)
    return {
        path: _Patch(
            added=tuple(line for patch in each for line in added_lines(patch)),
            surviving=tuple(line for patch in each for line in surviving_lines(patch)),
        )
        for path, each in texts.items()
    }


def _of_file(path: str, contents: bytes, patch: _Patch, reader: Languages) -> AddedTests:
    known, titles = _known(path, contents, reader)
    words = frozenset(_words(patch.added)) & known
    added = _even(" ".join(patch.added))
    return AddedTests(
        words=words,
        titles="\n".join(title for title in titles if title in added) or _made(titles, added),
        nearby=frozenset(_words(patch.surviving)) & known,
    )


def _known(path: str, contents: bytes, reader: Languages) -> tuple[frozenset[str], list[str]]:
    """Return the words and the titles that tests of a file can have.

    Where nobody reads its tests, they are those of its code: a comment names no test.
    """
    file = reader.read(path, contents)
    if isinstance(file, TestFile):
        names = [test.name for test in file.tests]
        parts = [
            _even(part) for name in names for part in (name, *re.split(r"\s[>\u203a]\s|\.", name))
        ]
        return frozenset(_words(names)), parts
    family = family_of(path)
    if family in _NO_CODE or family is None:
        return frozenset(), []
    source = read_source(family, contents.decode("utf-8", "replace"))
    text = source.text if family in _TITLES_ARE_STRINGS else source.code
    return frozenset(_words([text])), [_even(line) for line in source.text.split("\n")]


def _made(titles: Sequence[str], added: str) -> str:
    """Take any added word for a title where titles are made when the tests run."""
    return added if any(_MADE.search(title) for title in titles) else ""


def _words(texts: Sequence[str]) -> Iterator[str]:
    return (word for text in texts for word in _WORD.findall(text))


def _even(text: str) -> str:
    return " ".join(text.split())
