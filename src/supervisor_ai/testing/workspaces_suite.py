"""What every implementation of the Workspaces port must do."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Protocol, TypeVar

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Identity, Snapshot
from supervisor_ai.engine.ports.workspaces import (
    PLAIN,
    Anchor,
    AnchorPoint,
    Landed,
    Landing,
    NotLanded,
    SetupCache,
    Workspace,
    WorkspacePlan,
    Workspaces,
)

T = TypeVar("T")

RUN: Final = RunId("r1")
AT: Final = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
FILES: Final = {"README": "hello\n", "src/app.py": "print(1)\n", "src/old.py": "old\n"}
BLIND: Final = WorkspacePlan(hides=("secret/", "test_*.py"))
_ME: Final = Identity(name="Ada", email="ada@example.org")


class WorkspacesWorld(Protocol):
    """A repository around the workspaces, and hands in it: a user's and a worker's."""

    @property
    def workspaces(self) -> Workspaces:
        """Return what is under test."""
        ...

    def commit(self, files: Mapping[str, str], *, parent: CommitSha | None = None) -> CommitSha:
        """Make a commit, as a user would."""
        ...

    def files(self, commit: CommitSha) -> Mapping[str, str]:
        """Return the files of a commit."""
        ...

    def write(self, workspace: Workspace, path: str, text: str | None) -> None:
        """Write or remove a file, as a worker would."""
        ...

    def read(self, workspace: Workspace, path: str) -> str | None:
        """Read a file, as a worker would."""
        ...

    def exists(self, workspace: Workspace) -> bool:
        """Tell whether the directory is there."""
        ...

    def tip(self, ref: str) -> CommitSha | None:
        """Return where a ref stands, by its full name."""
        ...

    def move(self, branch: str, commit: CommitSha) -> None:
        """Move a branch, as a user would."""
        ...


class WorkspacesSuite:
    """Subclass it and, before each test, say how to make a new world."""

    world: Callable[[], WorkspacesWorld]

    def test_a_workspace_holds_the_files_of_its_start(self) -> None:
        """Nothing is missing."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        expect({path: world.read(workspace, path) for path in FILES}, FILES)

    def test_a_path_carries_the_run_and_the_fence(self) -> None:
        """An old owner cannot touch the new one's directory."""
        world = self.world()
        base = world.commit(FILES)
        old, new = open_workspace(world, base, fence=1), open_workspace(world, base, fence=2)
        world.write(old, "README", "late\n")
        expect(world.read(new, "README"), "hello\n")
        expect(RUN in str(new.path) and old.path != new.path, wanted=True)

    def test_a_second_opening_starts_clean(self) -> None:
        """What the same owner left before is gone."""
        world = self.world()
        base = world.commit(FILES)
        world.write(open_workspace(world, base), "left", "over\n")
        expect(world.read(open_workspace(world, base), "left"), None)

    def test_a_snapshot_holds_every_change(self) -> None:
        """Added, changed and removed files, under the ref."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        world.write(workspace, "new/file", "new\n")
        world.write(workspace, "README", "changed\n")
        world.write(workspace, "src/old.py", None)
        snapshot = take_snapshot(world, workspace)
        wanted = {"README": "changed\n", "new/file": "new\n", "src/app.py": "print(1)\n"}
        expect(world.files(snapshot.commit), wanted)
        expect(world.tip(_ref(1)), snapshot.commit)

    def test_the_same_files_make_the_same_tree_and_the_same_deed_the_same_commit(self) -> None:
        """A name says what it names."""
        world = self.world()
        base = world.commit(FILES)
        first = take_snapshot(world, open_workspace(world, base, fence=1))
        again = take_snapshot(world, open_workspace(world, base, fence=2))
        other = open_workspace(world, base, attempt=2)
        world.write(other, "README", "other\n")
        expect(again, first)
        expect(take_snapshot(world, other).tree == first.tree, wanted=False)

    def test_a_snapshot_can_be_a_start(self) -> None:
        """The next attempt mends what the one before it made."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        world.write(workspace, "README", "first\n")
        follower = open_workspace(world, take_snapshot(world, workspace).commit, attempt=2)
        world.write(follower, "second", "second\n")
        made = world.files(take_snapshot(world, follower, attempt=2).commit)
        expect(made, FILES | {"README": "first\n", "second": "second\n"})

    def test_closing_removes_the_directory_and_is_harmless_twice(self) -> None:
        """A snapshot of what is closed is refused."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        for _ in range(2):
            wait(world.workspaces.close(workspace))
        expect(world.exists(workspace), wanted=False)
        try:
            take_snapshot(world, workspace)
        except NotFound:
            return
        raise AssertionError("A closed workspace was snapshotted.")

    def test_lost_work_is_kept_whatever_its_fence(self) -> None:
        """Every directory of the operation goes, and no work with it."""
        world = self.world()
        base = world.commit(FILES)
        old, new = open_workspace(world, base, fence=1), open_workspace(world, base, fence=2)
        world.write(old, "README", "older\n")
        world.write(new, "README", "newer\n")
        other = open_workspace(world, base, attempt=11)
        expect(_keep_lost(world), _ref(1))
        expect(world.files(_tip(world, _ref(1)))["README"], "newer\n")
        expect(world.files(_tip(world, f"{_ref(1)}-1"))["README"], "older\n")
        expect([world.exists(left) for left in (old, new, other)], [False, False, True])
        expect(_keep_lost(world), None)

    def test_unchanged_directories_are_removed_without_a_ref(self) -> None:
        """Nothing to keep is nothing to name."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        expect(_keep_lost(world), None)
        expect((world.tip(_ref(1)), world.exists(workspace)), (None, False))

    def test_a_blind_role_sees_no_hidden_file_and_changes_none(self) -> None:
        """The rest of its work is kept, put onto the whole."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "s\n", "src/test_app.py": "t\n"})
        workspace = open_workspace(world, base, plan=BLIND)
        for hidden in ("secret/key", "src/test_app.py"):
            expect(world.read(workspace, hidden), None)
        world.write(workspace, "secret/key", "forged\n")
        world.write(workspace, "secret/new", "new\n")
        world.write(workspace, "src/app.py", "print(2)\n")
        world.write(workspace, "src/old.py", None)
        made = world.files(take_snapshot(world, workspace).commit)
        whole = {"README": "hello\n", "secret/key": "s\n", "src/test_app.py": "t\n"}
        expect(made, whole | {"src/app.py": "print(2)\n"})

    def test_blind_work_that_changed_nothing_is_the_start(self) -> None:
        """What is hidden is not taken for deleted."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "s\n"})
        workspace = open_workspace(world, base, plan=BLIND)
        world.write(workspace, "secret/key", "forged\n")
        snapshot = take_snapshot(world, workspace)
        expect(snapshot.tree, take_snapshot(world, open_workspace(world, base, attempt=2)).tree)
        expect(_keep_lost(world), None)

    def test_lost_blind_work_is_kept_on_top_of_the_whole(self) -> None:
        """A crash hides nothing for ever."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "s\n"})
        world.write(open_workspace(world, base, plan=BLIND), "README", "lost\n")
        expect(_keep_lost(world), _ref(1))
        kept = world.files(_tip(world, _ref(1)))
        expect(kept, FILES | {"secret/key": "s\n", "README": "lost\n"})

    def test_only_a_writable_workspace_is_mounted_writable(self) -> None:
        """Who may not edit cannot."""
        world = self.world()
        base = world.commit(FILES)
        for is_writable in (True, False):
            workspace = open_workspace(world, base, plan=WorkspacePlan(is_writable=is_writable))
            mounts = [mount for mount in workspace.mounts if mount.target == workspace.path]
            expect([mount.is_writable for mount in mounts], [is_writable])

    def test_workspaces_have_ports_and_databases_of_their_own(self) -> None:
        """Nobody else's while they are open; somebody else's afterwards."""
        world = self.world()
        base = world.commit(FILES)
        first, second = open_workspace(world, base), open_workspace(world, base, attempt=2)
        expect(set(_reserved(first)) & set(_reserved(second)), set())
        wait(world.workspaces.close(first))
        expect(_reserved(open_workspace(world, base, attempt=3)), _reserved(first))

    def test_what_a_set_up_made_is_had_again(self) -> None:
        """For the same command and the same lock file, and for no other."""
        world = self.world()
        base = world.commit(FILES | {"lock": "1\n"})
        other = world.commit(FILES | {"lock": "2\n"}, parent=base)
        workspace = open_workspace(world, base)
        expect(_take(world, workspace), wanted=False)
        _make(world, workspace)
        follower, stranger = (
            open_workspace(world, base, attempt=2),
            open_workspace(world, other, attempt=3),
        )
        expect((_take(world, follower), _take(world, stranger)), (True, False))
        expect(world.read(follower, "deps/a"), "made\n")
        expect(world.read(stranger, "deps/a"), None)
        expect(
            _take(world, open_workspace(world, base, attempt=4), command=("other",)), wanted=False
        )
        expect(_take(world, open_workspace(world, base, attempt=5, plan=BLIND)), wanted=False)

    def test_a_set_up_on_a_workers_commit_is_not_kept(self) -> None:
        """The worker may have had a hand in it."""
        world = self.world()
        base = world.commit(FILES | {"lock": "1\n"})
        open_workspace(world, base)
        later = world.commit(FILES | {"lock": "1\n", "evil": "x\n"}, parent=base)
        _make(world, open_workspace(world, later, attempt=2))
        expect(_take(world, open_workspace(world, base, attempt=3)), wanted=False)

    def test_a_cache_stays_inside_the_workspace(self) -> None:
        """Wherever its paths would lead."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        for path in ("../outside", "/etc", "a/../../b", ".git", "sub/.git/hooks", ""):
            cache = SetupCache(command=("make",), key_files=(), paths=(path,))
            for deed in (world.workspaces.take_cached, world.workspaces.keep_cached):
                expect(_is_refused(deed(workspace, cache)), wanted=True)

    def test_a_snapshot_lands_once(self) -> None:
        """The same key finds its commit however often it lands."""
        world = self.world()
        landing = _landing(world, world.commit(FILES), {"README": "done\n"})
        first = _land(world, landing)
        expect(world.files(first)["README"], "done\n")
        expect(_land(world, landing), first)
        expect(world.tip("refs/heads/ai/r1"), first)
        expect(_found(world, landing.key), first)

    def test_the_same_landing_makes_the_same_commit_in_another_world(self) -> None:
        """A crash between the deed and its record changes nothing."""
        worlds = (self.world(), self.world())
        done = {"README": "done\n"}
        first, second = (
            _land(world, _landing(world, world.commit(FILES), done)) for world in worlds
        )
        expect(first, second)

    def test_a_key_is_not_mistaken_for_a_longer_one(self) -> None:
        """Nor is one that a message only quotes."""
        world = self.world()
        base = world.commit(FILES)
        shorter = EffectKey("r1/commit/1/1/integrate")
        quoting = f"Quote\n\nSupervisor-Op: {shorter}"
        landing = _landing(world, base, {}, key=f"{shorter}/2", message=quoting)
        _land(world, landing)
        expect(wait(world.workspaces.find_landed("ai/r1", shorter)), None)
        expect(wait(world.workspaces.find_landed("nowhere", shorter)), None)

    def test_a_landing_goes_on_top_of_the_expected_tip(self) -> None:
        """The second step of a run continues its branch."""
        world = self.world()
        base = world.commit(FILES)
        first = _land(world, _landing(world, base, {"README": "one\n"}))
        second = _landing(world, base, {"README": "two\n"}, key="r1/commit/2", expected=first)
        expect(world.files(_land(world, second))["README"], "two\n")
        expect(_found(world, EffectKey("r1/commit")), first)

    def test_a_moved_branch_is_merged(self) -> None:
        """What the user did on the branch stays."""
        world = self.world()
        base = world.commit(FILES)
        first = _land(world, _landing(world, base, {"README": "one\n"}))
        world.move("ai/r1", world.commit(FILES | {"README": "one\n", "u": "user\n"}, parent=first))
        second = _landing(world, base, {"README": "two\n"}, key="r1/commit/2", expected=first)
        expect(world.files(_land(world, second)), FILES | {"README": "two\n", "u": "user\n"})

    def test_a_conflict_does_not_land(self) -> None:
        """The branch stays where the user put it, and the path is named."""
        world = self.world()
        base = world.commit(FILES)
        users = world.commit(FILES | {"README": "user\n"}, parent=base)
        world.move("ai/r1", users)
        result = wait(world.workspaces.land(_landing(world, base, {"README": "worker\n"})))
        expect(isinstance(result, NotLanded) and "README" in result.reason, wanted=True)
        expect(world.tip("refs/heads/ai/r1"), users)

    def test_a_branch_that_is_gone_is_not_made_again(self) -> None:
        """Who deleted it had a reason."""
        world = self.world()
        base = world.commit(FILES)
        landing = _landing(world, base, {}, expected=base)
        expect(isinstance(wait(world.workspaces.land(landing)), NotLanded), wanted=True)
        expect(world.tip("refs/heads/ai/r1"), None)

    def test_a_diff_shows_the_change(self) -> None:
        """As text, and nothing where nothing changed."""
        world = self.world()
        base = world.commit(FILES)
        head = world.commit(FILES | {"README": "bye\n"}, parent=base)
        diff = wait(world.workspaces.diff(base, head))
        expect("-hello\n" in diff and "+bye\n" in diff and "app.py" not in diff, wanted=True)
        expect(wait(world.workspaces.diff(base, base)), "")

    def test_a_diff_for_a_blind_role_leaves_out_what_is_hidden(self) -> None:
        """What is hidden stays so in a reviewer's prompt."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "one\n"})
        head = world.commit(FILES | {"README": "bye\n", "secret/key": "two\n"}, parent=base)
        diff = wait(world.workspaces.diff(base, head, hides=BLIND.hides))
        expect("+bye\n" in diff and "two" not in diff and "secret" not in diff, wanted=True)

    def test_a_blind_role_has_a_program_directory_of_its_own(self) -> None:
        """The one that others share holds what is hidden."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "one\n"})
        whole = wait(world.workspaces.program(RUN, base))
        blind = wait(world.workspaces.program(RUN, base, hides=BLIND.hides))
        expect(whole == blind, wanted=False)
        expect((blind / "secret").exists(), wanted=False)

    def test_a_program_directory_is_made_once(self) -> None:
        """Every attempt of the run is shown the same."""
        world = self.world()
        base = world.commit(FILES)
        first = wait(world.workspaces.program(RUN, base))
        expect(wait(world.workspaces.program(RUN, base)), first)

    def test_forgetting_removes_directories_and_keeps_refs(self) -> None:
        """Other runs are not touched."""
        world = self.world()
        base = world.commit(FILES)
        workspace = open_workspace(world, base)
        snapshot = take_snapshot(world, workspace)
        key = EffectKey("r2/implement/1/1/worker/1")
        other = wait(world.workspaces.open(RunId("r2"), key, fence=1, start=base))
        for _ in range(2):
            wait(world.workspaces.forget(RUN))
        expect((world.exists(workspace), world.exists(other)), (False, True))
        expect(world.tip(_ref(1)), snapshot.commit)


