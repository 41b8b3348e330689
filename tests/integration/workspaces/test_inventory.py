"""What is left of workspaces, on real repositories and real directories."""

import asyncio
import os
import subprocess
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from supervisor_ai.control.commands.workspaces.cleanup import CleanupScope, clean
from supervisor_ai.control.ports.workspace_inventory import (
    FileChange,
    KeptStanding,
    KeptWork,
    LeftDirectory,
)
from supervisor_ai.control.queries.workspaces import WorkspaceRecords
from supervisor_ai.domain.errors import Busy, Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.host import SystemClock
from supervisor_ai.engine.ports.workspaces import Quota, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.inventory import GitInventory
from supervisor_ai.workspaces.layout import premises
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
FILES = {"README": "hello\n", "src/a.py": "a\n"}
RUN = RunId("r1")


class Scene:
    """A user's repository with workspaces beside it."""

    def __init__(self, place: Path) -> None:
        self.user = ScratchRepository(place / "home")
        self.state = place / "state"
        self.repository = GitRepository(self.user.path)
        self.workspaces = GitWorkspaces(self.repository, self.state)
        self.inventory = GitInventory(self.repository, self.state)
        self.base = self.user.commit(FILES)

    def open(
        self, step: str = "implement", *, attempt: int = 1, start: CommitSha | None = None
    ) -> Workspace:
        """Open a workspace as an attempt does."""
        key = EffectKey(f"{RUN}/{step}/1/1/worker/{attempt}")
        opening = self.workspaces.open(RUN, key, fence=1, start=start or self.base)
        return asyncio.run(opening)

    def keep(
        self, files: dict[str, str], *, attempt: int = 1, start: CommitSha | None = None
    ) -> CommitSha:
        """Do the work of an attempt and keep it."""
        workspace = self.open(attempt=attempt, start=start)
        for name, text in files.items():
            (workspace.path / name).write_text(text)
        ref = f"refs/supervisor/{RUN}/implement/1.1.{attempt}"
        kept = asyncio.run(self.workspaces.snapshot(workspace, ref=ref, at=AT))
        asyncio.run(self.workspaces.close(workspace))
        return kept.commit

    def directories(self, *steps: str) -> tuple[LeftDirectory, ...]:
        """Look at the directories."""
        return self.inventory.directories(lambda _: [StepName(step) for step in steps])

    def work(self, attempt: int = 1) -> KeptWork:
        """Look at the work of an attempt."""
        wanted = f"refs/supervisor/{RUN}/implement/1.1.{attempt}"
        return next(work for work in self.inventory.works() if work.ref == wanted)

    def standing(self, attempt: int = 1) -> KeptStanding:
        """Tell where else the work of an attempt is."""
        return self.work(attempt).standing


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_nothing_is_there_before_the_first_workspace(scene: Scene) -> None:
    assert scene.directories() == ()
    assert scene.inventory.runs() == ()
    assert scene.inventory.works() == ()


def test_a_directory_tells_whose_it_is_and_whether_it_holds_work(scene: Scene) -> None:
    workspace = scene.open()
    [found] = scene.directories()
    assert (found.path, found.key, found.fence) == (workspace.path.parent, workspace.key, 1)
    assert found.place.run == RUN
    assert (found.place.step, found.place.visit, found.place.slot) == ("implement", 1, 1)
    assert found.place.attempt == 1
    assert not found.is_dirty
    assert found.size > 0
    (workspace.path / "new").write_text("x\n")
    [found] = scene.directories()
    assert found.is_dirty


def test_a_name_that_was_cut_is_completed_from_the_steps_of_the_run(scene: Scene) -> None:
    step = "a-step-with-a-name-of-more-than-sixty-characters-as-is-allowed"
    workspace = scene.open(step)
    assert [it.key for it in scene.directories()] == [None]
    [found] = scene.directories("other", step)
    assert (found.key, found.place.step) == (workspace.key, step)


