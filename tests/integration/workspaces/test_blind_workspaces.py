"""A blind role cannot get at what is hidden from it, by no name and by no hash."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.integration.workspaces.bare_sandbox import hand_over, sandboxed

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import PLAIN, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/review/1/1/worker/1")
REF = "refs/supervisor/r1/review/1.1.1"
HIDES = ("secret/", "test_*.py", "!test_shown.py", "/only-here")
SHOWN = {"README": "hello\n", "src/a.py": "a\n", "test_shown.py": "s\n", "src/only-here": "o\n"}
HIDDEN = {"secret/deep/key": "key\n", "src/test_a.py": "t\n", "only-here": "h\n"}
BLIND = WorkspacePlan(hides=HIDES)


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a directory that other users can traverse, which pytest's own is not."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(params=["sha1", "sha256"])
def user(place: Path, request: pytest.FixtureRequest) -> ScratchRepository:
    home = place / "home"
    home.mkdir(mode=0o700)
    return ScratchRepository(home / "project", object_format=request.param)


@pytest.fixture
def workspaces(user: ScratchRepository, place: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), place / "state")


def opened(
    workspaces: GitWorkspaces, start: CommitSha, plan: WorkspacePlan = BLIND, fence: int = 1
) -> Workspace:
    return asyncio.run(workspaces.open(RUN, KEY, fence=fence, start=start, plan=plan))


def names(workspace: Workspace) -> set[str]:
    found = (path for path in workspace.path.rglob("*") if path.is_file())
    return {str(path.relative_to(workspace.path)) for path in found} - {".git"}


def files(user: ScratchRepository, commit: CommitSha) -> dict[str, str | None]:
    repository = GitRepository(user.path)
    return {path: repository.read(commit, path) for path in repository.list(commit, "")}


def test_hidden_objects_cannot_be_read_by_any_hash(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    before = user.commit({"src/a.py": "before\n", **HIDDEN})
    start = user.commit(SHOWN)
    opened(workspaces, start, PLAIN, fence=9)  # Others of the run share its history meanwhile.
    workspace = opened(workspaces, start)
    hand_over(workspace)
    everything = user.git.run("rev-list", "--objects", "--no-object-names", start).text.split()
    shown = {user.git.run("rev-parse", f"{start}:{path}").text for path in SHOWN}
    hidden = [user.git.run("rev-parse", f"{start}:{path}").text for path in HIDDEN]
    script = f"""
        git cat-file --batch-all-objects --batch-check='%(objectname)'
        echo ---
        printf '%s\\n' {" ".join(everything)} | git cat-file --batch-check='%(objectname)'
        echo ---
        git log --format=%s
        git status --porcelain
        git fsck --strict --no-dangling
        echo more >> README && git commit -qam mine && git diff --stat HEAD~1 | tail -1
        """
    there, asked, rest = (part.split("\n") for part in sandboxed(workspace, script).split("---\n"))
    readable = {line for line in asked if line and not line.endswith("missing")}
    assert shown <= set(there)
    assert readable == set(there) & set(everything)
    assert not readable & {*hidden, start, before}
    assert rest[:2] == ["Start", " 1 file changed, 1 insertion(+)"]


def test_the_test_above_could_fail(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    start = user.commit(SHOWN | HIDDEN)
    workspace = opened(workspaces, start, PLAIN)
    hand_over(workspace)
    secret = user.git.run("rev-parse", f"{start}:secret/deep/key").text
    assert sandboxed(workspace, f"git cat-file blob {secret}") == "key\n"


def test_nothing_that_a_blind_worker_sees_leads_to_a_shared_object(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(SHOWN | HIDDEN)
    workspace = opened(workspaces, start)
    sources = [mount.source for mount in workspace.mounts]
    assert place / "state" / "r1" / "base.git" not in sources
    assert sources == [
        workspace.path,
        workspace.path / ".git",
        workspace.path.parent / "worker.git",
    ]
    git = workspace.path.parent / "worker.git"
    assert not (git / "objects" / "info" / "alternates").exists()
    needles = [os.fsencode(place / "home"), os.fsencode(start), b"test_a", b"secret", b"deep"]
    for file in (path for path in git.rglob("*") if path.is_file()):
        assert not [needle for needle in needles if needle in file.read_bytes()], file


def test_patterns_mean_what_they_mean_in_an_ignore_file(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    odd = {"secret/new\nline": "x\n", "secret/-dash": "x\n", "secret/HEAD": "x\n"}
    start = user.commit(SHOWN | HIDDEN | odd)
    assert names(opened(workspaces, start)) == set(SHOWN)


@pytest.mark.parametrize("pattern", ["a\nb", "a\0b"])
def test_a_pattern_of_two_lines_is_refused(
    user: ScratchRepository, workspaces: GitWorkspaces, pattern: str
) -> None:
    start = user.commit(SHOWN)
    with pytest.raises(InvalidInput, match="more than one line"):
        opened(workspaces, start, WorkspacePlan(hides=(pattern,)))


def test_what_is_hidden_stays_as_it_was_whatever_is_put_in_its_place(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(SHOWN | HIDDEN)
    workspace = opened(workspaces, start)
    tree = workspace.path
    (tree / "secret").write_text("a file where the directory was\n")
    (tree / "only-here").mkdir()
    (tree / "only-here" / "x").write_text("a directory where the file was\n")
    (tree / "src" / "test_a.py").symlink_to("/etc/passwd")
    (tree / "src" / "test_new.py").write_text("new\n")
    (tree / "src" / "a.py").rename(tree / "src" / "b.py")
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    wanted = SHOWN | HIDDEN | {"src/b.py": "a\n"}
    del wanted["src/a.py"]
    assert files(user, snapshot.commit) == wanted


def test_nothing_changed_is_the_very_tree_of_the_start(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(SHOWN | HIDDEN)
    snapshot = asyncio.run(workspaces.snapshot(opened(workspaces, start), ref=REF, at=AT))
    assert snapshot.tree == GitRepository(user.path).tree(start)


def test_lost_work_of_a_blind_role_is_kept(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(SHOWN | HIDDEN)
    (opened(workspaces, start).path / "README").write_text("lost\n")
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) == REF
    kept = GitRepository(user.path).tip(REF)
    assert kept is not None
    assert files(user, kept) == SHOWN | HIDDEN | {"README": "lost\n"}


WRAPPER = """\
#!/bin/sh
printf '%s\\n' "$*" >> {log}
exec {git} "$@"
"""


def test_patterns_are_never_matched_in_the_tree_of_a_worker(
    user: ScratchRepository,
    workspaces: GitWorkspaces,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace = opened(workspaces, user.commit(SHOWN | HIDDEN))
    wrapper, log = place / "bin" / "git", place / "log"
    wrapper.parent.mkdir()
    wrapper.write_text(WRAPPER.format(log=log, git=shutil.which("git")))
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    asked = [line for line in log.read_text().splitlines() if " ls-files " in line]
    assert any("--stage" in line for line in asked)
    trusted = workspace.path.parent / "trusted.git"
    assert all(f"--work-tree={trusted} " in line for line in asked)


def test_everything_can_be_hidden(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    start = user.commit(SHOWN | HIDDEN)
    workspace = opened(workspaces, start, WorkspacePlan(hides=("*",)))
    assert names(workspace) == set()
    (workspace.path / "new").write_text("new\n")
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    assert snapshot.tree == GitRepository(user.path).tree(start)


def test_a_shallow_clone_can_be_looked_at_blindly(user: ScratchRepository, place: Path) -> None:
    user.commit({"old": "old\n"})
    start = user.commit(SHOWN | HIDDEN)
    clone = place / "clone"
    source = f"file://{user.path}"
    subprocess.run(["git", "clone", "-q", "--depth=1", source, str(clone)], check=True)
    workspaces = GitWorkspaces(GitRepository(clone), place / "other" / "state")
    (place / "other").mkdir(mode=0o711)
    workspace = opened(workspaces, start)
    hand_over(workspace)
    assert sandboxed(workspace, "git log --format=%s && git status --porcelain") == "Start\n"
    worker_git = Git(directory=workspace.path.parent / "worker.git")
    assert worker_git.ask("cat-file", "-e", start).code != 0