class AnchorSuite:
    """What every implementation of the Anchor port must do; say how to make a new one."""

    anchor: Callable[[], Anchor]

    def test_nothing_is_kept_at_first(self) -> None:
        """An empty anchor says so."""
        expect(self.anchor().read(), None)

    def test_the_newest_link_is_kept(self) -> None:
        """An older one is replaced."""
        anchor = self.anchor()
        newest = AnchorPoint(seq=2, hash="bb")
        for point in (AnchorPoint(seq=1, hash="aa"), newest):
            anchor.write(point)
        expect(anchor.read(), newest)


def wait(deed: Coroutine[Any, Any, T]) -> T:
    """Do it to its end."""
    return asyncio.run(deed)


def expect(found: object, wanted: object) -> None:
    """Fail unless what was found is what was wanted."""
    if found != wanted:
        raise AssertionError(f"Found {found!r} where {wanted!r} was wanted.")


def _key(attempt: int) -> EffectKey:
    return EffectKey(f"r1/implement/1/1/worker/{attempt}")


def _ref(attempt: int) -> str:
    return f"refs/supervisor/r1/implement/1.1.{attempt}"


def open_workspace(
    world: WorkspacesWorld,
    start: CommitSha,
    *,
    attempt: int = 1,
    fence: int = 1,
    plan: WorkspacePlan = PLAIN,
) -> Workspace:
    """Open a workspace of the run."""
    opening = world.workspaces.open(RUN, _key(attempt), fence=fence, start=start, plan=plan)
    return wait(opening)


