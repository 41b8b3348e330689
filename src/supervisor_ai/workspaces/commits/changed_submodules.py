"""What a worker did inside of submodules, whose files no commit of ours can hold."""

import json
import os
from typing import Final

from supervisor_ai.workspaces.files.safe_open import is_plain
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.git import Git

_NAMED: Final = 3
_STATUS: Final = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")


def changed_submodules(desk: WorkspaceDirectory) -> dict[bytes, str]:
    """Say of which submodules a worker changed the files: no commit of ours can hold that."""
    if not desk.filled.exists():
        return {}
    paths: list[str] = json.loads(desk.filled.read_text())
    found = {path: _changes(desk, number, path) for number, path in enumerate(paths)}
    return {os.fsencode(path): _reason(names) for path, names in found.items() if names}


def _changes(desk: WorkspaceDirectory, number: int, path: str) -> list[str]:
    if not is_plain(desk.tree, path):
        return []  # The workspace's own files tell of it.
    tree = desk.tree / path
    git = Git(directory=desk.submodules / f"{number}.git", work_tree=tree, is_scratch=True)
    reply = git.ask("status", *_STATUS, "--ignore-submodules=all")
    return [os.fsdecode(entry[3:]) for entry in reply.output.split(b"\0") if entry]


def _reason(names: list[str]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(map(repr, names[:_NAMED])) + (f" and {more} more" if more > 0 else "")
    return f"it is a submodule, and changes in it ({shown}) belong into its own repository"
