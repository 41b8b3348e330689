"""What a worker sees, what it cannot reach, and what it cannot make run on the host."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.integration.workspaces.bare_sandbox import hand_over, sandboxed

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.engine.ports.workspaces import Landed, Landing, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF = "refs/supervisor/r1/implement/1.1.1"
FILES = {"README": "hello\n", "src/a.py": "a\n"}


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a directory that other users can traverse, which pytest's own is not."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def user(place: Path) -> ScratchRepository:
    home = place / "home"
    home.mkdir()
    home.chmod(0o700)
    return ScratchRepository(home / "project")


@pytest.fixture
def workspaces(user: ScratchRepository, place: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), place / "state")


def opened(workspaces: GitWorkspaces, start: CommitSha, number: int = 1) -> Workspace:
    key = EffectKey(f"r1/implement/1/1/worker/{number}")
    return asyncio.run(workspaces.open(RUN, key, fence=1, start=start))


def test_git_works_for_a_worker_that_cannot_reach_the_users_repository(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    secret = user.plant({"secret": "of another branch\n"})
    start = user.commit(FILES)
    workspace = opened(workspaces, start)
    hand_over(workspace)
    output = sandboxed(
        workspace,
        f"""
        test -z "$(git status --porcelain)"
        git rev-parse --abbrev-ref HEAD
        git log --format=%s
        echo changed > README
        git add -A && git commit -qm mine && git switch -qc other
        echo stashed > README && git stash -q && git stash pop -q && git checkout -q README
        git rebase -q task && git diff --stat HEAD~1
        git log -1 --format='%an <%ae>'
        ! git cat-file -e {secret} 2>/dev/null
        ! ls {user.path} 2>/dev/null
        ! rm -f .git 2>/dev/null && ! mv .git moved 2>/dev/null
        ! (echo gitdir: /tmp/evil > .git) 2>/dev/null
        echo done
        """,
    )
    assert output.splitlines() == [
        "task",
        "user",
        " README | 2 +-",
        " 1 file changed, 1 insertion(+), 1 deletion(-)",
        "Supervisor <supervisor@localhost>",
        "done",
    ]
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    assert GitRepository(user.path).read(snapshot.commit, "README") == "changed\n"
    follower = opened(workspaces, snapshot.commit, 2)
    hand_over(follower)
    log = sandboxed(follower, "git log --format=%s && git status --porcelain && cat README")
    assert log.splitlines() == [f"Snapshot of {KEY}", "user", "changed"]


def test_plain_git_on_the_host_fails_in_a_workspace(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    status = ["git", "status"]
    ended = subprocess.run(status, cwd=workspace.path, capture_output=True, text=True, check=False)
    assert ended.returncode == 128
    assert "not a git repository: /run/wgit" in ended.stderr


def test_a_worker_gets_the_history_of_its_base_and_nothing_else(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    user.commit(FILES)
    base = user.commit({"README": "second\n"})
    user.git.run("checkout", "--quiet", "-b", "other")
    user.commit({"other": "other\n"})
    user.git.run("checkout", "--quiet", "main")
    user.write({"README": "stashed\n"})
    user.git.run("stash")
    opened(workspaces, base)
    history = Git(directory=place / "state" / "r1" / "base.git")
    everything = ("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    reachable = user.git.run("rev-list", "--objects", "--no-object-names", base)
    assert sorted(history.run(*everything).text.split()) == sorted(reachable.text.split())
    assert history.run("for-each-ref", "--format=%(objectname)").text == base
    assert history.run("fsck", "--strict").code == 0


def test_a_worker_can_read_no_object_that_is_not_of_its_start(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    user.git.run("checkout", "--quiet", "-b", "other")
    elsewhere = [user.commit({"other": "of another branch\n"})]
    user.git.run("checkout", "--quiet", "main")
    user.write({"README": "stashed\n"})
    user.git.run("stash")
    elsewhere.append(CommitSha(user.git.run("rev-parse", "stash").text))
    elsewhere.append(user.plant({"unreachable": "of no branch\n"}))
    made = []
    for number in (1, 2):
        attempt = opened(workspaces, base, number)
        (attempt.path / "README").write_text(f"attempt {number}\n")
        made.append(asyncio.run(workspaces.snapshot(attempt, ref=f"{REF}{number}", at=AT)).commit)
        asyncio.run(workspaces.close(attempt))
    discarded, start = made
    follower = opened(workspaces, start, 3)
    hand_over(follower)
    seen = sandboxed(follower, "git cat-file --batch-all-objects --batch-check='%(objectname)'")
    objects = ("rev-list", "--objects", "--no-object-names")
    assert sorted(seen.split()) == sorted(user.git.run(*objects, start).text.split())
    hidden = user.git.run(*objects, *elsewhere, discarded, f"^{start}").text.split()
    assert len(hidden) > 10
    asked = "\\n".join(hidden)
    answers = sandboxed(follower, f"printf '{asked}\\n' | git cat-file --batch-check")
    assert answers.splitlines() == [f"{it} missing" for it in hidden]


def test_who_may_only_read_cannot_write_but_has_git(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    plan = WorkspacePlan(is_writable=False)
    opening = workspaces.open(RUN, KEY, fence=1, start=user.commit(FILES), plan=plan)
    workspace = asyncio.run(opening)
    hand_over(workspace)
    script = """
        ! (echo x > README) 2>/dev/null && ! touch new 2>/dev/null && ! rm -rf src 2>/dev/null
        ! mkdir .git/hooks 2>/dev/null && ! rm -f .git 2>/dev/null
        cat README && git status --porcelain && git branch mine && git log --format=%s mine
        """
    assert sandboxed(workspace, script) == "hello\nuser\n"
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    assert snapshot.tree == GitRepository(user.path).tree(workspace.start)


def test_nothing_that_a_worker_sees_points_into_the_users_repository(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    workspace = opened(workspaces, start)
    (workspace.path / "new").write_text("new\n")
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    follower = opened(workspaces, snapshot.commit, 2)
    needle = os.fsencode(user.path.parent)
    for mount in follower.mounts:
        files = mount.source.rglob("*") if mount.source.is_dir() else [mount.source]
        for file in (path for path in files if path.is_file() and not path.is_symlink()):
            assert needle not in file.read_bytes(), file


def test_a_strict_umask_does_not_shut_the_worker_out(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    (place / "state").mkdir(mode=0o711)
    before = os.umask(0o077)
    try:
        workspace = opened(workspaces, start)
        program = asyncio.run(workspaces.program(RUN, start))
    finally:
        os.umask(before)
    hand_over(workspace)
    assert sandboxed(workspace, "cat README && git log --format=%s") == "hello\nuser\n"
    for path in (program, *program.rglob("*")):
        assert path.stat().st_mode & 0o044 == 0o044, path


def trap(place: Path) -> tuple[Path, Path]:
    """Make a program that leaves a mark when somebody runs it."""
    marker, program = place / "marker", place / "trap"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    return marker, program


def hostile_configuration(program: Path) -> str:
    return f"""
