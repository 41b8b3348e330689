import asyncio
import os
import socket
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF = "refs/supervisor/r1/implement/1.1.1"
FILES = {"README": "hello\n", "src/a.py": "a\n", "src/b.py": "b\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def workspaces(user: ScratchRepository, tmp_path: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), tmp_path / "state")


def attempt(
    workspaces: GitWorkspaces, start: CommitSha, work: Callable[[Path], object]
) -> Snapshot:
    async def go() -> Snapshot:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        work(workspace.path)
        snapshot = await workspaces.snapshot(workspace, ref=REF, at=AT)
        await workspaces.close(workspace)
        return snapshot

    return asyncio.run(go())


def entries(user: ScratchRepository, commit: str) -> dict[bytes, bytes]:
    output = user.git.run("ls-tree", "-r", "-z", "--full-tree", commit).output
    pairs = (entry.split(b"\t", maxsplit=1) for entry in output.split(b"\0") if entry)
    return {path: described.split(b" ")[0] for described, path in pairs}


def changed(user: ScratchRepository, start: CommitSha, snapshot: Snapshot) -> set[bytes]:
    names = ("diff-tree", "-r", "-z", "--name-only", start, snapshot.commit)
    return {path for path in user.git.run(*names).output.split(b"\0") if path}


def test_a_snapshot_is_a_commit_of_ours_on_top_of_its_start(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    snapshot = attempt(workspaces, start, lambda tree: (tree / "README").write_text("new\n"))
    commit = user.git.run("cat-file", "commit", snapshot.commit).text
    signed = f"Supervisor <supervisor@localhost> {int(AT.timestamp())} +0000"
    assert commit == (
        f"tree {snapshot.tree}\nparent {start}\nauthor {signed}\ncommitter {signed}\n\n"
        f"Snapshot of {KEY}"
    )
    assert changed(user, start, snapshot) == {b"README"}


def test_unusual_names_are_kept(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    names = [b"-rf", b"new\nline", b"\x1b[31mred", b"\xff\xfe", b"HEAD", b"a b", b"*", b":(top)x"]
    names += [b"\xc3\xa9", b'"quoted"', b"back\\slash", b"--", b"refs", b"config"]

    def work(tree: Path) -> None:
        for name in names:
            Path(os.fsdecode(os.fsencode(tree) + b"/" + name)).write_text("x")

    start = user.commit(FILES)
    assert changed(user, start, attempt(workspaces, start, work)) == set(names)


def test_modes_links_and_empty_files_are_kept_and_special_files_are_not(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    def work(tree: Path) -> None:
        (tree / "run").write_text("#!/bin/sh\n")
        (tree / "run").chmod(0o755)
        (tree / "suid").write_text("x")
        (tree / "suid").chmod(0o6755)
        (tree / "empty").touch()
        (tree / "etc").symlink_to("/etc")
        (tree / "dangling").symlink_to("nowhere")
        os.mkfifo(tree / "pipe")
        (tree / "src" / "a.py").unlink()
        os.mkfifo(tree / "src" / "a.py")
        with socket.socket(socket.AF_UNIX) as listener:
            os.chdir(tree)
            listener.bind("socket")
        (tree / "nothing" / "below").mkdir(parents=True)

    start = user.commit(FILES)
    here = Path.cwd()
    try:
        snapshot = attempt(workspaces, start, work)
    finally:
        os.chdir(here)
    found = entries(user, snapshot.commit)
    assert found == {
        b"README": b"100644",
        b"dangling": b"120000",
        b"empty": b"100644",
        b"etc": b"120000",
        b"run": b"100755",
        b"src/b.py": b"100644",
        b"suid": b"100755",
    }


def test_ignored_files_are_left_out_by_the_rules_of_the_repository_alone(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES | {".gitignore": "*.log\n"})
    (user.path / ".git" / "info" / "exclude").write_text("*.private\n")

    def work(tree: Path) -> None:
        for name in ("x.log", "x.private", "x.txt"):
            (tree / name).write_text("x")

    assert changed(user, start, attempt(workspaces, start, work)) == {b"x.private", b"x.txt"}


def test_nested_repositories_become_plain_files(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    def work(tree: Path) -> None:
        ScratchRepository(tree / "vendor").commit({"lib.py": "lib\n"})
        ScratchRepository(tree / "empty").write({"x": "x\n"})
        (tree / "pointer").mkdir()
        (tree / "pointer" / ".git").write_text("gitdir: /run/elsewhere\n")
        (tree / "pointer" / "y").write_text("y\n")
        (tree / "src" / ".git").symlink_to("/etc")

    start = user.commit(FILES)
    snapshot = attempt(workspaces, start, work)
    assert changed(user, start, snapshot) == {b"vendor/lib.py", b"empty/x", b"pointer/y"}
    assert set(entries(user, snapshot.commit).values()) == {b"100644"}


def test_other_spellings_of_the_git_directory_are_left_out(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    def work(tree: Path) -> None:
        for name in (".GIT", "git~1", ".g\u200cit", "src/.Git"):
            (tree / name).mkdir()
            (tree / name / "config").write_text("[core]\n")
        (tree / ".gitmodules").symlink_to("README")
        (tree / "fine").write_text("x")

    start = user.commit(FILES)
    assert changed(user, start, attempt(workspaces, start, work)) == {b"fine"}


def test_what_looks_like_a_bare_repository_stays_as_it_was(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    fixture = {"fixture/HEAD": "ref: refs/heads/x\n", "fixture/config": "[core]\n"}
    parts = {"fixture/objects/keep": "", "fixture/refs/keep": ""}
    start = user.commit(FILES | fixture | parts)

    def work(tree: Path) -> None:
        for place in (tree, tree / "evil", tree / "linked"):
            place.mkdir(exist_ok=True)
            (place / "HEAD").write_text("ref: refs/heads/x\n")
            (place / "config").write_text("[core]\n\tfsmonitor = evil\n")
        for place in (tree, tree / "evil"):
            for part in ("objects", "refs"):
                (place / part).mkdir()
                (place / part / "keep").touch()
        (tree / "linked" / "commondir").write_text("../evil\n")
        (tree / "fixture" / "config").write_text("[core]\n\tfsmonitor = evil\n")
        (tree / "src" / "HEAD").write_text("a file like any other\n")

    snapshot = attempt(workspaces, start, work)
    assert changed(user, start, snapshot) == {b"config", b"src/HEAD"}


def test_a_submodule_of_the_start_survives_and_cannot_be_moved(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    user.write(FILES)
    other = user.plant({"x": "x\n"})
    user.git.run("update-index", "--add", "--cacheinfo", f"160000,{other},sub")
    (user.path / "sub").mkdir()
    start = user.commit()
    assert entries(user, start)[b"sub"] == b"160000"

    def work(tree: Path) -> None:
        ScratchRepository(tree / "sub").commit({"moved": "x\n"})
        (tree / "README").write_text("new\n")

    assert changed(user, start, attempt(workspaces, start, work)) == {b"README"}


def test_our_own_state_is_never_part_of_a_snapshot(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    def work(tree: Path) -> None:
        for name in ("artifacts", "logs"):
            (tree / ".supervisor" / name).mkdir(parents=True)
        for name in ("state.db", "state.db-wal", "artifacts/x", "logs/x", "config.yaml"):
            (tree / ".supervisor" / name).write_text("x")

    start = user.commit(FILES)
    assert changed(user, start, attempt(workspaces, start, work)) == {b".supervisor/config.yaml"}


@pytest.mark.parametrize("many", [0, 150])
def test_what_gits_own_check_refuses_is_left_out(
    user: ScratchRepository, workspaces: GitWorkspaces, many: int
) -> None:
    hostile = '[submodule "../../x"]\n\tpath = x\n\turl = -evil\n\tupdate = !touch marker\n'

    def work(tree: Path) -> None:
        (tree / ".gitmodules").write_text(hostile)
        (tree / ".gitattributes").write_text(f"* {'x' * 5000}\n")
        (tree / "src" / ".gitattributes").symlink_to("README")
        (tree / "fine").write_text("x")
        for number in range(many):
            (tree / f"many{number}").write_text(f"{number}")

    start = user.commit(FILES)
    made = changed(user, start, attempt(workspaces, start, work))
    assert {path for path in made if b"many" not in path} == {b"fine", b"src/.gitattributes"}
    assert len(made) == 2 + many
    assert user.git.ask("fsck", "--strict", "--connectivity-only").code == 0


@pytest.mark.parametrize(
    "attributes",
    [
        "* working-tree-encoding=UTF-16\n",
        "* working-tree-encoding=nonsense\n",
        "* filter=evil\n",
        "* text eol=crlf ident\n",
    ],
)
def test_attributes_cannot_prevent_a_snapshot(
    user: ScratchRepository, workspaces: GitWorkspaces, attributes: str
) -> None:
    def work(tree: Path) -> None:
        (tree / ".gitattributes").write_text(attributes)
        (tree / "fine").write_text("x")

    start = user.commit(FILES)
    snapshot = attempt(workspaces, start, work)
    assert {b".gitattributes", b"fine"} <= changed(user, start, snapshot)


def test_line_endings_follow_the_attributes_of_the_repository(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit({".gitattributes": "*.txt text eol=crlf\n", "a.txt": "one\n"})
    seen = []

    def work(tree: Path) -> None:
        seen.append((tree / "a.txt").read_bytes())
        (tree / "b.txt").write_bytes(b"two\r\n")

    snapshot = attempt(workspaces, start, work)
    assert seen == [b"one\r\n"]
    assert changed(user, start, snapshot) == {b"b.txt"}
    assert user.git.run("cat-file", "blob", f"{snapshot.commit}:b.txt").output == b"two\n"


def dig(place: Path, name: str, depth: int) -> None:
    """Make directories inside each other, beyond what a path can name, with a file in the last."""
    handle = os.open(place, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=handle)
        below = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)


def test_deep_trees_are_snapshotted_as_far_as_paths_reach_and_removed_whole(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    def work(tree: Path) -> None:
        dig(tree, "d", 1100)
        dig(tree, "n" * 250, 20)

    start = user.commit(FILES)
    try:
        made = changed(user, start, attempt(workspaces, start, work))
        assert made == {b"d/" * 1100 + b"file"}
        assert list((tmp_path / "state" / "r1" / "work").iterdir()) == []
    finally:
        # What pytest removes, it removes by recursion, and that ends before the tree does.
        remove(tmp_path / "state")


def test_shallow_clones_work(user: ScratchRepository, tmp_path: Path) -> None:
    user.commit(FILES)
    user.commit({"README": "second\n"})
    clone = Git(directory=tmp_path / "clone" / ".git", work_tree=tmp_path / "clone")
    clone.directory.mkdir(parents=True)
    clone.run("init", "--initial-branch=main")
    remote = f"file://{user.path}"
    fetch = ("-c", "protocol.allow=always", "fetch", "--quiet", "--depth=1", remote, "main")
    clone.run(*fetch)
    clone.run("reset", "--quiet", "--hard", "FETCH_HEAD")
    workspaces = GitWorkspaces(GitRepository(tmp_path / "clone"), tmp_path / "state")
    start = CommitSha(clone.run("rev-parse", "HEAD").text)
    snapshot = attempt(workspaces, start, lambda tree: (tree / "x").write_text("x"))
    assert clone.run("rev-list", snapshot.commit).text.split() == [snapshot.commit, start]


def test_sha256_repositories_get_sha256_snapshots(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "long", object_format="sha256")
    start = user.commit(FILES)
    workspaces = GitWorkspaces(GitRepository(user.path), tmp_path / "state")
    first = attempt(workspaces, start, lambda tree: (tree / "x").write_text("x"))
    second = attempt(workspaces, first.commit, lambda tree: (tree / "y").write_text("y"))
    assert len(second.commit) == 64
    assert changed(user, start, second) == {b"x", b"y"}


def test_a_ref_outside_our_own_is_refused(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)

    async def go() -> None:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        await workspaces.snapshot(workspace, ref="refs/heads/main", at=AT)

    with pytest.raises(InvalidInput, match="not below 'refs/supervisor/'"):
        asyncio.run(go())
    assert user.git.run("rev-parse", "main").text == start


def test_files_in_a_workspace_are_what_the_checkout_would_be(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    (user.path / "run.sh").write_text("#!/bin/sh\n")
    (user.path / "run.sh").chmod(0o755)
    (user.path / "link").symlink_to("README")
    start = user.commit(FILES)
    modes = {}

    def work(tree: Path) -> None:
        for path in tree.rglob("*"):
            modes[str(path.relative_to(tree))] = stat.filemode(path.lstat().st_mode)

    snapshot = attempt(workspaces, start, work)
    assert changed(user, start, snapshot) == set()
    assert modes == {
        ".git": "-r--r--r--",
        "README": "-rw-r--r--",
        "link": "lrwxrwxrwx",
        "run.sh": "-rwxr-xr-x",
        "src": "drwxr-xr-x",
        "src/a.py": "-rw-r--r--",
        "src/b.py": "-rw-r--r--",
    }