def test_looking_changes_nothing_and_starts_no_program_of_a_worker(scene: Scene) -> None:
    workspace = scene.open()
    trap = workspace.path / "trap"
    subprocess.run(["git", "init", "-q", trap], check=True)
    mark = workspace.path / "started"
    subprocess.run(["git", "-C", trap, "config", "core.fsmonitor", f"touch {mark}"], check=True)
    (trap / "file").write_text("x\n")
    before = sorted(workspace.path.parent.rglob("*"))
    stamp = (workspace.path.parent / "trusted.git" / "index").stat().st_mtime_ns
    [found] = scene.directories()
    changes = scene.inventory.changed_files(found)
    assert [change.path for change in changes] == ["trap/"]
    assert sorted(workspace.path.parent.rglob("*")) == before
    assert (workspace.path.parent / "trusted.git" / "index").stat().st_mtime_ns == stamp
    assert not mark.exists()


def test_what_git_cannot_read_may_be_work(scene: Scene) -> None:
    workspace = scene.open()
    (workspace.path.parent / "trusted.git" / "HEAD").write_text("nonsense\n")
    [found] = scene.directories()
    assert found.is_dirty


def test_a_workspace_that_was_never_complete_holds_no_work(scene: Scene) -> None:
    workspace = scene.open()
    (workspace.path.parent / "trusted.git" / "index").unlink()
    [found] = scene.directories()
    assert not found.is_dirty


def test_other_directories_of_the_state_are_no_runs(scene: Scene) -> None:
    scene.open()
    (scene.state / "cache" / "entry").mkdir(parents=True)
    (scene.state / "a-file").write_text("x")
    assert [it.run for it in scene.inventory.runs()] == [RUN]


def test_what_somebody_began_to_forget_is_of_its_run(scene: Scene) -> None:
    scene.open()
    premises(scene.state, RUN).path.rename(scene.state / f"{RUN}.0123456789abcdef.waste")
    assert [it.run for it in scene.inventory.runs()] == [RUN]
    assert scene.directories() == ()


def test_work_that_only_its_ref_keeps_is_unmerged(scene: Scene) -> None:
    commit = scene.keep({"new": "x\n", "README": "changed\n"})
    work = scene.work()
    assert (work.commit, work.start, work.at) == (commit, scene.base, AT)
    assert (work.files, work.standing, work.holder) == (2, KeptStanding.UNMERGED, None)
    assert work.alone == {commit}
    assert scene.inventory.changed_files(work) == (
        FileChange(path="README", change="modified", added=1, deleted=1),
        FileChange(path="new", change="added", added=1, deleted=0),
    )


def test_the_commit_that_a_run_starts_from_is_no_attempt(scene: Scene) -> None:
    scene.keep({})
    [base] = [work for work in scene.inventory.works() if work.place.step is None]
    assert (base.ref, base.commit) == (f"refs/supervisor/{RUN}/_base", scene.base)
    assert (base.standing, base.holder) == (KeptStanding.MERGED, "refs/heads/main")


def test_work_without_a_change_is_empty(scene: Scene) -> None:
    scene.keep({})
    assert scene.standing() is KeptStanding.EMPTY


def test_work_on_a_branch_is_merged_whatever_the_commit(scene: Scene) -> None:
    commit = scene.keep({"new": "x\n"})
    scene.user.git.run(
        "branch", "ai/r1-do-it", scene.user.plant({**FILES, "new": "x\n"}, parent=scene.base)
    )
    work = scene.work()
    assert (work.standing, work.holder) == (KeptStanding.MERGED, "refs/heads/ai/r1-do-it")
    scene.user.git.run("branch", "--force", "ai/r1-do-it", commit)
    work = scene.work()
    assert (work.standing, work.holder) == (KeptStanding.MERGED, "refs/heads/ai/r1-do-it")
    assert work.alone == frozenset()


def test_work_is_merged_when_every_file_is_somewhere_in_the_history_of_the_branch(
    scene: Scene,
) -> None:
    scene.keep({"new": "x\n", "README": "changed\n"})
    scene.user.commit({"other": "o\n", "new": "x\n"})
    assert scene.standing() is KeptStanding.UNMERGED
    scene.user.commit({"README": "changed\n"})
    scene.user.commit({"README": "changed again\n", "new": "y\n"})
    work = scene.work()
    assert (work.standing, work.holder) == (KeptStanding.MERGED, "refs/heads/main")