[core]
    fsmonitor = {program}
    hooksPath = {program.parent}
    sshCommand = {program}
    pager = {program}
    editor = {program}
    alternateRefsCommand = {program}
[diff]
    external = {program}
[diff "evil"]
    textconv = {program}
    command = {program}
[filter "evil"]
    clean = {program}
    smudge = {program}
    process = {program}
    required = true
[merge "evil"]
    driver = {program}
[commit]
    gpgsign = true
[gpg]
    program = {program}
[uploadpack]
    packObjectsHook = {program}
[include]
    path = {program.parent}/more
"""


def poison_git_directory(directory: Path, program: Path) -> None:
    (directory / "config").write_text(hostile_configuration(program))
    (directory / "commondir").write_text(f"{program.parent}/evil\n")
    (directory / "info").mkdir(exist_ok=True)
    (directory / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
    (directory / "hooks").mkdir(exist_ok=True)
    for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program, directory / "hooks" / hook)


def poison_own_git_directory(workspace: Workspace, program: Path) -> None:
    poison_git_directory(workspace.path.parent / "worker.git", program)


def poison_pointer(workspace: Workspace, program: Path) -> None:
    evil = ScratchRepository(workspace.path / "evil")
    evil.commit({"x": "x\n"})
    poison_git_directory(evil.git.directory, program)
    (workspace.path / ".git").unlink()
    (workspace.path / ".git").write_text(f"gitdir: {evil.git.directory}\n")


def poison_pointer_as_directory(workspace: Workspace, program: Path) -> None:
    (workspace.path / ".git").unlink()
    evil = ScratchRepository(workspace.path)
    evil.commit({})
    (evil.git.directory / "config").write_text(hostile_configuration(program))


def poison_root(workspace: Workspace, program: Path) -> None:
    (workspace.path / ".git").unlink()
    for part in ("objects", "refs"):
        (workspace.path / part).mkdir()
    (workspace.path / "HEAD").write_text("ref: refs/heads/x\n")
    (workspace.path / "config").write_text(hostile_configuration(program))


def poison_submodule(workspace: Workspace, program: Path) -> None:
    evil = ScratchRepository(workspace.path / "sub")
    evil.commit({"x": "x\n"})
    evil.write({"x": "dirty\n"})
    (evil.git.directory / "config").write_text(hostile_configuration(program))
    module = '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tupdate = !touch marker\n'
    (workspace.path / ".gitmodules").write_text(module)


def poison_attributes(workspace: Workspace, program: Path) -> None:
    (workspace.path / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    (workspace.path / ".gitconfig").write_text(hostile_configuration(program))
    (workspace.path / "src" / ".gitattributes").write_text("* filter=evil\n")


POISONS = [
    poison_own_git_directory,
    poison_pointer,
    poison_pointer_as_directory,
    poison_root,
    poison_submodule,
    poison_attributes,
]


@pytest.mark.parametrize("poison", POISONS)
def test_nothing_that_a_worker_plants_runs_on_the_host(
    user: ScratchRepository,
    workspaces: GitWorkspaces,
    place: Path,
    poison: Callable[[Workspace, Path], None],
) -> None:
    marker, program = trap(place)
    link = user.plant({"x": "x\n"})
    user.git.run("update-index", "--add", "--cacheinfo", f"160000,{link},sub")
    (user.path / "sub").mkdir()
    start = user.commit(FILES)

    async def go() -> Landed:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        poison(workspace, program)
        (workspace.path / "README").write_text("worker\n")
        snapshot = await workspaces.snapshot(workspace, ref=REF, at=AT)
        assert await workspaces.keep_lost(RUN, KEY, ref=f"{REF}-lost", at=AT) == f"{REF}-lost"
        await workspaces.close(workspace)
        await workspaces.diff(start, snapshot.commit)
        follower = await workspaces.open(RUN, KEY, fence=2, start=snapshot.commit)
        poison(follower, program)
        await workspaces.close(follower)
        user.git.run("branch", "ai/r1", user.plant(FILES | {"user": "user\n"}, parent=start))
        landing = Landing(
            run=RUN,
            key=EffectKey("r1/commit"),
            snapshot=snapshot.commit,
            base=start,
            branch="ai/r1",
            expected=None,
            message="Land",
            identity=Identity(name="Ada", email="a@b"),
            at=AT,
        )
        landed = await workspaces.land(landing)
        assert isinstance(landed, Landed), landed
        return landed

    commit = asyncio.run(go()).commit
    assert GitRepository(user.path).read(commit, "README") == "worker\n"
    assert not marker.exists()


@pytest.mark.parametrize(
    ("poison", "below"),
    [(poison_pointer_as_directory, "."), (poison_submodule, "sub")],
)
def test_the_traps_would_spring_for_a_careless_host(
    user: ScratchRepository,
    workspaces: GitWorkspaces,
    place: Path,
    poison: Callable[[Workspace, Path], None],
    below: str,
) -> None:
    marker, program = trap(place)
    workspace = opened(workspaces, user.commit(FILES))
    poison(workspace, program)
    careless = ["git", "-C", str(workspace.path / below), "status"]
    subprocess.run(careless, capture_output=True, check=False)
    assert marker.exists()
