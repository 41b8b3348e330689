"""What every implementation of the Workspaces port must do with changed files and compositions."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import CommitSha, EffectKey
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.workspaces import Workspace, WorkspacePlan
from supervisor_ai.testing.workspaces_suite import (
    AT,
    BLIND,
    FILES,
    WorkspacesWorld,
    expect,
    open_workspace,
    take_snapshot,
    wait,
)


class ComposingSuite:
    """Subclass it and, before each test, say how to make a new world."""

    world: Callable[[], WorkspacesWorld]

    def test_a_file_of_the_directory_is_read_as_far_as_asked(self) -> None:
        """And nothing where there is no such file."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        world.write(workspace, "new/file", "0123456789")
        wanted = {
            "README": b"hello",
            "new/file": b"01234",
            "new": None,
            "missing/file": None,
            "README/file": None,
        }
        for path, content in wanted.items():
            expect(wait(world.workspaces.read_file(workspace, path, most=4)), content)

    def test_a_place_for_reports_is_empty_and_only_where_it_is_wanted(self) -> None:
        """It is none of the places that every command sees."""
        world = self.world()
        base = world.commit(FILES)
        expect(open_workspace(world, base).reports, None)
        workspace = open_workspace(world, base, attempt=2, plan=WorkspacePlan(has_reports=True))
        targets = [mount.target for mount in workspace.mounts]
        expect(workspace.reports is None or workspace.reports in targets, wanted=False)
        expect(wait(world.workspaces.read_reports(workspace, most=4)), {})

    def test_files_of_the_start_that_differ_or_are_gone_are_listed(self) -> None:
        """Others do not count, nor does a file that was put back."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        expect(_changed(world, workspace), ())
        world.write(workspace, "new", "new\n")
        world.write(workspace, "README", "changed\n")
        world.write(workspace, "src/old.py", None)
        expect(_changed(world, workspace), ("README", "src/old.py"))
        world.write(workspace, "README", FILES["README"])
        expect(_changed(world, workspace), ("src/old.py",))

    def test_what_a_worker_touches_is_seen_while_it_works(self) -> None:
        """What is new, differs or is gone; neither what it cannot see nor what git ignores."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "s\n"})
        workspace = open_workspace(world, base, plan=BLIND)
        expect(_touched(world, workspace), ())
        world.write(workspace, "new", "new\n")
        world.write(workspace, "README", "changed\n")
        world.write(workspace, "src/old.py", None)
        expect(_touched(world, workspace), ("README", "new", "src/old.py"))
        made = world.files(take_snapshot(world, workspace).commit)
        expect(made["new"], "new\n")

    def test_others_see_what_is_touched_while_somebody_is_at_it(self) -> None:
        """By the name of the operation; once it is over, and before it began, there is nothing."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        run, key = workspace.run, workspace.key
        expect(tuple(wait(world.workspaces.touched_by(run, key))), ())
        world.write(workspace, "new", "new\n")
        expect(tuple(wait(world.workspaces.touched_by(run, key))), ("new",))
        other = EffectKey(f"{key}0")
        expect(tuple(wait(world.workspaces.touched_by(run, other))), ())
        wait(world.workspaces.close(workspace))
        expect(tuple(wait(world.workspaces.touched_by(run, key))), ())

    def test_the_paths_of_a_change_are_named(self) -> None:
        """Those that came, went and became others, and nothing where nothing changed."""
        world = self.world()
        base = world.commit(FILES)
        rest = {path: text for path, text in FILES.items() if path != "README"}
        head = world.commit(rest | {"new/file": "x\n", "app.py": "y\n"}, parent=base)
        expect(wait(world.workspaces.changed_paths(base, head)), ("README", "app.py", "new/file"))
        expect(wait(world.workspaces.changed_paths(base, base)), ())

    def test_a_look_at_what_changed_does_not_disturb_atake_snapshot(self) -> None:
        """What was there at the look and is gone afterwards does not enter it."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        world.write(workspace, "new", "new\n")
        world.write(workspace, "README", "changed\n")
        expect(_changed(world, workspace), ("README",))
        world.write(workspace, "new", None)
        world.write(workspace, "src/old.py", None)
        made = world.files(take_snapshot(world, workspace).commit)
        expect(made, {"README": "changed\n", "src/app.py": "print(1)\n"})

    def test_what_a_blind_role_does_not_see_has_not_changed(self) -> None:
        """Whatever it puts in its place."""
        world = self.world()
        base = world.commit(FILES | {"secret/key": "s\n"})
        workspace = open_workspace(world, base, plan=BLIND)
        world.write(workspace, "secret/key", "forged\n")
        world.write(workspace, "README", "changed\n")
        expect(_changed(world, workspace), ("README",))

    def test_a_closed_workspace_has_no_changed_files(self) -> None:
        """It is said to be gone instead."""
        world = self.world()
        workspace = open_workspace(world, world.commit(FILES))
        wait(world.workspaces.close(workspace))
        expect(_fails(NotFound, world.workspaces.changed(workspace)), wanted=True)

    def test_a_composed_commit_has_other_contents_at_some_paths(self) -> None:
        """The others stay as they are in the base."""
        world = self.world()
        base = world.commit(FILES)
        contents = {"README": b"changed\n", "src/old.py": None, "new/file": b"", "absent": None}
        made = _compose(world, base, contents)
        wanted = {"README": "changed\n", "new/file": "", "src/app.py": "print(1)\n"}
        expect(world.files(made.commit), wanted)
        expect(_compose(world, base, contents), made)
        expect(take_snapshot(world, open_workspace(world, made.commit)).tree, made.tree)

    def test_a_composed_commit_may_be_the_base_of_another(self) -> None:
        """Nothing but its contents decides what it holds."""
        world = self.world()
        base = world.commit(FILES)
        there = _compose(world, base, {"README": b"changed\n"})
        back = _compose(world, there.commit, {"README": FILES["README"].encode()})
        expect(world.files(back.commit), FILES)
        expect(_compose(world, base, {}).tree, back.tree)

    def test_a_composed_file_takes_the_place_of_a_directory_and_the_other_way_round(self) -> None:
        """As it would on a disk."""
        world = self.world()
        base = world.commit(FILES)
        made = _compose(world, base, {"src": b"file\n", "README/a": b"a\n", "README": None})
        expect(world.files(made.commit), {"src": "file\n", "README/a": "a\n"})

    def test_a_composed_commit_holds_nothing_outside_its_tree(self) -> None:
        """Wherever its paths would lead."""
        world = self.world()
        base = world.commit(FILES)
        bad = ("", "/etc/x", "../x", "a/../b", "a//b", "./a", "a/", ".git", "a/.GIT/hooks", "a\0b")
        for path in bad:
            for content in (b"x", None):
                deed = world.workspaces.compose(base, {path: content}, at=AT)
                expect((path, _fails(InvalidInput, deed)), (path, True))
        clash = {"a": b"x", "a/b": b"x"}
        expect(_fails(InvalidInput, world.workspaces.compose(base, clash, at=AT)), wanted=True)

    def test_nothing_is_composed_from_a_commit_that_does_not_exist(self) -> None:
        """The commit is named."""
        world = self.world()
        world.commit(FILES)
        unknown = CommitSha("1" * 40)
        expect(_fails(NotFound, world.workspaces.compose(unknown, {}, at=AT)), wanted=True)


def _fails(kind: type[SupervisorError], deed: Coroutine[Any, Any, object]) -> bool:
    try:
        wait(deed)
    except kind:
        return True
    return False


def _changed(world: WorkspacesWorld, workspace: Workspace) -> tuple[str, ...]:
    return wait(world.workspaces.changed(workspace))


def _touched(world: WorkspacesWorld, workspace: Workspace) -> tuple[str, ...]:
    return tuple(sorted(wait(world.workspaces.touched(workspace))))


def _compose(
    world: WorkspacesWorld, base: CommitSha, contents: Mapping[str, bytes | None]
) -> Snapshot:
    return wait(world.workspaces.compose(base, contents, at=AT))
