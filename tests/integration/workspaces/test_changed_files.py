import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/test/1/1/gate/1")
REF = "refs/supervisor/r1/test/1.1.1"
FILES = {"README": "hello\n", "src/a.py": "a\n", "src/b.py": "b\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def workspaces(user: ScratchRepository, tmp_path: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), tmp_path / "state")


def after(
    workspaces: GitWorkspaces, start: CommitSha, work: Callable[[Path], object]
) -> tuple[tuple[str, ...], CommitSha]:
    """Tell what changed, and what a snapshot is that is taken afterwards."""

    async def go() -> tuple[tuple[str, ...], CommitSha]:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        work(workspace.path)
        changed = await workspaces.changed(workspace)
        snapshot = await workspaces.snapshot(workspace, ref=REF, at=AT)
        await workspaces.close(workspace)
        return changed, snapshot.commit

    return asyncio.run(go())


def snapshotted(
    workspaces: GitWorkspaces, start: CommitSha, work: Callable[[Path], object]
) -> CommitSha:
    async def go() -> CommitSha:
        workspace = await workspaces.open(RUN, KEY, fence=2, start=start)
        work(workspace.path)
        return (await workspaces.snapshot(workspace, ref=REF, at=AT)).commit

    return asyncio.run(go())


def touch_everything(tree: Path) -> None:
    for path in FILES:
        os.utime(tree / path, (1, 1))


def same_size_and_time(tree: Path) -> None:
    known = (tree / "README").stat()
    (tree / "README").write_text("HELLO\n")
    os.utime(tree / "README", ns=(known.st_atime_ns, known.st_mtime_ns))


def link_instead(tree: Path) -> None:
    (tree / "README").unlink()
    (tree / "README").symlink_to("src/a.py")


def directory_elsewhere(tree: Path) -> None:
    (tree / "src").rename(tree / "moved")
    (tree / "src").symlink_to("moved")


def pipe_instead(tree: Path) -> None:
    (tree / "README").unlink()
    os.mkfifo(tree / "README")


def repository_of_its_own(tree: Path) -> None:
    (tree / "src" / ".git").mkdir()
    (tree / "src" / ".git" / "config").write_text("[core]\n\tfsmonitor = touch /tmp/owned\n")
    (tree / "src" / "a.py").write_text("changed\n")


def conversion_that_fails(tree: Path) -> None:
    (tree / ".gitattributes").write_text("README working-tree-encoding=UTF-16\n")
    (tree / "README").write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize(
    ("work", "changed"),
    [
        (touch_everything, ()),
        (same_size_and_time, ("README",)),
        (link_instead, ("README",)),
        (directory_elsewhere, ("src/a.py", "src/b.py")),
        (pipe_instead, ("README",)),
        (lambda tree: (tree / "README").chmod(0o755), ("README",)),
        (lambda tree: (tree / "src").chmod(0o000), ()),
        (lambda tree: (tree / "untracked").write_text("x"), ()),
        (lambda tree: (tree / ".git").write_text("gitdir: /etc\n"), ()),
        (repository_of_its_own, ("src/a.py",)),
        (conversion_that_fails, ("README",)),
    ],
)
def test_changed_files_are_found_however_they_changed(
    user: ScratchRepository,
    workspaces: GitWorkspaces,
    work: Callable[[Path], object],
    changed: tuple[str, ...],
) -> None:
    start = user.commit(FILES)
    found, snapshot = after(workspaces, start, work)
    assert found == changed
    assert snapshot == snapshotted(workspaces, start, work)


def test_the_choice_how_bytes_are_taken_is_left_to_the_snapshot(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    """A failed conversion at the look must not turn line endings in a snapshot without one."""
    start = user.commit(FILES)

    async def go() -> tuple[str, ...]:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        conversion_that_fails(workspace.path)
        await workspaces.changed(workspace)
        (workspace.path / ".gitattributes").write_text("* text\n")
        (workspace.path / "README").write_bytes(b"hello\r\n")
        changed = await workspaces.changed(workspace)
        await workspaces.snapshot(workspace, ref=REF, at=AT)
        return changed

    assert asyncio.run(go()) == ()
    assert user.git.run("cat-file", "blob", f"{REF}:README").output == b"hello\n"


def test_a_link_to_a_commit_is_no_file(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    user.commit(FILES)
    head = user.git.run("rev-parse", "HEAD").text
    user.git.run("update-index", "--add", "--cacheinfo", f"160000,{head},module")
    tree = user.git.run("write-tree").text
    start = CommitSha(user.git.run("commit-tree", tree, "-p", head, "-m", "link").text)
    found, _ = after(workspaces, start, lambda tree: (tree / "module").rmdir())
    assert found == ()


def test_a_second_look_sees_what_happened_in_between(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)

    async def go() -> list[tuple[str, ...]]:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        looks = []
        for text in ("one\n", "two\n", "hello\n"):
            (workspace.path / "README").write_text(text)
            looks.append(await workspaces.changed(workspace))
        assert not list(workspace.path.parent.glob("trusted.git/look-*"))
        return looks

    assert asyncio.run(go()) == [("README",), ("README",), ()]


def test_reports_are_no_change_and_only_plain_ones_that_fit_are_read(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    async def go() -> None:
        plan = WorkspacePlan(has_reports=True)
        start = user.commit(FILES)
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start, plan=plan)
        place = workspace.reports
        assert place is not None
        (place / "a.xml").write_text("<a/>")
        (place / "large.xml").write_text("x" * 9)
        (place / "z.json").write_text("{}")
        (place / "link.xml").symlink_to(workspace.path / "README")
        (place / "folder").mkdir()
        os.mkfifo(place / "pipe")
        found = await workspaces.read_reports(workspace, most=8)
        assert found == {"a.xml": b"<a/>", "z.json": b"{}"}
        assert await workspaces.changed(workspace) == ()
        await workspaces.close(workspace)
        assert not place.exists()

    asyncio.run(go())
