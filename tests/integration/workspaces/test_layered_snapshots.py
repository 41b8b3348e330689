"""A snapshot of files that lie over an export holds what one of a check-out would hold."""

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

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, TreeSha
from supervisor_ai.engine.ports.workspaces import LeftOut, Quota, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.admission import clean
from supervisor_ai.workspaces.files.mounts import unmount
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can lay a directory over another"
)

AT = datetime(2030, 1, 1, tzinfo=UTC)
FIRST = {
    "README": "hello\n",
    ".gitignore": "*.log\nbuild/\n",
    ".gitattributes": "*.crlf text eol=lf\n",
    "src/a.py": "a\n",
    "src/deep/b.py": "b\n",
    "looks/HEAD": "head\n",
    "looks/objects": "no directory\n",
    "odd name": "x\n",
    "kept.log": "tracked, though it matches\n",
}
SECOND = {"added": "a\n", "more/one": "1\n", "more/two": "2\n", "README": "again\n"}
KEEPS = WorkspacePlan(keeps=Quota(disk=1 << 20, files=5000))

SCRIPTS = {
    "nothing": "true",
    "changes": "echo more >> README; echo new > src/new.py; chmod +x src/a.py",
    "the same again": "cp README r; mv r README; touch src/a.py",
    "removals": "rm README src/deep/b.py 'odd name'",
    "what the start added is removed": "rm -f added; rm -rf more/one",
    "what the start added is a directory no more": "rm -rf more; echo file > more",
    "a directory goes": "rm -r src",
    "a directory comes back with less": "rm -r src; mkdir -p src/deep; echo c > src/deep/c.py",
    "a directory moves": "mv src lib; echo c > lib/deep/c.py",
    "a directory moves and another takes its place": "mv src lib; mkdir src; echo n > src/a.py",
    "a file becomes a directory": "rm README; mkdir README; echo in > README/inside",
    "a file becomes an empty directory": "rm README; mkdir README",
    "a file becomes a directory of ignored files": "rm README; mkdir README; echo > README/x.log",
    "a directory becomes a link": "rm -r src; ln -s /etc src",
    "a directory becomes a file": "rm -r src; echo file > src",
    "a directory becomes a pipe": "rm -r src; mkfifo src",
    "a file becomes a link": "rm README; ln -s /etc/passwd README",
    "a file becomes a pipe": "rm README; mkfifo README; mkfifo pipe",
    "ignored": "echo x > a.log; mkdir -p build/x; echo x > build/x/y; echo more >> kept.log",
    "what is ignored changes": "echo '!*.log' > .gitignore; echo x > a.log; echo x > b.py",
    "nothing is ignored": "rm .gitignore; echo x > a.log; mkdir build; echo x > build/y",
    "a directory ignores what is tracked in it": "echo '*' > src/.gitignore; echo y >> src/a.py",
    "lines end in another way": r"printf 'a\r\nb\r\n' > x.crlf; printf 'a\r\n' > x.txt",
    "attributes change": "echo '*.txt text' > .gitattributes; printf 'a\r\n' > x.txt",
    "attributes that fail": "echo '* working-tree-encoding=UTF-16' > .gitattributes; echo a > b",
    "names like patterns": "echo 1 > ':(top)x'; echo 2 > '*'; echo 3 > '[a]'; echo 4 > ':!README'",
    "names with everything": r"""echo 1 > "$(printf 'a\nb')"; echo 2 > 'q"q'; echo 3 > "$(
        printf '\377')"; echo 4 > 'back\slash'; echo 5 > ' '""",
    "repositories": "git init -q nested; echo x > nested/y; mkdir src/.git; echo x > src/.git/HEAD",
    "what looks like one": "mkdir looks/refs; rm looks/objects; mkdir looks/objects; >looks/x",
    "aliases": "echo x > 'GIT~1'; mkdir src/.GIT; echo y > src/.GIT/config; ln -s x .gitmodules",
    "own state": "mkdir -p .supervisor; echo x > .supervisor/state.db; echo y > .supervisor/ok",
    "permissions": "echo x > new; chmod 000 new README src/deep; chmod 000 src",
    "a link in front": "mkdir d; echo x > d/f; ln -s d e",
    "hard links": "ln src/deep/b.py link; printf 'more\n' >> link",
    "too much": "head -c 900000 /dev/zero > one; head -c 900001 /dev/zero > two; echo x >> README",
    "very many": "mkdir many; cd many; seq 2100 | xargs touch",
}
ALL_KNOWN = ("nothing", "changes", "removals", "ignored", "permissions", "hard links")


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Make a directory that other users can traverse, and leave nothing mounted below it."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o711)
    yield path
    for mounted in path.glob("**/tree"):
        unmount(mounted)
    shutil.rmtree(path)


