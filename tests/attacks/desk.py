"""A repository, a workspace cut from it, and a worker in that workspace."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tests.attacks.attempt import Heard, describe, run, spec_for
from tests.attacks.guards import Guards
from tests.attacks.scene import Scene
from tests.support.processes import PATIENCE

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Identity, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workspaces import PLAIN, Landing, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT: Final = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF: Final = "refs/supervisor/r1/implement/1.1.1"
INSIDE: Final = Path("/run/wgit")
_TRAP: Final = """
work, git = os.getcwd(), '/run/wgit'
trap = work + '/trap'
with open(trap, 'w') as file:
    file.write(f'#!/bin/sh\\ntouch "{S["outside"]}/marker"\\n')
os.chmod(trap, 0o755)

def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file: file.write(text)
    os.chmod(path, mode)

def setting(text, path=git + '/config'):
    with open(path, 'a') as file: file.write('\\n' + text.replace('TRAP', trap) + '\\n')

def hook(path):
    write(path, open(trap).read(), 0o755)

def run(*words, cwd=None):
    done = subprocess.run(['git', *words], capture_output=True, cwd=cwd)
    print(words, done.returncode, done.stderr.decode(errors='replace'), flush=True)

def bare(place):
    for part in ('objects', 'refs'): os.makedirs(place + '/' + part, exist_ok=True)
    write(place + '/objects/keep', ''); write(place + '/refs/keep', '')
    write(place + '/HEAD', 'ref: refs/heads/x\\n')
    write(place + '/config', f'[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n'
          f'\\tworktree = {place}\\n\\tfsmonitor = {trap}\\n')

write(work + '/README', 'worker\\n')
"""


@dataclass(slots=True, kw_only=True)
class Desk:
    """What one attempt on git has to do with."""

    scene: Scene
    user: ScratchRepository
    workspaces: GitWorkspaces
    workspace: Workspace
    heard: Heard | None = None

    @property
    def tree(self) -> Path:
        """Return where the worker works."""
        return self.workspace.path

    @property
    def worker_git(self) -> Path:
        """Return the git directory that the worker can write."""
        return next(each.source for each in self.workspace.mounts if each.target == INSIDE)

    def work(self, program: str, guards: Guards) -> None:
        """Let the worker write a trap and do something."""
        self.try_to(f"{_TRAP}\n{program}", guards)

    def try_to(self, program: str, guards: Guards) -> None:
        """Let the worker do something."""
        spec = spec_for(self.scene, f"work = os.getcwd()\n{program}")
        spec = replace(
            spec,
            cwd=self.tree,
            mounts=self.workspace.mounts,
            environment=self.workspace.environment,
        )
        self.heard = run(self.scene, guards, spec)
        if b"TRIED" not in self.heard.output or self.heard.result.exit_code != 0:
            raise RuntimeError(f"It was not even tried: {describe(self.heard)}")

    def snapshot(self) -> Snapshot:
        """Let the product turn the worker's files into a commit."""
        return asyncio.run(self.workspaces.snapshot(self.workspace, ref=REF, at=AT))

    def collect(self) -> None:
        """Let the product do everything that it ever does with a worker's files."""
        asyncio.run(self._collect())

    async def _collect(self) -> None:
        done = await self.workspaces.snapshot(self.workspace, ref=REF, at=AT)
        await self.workspaces.diff(self.workspace.start, done.commit)
        landing = Landing(
            run=RUN,
            key=EffectKey("r1/commit"),
            snapshot=done.commit,
            base=self.workspace.start,
            branch="ai/r1",
            expected=None,
            message="Land",
            identity=Identity(name="Ada", email="a@b"),
            at=AT,
        )
        await self.workspaces.land(landing)
        await self.workspaces.keep_lost(RUN, KEY, ref=f"{REF}-lost", at=AT)

    def entries(self, commit: str) -> dict[bytes, bytes]:
        """List the paths of a commit with their modes."""
        listed = self.user.git.run("ls-tree", "-r", "-z", "--full-tree", commit).output
        pairs = (entry.split(b"\t", maxsplit=1) for entry in listed.split(b"\0") if entry)
        return {path: described.split(b" ")[0] for described, path in pairs}

    def naive_snapshot(self) -> CommitSha:
        """Add whatever is there, as a script around git would."""
        git = Git(directory=self.user.git.directory, work_tree=self.tree)
        git.run("add", "--all", "--force")
        tree = git.run("write-tree").text
        return CommitSha(git.run("commit-tree", tree, "-m", "naive", environment=_SIGNED).text)

    def last_words(self) -> str:
        """Say what the worker said."""
        return describe(self.heard) if self.heard else ""


_SIGNED: Final = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def plain_git(*words: str, cwd: Path, home: Path) -> str:
    """Run git as a person at a shell does: with everything that it finds on its way."""
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", *words],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": os.fspath(home), **_SIGNED},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )
    return (done.stdout + done.stderr).decode(errors="replace")


def desk(
    scene: Scene, plan: WorkspacePlan = PLAIN, *, files: Mapping[str, str] = MappingProxyType({})
) -> Desk:
    """Cut a workspace from a repository in the user's home."""
    user = ScratchRepository(scene.home / "project")
    start = user.commit({"README": "hello\n", "src/a.py": "a\n", **files})
    workspaces = GitWorkspaces(GitRepository(user.path), scene.root / "work")
    workspace = asyncio.run(workspaces.open(RUN, KEY, fence=1, start=start, plan=plan))
    scene.facts |= {
        "tree": os.fspath(workspace.path),
        "pointer": os.fspath(workspace.path / ".git"),
        "desk": os.fspath(workspace.path.parent),
        "main": os.fspath(user.path),
        "objects": os.fspath(user.path / ".git/objects"),
    }
    return Desk(scene=scene, user=user, workspaces=workspaces, workspace=workspace)
