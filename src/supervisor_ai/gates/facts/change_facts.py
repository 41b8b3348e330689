"""All facts of a change but its coverage, read where nothing is believed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, Commits, LineCount
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ApiBreak, ChangeFacts, FactsCase
from supervisor_ai.gates.change.differences import LARGEST, is_absent, sizes
from supervisor_ai.gates.change.product_files import is_operative
from supervisor_ai.gates.change.risks.sources import family_of
from supervisor_ai.gates.facts.declared_files import find_plan_facts
from supervisor_ai.gates.facts.known_facts import KnownFacts
from supervisor_ai.gates.facts.touched_code import (
    SENSITIVE,
    SENSITIVE_CODE,
    find_by_code,
    holds_code,
)
from supervisor_ai.gates.facts.touched_paths import Sides, find_by_path, find_own
from supervisor_ai.gates.public_api.api_breaks import find_breaks

BREAKING: Final = "breaking_api_changes"
_IN_ALL: Final = 8 * 1024 * 1024
"""So many bytes are read of both sides together."""


def find_facts(case: FactsCase, commits: Commits) -> ChangeFacts:
    """Find out what a change is and does; of a plan, what its files say."""
    if case.declared:
        return find_plan_facts(case, commits)
    known = KnownFacts(case.own)
    changes = commits.changes(case.base, case.head)
    sides, unread = _read(case, commits, changes)
    known.numbers.update(_numbers(commits.line_counts(case.base, case.head), sides))
    known.numbers["file_count"] = len(changes)
    find_by_path(changes, sides, known)
    find_own(changes, case.own, known)
    find_by_code([it for it in changes if it.path not in unread], sides, known)
    breaks = _find_breaks(case, commits, changes, known)
    for path in filter(holds_code, sorted(unread)):
        detail = "it could not be read: it is too large or no text, or there is too much of all"
        known.is_unknown((*SENSITIVE_CODE, SENSITIVE), path, detail)
    for path in filter(is_operative, _no_files(case, commits, changes)):
        detail = "it is a link or a submodule, and nobody has read what it leads to"
        known.is_unknown((*SENSITIVE_CODE, SENSITIVE, BREAKING), path, detail)
    return replace(known.told(), breaks=breaks)


def _find_breaks(
    case: FactsCase, commits: Commits, changes: Sequence[ChangedPath], known: KnownFacts
) -> tuple[ApiBreak, ...]:
    found = find_breaks(case, commits, changes)
    for each in found.breaks:
        known.holds(BREAKING, each.file, f"{each.symbol} is {each.change.value}: {each.detail}")
    for path, reason in found.unread:
        known.is_unknown([BREAKING], path, reason)
    return found.breaks


def _numbers(counts: Sequence[LineCount], sides: Sides) -> Mapping[str, int | None]:
    before, after = sides
    added = _sum(_lines(it.added, after.get(it.path), before.get(it.path)) for it in counts)
    deleted = _sum(_lines(it.deleted, before.get(it.path), after.get(it.path)) for it in counts)
    changed = _sum((added, deleted))
    return {"lines_added": added, "lines_deleted": deleted, "lines_changed": changed}


def _lines(count: int | None, contents: bytes | None, other: bytes | None) -> int | None:
    """Take every line of what is no text for a changed one: none hides behind a zero byte."""
    if count is not None or (contents is None and other is None):
        return count
    return len((contents or b"").splitlines())


def _sum(numbers: Iterable[int | None]) -> int | None:
    found = list(numbers)
    return None if None in found else sum(filter(None, found))


def _read(
    case: FactsCase, commits: Commits, changes: Sequence[ChangedPath]
) -> tuple[Sides, frozenset[str]]:
    """Read both sides of what is not too large, and name what is."""
    listed = sizes(commits, case.base), sizes(commits, case.head)
    small, left = set(), _IN_ALL
    for change in changes:
        each = [side[change.path].size for side in listed if change.path in side]
        if max(each, default=0) <= LARGEST and sum(each) <= left:
            left -= sum(each)
            small.add(change.path)
    before, after = (_contents(commits, small, side) for side in listed)
    binary = {path for side in (before, after) for path in side if _is_odd(path, side[path])}
    return (before, after), frozenset({it.path for it in changes} - small | binary)


def _no_files(case: FactsCase, commits: Commits, changes: Sequence[ChangedPath]) -> Sequence[str]:
    """Name what is no file of its own on a side of the change, and brings other files along."""
    before, after = sizes(commits, case.base), sizes(commits, case.head)
    return [
        it.path
        for it in changes
        if (not is_absent(it.before) and it.path not in before)
        or (not is_absent(it.after) and it.path not in after)
    ]


def _contents(
    commits: Commits, small: set[str], listed: Mapping[str, CommitFile]
) -> Mapping[str, bytes]:
    wanted = [listed[path] for path in sorted(small) if path in listed]
    return {file.path: contents for file, contents in commits.read(wanted)}


def _is_odd(path: str, contents: bytes) -> bool:
    return b"\0" in contents and family_of(path) is not None