def test_work_of_which_no_single_branch_has_all_is_unmerged(scene: Scene) -> None:
    scene.keep({"one": "1\n", "two": "2\n"})
    first = scene.user.plant({**FILES, "one": "1\n"}, parent=scene.base)
    second = scene.user.plant({**FILES, "two": "2\n"}, parent=scene.base)
    scene.user.git.run("branch", "first", first)
    scene.user.git.run("branch", "second", second)
    work = scene.work()
    assert (work.standing, work.holder) == (KeptStanding.UNMERGED, None)
    # The first commit belongs to two branches now, and one of them has both files.
    later = scene.user.plant({**FILES, "one": "changed\n", "two": "2\n"}, parent=first)
    scene.user.git.run("branch", "third", later)
    work = scene.work()
    assert (work.standing, work.holder) == (KeptStanding.MERGED, "refs/heads/third")


def test_a_tag_with_words_of_its_own_can_have_the_work(scene: Scene) -> None:
    scene.keep({"one": "1\n", "two": "2\n"})
    first = scene.user.plant({**FILES, "one": "1\n"}, parent=scene.base)
    later = scene.user.plant({**FILES, "one": "changed\n", "two": "2\n"}, parent=first)
    scene.user.git.run("branch", "first", first)
    words = {f"GIT_COMMITTER_{key}": "me" for key in ("NAME", "EMAIL")}
    scene.user.git.run("tag", "-a", "-m", "words", "done", later, environment=words)
    work = scene.work()
    assert (work.standing, work.holder) == (KeptStanding.MERGED, "refs/tags/done")


def test_older_work_is_found_in_the_history_before_newer_work(scene: Scene) -> None:
    scene.keep({"new": "x\n"})
    landed = scene.user.commit({"new": "x\n"})
    scene.keep({"more": "y\n"}, attempt=2, start=landed)
    assert scene.standing(1) is KeptStanding.MERGED
    assert scene.standing(2) is KeptStanding.UNMERGED


def test_a_deletion_and_a_mode_are_work_too(scene: Scene) -> None:
    workspace = scene.open()
    (workspace.path / "src" / "a.py").unlink()
    (workspace.path / "README").chmod(0o755)
    ref = f"refs/supervisor/{RUN}/implement/1.1.1"
    asyncio.run(scene.workspaces.snapshot(workspace, ref=ref, at=AT))
    assert scene.standing() is KeptStanding.UNMERGED
    (scene.user.path / "src" / "a.py").unlink()
    scene.user.commit()
    assert scene.standing() is KeptStanding.UNMERGED
    (scene.user.path / "README").chmod(0o755)
    scene.user.commit()
    assert scene.standing() is KeptStanding.MERGED


def test_work_that_other_unmerged_work_builds_on_is_contained(scene: Scene) -> None:
    first = scene.keep({"new": "x\n"})
    second = scene.keep({"new": "y\n"}, attempt=2, start=first)
    scene.keep({"new": "z\n"}, attempt=3, start=second)
    last = f"refs/supervisor/{RUN}/implement/1.1.3"
    for attempt in (1, 2):
        work = scene.work(attempt)
        assert (work.standing, work.holder) == (KeptStanding.CONTAINED, last)
    assert scene.standing(3) is KeptStanding.UNMERGED


def test_of_two_refs_at_one_commit_one_stays(scene: Scene) -> None:
    commit = scene.keep({"new": "x\n"})
    scene.user.git.run("update-ref", f"refs/supervisor/{RUN}/implement/1.1.1-7", commit)
    standings = [it.standing for it in scene.inventory.works() if it.place.step is not None]
    assert standings == [KeptStanding.CONTAINED, KeptStanding.UNMERGED]


def test_of_two_commits_with_the_same_work_one_stays(scene: Scene) -> None:
    scene.keep({"new": "x\n"})
    scene.keep({"new": "x\n"}, attempt=2)
    twin = scene.user.plant({**FILES, "new": "x\n"}, parent=scene.base)
    scene.user.git.run("update-ref", f"refs/supervisor/{RUN}/implement/1.1.3", twin)
    scene.keep({"new": "y\n"}, attempt=4, start=twin)
    for attempt in (1, 2, 3):
        work = scene.work(attempt)
        last = f"refs/supervisor/{RUN}/implement/1.1.4"
        assert (work.standing, work.holder) == (KeptStanding.CONTAINED, last)
    assert scene.standing(4) is KeptStanding.UNMERGED


