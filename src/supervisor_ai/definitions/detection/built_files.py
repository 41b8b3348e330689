"""Files of the product that a build made in the checkout, and that git therefore does not know."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.definitions.detection.reader import BoundedReader

_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}")
_SOURCE: Final = frozenset({".py", ".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".java"})
_VERSION: Final = re.compile(r"_?_?version(_info)?_?_?\.py", re.IGNORECASE)
_MADE: Final = re.compile(r"\b(generated (by|from)|do not (edit|change|modify))\b", re.IGNORECASE)
_HEAD: Final = 2000
_MOST: Final = 20


def built_files(
    ignored: Iterable[str], paths: Iterable[str], reader: BoundedReader
) -> tuple[str, ...]:
    """Find ignored source files beside tracked ones that say, or whose name says, who made them.

    Nothing else that is ignored is asked for: what people keep out of git may hold secrets, and a
    compiled file may be older than the source that is tested.
    """
    homes = {(path.parent, path.suffix) for path in map(PurePosixPath, paths)}
    found = (path for path in ignored if _is_beside(PurePosixPath(path), homes))
    made = (path for _, path in zip(range(_MOST), found, strict=False) if _is_made(path, reader))
    return tuple(f"/{path}" for path in made)


def _is_beside(path: PurePosixPath, homes: set[tuple[PurePosixPath, str]]) -> bool:
    is_source = path.suffix in _SOURCE and (path.parent, path.suffix) in homes
    return is_source and _PATH.fullmatch(str(path)) is not None


def _is_made(path: str, reader: BoundedReader) -> bool:
    if _VERSION.fullmatch(PurePosixPath(path).name):
        return True
    return _MADE.search((reader.text(path) or "")[:_HEAD]) is not None
