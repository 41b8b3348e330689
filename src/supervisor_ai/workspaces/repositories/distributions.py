"""The names under which a commit's Python projects are installed."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.tools.toml import read_toml
from supervisor_ai.workspaces.repositories.git import Git

Read = Callable[[CommitSha, str], str | None]
"""Returns the text of a file of a commit."""
_MANIFESTS: Final = (b"pyproject.toml", b"setup.cfg", b"setup.py")
_DEEPEST: Final = 4
_MOST: Final = 30
_LARGEST: Final = 256 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_SETTING: Final = re.compile(rf"^\s*name\s*=\s*['\"]?({_NAME.pattern})", re.MULTILINE)


def distributions(git: Git, read: Read, commit: CommitSha) -> frozenset[str]:
    """Read them from the manifests near the top; a broken one says nothing."""
    try:
        listing = git.run("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
    except SupervisorError:
        return frozenset()
    manifests = filter(_is_manifest, listing.output.split(b"\0"))
    paths = (path.decode(errors="surrogateescape") for path in manifests)
    found = sorted(paths, key=lambda path: path.count("/"))
    names = (name for path in found[:_MOST] for name in _names(read, commit, path))
    return frozenset(re.sub(r"[-_.]+", "-", name).lower() for name in names)


def _is_manifest(path: bytes) -> bool:
    return path.endswith(_MANIFESTS) and path.count(b"/") < _DEEPEST and _name(path) in _MANIFESTS


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def _names(read: Read, commit: CommitSha, path: str) -> Iterator[str]:
    try:
        text = (read(commit, path) or "")[:_LARGEST]
    except SupervisorError:
        return
    if not path.endswith(".toml"):
        yield from _SETTING.findall(text)[:1]
        return
    try:
        tree: object = read_toml(text)
    except (ValueError, RecursionError):
        return
    for keys in (("project", "name"), ("tool", "poetry", "name")):
        value = tree
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and _NAME.fullmatch(value):
            yield value