def test_a_ref_keeps_what_it_builds_on_when_that_has_lost_its_own(scene: Scene) -> None:
    first = scene.keep({"new": "x\n"})
    scene.keep({"new": "y\n"}, attempt=2, start=first)
    scene.keep({}, attempt=3, start=first)
    assert scene.inventory.drop(scene.work(1))
    scene.user.commit({"new": "y\n"})
    assert scene.standing(2) is not KeptStanding.MERGED
    assert {scene.standing(2), scene.standing(3)} == {KeptStanding.UNMERGED}
    scene.user.commit({"new": "x\n"})
    assert scene.standing(2) is KeptStanding.MERGED


def test_work_on_a_base_that_the_user_has_amended_away_stays(scene: Scene) -> None:
    scene.keep({"new": "x\n"})
    fresh = scene.user.plant({"README": "another beginning\n"})
    scene.user.git.run("update-ref", "refs/heads/main", fresh)
    assert scene.standing() is KeptStanding.UNMERGED
    scene.user.git.run("branch", "same", scene.user.plant({**FILES, "new": "x\n"}, parent=fresh))
    assert scene.standing() is KeptStanding.UNMERGED  # the lost base still hangs on it
    scene.user.git.run("branch", "base", scene.base)
    assert scene.standing() is KeptStanding.MERGED


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\udcff"])
@pytest.mark.parametrize("noun", ["branch", "tag"])
def test_only_a_line_feed_ends_a_line_of_git(scene: Scene, noun: str, sign: str) -> None:
    commit = scene.keep({"new": "x\n"})
    scene.user.git.run(noun, f"a{sign}b", commit)
    work = scene.work()
    place = "heads" if noun == "branch" else "tags"
    assert (work.standing, work.holder) == (KeptStanding.MERGED, f"refs/{place}/a{sign}b")


def test_a_ref_of_another_kind_is_left_alone(scene: Scene) -> None:
    scene.keep({})
    link = scene.user.git.run("hash-object", "-w", "--stdin", stdin=b"1 abc\n").text
    scene.user.git.run("update-ref", "refs/supervisor/ledger", link)
    scene.user.git.run("tag", "words", link)
    assert [it.ref.split("/")[-1] for it in scene.inventory.works()] == ["1.1.1", "_base"]


def test_names_from_a_worker_come_back_as_text(scene: Scene) -> None:
    workspace = scene.open()
    (Path(os.fsdecode(bytes(workspace.path))) / "esc\x1b[31m\nname").write_text("x")
    Path(os.fsdecode(bytes(workspace.path) + b"/bad\xff")).write_text("x")
    [found] = scene.directories()
    names = {change.path for change in scene.inventory.changed_files(found)}
    assert names == {"esc\x1b[31m\nname", "bad\\xff"}
    ref = f"refs/supervisor/{RUN}/implement/1.1.1"
    asyncio.run(scene.workspaces.snapshot(workspace, ref=ref, at=AT))
    names = {change.path for change in scene.inventory.changed_files(scene.work())}
    assert names == {"esc\x1b[31m\nname", "bad\\xff"}


def test_binary_files_have_no_lines(scene: Scene) -> None:
    workspace = scene.open()
    (workspace.path / "blob").write_bytes(b"\0\1\2")
    ref = f"refs/supervisor/{RUN}/implement/1.1.1"
    asyncio.run(scene.workspaces.snapshot(workspace, ref=ref, at=AT))
    [change] = scene.inventory.changed_files(scene.work())
    assert change == FileChange(path="blob", change="added")