class Project:
    """A repository with two commits, and workspaces of both kinds."""

    def __init__(self, place: Path) -> None:
        self.user = ScratchRepository(place / "project")
        self.first = self.user.commit(FIRST)
        self.second = self.user.commit(SECOND)
        repository = GitRepository(self.user.path)
        self._kinds = {
            is_layered: GitWorkspaces(
                repository, place / f"state-{is_layered}", layered_from=0 if is_layered else 10**9
            )
            for is_layered in (True, False)
        }
        for workspaces in self._kinds.values():
            self._prepare(workspaces)

    def _prepare(self, workspaces: GitWorkspaces) -> None:
        """Let the first commit be the one that all workspaces lie over."""
        key = EffectKey("r1/plan/1/1/worker/1")
        opened = workspaces.open(RunId("r1"), key, fence=1, start=self.first)
        asyncio.run(workspaces.close(asyncio.run(opened)))

    def snapshot(
        self, script: str, start: CommitSha, *, is_layered: bool
    ) -> tuple[TreeSha, list[LeftOut]]:
        workspaces, left_out = self._kinds[is_layered], list[LeftOut]()
        key = EffectKey("r1/implement/1/1/worker/1")
        opened = workspaces.open(RunId("r1"), key, fence=1, start=start, plan=KEEPS)
        workspace = asyncio.run(opened)
        try:
            hand_over(workspace)
            assert workspace.path.is_mount() is is_layered
            sandboxed(workspace, script)
            ref = "refs/supervisor/r1/implement/1.1"
            kept = workspaces.snapshot(workspace, ref=ref, at=AT, on_left_out=left_out.append)
            return asyncio.run(kept).tree, sorted(left_out, key=lambda it: it.path)
        finally:
            asyncio.run(workspaces.close(workspace))

    def touched(self, script: str) -> tuple[bytes, ...] | None:
        key = EffectKey("r1/look/1/1/worker/1")
        workspaces = self._kinds[True]
        workspace = asyncio.run(
            workspaces.open(RunId("r1"), key, fence=1, start=self.first, plan=KEEPS)
        )
        try:
            hand_over(workspace)
            sandboxed(workspace, script)
            layers = WorkspaceDirectory(path=workspace.path.parent).layers
            return clean(workspace.path, layers.names()).touched
        finally:
            asyncio.run(workspaces.close(workspace))


@pytest.fixture(scope="module")
def project(place: Path) -> Project:
    return Project(place)


def shown(project: Project, tree: TreeSha) -> list[str]:
    command = ["git", "-C", str(project.user.path), "ls-tree", "-r", tree]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.parametrize("which", ["first", "second"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_both_snapshots_hold_the_same_files_and_leave_out_the_same(
    project: Project, name: str, which: str
) -> None:
    start = project.first if which == "first" else project.second
    plain, layered = (
        project.snapshot(SCRIPTS[name], start, is_layered=is_layered)
        for is_layered in (False, True)
    )
    assert shown(project, layered[0]) == shown(project, plain[0])
    assert layered == plain


@pytest.mark.parametrize("name", ALL_KNOWN)
def test_what_a_worker_usually_does_is_known_without_a_look_at_everything(
    project: Project, name: str
) -> None:
    touched = project.touched(SCRIPTS[name])
    assert touched is not None
    assert b"src/deep/b.py" not in touched or name in {"removals", "hard links"}


def test_the_names_of_what_was_touched_are_told(project: Project) -> None:
    script = "echo more >> README; rm 'odd name'; mkdir new; echo x > new/file; mkfifo pipe"
    assert project.touched(script) == (b"README", b"new/file", b"odd name", b"pipe")


def test_nobody_knows_what_a_directory_held_that_is_another_now(project: Project) -> None:
    assert project.touched("mv src lib") is None
    assert project.touched("rm -r src") is None
    assert project.touched("rm -r src; mkdir src") is None
