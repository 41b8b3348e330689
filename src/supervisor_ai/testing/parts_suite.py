"""What every implementation of the Workspaces port must do where only parts may be written."""

from collections.abc import Callable

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.workspaces import Workspace, WorkspacePlan
from supervisor_ai.testing.workspaces_suite import (
    FILES,
    WorkspacesWorld,
    expect,
    open_workspace,
    take_snapshot,
)


class PartsSuite:
    """Subclass it and, before each test, say how to make a new world."""

    world: Callable[[], WorkspacesWorld]

    def test_a_workspace_may_be_writable_path_by_path(self) -> None:
        """Each rule is a mount over those that it lies in; a file that is not there has none."""
        world = self.world()
        base = world.commit(FILES | {"tasks/1-a.md": "a\n"})
        for everywhere in (True, False):
            rules = {
                "tasks/1-a.md": everywhere,
                "tasks": not everywhere,
                "tasks/2-b.md": everywhere,
                "absent": everywhere,
            }
            writable = Writable(everywhere=everywhere, paths=rules)
            workspace = open_workspace(world, base, plan=WorkspacePlan(writable=writable))
            expect(
                _parts(workspace, "", "tasks", "tasks/1-a.md", "tasks/2-b.md"),
                [("", everywhere), ("tasks", not everywhere), ("tasks/1-a.md", everywhere)],
            )
            expect(_parts(workspace, "absent"), [("absent", everywhere)])

    def test_the_work_in_a_workspace_of_several_parts_is_kept(self) -> None:
        """A snapshot does not care where it could be written."""
        world = self.world()
        base = world.commit(FILES)
        plan = WorkspacePlan(writable=Writable(everywhere=False, paths={"tasks": True}))
        workspace = open_workspace(world, base, plan=plan)
        world.write(workspace, "tasks/0-plan.md", "k\n")
        made = world.files(take_snapshot(world, workspace).commit)
        expect(made, FILES | {"tasks/0-plan.md": "k\n"})

    def test_a_part_of_a_workspace_is_inside_it_and_not_git_s(self) -> None:
        """Whatever the rules say."""
        world = self.world()
        base = world.commit(FILES)
        for path in ("", "/etc", "..", "src/../..", ".git", "src/.GIT/x", "a\0b", "src/"):
            plan = WorkspacePlan(writable=Writable(everywhere=False, paths={path: True}))
            expect((path, _is_refused(world, base, plan)), (path, True))


def _parts(workspace: Workspace, *paths: str) -> list[tuple[str, bool]]:
    named = {workspace.path / path: path for path in paths}
    mounts = (mount for mount in workspace.mounts if mount.target in named)
    return [(named[mount.target], mount.is_writable) for mount in mounts]


def _is_refused(world: WorkspacesWorld, base: CommitSha, plan: WorkspacePlan) -> bool:
    try:
        open_workspace(world, base, plan=plan)
    except InvalidInput:
        return True
    return False
