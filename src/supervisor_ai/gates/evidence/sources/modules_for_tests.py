"""Files of Rust that are there in test builds only, because the file above them says so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits

_DECLARED: Final = re.compile(
    rb"#\[cfg\(test\)\]\s{0,200}(?:pub(?:\([^)\n]{0,40}\))?\s{1,9})?mod\s{1,9}(\w+)\s{0,9};"
)
_LARGEST: Final = 1024 * 1024
_MOST: Final = 500


def modules_for_tests(
    commits: Commits, files: Mapping[str, CommitFile], paths: Sequence[str]
) -> frozenset[str]:
    """Return those of the paths that the files above them declare for tests alone."""
    above = {path: tuple(_above(path)) for path in paths if path.endswith(".rs")}
    wanted = {each for parents in above.values() for each in parents if each in files}
    chosen = [files[path] for path in sorted(wanted) if files[path].size <= _LARGEST][:_MOST]
    declared = {
        file.path: {name.decode() for name in _DECLARED.findall(source)}
        for file, source in commits.read(chosen)
    }
    return frozenset(
        path
        for path, parents in above.items()
        if any(_module(path) in declared.get(each, ()) for each in parents)
    )


def _module(path: str) -> str:
    pure = PurePosixPath(path)
    return pure.parent.name if pure.name == "mod.rs" else pure.stem


def _above(path: str) -> Iterator[str]:
    """Name the files that may declare a module."""
    pure = PurePosixPath(path)
    folder = pure.parent.parent if pure.name == "mod.rs" else pure.parent
    for name in ("mod.rs", "lib.rs", "main.rs"):
        yield str(folder / name)
    yield f"{folder}.rs"
