"""What a change takes away from the public API, in every language that is read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import ChangedPath, Commits
from supervisor_ai.engine.ports.gates import ApiBreak, ApiChange, FactsCase
from supervisor_ai.gates.change.differences import is_test_path
from supervisor_ai.gates.change.product_files import is_product
from supervisor_ai.gates.public_api.commit_side import CommitSide, ReadBudget, ReadTooMuchError
from supervisor_ai.gates.public_api.compiled.go_api import go_breaks
from supervisor_ai.gates.public_api.compiled.java_api import java_breaks
from supervisor_ai.gates.public_api.compiled.rust_api import rust_breaks
from supervisor_ai.gates.public_api.documents.document_api import document_breaks
from supervisor_ai.gates.public_api.foreign_files import is_foreign
from supervisor_ai.gates.public_api.python.breaks import python_breaks
from supervisor_ai.gates.public_api.script.packages import MANIFEST
from supervisor_ai.gates.public_api.script.script_breaks import script_breaks

Reader = Callable[[CommitSide, CommitSide, frozenset[str]], Iterator[ApiBreak]]
"""Compares two commits by the paths that differ."""

_MOST: Final = 200
"""So many breaks are told."""
_READERS: Final[Mapping[str, Reader]] = {
    **dict.fromkeys((".py", ".pyi"), python_breaks),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"), script_breaks),
    ".go": go_breaks,
    ".rs": rust_breaks,
    ".java": java_breaks,
    **dict.fromkeys((".json", ".yaml", ".yml"), document_breaks),
}
_DESCRIBING: Final = re.compile(
    r"openapi|swagger|schema|(?:^|[/._-])api(?:[/._-]|$)", re.IGNORECASE
)
_TOO_MUCH: Final = "there is more of it than anybody has time for"


class ApiReading(Struct, frozen=True, kw_only=True):
    """The breaks of a change, and the files that nobody could read."""

    breaks: tuple[ApiBreak, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    """Each with a reason."""


def find_breaks(case: FactsCase, commits: Commits, changes: Sequence[ChangedPath]) -> ApiReading:
    """Compare what was public with what is."""
    groups = _grouped(changes)
    if not groups:
        return ApiReading()
    budget = ReadBudget()
    before, after = (CommitSide(commits, it, budget) for it in (case.base, case.head))
    breaks: dict[ApiBreak, None] = {}
    unread: dict[str, str] = {}
    for reader, paths in groups.items():
        try:
            before.fetch(paths)
            after.fetch(paths)
            breaks |= dict.fromkeys(reader(before, after, paths))
        except (ReadTooMuchError, RecursionError):
            unread |= dict.fromkeys(paths, _TOO_MUCH)
    touched = {it for paths in groups.values() for it in paths}
    for side in (before, after):
        unread |= {it: why for it, why in side.unread.items() if it in touched and _counts(it)}
    # What is missing from a file with a mistake may only stand behind it.
    sure = [it for it in breaks if it.change != ApiChange.REMOVED or it.file not in after.unread]
    ordered = sorted(sure, key=lambda it: (it.file, it.symbol, it.detail))
    return ApiReading(breaks=tuple(ordered[:_MOST]), unread=tuple(sorted(unread.items())))


def _grouped(changes: Sequence[ChangedPath]) -> Mapping[Reader, frozenset[str]]:
    found: dict[Reader, set[str]] = {}
    for change in changes:
        reader = _reader(change.path)
        if reader is not None and _is_api(change.path, reader):
            found.setdefault(reader, set()).add(change.path)
    return {reader: frozenset(paths) for reader, paths in found.items()}


def _is_api(path: str, reader: Reader) -> bool:
    """Tell whether a file can be part of an API; a description of one may lie among documents."""
    if reader is document_breaks:
        return not is_test_path(path) and not is_foreign(path)
    return is_product(path) and not is_foreign(path)


def _counts(path: str) -> bool:
    """Tell whether a file that could not be read may hide a break: most data describes no API."""
    return _reader(path) is not document_breaks or _DESCRIBING.search(path) is not None


def _reader(path: str) -> Reader | None:
    if path.rpartition("/")[2] == MANIFEST:
        return script_breaks
    return _READERS.get(f".{path.rpartition('.')[2].lower()}")
