"""What is let go, what stays and why; on an inventory that a test wrote down."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.control.commands.workspaces.cleanup import (
    CleanItem,
    CleanupScope,
    Fate,
    Kind,
    clean,
    preview_clean,
)
from supervisor_ai.control.commands.workspaces.expiry import expire_snapshots
from supervisor_ai.control.commands.workspaces.restore import Restoration, restore
from supervisor_ai.control.ports.queries import (
    ApprovalRow,
    AttemptRow,
    ClaimsRow,
    CommentRow,
    GateRow,
    NoticeRow,
    OwnerRow,
    RunRow,
    StepRow,
)
from supervisor_ai.control.ports.workspace_inventory import (
    ExpiredWork,
    FileChange,
    KeptStanding,
    KeptWork,
    LeftDirectory,
    RunDirectory,
    StepsOf,
    WorkOrigin,
)
from supervisor_ai.control.queries.workspaces import (
    DirectoryView,
    Use,
    WorkspaceRecords,
    WorkView,
    find_work,
    list_workspaces,
    show_workspace,
)
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.git_flow.policy import GitPolicy
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, EffectKey, RunId, StepName, TreeSha
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.status import RunStatus, StepStatus
from supervisor_ai.domain.run.values import Base, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

NOW: Final = datetime(2030, 1, 1, tzinfo=UTC)
OLD: Final = NOW - timedelta(days=30)
RUN: Final = RunId("r1")
COMMIT: Final = CommitSha("c" * 40)
PLACE: Final = WorkOrigin(run=RUN, step=StepName("implement"), visit=1, slot=1, attempt=1)
REF: Final = "refs/supervisor/r1/implement/1.1.1"
FULL: Final = Path("/full")


@dataclass
class FakeInventory:
    """Directories and refs that a test wrote down."""

    left: list[LeftDirectory] = field(default_factory=list)
    kept: list[KeptWork] = field(default_factory=list)
    places: list[RunDirectory] = field(default_factory=list)
    branches: dict[str, CommitSha] = field(default_factory=dict)
    gone: list[ExpiredWork] = field(default_factory=list)
    is_moving: bool = False
    is_broken: bool = False
    has_spare: bool = True

    def directories(self, steps: StepsOf) -> tuple[LeftDirectory, ...]:
        for left in self.left:
            assert steps(left.place.run) in ((), [StepName("implement")])
        return tuple(self.left)

    def runs(self) -> tuple[RunDirectory, ...]:
        return tuple(self.places)

    def works(self) -> tuple[KeptWork, ...]:
        return tuple(self.kept)

    def changed_files(self, found: LeftDirectory | KeptWork) -> tuple[FileChange, ...]:
        return (FileChange(path=type(found).__name__, change="added"),)

    def can_make_branch(self, name: str) -> bool:
        return name not in self.branches

    def check_place(self, directory: Path) -> None:
        if directory == FULL:
            raise Conflict("The directory is not empty.")

    def make_branch(self, name: str, commit: CommitSha) -> bool:
        return self.branches.setdefault(name, commit) is commit and commit == COMMIT

    def export(self, commit: CommitSha, directory: Path) -> None:
        self.check_place(directory)
        self.branches[str(directory)] = commit

    def unused_ref(self, directory: LeftDirectory) -> str:
        if self.is_broken:
            raise Unavailable("The disk is full.", hint="Free some disk space.")
        return f"refs/supervisor/{directory.place.run}/kept"

    def unite(self, ref: str, directory: LeftDirectory) -> str:
        del directory
        return ref

    def drop(self, work: KeptWork) -> bool:
        if not self.is_moving:
            self.kept.remove(work)
        return not self.is_moving

    def expire(self, works: Sequence[KeptWork], *, at: datetime) -> int:
        self.gone += [
            ExpiredWork(ref=it.ref, commit=it.commit, at=at, standing=it.standing) for it in works
        ]
        return sum(map(self.drop, works))

    def expired(self) -> tuple[ExpiredWork, ...]:
        return tuple(self.gone)

    def drop_spare(self) -> None:
        self.has_spare = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        yield


@dataclass
class FakeQueries:
    """Runs that a test wrote down."""

    rows: list[RunRow] = field(default_factory=list)
    owners: dict[RunId, list[OwnerRow]] = field(default_factory=dict)
    """What is answered when it is asked who owns a run, one after the other."""

    def runs_of(self, driver: str) -> Sequence[RunRow]:
        raise NotImplementedError(driver)

    def children(self, run: RunId) -> Sequence[RunRow]:
        raise NotImplementedError(run)

    def runs(self, *, limit: int) -> tuple[Sequence[RunRow], int]:
        return self.rows[:limit], len(self.rows)

    def run(self, run: RunId) -> RunRow | None:
        return next((row for row in self.rows if row.id == run), None)

    def matching(self, part: str) -> Sequence[RunId]:
        return [row.id for row in self.rows if part in {row.id[: len(part)], row.id[-len(part) :]}]

    def steps(self, run: RunId) -> Sequence[StepRow]:
        del run
        row = StepRow(
            step=StepName("implement"),
            role="implementer",
            status=StepStatus.PASSED,
            visits=1,
            attempts=1,
            last_verdict=None,
        )
        return (row,)

    def attempts(self, run: RunId) -> Sequence[AttemptRow]:
        raise NotImplementedError(run)

    def waiting(self) -> Sequence[RunId]:
        raise NotImplementedError

    def letters(self, run: RunId) -> Sequence[InboxCommand]:
        raise NotImplementedError(run)

    def comments(self, run: RunId) -> Sequence[CommentRow]:
        raise NotImplementedError(run)

    def gates(self, run: RunId) -> Sequence[GateRow]:
        raise NotImplementedError(run)

    def claims(self) -> Sequence[ClaimsRow]:
        raise NotImplementedError

    def approvals(self, run: RunId) -> Sequence[ApprovalRow]:
        raise NotImplementedError(run)

    def notices(self, run: RunId | None = None, *, limit: int) -> Sequence[NoticeRow]:
        raise NotImplementedError(run, limit)

    def owner(self, run: RunId) -> OwnerRow | None:
        answers = self.owners.get(run, [])
        return answers.pop(0) if answers else None


def run_row(status: RunStatus, *, base: str = "b") -> RunRow:
    return RunRow(
        id=RUN,
        task=ArtifactHash("t"),
        driver="workflow",
        workflow="quick",
        status=status,
        outcome=None,
        degraded=False,
        parent=None,
        root=RUN,
        base=Base(ref="main", sha=CommitSha(base * 40), tree=TreeSha("e" * 40)),
        branch=None,
        commit=None,
        created_at=OLD,
        updated_at=OLD,
        usage=Usage(tokens_in=0, tokens_out=0, cost=Decimal(0), estimated=False),
    )


def directory(*, fence: int = 1, since: datetime = OLD, key: str | None = "k") -> LeftDirectory:
    return LeftDirectory(
        path=Path(f"/state/r1/work/k.{fence}"),
        place=PLACE,
        key=None if key is None else EffectKey(key),
        fence=fence,
        is_dirty=True,
        size=1,
        since=since,
    )


def work(standing: KeptStanding, *, ref: str = REF, commit: CommitSha = COMMIT) -> KeptWork:
    return KeptWork(
        ref=ref,
        place=PLACE,
        commit=commit,
        start=CommitSha("b" * 40),
        at=OLD,
        files=1,
        standing=standing,
        holder=None,
        alone=frozenset({commit}),
    )


@pytest.fixture
def inventory() -> FakeInventory:
    return FakeInventory()


@pytest.fixture
def queries() -> FakeQueries:
    return FakeQueries(rows=[run_row(RunStatus.COMPLETED)])


@pytest.fixture
def room(inventory: FakeInventory, queries: FakeQueries) -> WorkspaceRecords:
    artifacts = MemoryArtifacts()
    records = Records(
        ledger=Path("/repository/.supervisor/state.db"),
        queries=queries,
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )
    return WorkspaceRecords(
        inventory=inventory, workspaces=MemoryWorkspaces(), records=records, clock=FakeClock(NOW)
    )


def cleaned(room: WorkspaceRecords, scope: CleanupScope | None = None) -> tuple[CleanItem, ...]:
    return asyncio.run(clean(room, scope or CleanupScope(with_refs=True))).items


@pytest.mark.parametrize("status", [RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING])
def test_what_a_run_that_has_not_ended_left_stays(
    room: WorkspaceRecords, inventory: FakeInventory, queries: FakeQueries, status: RunStatus
) -> None:
    queries.rows = [run_row(status)]
    inventory.left = [directory()]
    inventory.kept = [work(KeptStanding.MERGED)]
    inventory.places = [RunDirectory(path=Path("/state/r1"), run=RUN, since=OLD)]
    items = cleaned(room)
    assert [(item.kind, item.fate) for item in items] == [
        (Kind.DIRECTORY, Fate.STAYS),
        (Kind.REF, Fate.STAYS),
    ]
    assert all("has not ended" in item.reason for item in items)


def test_what_a_living_process_uses_stays_also_when_it_came_last(
    room: WorkspaceRecords, inventory: FakeInventory, queries: FakeQueries
) -> None:
    alive = OwnerRow(owner="me", epoch=1, is_alive=True)
    dead = OwnerRow(owner="me", epoch=1, is_alive=False)
    inventory.left = [directory()]
    for answers in ([alive], [dead, alive]):
        queries.owners[RUN] = list(answers)
        [item] = cleaned(room)
        assert (item.fate, item.reason) == (Fate.STAYS, "a living process drives the run")
    [item] = cleaned(room)
    assert item.fate is Fate.REMOVED


def test_a_run_that_the_ledger_does_not_know_needs_nothing(room: WorkspaceRecords) -> None:
    assert room.use(RunId("unknown")) is Use.LEFT
    assert replace(room, records=None).use(RUN) is Use.LEFT
    assert replace(room, records=None).steps(RUN) == ()


def test_the_youngest_directory_of_a_run_tells_its_age(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.left = [directory(), directory(fence=2, since=NOW)]
    inventory.places = [RunDirectory(path=Path("/state/r1"), run=RUN, since=OLD)]
    items = cleaned(room, CleanupScope(older_than=timedelta(days=14)))
    assert [item.reason for item in items] == ["it is too young"] * 2
    items = preview_clean(room, CleanupScope()).items
    assert [item.kind for item in items] == [Kind.DIRECTORY, Kind.DIRECTORY, Kind.RUN]


def test_what_is_kept_to_save_time_goes_when_everything_is_cleaned_up(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    preview_clean(room, CleanupScope())
    cleaned(room, CleanupScope(run=RUN))
    assert inventory.has_spare
    assert cleaned(room, CleanupScope()) == ()
    assert not inventory.has_spare


def test_directories_of_one_attempt_go_together(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.left = [directory(), directory(fence=2)]
    first, second = cleaned(room)
    assert first.reason == "it held no work"
    assert second.reason == "it went with another one of the same attempt"


def test_a_directory_without_a_known_owner_stays_and_so_does_its_run(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.left = [directory(key=None)]
    inventory.places = [RunDirectory(path=Path("/state/r1"), run=RUN, since=OLD)]
    [item] = cleaned(room)
    assert item.fate is Fate.STAYS
    assert "does not tell" in item.reason


def test_what_could_not_be_kept_is_a_failure_with_its_reason_and_its_hint(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.left = [directory()]
    inventory.is_broken = True
    inventory.places = [RunDirectory(path=Path("/state/r1"), run=RUN, since=OLD)]
    view = asyncio.run(clean(room, CleanupScope()))
    first, second = view.items
    assert (first.fate, first.reason) == (Fate.FAILED, "The disk is full.")
    assert first.hint == "Free some disk space."
    assert (second.fate, second.kind) == (Fate.STAYS, Kind.RUN)
    assert view.detail == "Removed nothing; 1 stays; 1 could not be removed."
    assert view.has_failed
    assert not view.applied
    assert not preview_clean(room, CleanupScope()).has_failed


def test_refs_go_only_when_they_are_named_and_their_work_is_elsewhere(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.kept = [work(standing, ref=f"{REF}-{at}") for at, standing in enumerate(KeptStanding)]
    assert cleaned(room, CleanupScope()) == ()
    assert {item.name: item.reason for item in cleaned(room) if item.fate is Fate.STAYS} == {
        f"{REF}-3": "no branch has this work"
    }
    assert [left.standing for left in inventory.kept] == [KeptStanding.UNMERGED]


def test_a_ref_that_has_moved_stays(room: WorkspaceRecords, inventory: FakeInventory) -> None:
    inventory.kept = [work(KeptStanding.MERGED)]
    inventory.is_moving = True
    [item] = cleaned(room)
    assert (item.fate, item.reason) == (Fate.STAYS, "it has moved meanwhile")


def test_what_an_unfinished_run_starts_from_stays(
    room: WorkspaceRecords, inventory: FakeInventory, queries: FakeQueries
) -> None:
    queries.rows.append(replace(run_row(RunStatus.QUEUED, base="c"), id=RunId("r2")))
    inventory.kept = [work(KeptStanding.MERGED)]
    [item] = cleaned(room)
    assert (item.fate, item.reason) == (Fate.STAYS, "a run that has not ended starts from it")
    [item] = cleaned(replace(room, records=None))
    assert item.fate is Fate.REMOVED


def test_another_run_is_left_alone(room: WorkspaceRecords, inventory: FakeInventory) -> None:
    inventory.kept = [work(KeptStanding.MERGED)]
    assert cleaned(room, CleanupScope(run=RunId("r2"), with_refs=True)) == ()


def test_what_was_done_is_counted(room: WorkspaceRecords, inventory: FakeInventory) -> None:
    inventory.left = [directory(), directory(fence=2, key="other")]
    inventory.kept = [work(KeptStanding.MERGED), work(KeptStanding.UNMERGED)]
    view = preview_clean(room, CleanupScope(with_refs=True))
    assert view.detail == "Would remove 2 directories, 1 ref; 1 stays."
    assert (view.applied, view.dry_run) == (False, True)
    view = asyncio.run(clean(room, CleanupScope(with_refs=True)))
    assert (view.applied, view.dry_run) == (True, False)


def test_lists_are_cut_and_counted(room: WorkspaceRecords, inventory: FakeInventory) -> None:
    inventory.left = [directory(), directory(fence=2)]
    base = replace(work(KeptStanding.MERGED), place=WorkOrigin(run=RUN))
    inventory.kept = [work(KeptStanding.MERGED), base]
    listed = list_workspaces(room, limit=1)
    assert (len(listed.directories), len(listed.works), listed.total) == (1, 1, 3)
    assert listed.is_truncated
    assert not list_workspaces(room, run="r1", limit=2).is_truncated
    assert list_workspaces(replace(room, records=None), run="r1", limit=2).total == 3
    for known in (room, replace(room, records=None)):
        with pytest.raises(NotFound):
            list_workspaces(known, run="r2", limit=2)


def test_a_directory_is_found_by_its_name_or_its_path(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.left = [directory()]
    for name in ("k.1", "/state/r1/work/k.1", "/state/r1/work/k.1/"):
        view = show_workspace(room, name)
        assert isinstance(view.found, DirectoryView)
        assert view.files[0].path == "LeftDirectory"


def test_kept_work_is_found_by_its_ref_or_the_beginning_of_its_commit(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    other = work(KeptStanding.UNMERGED, ref=f"{REF}-2", commit=CommitSha("c" * 39 + "d"))
    inventory.kept = [work(KeptStanding.UNMERGED), other]
    for name in (REF, "r1/implement/1.1.1", COMMIT):
        assert find_work(room, name).ref == REF
    with pytest.raises(InvalidInput, match="beginning of 2 commits"):
        find_work(room, "cccc")
    for name in ("ccc", "r1", ""):
        with pytest.raises(NotFound):
            find_work(room, name)


def test_a_branch_that_exists_is_not_moved(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.kept = [work(KeptStanding.UNMERGED)]
    taken = CommitSha("f" * 40)
    inventory.branches = {"mine": taken, "restored/r1-implement-1": taken}
    with pytest.raises(Conflict, match="already"):
        restore(room, Restoration(name=REF, branch="mine"))
    assert restore(room, Restoration(name=REF)).target == "restored/r1-implement-2"
    assert restore(room, Restoration(name=REF, branch="new")).applied


def test_a_rehearsal_restores_nothing(room: WorkspaceRecords, inventory: FakeInventory) -> None:
    inventory.kept = [work(KeptStanding.UNMERGED)]
    for restoration in (
        Restoration(name=REF),
        Restoration(name=REF, branch="new"),
        Restoration(name=REF, directory=Path("/place")),
    ):
        view = restore(room, restoration, dry_run=True)
        assert (view.applied, view.dry_run) == (False, True)
    assert inventory.branches == {}
    view = restore(room, Restoration(name=REF, directory=Path("/place")))
    assert (view.target, inventory.branches) == ("/place", {"/place": COMMIT})


def test_a_rehearsal_refuses_what_the_real_call_refuses(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.kept = [work(KeptStanding.UNMERGED)]
    taken = CommitSha("f" * 40)
    inventory.branches = {"mine": taken, "restored/r1-implement-1": taken}
    for restoration in (
        Restoration(name=REF, branch="mine"),
        Restoration(name=REF, directory=FULL),
    ):
        for dry_run in (True, False):
            with pytest.raises(Conflict):
                restore(room, restoration, dry_run=dry_run)
    view = restore(room, Restoration(name=REF), dry_run=True)
    assert view.target == "restored/r1-implement-2"


def test_a_directory_is_found_by_whose_it_is_unless_a_ref_is_called_so(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    gate = replace(directory(fence=2), place=replace(PLACE, attempt=None))
    inventory.left = [directory(), gate]
    for name, path in (("r1/implement/1.1.1", "k.1"), ("r1/implement/1.1.gate", "k.2")):
        view = show_workspace(room, name)
        assert isinstance(view.found, DirectoryView)
        assert view.found.directory.endswith(path)
    inventory.kept = [work(KeptStanding.UNMERGED)]
    assert isinstance(show_workspace(room, "r1/implement/1.1.1").found, WorkView)


def test_a_directory_is_found_from_within_and_by_the_path_of_its_files(
    room: WorkspaceRecords,
    inventory: FakeInventory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = tmp_path / "k.1"
    (real / "tree").mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    inventory.left = [replace(directory(), path=real)]
    monkeypatch.chdir(real)
    for name in (".", "tree", f"{real}/tree/", "../link"):
        assert isinstance(show_workspace(room, name).found, DirectoryView), name
    with pytest.raises(NotFound):
        show_workspace(room, "..")


def test_a_directory_whose_work_is_not_kept_yet_is_not_said_to_be_absent(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.left = [directory()]
    for name in ("k.1", "/state/r1/work/k.1", "r1/implement/1.1.1"):
        with pytest.raises(InvalidInput, match="not kept under a ref yet") as caught:
            restore(room, Restoration(name=name))
        assert "workspace clean" in (caught.value.hint or "")


KEEPING: Final = GitPolicy(keep_snapshots=timedelta(days=14))


@pytest.mark.parametrize("status", list(RunStatus))
@pytest.mark.parametrize("standing", list(KeptStanding))
@pytest.mark.parametrize("age", [timedelta(days=13), timedelta(days=14)])
def test_only_what_is_old_and_found_elsewhere_expires_and_only_of_completed_runs(
    room: WorkspaceRecords,
    inventory: FakeInventory,
    queries: FakeQueries,
    status: RunStatus,
    standing: KeptStanding,
    age: timedelta,
) -> None:
    queries.rows = [run_row(status)]
    inventory.kept = [replace(work(standing), at=NOW - age)]
    is_safe = standing is not KeptStanding.UNMERGED and status is RunStatus.COMPLETED
    went = is_safe and age >= timedelta(days=14)
    assert expire_snapshots(room, KEEPING) == went
    assert len(inventory.kept) == (not went)
    assert expire_snapshots(room, GitPolicy()) == 0


def test_a_snapshot_of_a_run_that_no_ledger_knows_stays(
    room: WorkspaceRecords, inventory: FakeInventory, queries: FakeQueries
) -> None:
    queries.rows = []
    inventory.kept = [work(KeptStanding.MERGED)]
    assert expire_snapshots(room, KEEPING) == 0
    assert expire_snapshots(replace(room, records=None), KEEPING) == 0
    assert inventory.kept


def test_what_expired_is_listed_and_named_to_whoever_looks_for_it(
    room: WorkspaceRecords, inventory: FakeInventory
) -> None:
    inventory.kept = [work(KeptStanding.MERGED)]
    expire_snapshots(room, KEEPING)
    listed = list_workspaces(room, limit=10)
    assert (listed.works, listed.expired_total) == ((), 1)
    assert [it.ref for it in listed.expired] == [REF]
    assert list_workspaces(room, run="r1", limit=10).expired == listed.expired
    for name in (REF, REF.removeprefix("refs/supervisor/"), COMMIT[:8]):
        with pytest.raises(NotFound, match=r"expired at 2030-01-01 00:00 UTC") as told:
            restore(room, Restoration(name=name))
        assert COMMIT in (told.value.hint or "")
