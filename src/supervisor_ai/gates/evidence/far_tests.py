"""Tests that do not speak of a module: where it is emptied, the others notice first."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits

_WORD: Final = re.compile(rb"[A-Za-z_][\w-]*")
_LARGEST: Final = 512 * 1024
_READ_BYTES: Final = 16 * 1024 * 1024
_READ_FILES: Final = 3000
_FOUND_BY_NAME: Final = re.compile(
    r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py|(?:.*/)?[^/]*_test\.go"
    r"|(?:.*/)?[^/]*[._-](?:test|spec)\.[cm]?[jt]sx?|(?:.*/)?(?:tests?|__tests__)/[^/]*\.[cm]?[jt]sx?",
    re.DOTALL,
)
"""Files in which a runner looks for tests; those of other languages are built together."""
_NAMED_BY_FOLDER: Final = frozenset({"__init__", "__main__", "index", "mod", "lib", "main"})


def far_tests(
    commits: Commits,
    files: Sequence[CommitFile],
    modules: Collection[str],
    names: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the files of tests that name none of the modules, nor are named by one that does.

    What a module is known by besides, such as the names of its functions, may be given.
    """
    found = [file for file in files if _FOUND_BY_NAME.fullmatch(file.path)]
    is_bounded = sum(file.size for file in found) <= _READ_BYTES and len(found) <= _READ_FILES
    if not is_bounded or any(file.size > _LARGEST for file in found):
        return ()
    words = {file.path: frozenset(_WORD.findall(source)) for file, source in commits.read(found)}
    kept = _kept(words, {*map(_name, modules), *(name.encode() for name in names)})
    return tuple(sorted(words.keys() - kept)) if kept else ()


def _kept(words: Mapping[str, frozenset[bytes]], names: set[bytes]) -> set[str]:
    kept: set[str] = set()
    news = {path for path, said in words.items() if said & names}
    while news:
        kept |= news
        said = frozenset[bytes]().union(*(words[path] for path in news))
        others = words.keys() - kept
        news = {path for path in others if PurePosixPath(path).stem.encode() in said}
    return kept


def _name(path: str) -> bytes:
    pure = PurePosixPath(path)
    is_package = pure.suffix == ".go" or pure.stem in _NAMED_BY_FOLDER
    return (pure.parent.name if is_package and pure.parent.name else pure.stem).encode()
