"""The entries of snapshot files: which of them a change alters, and which it only adds or moves."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.integrity.change_sides import FileSides

_JEST: Final = re.compile(r"(?m)^exports\[`((?:[^`\\]|\\.){1,2000})`\] = ")
_AMBR: Final = re.compile(r"(?m)^# name: (.{1,2000})$")
_ENTRY: Final = {".snap": _JEST, ".ambr": _AMBR}
_FRONT: Final = re.compile(r"\A---\n(?:[^\n]*\n){0,40}?---\n")
"""What the snapshots of insta say about themselves: the file and the expression."""


def only_adds(file: FileSides) -> bool:
    """Tell whether all that a file of snapshots said before still stands in it."""
    before, after = _entries(file.path, file.before), _entries(file.path, file.after)
    if before is None or after is None:
        return False
    added = Counter(text for name, text in after.items() if name not in before)
    for name, text in before.items():
        if name not in after and added[text] > 0:
            added[text] -= 1
        elif after.get(name) != text:
            return False
    return True


def only_adds_lines(file: FileSides) -> bool:
    """Tell whether all the lines of a text are still there, in their order."""
    if not file.before or not file.after or b"\0" in file.after:
        return False
    there = iter(file.after.splitlines())
    return all(line in there for line in file.before.splitlines())


def _entries(path: str, contents: bytes | None) -> dict[str, str] | None:
    """Return the entries of a file by their names, and what stands above them; None: unknown."""
    pattern = _ENTRY.get(PurePosixPath(path).suffix)
    text = (contents or b"").decode(errors="replace")
    found = list(pattern.finditer(text)) if pattern else []
    names = [entry[1] for entry in found]
    if not found or len(set(names)) < len(names):
        return None
    ends = [*(entry.start() for entry in found[1:]), len(text)]
    texts = [text[entry.end() : end].strip() for entry, end in zip(found, ends, strict=True)]
    return {"": text[: found[0].start()].strip(), **dict(zip(names, texts, strict=True))}


def moved(files: Iterable[FileSides]) -> frozenset[str]:
    """Return the files that were deleted here and are new elsewhere, with the same contents."""
    gone = [file for file in files if file.after is None and file.before is not None]
    there = Counter(
        _said(file.after) for file in files if file.before is None and file.after is not None
    )
    found: set[str] = set()
    for file in gone:
        said = _said(file.before or b"")
        if there[said] > 0:
            there[said] -= 1
            found.add(file.path)
    return frozenset(found)


def _said(contents: bytes) -> str:
    return _FRONT.sub("", contents.decode(errors="backslashreplace"), count=1)