def test_a_branch_is_made_once(scene: Scene) -> None:
    commit = scene.keep({"new": "x\n"})
    before = scene.user.git.run("status", "--porcelain").output
    assert scene.inventory.make_branch("restored/r1", commit)
    assert not scene.inventory.make_branch("restored/r1", scene.base)
    assert scene.repository.branch_tip("restored/r1") == commit
    assert scene.user.git.run("status", "--porcelain").output == before
    with pytest.raises(Conflict, match="refuses"):
        scene.inventory.make_branch("restored/r1/below", commit)


def test_a_rehearsal_knows_which_branches_can_be_made(scene: Scene) -> None:
    scene.user.git.run("branch", "topic/one", scene.base)
    for name in ("topic/two", "topics", "topic-one"):
        assert scene.inventory.can_make_branch(name)
        assert scene.repository.branch_tip(name) is None
        assert scene.inventory.make_branch(name, scene.base)
        assert not scene.inventory.can_make_branch(name)
    for name in ("topic", "topic/one/below", "topic/one/far/below"):
        with pytest.raises(Conflict, match="topic/one"):
            scene.inventory.can_make_branch(name)
        with pytest.raises(Conflict):
            scene.inventory.make_branch(name, scene.base)


@pytest.mark.parametrize("name", ["", "-x", "a..b", "a b", "a.lock", "HEAD", "x\x1b"])
def test_a_name_that_no_branch_can_have_is_refused(scene: Scene, name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be called"):
        scene.inventory.make_branch(name, scene.base)
    with pytest.raises(InvalidInput, match="cannot be called"):
        scene.inventory.can_make_branch(name)


def test_files_are_written_to_a_new_or_an_empty_directory(scene: Scene, tmp_path: Path) -> None:
    commit = scene.keep({"new": "x\n"})
    for name in ("new-place", "empty"):
        place = tmp_path / name
        if name == "empty":
            place.mkdir()
        scene.inventory.export(commit, place)
        assert (place / "new").read_text() == "x\n"
        assert (place / "src" / "a.py").read_text() == "a\n"
        assert not (place / ".git").exists()
    assert not list(tmp_path.glob(".*"))
    assert not list(scene.state.glob("scratch-*"))


def test_no_filter_of_the_repository_runs_when_files_are_written(
    scene: Scene, tmp_path: Path
) -> None:
    mark = tmp_path / "started"
    scene.user.git.run("config", "filter.evil.smudge", f"touch {mark}")
    scene.user.git.run("config", "filter.evil.required", "true")
    commit = scene.keep({".gitattributes": "* filter=evil\n", "new": "x\n"})
    scene.inventory.export(commit, tmp_path / "place")
    assert (tmp_path / "place" / "new").read_text() == "x\n"
    assert not mark.exists()


def test_a_directory_that_holds_anything_is_not_written_to(scene: Scene, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "mine").write_text("mine\n")
    with pytest.raises(Conflict, match="not empty"):
        scene.inventory.export(scene.base, place)
    with pytest.raises(Conflict, match="not empty"):
        scene.inventory.check_place(place)
    assert [path.name for path in place.iterdir()] == ["mine"]


def test_a_missing_parent_is_named(scene: Scene, tmp_path: Path) -> None:
    place = tmp_path / "missing" / "place"
    for refuse in (scene.inventory.check_place, partial(scene.inventory.export, scene.base)):
        with pytest.raises(NotFound) as caught:
            refuse(place)
        assert caught.value.message == f"The directory {str(place.parent)!r} does not exist."
        assert caught.value.hint == "Make it first, or name another."
    assert not place.parent.exists()
    scene.inventory.check_place(tmp_path / "place")
    assert not (tmp_path / "place").exists()


def test_the_checkouts_are_not_written_to(scene: Scene, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    scene.user.git.run("worktree", "add", "-q", "--detach", linked)
    places = (scene.user.path / "x", linked / "x", scene.user.path / ".git/x", scene.state / "x")
    for place in places:
        with pytest.raises(InvalidInput, match="left alone"):
            scene.inventory.export(scene.base, place)
        with pytest.raises(InvalidInput, match="left alone"):
            scene.inventory.check_place(place)
        assert not place.exists()


def test_a_ref_is_dropped_only_where_it_was_seen(scene: Scene) -> None:
    scene.keep({"new": "x\n"})
    seen = scene.work()
    assert not scene.inventory.drop(replace(seen, commit=scene.base))
    assert scene.work() == seen
    assert scene.inventory.drop(seen)
    assert scene.repository.tip(seen.ref) is None


def test_a_free_ref_has_no_namesake(scene: Scene) -> None:
    scene.open()
    [found] = scene.directories()
    ref = f"refs/supervisor/{RUN}/implement/1.1.1"
    assert scene.inventory.unused_ref(found) == ref
    scene.user.git.run("update-ref", ref, scene.base)
    assert scene.inventory.unused_ref(found) == f"{ref}-1"
    scene.user.git.run("update-ref", f"{ref}-1-3", scene.base)
    assert scene.inventory.unused_ref(found) == f"{ref}-2"


def test_the_same_work_is_kept_once(scene: Scene) -> None:
    first = scene.keep({"new": "x\n"})
    scene.open()
    [found] = scene.directories()
    ref = f"refs/supervisor/{RUN}/implement/1.1.1"
    assert scene.inventory.unite(ref, found) == ref
    scene.user.git.run("update-ref", f"{ref}-1", scene.base)
    assert scene.inventory.unite(f"{ref}-1", found) == f"{ref}-1"
    scene.user.git.run("update-ref", f"{ref}-2", first)
    assert scene.inventory.unite(f"{ref}-2", found) == ref
    assert scene.repository.tip(f"{ref}-2") is None


def test_only_one_may_clean_up_at_a_time(scene: Scene) -> None:
    scene.open()
    with scene.inventory.turn(), pytest.raises(Busy), scene.inventory.turn():
        pytest.fail("Two were let in.")
    with scene.inventory.turn():
        pass


@pytest.mark.parametrize(
    "plan",
    [
        WorkspacePlan(hides=("src/**",)),
        WorkspacePlan(quota=Quota(disk=50 << 20, files=1000)),
        WorkspacePlan(is_writable=False),
    ],
)
@pytest.mark.parametrize("is_dirty", [False, True])
def test_special_workspaces_are_cleaned_up_like_others(
    scene: Scene, plan: WorkspacePlan, *, is_dirty: bool
) -> None:
    key = EffectKey(f"{RUN}/implement/1/1/worker/1")
    opening = scene.workspaces.open(RUN, key, fence=1, start=scene.base, plan=plan)
    workspace = asyncio.run(opening)
    if is_dirty:
        (workspace.path / "new").write_text("x\n")
    [found] = scene.directories()
    assert found.is_dirty is is_dirty
    room = WorkspaceRecords(
        inventory=scene.inventory, workspaces=scene.workspaces, records=None, clock=SystemClock()
    )
    cleaned = asyncio.run(clean(room, CleanupScope()))
    assert cleaned.detail == "Removed 1 directory, 1 run's copies."
    assert [it.files for it in scene.inventory.works() if it.place.step] == [1] * is_dirty
    assert not premises(scene.state, RUN).path.exists()
    assert str(scene.state) not in Path("/proc/self/mountinfo").read_text()


def test_a_run_directory_is_as_old_as_it_looks(scene: Scene) -> None:
    scene.open()
    os.utime(premises(scene.state, RUN).path, (0, 0))
    [found] = scene.inventory.runs()
    assert found.since == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_ref_that_expires_is_remembered_and_one_that_moved_stays(scene: Scene) -> None:
    first = scene.keep({"README": "one\n"}, attempt=1)
    scene.keep({"README": "two\n"}, attempt=2)
    seen = [scene.work(1), scene.work(2)]
    moved = scene.keep({"README": "three\n"}, attempt=2)
    assert scene.inventory.expired() == ()
    assert scene.inventory.expire(seen, at=AT) == 1
    assert [(it.ref, it.commit, it.at) for it in scene.inventory.expired()] == [
        ("refs/supervisor/r1/implement/1.1.1", first, AT)
    ]
    assert scene.work(2).commit == moved
    again = GitInventory(scene.repository, scene.state)
    assert again.expire([scene.work(2)], at=AT) == 1
    with (scene.state / "expired.jsonl").open("a") as file:
        file.write("no JSON\n")
    assert [it.commit for it in again.expired()] == [moved, first]
