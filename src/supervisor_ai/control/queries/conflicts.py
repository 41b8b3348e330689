"""Merge conflicts between runs, predicted by merging on trial."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import combinations, islice
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.status import ENDED

_COMPARED: Final = 20
_FIRST: Final = 2 * _COMPARED
"""Of how many runs it is found out first whether there is anything to merge."""
_LOOKED_AT: Final = 200
"""Of how many it is found out where those do not have enough."""


class Merges(Protocol):
    """Tries merges without a work tree."""

    def tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands."""
        ...

    def exists(self, commit: CommitSha) -> bool:
        """Tell whether a commit is still there."""
        ...

    def held(
        self, pairs: Iterable[tuple[CommitSha, CommitSha]]
    ) -> frozenset[tuple[CommitSha, CommitSha]]:
        """Return the pairs of a tip and a commit of which a merge would add nothing to the tip."""
        ...

    def foresee(self, pairs: Iterable[tuple[CommitSha, CommitSha]]) -> None:
        """Try merges in one go that will be asked for one by one."""
        ...

    def conflicts(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...] | None:
        """List the files in which a merge conflicts; None where no history is common."""
        ...

    def shared(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...]:
        """List the files that both sides changed since they parted."""
        ...


class MergeStatus(StrEnum):
    """What would come of a merge."""

    CLEAN = "clean"
    OVERLAP = "overlap"
    """It is clean, though both change the same files."""
    CONFLICT = "conflict"


class ConflictView(Struct, frozen=True, kw_only=True):
    """What would come of merging a run's work with another's, or into the branch it is for."""

    run: RunId
    other: str
    """A run, or a branch."""
    status: MergeStatus
    files: tuple[str, ...]


class Prediction(Struct, frozen=True, kw_only=True):
    """What would come of the merges that are left to do."""

    conflicts: tuple[ConflictView, ...]
    is_truncated: bool


class _Work(Struct, frozen=True, kw_only=True):
    """What a run has made, and where its target stands."""

    run: RunId
    commit: CommitSha
    target: str | None
    tip: CommitSha | None


def predict_conflicts(records: Records, merges: Merges, run: str | None = None) -> Prediction:
    """Try to merge the newest runs' work into its targets and with each other."""
    chosen = None if run is None else records.find(run)
    rows, total = records.queries.runs(limit=_FIRST)
    found = _works(records, merges, _and_older(records, rows, total))
    works = list(islice(found, _COMPARED + 1))  # one more, to know whether there is more
    compared = works[:_COMPARED]
    if chosen is not None and chosen.id not in {work.run for work in compared}:
        compared += _works(records, merges, [chosen])
    alone = None if chosen is None else chosen.id
    pairs = [it for it in combinations(compared, 2) if alone in {None, it[0].run, it[1].run}]
    mine = [work for work in compared if alone in {None, work.run}]
    landings = [(work.tip, work.commit) for work in mine if work.tip is not None]
    merges.foresee([*landings, *((one.commit, other.commit) for one, other in pairs)])
    views = (*_with_targets(merges, mine), *_with_each_other(merges, pairs))
    is_truncated = total > _LOOKED_AT or len(works) > _COMPARED
    return Prediction(conflicts=views, is_truncated=is_truncated)


def _and_older(records: Records, rows: Sequence[RunRow], total: int) -> Iterator[RunRow]:
    """Return the newest runs, and those before them only where they are wanted."""
    yield from rows
    if total > len(rows):
        known = {row.id for row in rows}
        older, _ = records.queries.runs(limit=_LOOKED_AT)
        yield from (row for row in older if row.id not in known)


def _works(records: Records, merges: Merges, rows: Iterable[RunRow]) -> Iterator[_Work]:
    """Find what is left to merge, for as many runs at a time as are compared."""
    made = (work for row in rows if (work := _work(records, merges, row)) is not None)
    while some := list(islice(made, _COMPARED + 1)):
        held = merges.held([(it.tip, it.commit) for it in some if it.tip is not None])
        yield from (it for it in some if it.tip is None or (it.tip, it.commit) not in held)


def _work(records: Records, merges: Merges, row: RunRow) -> _Work | None:
    commit = _newest(records, merges, row)
    if commit is None or not merges.exists(commit):
        return None
    target = None if row.base is None else row.base.ref
    tip = None if target is None else merges.tip(target)
    return _Work(run=row.id, commit=commit, target=target, tip=tip)


def _newest(records: Records, merges: Merges, row: RunRow) -> CommitSha | None:
    """Find what a run made: on its branch if it has ended, else in its last snapshot."""
    if row.status in ENDED:
        return None if row.branch is None or row.commit is None else merges.tip(row.branch)
    snapshots = [it.snapshot for it in records.queries.attempts(row.id) if it.snapshot is not None]
    return snapshots[-1] if snapshots else None


def _with_targets(merges: Merges, works: Sequence[_Work]) -> Iterator[ConflictView]:
    for work in works:
        if work.target is not None and work.tip is not None:
            status, files = _tried(merges, work.tip, work.commit)
            yield ConflictView(run=work.run, other=work.target, status=status, files=files)


def _with_each_other(
    merges: Merges, pairs: Sequence[tuple[_Work, _Work]]
) -> Iterator[ConflictView]:
    for one, other in pairs:
        status, files = _tried(merges, one.commit, other.commit)
        yield ConflictView(run=one.run, other=other.run, status=status, files=files)


def _tried(
    merges: Merges, ours: CommitSha, theirs: CommitSha
) -> tuple[MergeStatus, tuple[str, ...]]:
    conflicts = merges.conflicts(ours, theirs)
    if conflicts is None or conflicts:
        return MergeStatus.CONFLICT, conflicts or ()
    shared = merges.shared(ours, theirs)
    return (MergeStatus.OVERLAP if shared else MergeStatus.CLEAN), shared
