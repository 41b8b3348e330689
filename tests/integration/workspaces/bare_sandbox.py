"""A worker's view of a workspace, by bubblewrap alone: the mounts and nothing of our sandbox."""

import os
import subprocess
from pathlib import Path
from typing import Final

from supervisor_ai.engine.ports.workspaces import Workspace

NOBODY: Final = 65534


def sandboxed(workspace: Workspace, script: str) -> str:
    """Run a script as another user, in a root that has nothing but /usr and the mounts."""
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--proc", "/proc"]
    command += ["--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", "/usr", "/usr"]
    for link in ("bin", "lib", "lib64"):
        command += ["--symlink", f"usr/{link}", f"/{link}"]
    for mount in workspace.mounts:
        how = "--bind" if mount.is_writable else "--ro-bind"
        command += [how, str(mount.source), str(mount.target)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", **workspace.environment}
    for name, value in environment.items():
        command += ["--setenv", name, value]
    command += ["--chdir", str(workspace.path), "--", "sh", "-euc", script]
    is_root = os.geteuid() == 0
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
    ended = subprocess.run(
        [*drop, *command] if is_root else command, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def hand_over(workspace: Workspace) -> None:
    """Give the worker what it may write, as a sandbox started by root does."""
    if os.geteuid() != 0:
        return
    for mount in (mount for mount in workspace.mounts if mount.is_writable):
        if mount.give is None:
            _give(mount.source)
        else:
            mount.give(NOBODY, _give)


def _give(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
