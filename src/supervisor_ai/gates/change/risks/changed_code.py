"""The code of the files that a change touches, on both sides, within a bound."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, Commits
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.differences import LARGEST, is_absent, sizes
from supervisor_ai.gates.change.product_files import is_operative, is_product
from supervisor_ai.gates.change.risks.changes import CodeChange, compare_sources
from supervisor_ai.gates.change.risks.sources import RiskSource, family_of, read_source

_IN_ALL: Final = 3 * 1024 * 1024
"""So many bytes are read of both sides together."""
_UNKNOWN: Final = "settings"
"""What a file is read as whose name says nothing."""


class ChangedFile(Struct, frozen=True, kw_only=True):
    """A file whose contents are others, not only its comments."""

    path: str
    is_old: bool


class FamilyChange(Struct, frozen=True, kw_only=True):
    """What happens to the code of one kind, in the product or in what builds it."""

    is_product: bool
    code: CodeChange


class ChangedCode(Struct, frozen=True, kw_only=True):
    """What a change does to files, and what could not be read of it."""

    files: tuple[ChangedFile, ...]
    code: tuple[FamilyChange, ...]
    unread: tuple[str, ...] = ()
    """Files with code that are too large, or too many."""


class _Sides(Struct, frozen=True, kw_only=True):
    before: Mapping[str, RiskSource]
    after: Mapping[str, RiskSource]


def read_changed(case: ChangeCase, commits: Commits) -> ChangedCode:
    """Read what changed since the run began."""
    start = case.origin or case.base
    changes = [it for it in commits.changes(start, case.head) if is_operative(it.path)]
    listed = sizes(commits, start), sizes(commits, case.head)
    small = _within_bounds(changes, listed)
    sides = _Sides(
        before=_sources(commits, small, listed[0]),
        after=_sources(commits, small, listed[1]),
    )
    return ChangedCode(
        files=tuple(_files(changes, small, sides)),
        code=tuple(_code(small, sides)),
        unread=tuple(it.path for it in changes if it.path not in small and family_of(it.path)),
    )


def _within_bounds(
    changes: Sequence[ChangedPath],
    listed: tuple[Mapping[str, CommitFile], Mapping[str, CommitFile]],
) -> frozenset[str]:
    found, left = set(), _IN_ALL
    for change in changes:
        each = [side[change.path].size for side in listed if change.path in side]
        if max(each, default=0) <= LARGEST and sum(each) <= left:
            left -= sum(each)
            found.add(change.path)
    return frozenset(found)


def _sources(
    commits: Commits, small: frozenset[str], listed: Mapping[str, CommitFile]
) -> Mapping[str, RiskSource]:
    wanted = [listed[path] for path in sorted(small) if path in listed]
    return {
        file.path: read_source(
            family_of(file.path) or _UNKNOWN, contents.decode("utf-8", "replace")
        )
        for file, contents in commits.read(wanted)
        if b"\0" not in contents
    }


def _files(
    changes: Sequence[ChangedPath], small: frozenset[str], sides: _Sides
) -> Iterator[ChangedFile]:
    for change in changes:
        before, after = sides.before.get(change.path), sides.after.get(change.path)
        is_read = change.path in small and (before or after)
        is_same = is_read and _bare(before) == _bare(after)
        if change.is_retyped or not is_same:
            yield ChangedFile(path=change.path, is_old=not is_absent(change.before))


def _bare(source: RiskSource | None) -> list[str]:
    lines = "" if source is None else source.text
    return [line.rstrip() for line in lines.split("\n") if line.strip()]


def _code(small: frozenset[str], sides: _Sides) -> Iterator[FamilyChange]:
    groups: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for path in sorted(small):
        groups[family_of(path) or _UNKNOWN, is_product(path)].append(path)
    for (family, of_product), paths in groups.items():
        before = [sides.before[path] for path in paths if path in sides.before]
        after = [sides.after[path] for path in paths if path in sides.after]
        change = compare_sources(family, before, after)
        yield FamilyChange(is_product=of_product, code=change)
