"""Names by which tests may lead to a change, also where they do not speak of its module."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.gates.evidence.probes.literals import GRAMMARS
from supervisor_ai.gates.evidence.probes.reach import changed_names, definitions, words_of
from supervisor_ai.gates.integrity.change_sides import FileSides

_ALIAS: Final = re.compile(r"\b(\w+)\s+as\s+(\w+)\b")
_SPECIAL: Final = re.compile(r"__\w+__|constructor|toString|valueOf|String|Error|main|init|new")
"""Names that so many definitions have that they lead to nothing in particular."""
_READ_FILES: Final = 1500
_READ_BYTES: Final = 6 * 1024 * 1024
_LARGEST: Final = 256 * 1024


def near_names(
    commits: Commits, files: Sequence[CommitFile], product: Sequence[FileSides]
) -> frozenset[str]:
    """Return what a change defines otherwise, and what is defined by that, as far as it goes."""
    read = [it for it in product if _is_read(it.path)]
    before = {it.path: it.before for it in read if it.before}
    after = {it.path: it.after for it in read if it.after}
    users: defaultdict[str, set[str]] = defaultdict(set)
    for source in (after, dict(_read(commits, files))):
        for name, words in _uses(source):
            for word in words:
                users[word].add(name)
    return _closed(changed_names(before, after), users)


def _closed(names: frozenset[str], users: dict[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    news = {name for name in names if not _SPECIAL.fullmatch(name)}
    while news:
        found |= news
        using = set[str]().union(*(users.get(name, ()) for name in news))
        news = {name for name in using - found if not _SPECIAL.fullmatch(name)}
    return frozenset(found)


def _uses(sources: dict[str, bytes]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what is defined, by the words that its definition has."""
    for path, source in sources.items():
        for name, text in definitions(path, source):
            yield name, words_of(text) - {name}
        for name, alias in _ALIAS.findall(source.decode(errors="replace")):
            yield alias, frozenset({name})


def _read(commits: Commits, files: Sequence[CommitFile]) -> Iterator[tuple[str, bytes]]:
    chosen = [file for file in files if _is_read(file.path) and file.size <= _LARGEST]
    left = _READ_BYTES
    for file, source in commits.read(chosen[:_READ_FILES]):
        left -= file.size
        if left < 0:
            return
        yield file.path, source


def _is_read(path: str) -> bool:
    return PurePosixPath(path).suffix in GRAMMARS
