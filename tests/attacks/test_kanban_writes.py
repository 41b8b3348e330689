"""An agent of a kanban writes where its role may write, and nowhere else."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.attacks.kanban_rights import ALLOWED, NESTED
from tests.attacks.kanban_writes import (
    ACROSS,
    ALL,
    NEVER,
    Board,
    rules,
    run,
)
from tests.integration.sandboxes.containers.engines import podman_storage
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_environment

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Sandbox, SandboxEnd
from supervisor_ai.engine.ports.workspaces import Quota, WorkspacePlan
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox

FOLDERS: Final = ("tasks", "docs/more/tasks")
MakeSandbox = Callable[[Path], Sandbox]


def bubblewrap(state: Path) -> Sandbox:
    return BubblewrapSandbox(state=known_tools(state), environment=plain_environment())


@pytest.fixture(scope="module")
def podman() -> Iterator[MakeSandbox]:
    with podman_storage() as engine:
        yield engine.sandbox


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("role", ALLOWED)
def test_each_role_writes_what_it_may_and_nothing_else(
    tmp_path: Path, role: str, folder: str
) -> None:
    board, writable = Board(tmp_path, folder), rules(role, folder)
    workspace = board.open(WorkspacePlan(writable=writable))
    assert board.attempt(bubblewrap(tmp_path / "state"), workspace) == ALLOWED[role]
    changed = board.changed(workspace)
    assert changed
    assert [path for path in changed if not writable.allows(path)] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_without_rules_all_of_it_can_be_done(tmp_path: Path, folder: str) -> None:
    board = Board(tmp_path, folder)
    workspace = board.open()
    done = board.attempt(bubblewrap(tmp_path / "state"), workspace)
    assert done == ALL.keys() - NEVER.keys()
    assert set(board.changed(workspace)) > {f"{folder}/0-kanban-x.md", "src/app.py", "new.txt"}


@pytest.mark.parametrize("role", [*ALLOWED, None])
def test_containers_keep_the_same_rules(
    tmp_path: Path, podman: MakeSandbox, role: str | None
) -> None:
    board = Board(tmp_path, NESTED)
    writable = rules(role, NESTED) if role else None
    workspace = board.open(WorkspacePlan(writable=writable))
    done = board.attempt(podman(tmp_path / "state"), workspace)
    assert done == (ALLOWED[role] if role else ALL.keys() - NEVER.keys())
    changed = board.changed(workspace)
    assert [path for path in changed if writable and not writable.allows(path)] == []


def test_a_folder_above_that_is_no_mount_would_be_moved(tmp_path: Path) -> None:
    """The mounts around a part are what stops it."""
    board, writable = Board(tmp_path, NESTED), rules("implementor", NESTED)
    workspace = board.open(WorkspacePlan(writable=writable))
    above = {workspace.path / "docs", workspace.path / "docs/more"}
    loose = tuple(mount for mount in workspace.mounts if mount.target not in above)
    assert len(loose) == len(workspace.mounts) - len(above)
    done = board.attempt(bubblewrap(tmp_path / "state"), replace(workspace, mounts=loose))
    assert done & ACROSS.keys() == {"move what the folder lies in"}
    assert f"{NESTED}/0-kanban-x.md" in board.changed(workspace)


@pytest.mark.parametrize("role", ALLOWED)
def test_rules_hold_with_hidden_files_and_within_a_quota(tmp_path: Path, role: str) -> None:
    board, writable = Board(tmp_path, "tasks"), rules(role, "tasks")
    quota = Quota(disk=64 << 20, files=2000)
    plan = WorkspacePlan(writable=writable, hides=("src/box/",), quota=quota)
    workspace = board.open(plan)
    assert board.attempt(bubblewrap(tmp_path / "state"), workspace) == ALLOWED[role]
    changed = board.changed(workspace)
    assert changed
    assert [path for path in changed if not writable.allows(path)] == []
    assert not workspace.path.exists()


@pytest.mark.parametrize(
    ("role", "way"),
    [
        *((role, way) for role in ALLOWED for way in ("docs", NESTED)),
        *((role, f"{NESTED}/0-kanban-x.md") for role in ("architect", "implementor")),
    ],
)
def test_a_link_that_a_set_up_left_is_not_followed(tmp_path: Path, role: str, way: str) -> None:
    board = Board(tmp_path, NESTED)
    workspace = board.open(WorkspacePlan(writable=rules(role, NESTED)))
    outside = tmp_path / "outside"
    (workspace.path / way).rename(outside)
    (workspace.path / way).symlink_to(outside)
    result, said = run(bubblewrap(tmp_path / "state"), workspace, ("ls", "-R"))
    assert (result.end, said) == (SandboxEnd.SANDBOX_FAILED, "")
    assert "is a link" in result.reason
