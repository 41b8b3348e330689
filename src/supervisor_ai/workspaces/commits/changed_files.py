"""Files of a workspace that differ from its start."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Final

from supervisor_ai.workspaces.commits.admission import clean, parse_changes
from supervisor_ai.workspaces.commits.snapshots import PARTLY, RAW, take_verbatim
from supervisor_ai.workspaces.layout import BRANCH, WorkspaceDirectory
from supervisor_ai.workspaces.repositories.git import Git, failure

_GITLINK: Final = b"160000"
_TOUCHED: Final = ("--modified", "--deleted", "--others", "--exclude-standard")
_MOST_TOUCHED: Final = 200
_PATIENCE: Final = timedelta(seconds=20)


def changed_files(desk: WorkspaceDirectory) -> tuple[str, ...]:
    """List the files that the worker was given and that differ or are gone.

    A snapshot that is taken later is the same as without this look: the index is a copy.
    """
    desk.restore()
    git = Git(directory=desk.trusted_git, work_tree=desk.tree, is_scratch=True)
    clean(desk.tree, desk.layers.names())
    with _copied_index(git) as index:
        _update(git, index)
        seen = f"refs/heads/{BRANCH}"
        raw = git.run("diff-index", "--cached", *RAW, seen, "--", environment=index).output
    changes = (change for change in parse_changes(raw) if change.old_mode != _GITLINK)
    return tuple(change.path.decode(errors="surrogateescape") for change in changes)


def touched_files(desk: WorkspaceDirectory) -> Mapping[str, int]:
    """List what a worker that is still at it has changed, made or removed; nothing is written.

    A file that changes again has another stamp: the time at which the file system saw it change.
    """
    git = Git(directory=desk.trusted_git, work_tree=desk.tree, is_scratch=True)
    with _copied_index(git) as index:
        asked = git.ask("ls-files", *_TOUCHED, "-z", environment=index, patience=_PATIENCE)
    names = dict.fromkeys(it for it in asked.output.split(b"\0") if it)
    paths = [it.decode(errors="surrogateescape") for it in islice(names, _MOST_TOUCHED)]
    return {path: _stamp(desk.tree / path) for path in paths}


def _stamp(path: Path) -> int:
    try:
        return path.lstat().st_ctime_ns
    except OSError:
        return 0


@contextmanager
def _copied_index(git: Git) -> Iterator[Mapping[str, str]]:
    copy = git.directory / f"look-{token_hex(8)}.index"
    try:
        # With its time: git takes what is younger than the index for possibly changed.
        shutil.copy2(git.directory / "index", copy)
        yield {"GIT_INDEX_FILE": str(copy)}
    finally:
        copy.unlink(missing_ok=True)


def _update(git: Git, index: Mapping[str, str]) -> None:
    if git.ask("add", "--update", environment=index).code == 0:
        return
    attributes = git.directory / "info" / "attributes"
    is_ours = not attributes.exists()
    take_verbatim(git)
    try:
        reply = git.ask("add", "--update", "--ignore-errors", environment=index)
        if reply.code not in {0, PARTLY}:
            raise failure("add", git.directory, reply)
    finally:
        if is_ours:  # how bytes are taken is for the snapshot to choose
            attributes.unlink()
