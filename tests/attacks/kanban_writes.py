"""Everything that an agent of a kanban may try to write, tried inside of its sandbox."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Profile,
    Sandbox,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workspaces import PLAIN, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.kanban.files import GitKanbanFiles
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT: Final = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF: Final = "refs/supervisor/r1/implement/1.1.1"
NAMES: Final = (
    *("0-kanban-x.md", "1-own.md", "2-other.md", "3-gone.md", "4-mode.md", "5-over.md"),
    *("6-way.md", "7-linked.md"),
)

IN_THE_FOLDER: Final = {
    "write the kanban file": "append(T + '/0-kanban-x.md')",
    "write another task file": "append(T + '/2-other.md')",
    "make a task file": "append(T + '/9-new.md')",
    "make a folder in the folder": "os.mkdir(T + '/deep'); append(T + '/deep/file')",
    "remove a task file": "os.unlink(T + '/3-gone.md')",
    "change the mode of a task file": "os.chmod(T + '/4-mode.md', 0o600)",
    "change the times of a task file": "os.utime(T + '/4-mode.md', (1, 1))",
    "rename over a task file": "append(T + '/draft'); os.replace(T + '/draft', T + '/5-over.md')",
    "reopen a task file for writing": "again(T + '/6-way.md')",
    "put a link into the folder": "os.symlink('/etc', T + '/link.md')",
    "put a hard link into the folder": "os.link(T + '/7-linked.md', T + '/second.md')",
}
IN_THE_CODE: Final = {
    "write code": "append('src/app.py')",
    "make code": "append('src/new.py')",
    "make a file at the top": "append('new.txt')",
    "remove code": "os.unlink('src/gone.py')",
    "change the mode of code": "os.chmod('src/mode.py', 0o755)",
    "rename over code": "append('src/draft'); os.replace('src/draft', 'src/over.py')",
    "move a directory of code": "os.rename('lib', 'moved')",
}
OF_THE_OWN: Final = {
    "write the own task file": "append(T + '/1-own.md')",
    "write the own task file anew": "open(T + '/1-own.md', 'w').write('anew\\n')",
    "put another in its place": "append(T + '/d.md'); os.replace(T + '/d.md', T + '/1-own.md')",
    "change the mode of the own task file": "os.chmod(T + '/1-own.md', 0o600)",
}
ACROSS: Final = {
    "move code over the own task file": "append(S + '/d'); os.replace(S + '/d', T + '/1-own.md')",
    "write a task file by a second name": "os.link(T + '/7-linked.md', 'src/x'); append('src/x')",
    "move a task file out": "os.rename(T + '/6-way.md', 'src/6-way.md')",
    "move the folder away": "os.rename(T, 'away'); forge()",
    "exchange the folder": "exchange(T, 'src/box')",
    "move what the folder lies in": "os.rename(TOP, 'away-too'); forge()",
}
NEVER: Final = {
    "write git's pointer": "append('.git')",
    "remove git's pointer": "os.unlink('.git')",
    "mount over the folder": "mount('/tmp', T)",
    "unmount the folder": "unmount(T)",
    "unmount the own task file": "unmount(T + '/1-own.md')",
}
ALL: Final = {**IN_THE_FOLDER, **IN_THE_CODE, **OF_THE_OWN, **ACROSS, **NEVER}

_PROGRAM: Final = """
import ctypes, json, os, sys
attempts, T = json.loads(sys.argv[1]), sys.argv[2]
S, TOP = 'src', T.split('/')[0]
libc = ctypes.CDLL(None, use_errno=True)

def append(path):
    with open(path, 'a') as file: file.write('x\\n')

def again(path):
    seen = os.open(path, os.O_RDONLY)
    append(f'/proc/self/fd/{seen}')

def forge():
    os.makedirs(T)
    for name in ('0-kanban-x.md', '1-own.md'): append(f'{T}/{name}')

def checked(result):
    if result != 0: raise OSError(ctypes.get_errno(), 'refused')

def exchange(one, other):
    checked(libc.renameat2(-100, one.encode(), -100, other.encode(), 2))

def mount(source, target):
    checked(libc.mount(source.encode(), target.encode(), None, ctypes.c_ulong(0x1000), None))

def unmount(target):
    checked(libc.umount2(target.encode(), 2))

done = []
for name, attempt in attempts.items():
    try: exec(attempt)
    except OSError as error: print(name, error, file=sys.stderr)
    else: done.append(name)
print(json.dumps(done))
"""


def rules(role: str, folder: str) -> Writable:
    """Say what each agent of a kanban may write."""
    others = {f"{folder}/{name}": False for name in NAMES if name != "1-own.md"}
    return {
        "manager": Writable(everywhere=False, paths={folder: True}),
        "architect": Writable(everywhere=False, paths={folder: True, **others}),
        "implementor": Writable(everywhere=True, paths=others),
    }[role]


class Board:
    """A project with a kanban in a folder, and a workspace cut from it."""

    def __init__(self, place: Path, folder: str) -> None:
        self.folder = folder
        self.user = ScratchRepository(place / "home")
        repository = GitRepository(self.user.path)
        self.workspaces = GitWorkspaces(repository, place / "work/project")
        self.kanban_files = GitKanbanFiles(repository, place / "work/project")
        code = ("app", "gone", "mode", "over", "box/file")
        self.start = self.user.commit(
            {f"{folder}/{name}": f"{name}\n" for name in NAMES}
            | {f"src/{name}.py": f"{name}\n" for name in code}
            | {"lib/a.py": "a\n"}
        )

    def open(self, plan: WorkspacePlan = PLAIN) -> Workspace:
        """Cut the workspace."""
        return asyncio.run(self.workspaces.open(RUN, KEY, fence=1, start=self.start, plan=plan))

    def attempt(self, sandbox: Sandbox, workspace: Workspace) -> frozenset[str]:
        """Try everything inside; return what could be done."""
        words = ("python3", "-c", _PROGRAM, json.dumps(ALL), self.folder)
        result, said = run(sandbox, workspace, words)
        if result.end is not SandboxEnd.EXITED or result.exit_code != 0:
            raise RuntimeError(f"It was not even tried: {result} {said}")
        return frozenset(json.loads(said))

    def changed(self, workspace: Workspace) -> tuple[str, ...]:
        """Let the product collect the work; return the paths that it finds changed."""
        commit = asyncio.run(self._collect(workspace))
        return asyncio.run(self.kanban_files.changed(self.start, commit))

    async def _collect(self, workspace: Workspace) -> CommitSha:
        snapshot = await self.workspaces.snapshot(workspace, ref=REF, at=AT)
        await self.workspaces.close(workspace)
        return snapshot.commit


def run(
    sandbox: Sandbox, workspace: Workspace, words: tuple[str, ...]
) -> tuple[SandboxResult, str]:
    """Run a command in a workspace; return what it printed as well."""
    printed = bytearray()

    def hear(channel: Channel, chunk: bytes) -> None:
        if channel is Channel.STDOUT:
            printed.extend(chunk)
        else:
            sys.stderr.write(chunk.decode(errors="replace"))

    spec = SandboxSpec(
        label="r1/implement",
        profile=Profile.WORKER,
        argv=words,
        cwd=workspace.path,
        mounts=workspace.mounts,
        environment=workspace.environment,
        timeout=timedelta(seconds=30),
        output_bytes=1 << 20,
    )
    return asyncio.run(sandbox.run(spec, hear)), printed.decode()
