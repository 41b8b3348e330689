"""Merging a run's work: what is refused, and what is said."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from tests.unit.control.run_rows import FakeQueries, queries, records

from supervisor_ai.control.commands.run_merge import MergeKind, MergeRequest, merge_run
from supervisor_ai.control.ports.user_merges import MergedTree
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict, NotFound
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace

__all__ = ["queries", "records"]

OURS, THEIRS, NEW = CommitSha("a" * 40), CommitSha("b" * 40), CommitSha("c" * 40)

CLEAN = MergedTree(tree=TreeSha("t"))


@dataclass
class FakeUserMerges:
    """A branch `main`, and what is done to it."""

    branch: str | None = "main"
    kept: frozenset[CommitSha] = frozenset({THEIRS})
    merged: MergedTree | None = CLEAN
    behind: bool = True
    has: bool = False
    told: list[tuple[object, ...]] = field(default_factory=list)

    def current_branch(self) -> str | None:
        return self.branch

    def tip(self, branch: str) -> CommitSha | None:
        return OURS if branch in {"main", "side"} else None

    def exists(self, commit: CommitSha) -> bool:
        return commit in self.kept

    def holds(self, tip: CommitSha, commit: CommitSha) -> bool:
        del tip, commit
        return self.has

    def is_behind(self, tip: CommitSha, commit: CommitSha) -> bool:
        del tip, commit
        return self.behind

    def merge(self, ours: CommitSha, theirs: CommitSha) -> MergedTree | None:
        del ours, theirs
        return self.merged

    def require_ready(self, branch: str, old: CommitSha, tree: TreeSha) -> None:
        self.told.append(("ready", branch, old, tree))

    def commit(self, tree: TreeSha, parents: Sequence[CommitSha], message: str) -> CommitSha:
        self.told.append(("commit", tree, tuple(parents), message))
        return NEW

    def move(self, branch: str, new: CommitSha, *, old: CommitSha) -> None:
        self.told.append(("move", branch, new, old))


@pytest.fixture(autouse=True)
def completed(queries: FakeQueries, records: Records) -> None:
    del records
    done = replace(queries.rows[0], status=RunStatus.COMPLETED, commit=THEIRS)
    queries.rows[0] = done


READY = ("ready", "main", OURS, "t")
SUBJECT = "Task of r1a\n\nSupervisor-Run: r1a\n"


@pytest.mark.parametrize(
    ("merges", "squash", "kind", "told"),
    [
        (FakeUserMerges(), False, MergeKind.FAST_FORWARD, [("move", "main", THEIRS, OURS)]),
        (
            FakeUserMerges(behind=False),
            False,
            MergeKind.MERGE,
            [
                ("commit", "t", (OURS, THEIRS), f"Merge run r1a: {SUBJECT}"),
                ("move", "main", NEW, OURS),
            ],
        ),
        (
            FakeUserMerges(),
            True,
            MergeKind.SQUASH,
            [("commit", "t", (OURS,), SUBJECT), ("move", "main", NEW, OURS)],
        ),
    ],
)
def test_a_branch_takes_a_runs_work(
    records: Records,
    merges: FakeUserMerges,
    squash: bool,  # noqa: FBT001 - one of a row's cells
    kind: MergeKind,
    told: list[tuple[object, ...]],
) -> None:
    request = MergeRequest(run="r1a", squash=squash)
    tried = merge_run(records, merges, replace(request, dry_run=True))
    assert (tried.applied, tried.kind, merges.told) == (False, kind, [READY])
    done = merge_run(records, merges, request)
    assert (done.applied, done.kind, done.before) == (True, kind, OURS)
    assert merges.told[1:] == [READY, *told]


def test_a_branch_that_has_it_stays_as_it_is(records: Records, queries: FakeQueries) -> None:
    merges = FakeUserMerges(has=True)
    view = merge_run(records, merges, MergeRequest(run="r1a"))
    assert (view.applied, view.kind, view.after) == (False, MergeKind.NOTHING, OURS)
    queries.rows[0] = replace(queries.rows[0], commit=None)
    view = merge_run(records, FakeUserMerges(), MergeRequest(run="r1a"))
    assert view.detail == "Run r1a changed nothing; there is nothing to merge."


@pytest.mark.parametrize(
    ("merges", "into", "kind", "said"),
    [
        (FakeUserMerges(branch=None), None, Conflict, "No branch is checked out"),
        (FakeUserMerges(), "nowhere", NotFound, "no branch 'nowhere'"),
        (FakeUserMerges(kept=frozenset()), None, NotFound, "does not exist any more"),
        (FakeUserMerges(merged=None), None, Conflict, "no history in common"),
        (
            FakeUserMerges(merged=MergedTree(tree=TreeSha("t"), conflicts=("a\x1b[1m.py", "b"))),
            "side",
            Conflict,
            r"'side' changed the same places: a\.py, b\. Nothing was touched",
        ),
    ],
)
def test_what_cannot_be_merged_is_refused(
    records: Records,
    merges: FakeUserMerges,
    into: str | None,
    kind: type[Exception],
    said: str,
) -> None:
    with pytest.raises(kind, match=said):
        merge_run(records, merges, MergeRequest(run="r1a", into=into))
    assert merges.told == []


@pytest.mark.parametrize("status", sorted(set(RunStatus) - {RunStatus.COMPLETED}))
def test_only_a_completed_run_is_merged(
    records: Records, queries: FakeQueries, status: RunStatus
) -> None:
    queries.rows[0] = replace(queries.rows[0], status=status)
    with pytest.raises(Conflict, match=f"cannot be merged: it is {status.value}"):
        merge_run(records, FakeUserMerges(), MergeRequest(run="r1a"))
