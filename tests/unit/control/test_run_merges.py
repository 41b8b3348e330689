"""Merging a run's work: what is refused, and what is said."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from tests.unit.control.run_rows import FakeQueries, queries, records

from supervisor_ai.control.commands.git_flow.run_merge import (
    MergeKind,
    MergeRequest,
    merge_run,
    unasked,
)
from supervisor_ai.control.ports.user_merges import MergedTree
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict, Denied, NotFound
from supervisor_ai.domain.git_flow.policy import GitPolicy, MergeStrategy
from supervisor_ai.domain.ids import CommitSha, RunId, TreeSha
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ForkPoint
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
    squashed: frozenset[str] = frozenset()
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

    def took(self, tip: CommitSha, trailer: str, *, since: CommitSha) -> bool:
        del tip, since
        return trailer in self.squashed

    def is_behind(self, tip: CommitSha, commit: CommitSha) -> bool:
        del tip, commit
        return self.behind

    def merge(self, ours: CommitSha, theirs: CommitSha) -> MergedTree | None:
        del ours, theirs
        return self.merged

    def require_ready(self, branch: str, old: CommitSha, tree: TreeSha) -> None:
        self.told.append(("ready", branch, old, tree))

    def subject(self, commit: CommitSha) -> str:
        return f"feat: {commit[:1]}"

    def commit(
        self, tree: TreeSha, parents: Sequence[CommitSha], message: str, *, is_signed: bool = True
    ) -> CommitSha:
        self.told.append(("commit", tree, tuple(parents), message, is_signed))
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
SQUASHED = "feat: b\n\nSupervisor-Run: r1a\n"


@pytest.mark.parametrize(
    ("merges", "strategy", "kind", "told"),
    [
        (FakeUserMerges(), None, MergeKind.FAST_FORWARD, [("move", "main", THEIRS, OURS)]),
        (
            FakeUserMerges(behind=False),
            None,
            MergeKind.MERGE,
            [
                ("commit", "t", (OURS, THEIRS), f"Merge run r1a: {SUBJECT}", True),
                ("move", "main", NEW, OURS),
            ],
        ),
        (
            FakeUserMerges(),
            MergeStrategy.MERGE,
            MergeKind.MERGE,
            [
                ("commit", "t", (OURS, THEIRS), f"Merge run r1a: {SUBJECT}", True),
                ("move", "main", NEW, OURS),
            ],
        ),
        (
            FakeUserMerges(),
            MergeStrategy.FORWARD,
            MergeKind.FAST_FORWARD,
            [("move", "main", THEIRS, OURS)],
        ),
        (
            FakeUserMerges(),
            MergeStrategy.SQUASH,
            MergeKind.SQUASH,
            [("commit", "t", (OURS,), SQUASHED, True), ("move", "main", NEW, OURS)],
        ),
    ],
)
def test_a_branch_takes_a_runs_work(
    records: Records,
    merges: FakeUserMerges,
    strategy: MergeStrategy | None,
    kind: MergeKind,
    told: list[tuple[object, ...]],
) -> None:
    request = MergeRequest(run="r1a", strategy=strategy)
    tried = merge_run(records, merges, replace(request, dry_run=True), clear=unasked)
    assert (tried.applied, tried.kind, merges.told) == (False, kind, [READY])
    done = merge_run(records, merges, request, clear=unasked)
    assert (done.applied, done.kind, done.before) == (True, kind, OURS)
    assert merges.told[1:] == [READY, *told]


def test_what_was_taken_back_of_a_squashed_run_is_refused_in_place_of_being_lost(
    records: Records, queries: FakeQueries
) -> None:
    """A run that goes on with a branch whose work is one commit elsewhere shares no history."""
    later = replace(
        queries.rows[0], id=RunId("later"), fork=ForkPoint(run=queries.rows[0].id, version=3)
    )
    queries.rows.append(later)
    merges = FakeUserMerges(behind=False, squashed=frozenset({"Supervisor-Run: r1a"}))
    with pytest.raises(Conflict, match="git cannot see what was taken back") as refused:
        merge_run(records, merges, MergeRequest(run="later"), clear=unasked)
    assert refused.value.hint == (
        "Take what has changed since yourself:"
        f" git diff --binary {THEIRS} {THEIRS} | git apply --3way"
    )
    assert merges.told == []
    with_history = FakeUserMerges(squashed=frozenset({"Supervisor-Run: r1a"}))
    assert merge_run(records, with_history, MergeRequest(run="later"), clear=unasked).applied
    queries.rows[-1] = replace(later, branch="another")
    assert merge_run(records, merges, MergeRequest(run="later"), clear=unasked).applied


def test_a_branch_that_has_it_stays_as_it_is(records: Records, queries: FakeQueries) -> None:
    merges = FakeUserMerges(has=True)
    view = merge_run(records, merges, MergeRequest(run="r1a"), clear=unasked)
    assert (view.applied, view.kind, view.after) == (False, MergeKind.NOTHING, OURS)
    squashed = FakeUserMerges(squashed=frozenset({"Supervisor-Run: r1a"}))
    assert (
        merge_run(records, squashed, MergeRequest(run="r1a"), clear=unasked).kind
        is MergeKind.NOTHING
    )
    queries.rows[0] = replace(queries.rows[0], commit=None)
    view = merge_run(records, FakeUserMerges(), MergeRequest(run="r1a"), clear=unasked)
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
        merge_run(records, merges, MergeRequest(run="r1a", into=into), clear=unasked)
    assert merges.told == []


@pytest.mark.parametrize("status", sorted(set(RunStatus) - {RunStatus.COMPLETED}))
def test_only_a_completed_run_is_merged(
    records: Records, queries: FakeQueries, status: RunStatus
) -> None:
    queries.rows[0] = replace(queries.rows[0], status=status)
    with pytest.raises(Conflict, match=f"cannot be merged: it is {status.value}"):
        merge_run(records, FakeUserMerges(), MergeRequest(run="r1a"), clear=unasked)


def test_a_branch_that_moved_does_not_just_go_forward(records: Records) -> None:
    merges = FakeUserMerges(behind=False)
    policy = GitPolicy(merge_strategy=MergeStrategy.FORWARD)
    with pytest.raises(Conflict, match="has moved on since the run began") as error:
        merge_run(records, merges, MergeRequest(run="r1a"), policy, clear=unasked)
    assert "--merge or --squash" in (error.value.hint or "")
    assert merges.told == []
    asked = MergeRequest(run="r1a", strategy=MergeStrategy.SQUASH)
    assert merge_run(records, merges, asked, policy, clear=unasked).kind is MergeKind.SQUASH


def test_a_protected_branch_is_not_moved(records: Records) -> None:
    merges, policy = FakeUserMerges(), GitPolicy(protected_branches=("ma*",))
    with pytest.raises(Denied, match="'main' is protected"):
        merge_run(records, merges, MergeRequest(run="r1a"), policy, clear=unasked)
    assert merges.told == []
    assert merge_run(
        records, merges, MergeRequest(run="r1a", into="side"), policy, clear=unasked
    ).applied


def test_who_signs_nothing_says_so(records: Records) -> None:
    merges, policy = FakeUserMerges(behind=False), GitPolicy(sign_commits=False)
    merge_run(records, merges, MergeRequest(run="r1a"), policy, clear=unasked)
    [made] = [it for it in merges.told if it[0] == "commit"]
    assert made[-1] is False


RULING = "Supervisor-Approval: low_risk auto_approve (file_count < 3)"


def test_other_files_than_were_agreed_to_come_with_a_commit_that_says_why(records: Records) -> None:
    merges, request = FakeUserMerges(), MergeRequest(run="r1a")
    tried = merge_run(records, merges, replace(request, dry_run=True), clear=lambda *_: RULING)
    assert (tried.kind, RULING in tried.detail) == (MergeKind.MERGE, True)
    done = merge_run(records, merges, request, clear=lambda *_: RULING)
    assert (done.applied, done.kind) == (True, MergeKind.MERGE)
    (message,) = [told[3] for told in merges.told if told[0] == "commit"]
    assert str(message).endswith(f"\n\nSupervisor-Run: r1a\n{RULING}\n")


def test_a_branch_cannot_just_go_forward_to_other_files(records: Records) -> None:
    merges = FakeUserMerges()
    with pytest.raises(Conflict, match="cannot just go forward"):
        merge_run(
            records,
            merges,
            MergeRequest(run="r1a", strategy=MergeStrategy.FORWARD),
            clear=lambda *_: RULING,
        )
    assert [told[0] for told in merges.told] == ["ready"]
