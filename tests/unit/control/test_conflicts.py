"""Which runs are compared with what, and what is said about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.control.ports.queries import AttemptRow, OwnerRow, RunRow
from supervisor_ai.control.queries.conflicts import ConflictView, MergeStatus, predict_conflicts
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run.status import AttemptStatus, RunStatus
from supervisor_ai.domain.run.values import Base, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

MOMENT: Final = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
TIP: Final = CommitSha("main-tip")


def run_row(name: str, status: RunStatus = RunStatus.RUNNING) -> RunRow:
    return RunRow(
        id=RunId(name),
        task=ArtifactHash("t"),
        driver="workflow",
        workflow="standard",
        status=status,
        outcome=None,
        degraded=False,
        parent=None,
        root=RunId(name),
        base=Base(ref="main", sha=CommitSha("b"), tree=TreeSha("e")),
        branch=f"ai/{name}",
        commit=CommitSha(f"{name}-landed") if status is RunStatus.COMPLETED else None,
        created_at=MOMENT,
        updated_at=MOMENT,
        usage=Usage(tokens_in=0, tokens_out=0, cost=Decimal(0), estimated=False),
    )


def attempt(snapshot: str | None) -> AttemptRow:
    return AttemptRow(
        step=StepName("implement"),
        visit=1,
        slot=1,
        attempt=1,
        role="implementer",
        cli="agent",
        status=AttemptStatus.SUCCEEDED,
        started_at=MOMENT,
        ended_at=MOMENT,
        said=None,
        category=None,
        reason=None,
        prompt=None,
        transcript=None,
        answer=None,
        snapshot=None if snapshot is None else CommitSha(snapshot),
    )


@dataclass
class Scene:
    """Runs and merges that a test wrote down."""

    rows: list[RunRow] = field(default_factory=list)
    snapshots: dict[str, list[str | None]] = field(default_factory=dict)
    tips: dict[str, str] = field(default_factory=lambda: {"main": TIP})
    gone: set[str] = field(default_factory=set)
    merged: set[str] = field(default_factory=set)
    clashes: dict[frozenset[str], tuple[str, ...] | None] = field(default_factory=dict)
    both: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    looked_at: list[str] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    foreseen: list[tuple[str, str]] = field(default_factory=list)

    # What is asked about runs

    def runs(self, *, limit: int) -> tuple[Sequence[RunRow], int]:
        self.limits.append(limit)
        return self.rows[:limit], len(self.rows)

    def run(self, run: RunId) -> RunRow | None:
        return next((row for row in self.rows if row.id == run), None)

    def matching(self, part: str) -> Sequence[RunId]:
        return [row.id for row in self.rows if part in {row.id[: len(part)], row.id[-len(part) :]}]

    def attempts(self, run: RunId) -> Sequence[AttemptRow]:
        return [attempt(it) for it in self.snapshots.get(run, [f"{run}-made"])]

    def steps(self, run: RunId) -> Sequence[object]:
        raise NotImplementedError(run)

    gates = approvals = claims = steps

    def owner(self, run: RunId) -> OwnerRow | None:
        raise NotImplementedError(run)

    # What is asked about merges

    def tip(self, branch: str) -> CommitSha | None:
        found = self.tips.get(branch)
        return None if found is None else CommitSha(found)

    def exists(self, commit: CommitSha) -> bool:
        self.looked_at.append(commit)
        return commit not in self.gone

    def held(
        self, pairs: Iterable[tuple[CommitSha, CommitSha]]
    ) -> frozenset[tuple[CommitSha, CommitSha]]:
        asked = frozenset(pairs)
        assert {tip for tip, _ in asked} <= {TIP}
        return frozenset(pair for pair in asked if pair[1] in self.merged)

    def foresee(self, pairs: Iterable[tuple[CommitSha, CommitSha]]) -> None:
        self.foreseen += pairs

    def conflicts(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...] | None:
        return self.clashes.get(frozenset({ours, theirs}), ())

    def shared(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...]:
        return self.both.get(frozenset({ours, theirs}), ())

    @property
    def records(self) -> Records:
        artifacts = MemoryArtifacts()
        return Records(
            ledger=Path("/repository/.supervisor/state.db"),
            queries=self,  # type: ignore[arg-type]
            log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
            artifacts=artifacts,
            documents=ArtifactDocuments(artifacts),
        )

    def compared(self, run: str | None = None) -> set[tuple[str, str]]:
        found = predict_conflicts(self.records, self, run).conflicts
        return {(view.run, view.other) for view in found}


def test_every_run_is_tried_with_its_target_and_with_every_other() -> None:
    scene = Scene(rows=[run_row("a"), run_row("b"), run_row("c")])
    pairs = {("a", "b"), ("a", "c"), ("b", "c")}
    assert scene.compared() == {("a", "main"), ("b", "main"), ("c", "main")} | pairs
    assert scene.compared("b") == {("b", "main"), ("a", "b"), ("b", "c")}


def test_all_merges_that_are_asked_for_are_tried_in_one_go() -> None:
    scene = Scene(rows=[run_row("a"), run_row("b"), run_row("c")])
    landings = [(TIP, "a-made"), (TIP, "b-made"), (TIP, "c-made")]
    pairs = [("a-made", "b-made"), ("a-made", "c-made"), ("b-made", "c-made")]
    scene.compared()
    assert scene.foreseen == [*landings, *pairs]
    scene.foreseen.clear()
    scene.compared("b")
    assert scene.foreseen == [landings[1], pairs[0], pairs[2]]


def test_conflicts_and_overlaps_are_told_apart() -> None:
    scene = Scene(rows=[run_row("a"), run_row("b")])
    scene.clashes[frozenset({"a-made", "b-made"})] = ("x.py", "y.py")
    scene.both[frozenset({"a-made", TIP})] = ("z.py",)
    found = predict_conflicts(scene.records, scene)
    assert found.conflicts == (
        ConflictView(run=RunId("a"), other="main", status=MergeStatus.OVERLAP, files=("z.py",)),
        ConflictView(run=RunId("b"), other="main", status=MergeStatus.CLEAN, files=()),
        ConflictView(
            run=RunId("a"), other="b", status=MergeStatus.CONFLICT, files=("x.py", "y.py")
        ),
    )
    assert not found.is_truncated


def test_histories_without_a_common_start_conflict() -> None:
    scene = Scene(rows=[run_row("a")])
    scene.clashes[frozenset({"a-made", TIP})] = None
    [view] = predict_conflicts(scene.records, scene).conflicts
    assert (view.status, view.files) == (MergeStatus.CONFLICT, ())


def test_the_newest_snapshot_of_a_run_under_way_counts() -> None:
    scene = Scene(rows=[run_row("a")], snapshots={"a": ["old", "new", None]})
    scene.clashes[frozenset({"new", TIP})] = ("x.py",)
    [view] = predict_conflicts(scene.records, scene).conflicts
    assert view.status is MergeStatus.CONFLICT


@pytest.mark.parametrize("snapshots", [[], [None]])
def test_a_run_that_made_nothing_yet_is_not_compared(snapshots: list[str | None]) -> None:
    assert Scene(rows=[run_row("a")], snapshots={"a": snapshots}).compared() == set()


def test_the_branch_of_an_ended_run_counts_until_it_is_merged_or_gone() -> None:
    scene = Scene(rows=[run_row("a", RunStatus.COMPLETED), run_row("b")])
    assert scene.compared() == {("b", "main")}
    scene.tips["ai/a"] = "a-moved-on"
    assert scene.compared() == {("a", "main"), ("b", "main"), ("a", "b")}
    scene.merged.add("a-moved-on")
    assert scene.compared() == {("b", "main")}


def test_an_ended_run_that_never_landed_is_not_compared() -> None:
    scene = Scene(rows=[run_row("a", RunStatus.FAILED)], tips={"main": TIP, "ai/a": "other"})
    assert scene.compared() == set()


def test_a_snapshot_that_is_gone_is_not_compared() -> None:
    assert Scene(rows=[run_row("a")], gone={"a-made"}).compared() == set()


def test_without_a_target_branch_runs_are_still_compared_with_each_other() -> None:
    adrift = replace(run_row("a"), base=None)
    scene = Scene(rows=[adrift, run_row("b")], tips={})
    assert scene.compared() == {("a", "b")}


def test_only_the_newest_are_compared_and_the_one_that_was_asked_for() -> None:
    scene = Scene(rows=[run_row(f"r{number:02}") for number in range(23)])
    found = predict_conflicts(scene.records, scene)
    assert found.is_truncated
    assert len({view.run for view in found.conflicts}) == 20
    assert ("r22", "main") not in scene.compared()
    assert ("r22", "main") in scene.compared("r22")
    assert len(scene.compared("r22")) == 21


def test_runs_that_are_not_looked_at_are_not_hushed_up() -> None:
    scene = Scene(rows=[run_row(f"r{number:03}", RunStatus.FAILED) for number in range(201)])
    found = predict_conflicts(scene.records, scene)
    assert (found.conflicts, found.is_truncated) == ((), True)


def test_an_unknown_run_is_said_to_be() -> None:
    scene = Scene()
    with pytest.raises(NotFound):
        predict_conflicts(scene.records, scene, "nothing")


def test_no_more_runs_are_looked_at_than_are_compared_and_one() -> None:
    scene = Scene(rows=[run_row(f"r{number:03}") for number in range(150)])
    assert predict_conflicts(scene.records, scene).is_truncated
    assert scene.looked_at == [f"r{number:03}-made" for number in range(21)]
    assert scene.limits == [40]


def test_older_runs_are_looked_at_where_newer_ones_have_nothing_to_merge() -> None:
    ended = [run_row(f"r{number:03}", RunStatus.FAILED) for number in range(50)]
    scene = Scene(rows=[*ended, run_row("a"), run_row("b"), run_row("c")])
    scene.merged.add("c-made")
    assert scene.compared() == {("a", "main"), ("b", "main"), ("a", "b")}
    assert scene.limits == [40, 200]


def test_a_run_that_is_found_twice_is_compared_once() -> None:
    scene = Scene(rows=[run_row(f"r{number:03}") for number in range(41)])
    scene.merged.update(f"r{number:03}-made" for number in range(1, 40))
    assert scene.compared() == {("r000", "main"), ("r040", "main"), ("r000", "r040")}
