"""A missing git, a full disk, a read-only file system: clear words, not a stack trace."""

import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import HostFailure, Unavailable
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import AnchorPoint, LeftOut
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.ledger_anchor import GitAnchor
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

FILES = {"README": "hello\n"}
AT = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


def test_a_missing_git_is_said_with_the_remedy(
    user: ScratchRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository = GitRepository(user.path)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    for question in (lambda: GitRepository(user.path), lambda: repository.resolve(None)):
        with pytest.raises(Unavailable) as caught:
            question()
        assert caught.value.message == "The program 'git' was not found."
        assert "Install git" in (caught.value.hint or "")


def test_a_repository_that_vanished_is_said(user: ScratchRepository, tmp_path: Path) -> None:
    repository = GitRepository(user.path)
    user.path.rename(tmp_path / "moved")
    with pytest.raises(Unavailable, match="is gone"):
        repository.resolve(None)


def test_a_state_directory_that_is_a_file_is_said(user: ScratchRepository, tmp_path: Path) -> None:
    start = user.commit(FILES)
    (tmp_path / "state").touch()
    workspaces = GitWorkspaces(GitRepository(user.path), tmp_path / "state")
    with pytest.raises(Unavailable, match="could not be used: File exists"):
        asyncio.run(workspaces.program(RunId("r1"), start))


def test_an_anchor_that_somebody_overwrote_is_said(user: ScratchRepository) -> None:
    anchor = GitAnchor(GitRepository(user.path))
    anchor.write(AnchorPoint(seq=1, hash="aa"))
    blob = user.git.run("hash-object", "-w", "--stdin", stdin=b"nonsense").text
    user.git.run("update-ref", "refs/supervisor/ledger", blob)
    with pytest.raises(Exception, match="'nonsense', which is no link of the ledger"):
        anchor.read()


def test_a_partial_clone_is_said_with_the_remedy(user: ScratchRepository, tmp_path: Path) -> None:
    user.commit(FILES)
    user.commit({"README": "second\n"})
    user.git.run("config", "uploadpack.allowFilter", "true")
    clone = ["git", "clone", "--quiet", "--filter=blob:none", f"file://{user.path}"]
    subprocess.run([*clone, str(tmp_path / "clone")], check=True)
    repository = GitRepository(tmp_path / "clone")
    workspaces = GitWorkspaces(repository, tmp_path / "state")
    with pytest.raises(Unavailable) as caught:
        asyncio.run(workspaces.program(RunId("r1"), repository.resolve(None).sha))
    assert "partial clone" in (caught.value.hint or "")


DEEDS = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.workspaces.commits.ledger_anchor import GitAnchor
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces
home, state, start, deed = sys.argv[1:]
repository = GitRepository(Path(home))
workspaces = GitWorkspaces(repository, Path(state))

async def work():
    workspace = await workspaces.open("r1", "r1/key", fence=1, start=start)
    (workspace.path / "new").write_bytes(__import__("os").urandom(2_000_000))
    at = datetime(2030, 1, 1, tzinfo=UTC)
    await workspaces.snapshot(workspace, ref="refs/supervisor/r1/x", at=at)

try:
    if deed == "anchor":
        GitAnchor(repository).write(AnchorPoint(seq=1, hash="aa"))
    else:
        asyncio.run(work())
    print("done")
except Unavailable as error:
    print(error.message)
    print(error.hint)
    print(type(error).__name__)
"""


def in_a_world_of_its_own(preparation: str, *arguments: str) -> list[str]:
    """Change mounts where nobody else sees it, then do the deed."""
    script = f'{preparation}\nexec "$@"'
    deed = [sys.executable, "-c", DEEDS, *arguments]
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc", script, "sh", *deed]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


@pytest.mark.parametrize("deed", ["work", "anchor"])
def test_a_read_only_repository_is_said(user: ScratchRepository, tmp_path: Path, deed: str) -> None:
    start = user.commit(FILES)
    mount = f"mount --bind {user.path} {user.path} && mount -o remount,ro,bind {user.path}"
    said = in_a_world_of_its_own(mount, str(user.path), str(tmp_path / "state"), start, deed)
    assert "Read-only file system" in said[0]
    assert said[1:] == ["Make the file system writable and try again.", "HostFailure"]


def test_a_full_disk_under_the_workspaces_is_said(user: ScratchRepository, tmp_path: Path) -> None:
    (user.path / "big").write_bytes(bytes(range(256)) * 4000)
    start = user.commit(FILES)
    state = tmp_path / "state"
    state.mkdir()
    mount = f"mount -t tmpfs -o size=256k none {state}"
    said = in_a_world_of_its_own(mount, str(user.path), str(state), start, "work")
    assert "unable to write file big" in said[0]
    assert said[1:] == ["Free some disk space and try again.", "HostFailure"]


def test_a_full_disk_under_the_repository_is_said_and_no_ref_moves(
    user: ScratchRepository, tmp_path: Path
) -> None:
    start = user.commit(FILES)
    small = tmp_path / "small"
    small.mkdir()
    copy = f"mount -t tmpfs -o size=1m none {small} && cp -a {user.path}/. {small}"
    check = f'"$@"; set -- git --git-dir={small}/.git for-each-ref refs/supervisor/r1/x'
    said = in_a_world_of_its_own(f"{copy}\n{check}", str(small), str(tmp_path / "s"), start, "work")
    assert "No space left on device" in said[0]
    assert said[1:] == ["Free some disk space and try again.", "HostFailure"]


FULL = """
import asyncio, os, sys
sys.argv[4:] = ["none"]
exec(os.environ["DEEDS"].partition("try:")[0])
from supervisor_ai.domain.errors import SupervisorError

async def work():
    workspace = await workspaces.open("r1", "r1/key", fence=1, start=start)
    (workspace.path / "new").write_bytes(os.urandom(2_000_000))
    at, ref, left = datetime(2030, 1, 1, tzinfo=UTC), "refs/supervisor/r1/x", []
    with open(state + "/ballast", "wb", buffering=0) as ballast:
        try:
            while ballast.write(bytes(1 << 16)):
                pass
        except OSError:
            ballast.truncate(ballast.tell() - (1 << 19))
    try:
        await workspaces.snapshot(workspace, ref=ref, at=at, on_left_out=left.append)
    except SupervisorError as error:
        print(type(error).__name__, error.hint)
    os.remove(state + "/ballast")
    print(await workspaces.keep_lost("r1", "r1/key", ref=ref, at=at, on_left_out=left.append), left)

asyncio.run(work())
"""


def test_work_that_a_full_disk_cannot_take_is_kept_when_there_is_room_again(
    user: ScratchRepository, tmp_path: Path
) -> None:
    start = user.commit(FILES)
    state = tmp_path / "state"
    state.mkdir()
    script = f'mount -t tmpfs -o size=200m none {state}\nexec "$@"'
    deed = [sys.executable, "-c", FULL, str(user.path), str(state), start]
    ended = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc", script, "sh", *deed],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DEEDS": DEEDS},
    )
    assert ended.stdout.splitlines() == [
        "HostFailure Free some disk space and try again.",
        "refs/supervisor/r1/x []",
    ], ended.stderr
    assert user.git.run("ls-tree", "--name-only", "refs/supervisor/r1/x").lines == ["README", "new"]


def test_what_cannot_be_drafted_on_disks_that_are_well_is_no_failure_of_the_host(
    user: ScratchRepository, tmp_path: Path
) -> None:
    start = user.commit(FILES)
    workspaces = GitWorkspaces(GitRepository(user.path), tmp_path / "state")
    left: list[LeftOut] = []

    async def work() -> None:
        key, ref = EffectKey("r1/key"), "refs/supervisor/r1/x"
        workspace = await workspaces.open(RunId("r1"), key, fence=1, start=start)
        start_ref = workspace.path.parent / "trusted.git" / "refs" / "heads" / "start"
        start_ref.write_text("No space left on device")
        await workspaces.snapshot(workspace, ref=ref, at=AT, on_left_out=left.append)

    with pytest.raises(Unavailable, match="The files of the workspace cannot be read") as caught:
        asyncio.run(work())
    assert not isinstance(caught.value, HostFailure)
    assert not left


def test_objects_that_git_could_not_put_in_their_place_are_not_taken_for_kept(
    user: ScratchRepository, tmp_path: Path
) -> None:
    start = user.commit(FILES)
    blob = user.git.run("hash-object", "--stdin", stdin=b"new\n").text
    blocked = user.path / ".git" / "objects" / blob[:2]
    workspaces = GitWorkspaces(GitRepository(user.path), tmp_path / "state")
    ref = "refs/supervisor/r1/x"

    async def work() -> None:
        workspace = await workspaces.open(RunId("r1"), EffectKey("r1/key"), fence=1, start=start)
        (workspace.path / "new").write_text("new\n")
        blocked.touch()
        with pytest.raises(Unavailable, match="unpack-objects"):
            await workspaces.snapshot(workspace, ref=ref, at=AT)
        blocked.unlink()
        await workspaces.snapshot(workspace, ref=ref, at=AT)

    asyncio.run(work())
    assert user.git.run("cat-file", "blob", f"{ref}:new").output == b"new\n"