def _reserved(workspace: Workspace) -> tuple[str, str]:
    environment = workspace.environment
    return environment["SUPERVISOR_PORT_BASE"], environment["SUPERVISOR_DB_SUFFIX"]


def _take(
    world: WorkspacesWorld, workspace: Workspace, command: tuple[str, ...] = ("make",)
) -> bool:
    cache = SetupCache(command=command, key_files=("lock",), paths=("deps",))
    return wait(world.workspaces.take_cached(workspace, cache))


def _make(world: WorkspacesWorld, workspace: Workspace) -> None:
    """Do what a set-up does, and keep it."""
    world.write(workspace, "deps/a", "made\n")
    cache = SetupCache(command=("make",), key_files=("lock",), paths=("deps",))
    wait(world.workspaces.keep_cached(workspace, cache))


def _is_refused(deed: Coroutine[Any, Any, object]) -> bool:
    try:
        wait(deed)
    except InvalidInput:
        return True
    return False


def take_snapshot(world: WorkspacesWorld, workspace: Workspace, *, attempt: int = 1) -> Snapshot:
    """Take a snapshot of a workspace."""
    return wait(world.workspaces.snapshot(workspace, ref=_ref(attempt), at=AT))


def _keep_lost(world: WorkspacesWorld) -> str | None:
    return wait(world.workspaces.keep_lost(RUN, _key(1), ref=_ref(1), at=AT))


def _tip(world: WorkspacesWorld, ref: str) -> CommitSha:
    tip = world.tip(ref)
    if tip is None:
        raise AssertionError(f"The ref {ref!r} does not exist.")
    return tip


def _landing(
    world: WorkspacesWorld,
    base: CommitSha,
    changes: Mapping[str, str],
    *,
    key: str = "r1/commit",
    message: str = "Do it",
    expected: CommitSha | None = None,
) -> Landing:
    workspace = open_workspace(world, base, attempt=99)
    for path, text in changes.items():
        world.write(workspace, path, text)
    return Landing(
        run=RUN,
        key=EffectKey(key),
        snapshot=take_snapshot(world, workspace, attempt=99).commit,
        base=base,
        branch="ai/r1",
        expected=expected,
        message=message,
        identity=_ME,
        at=AT,
    )


def _found(world: WorkspacesWorld, key: EffectKey) -> CommitSha | None:
    found = wait(world.workspaces.find_landed("ai/r1", key))
    return None if found is None else found.commit


def _land(world: WorkspacesWorld, landing: Landing) -> CommitSha:
    result = wait(world.workspaces.land(landing))
    if isinstance(result, Landed):
        return result.commit
    raise AssertionError(f"The landing failed: {result.reason}")
