"""The folders of a project's sessions: read with care, written file by file."""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.session_files import FileGlimpse, FileListing
from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import Busy, Conflict, Denied, InternalError, InvalidInput
from supervisor_ai.domain.git_flow.own_state import DIRECTORY
from supervisor_ai.tools.file_lock import held
from supervisor_ai.workspaces.files.disk_errors import disk_failure
from supervisor_ai.workspaces.files.replacement import Rename, replace_at, status_at
from supervisor_ai.workspaces.files.safe_copy import make_directories
from supervisor_ai.workspaces.files.safe_open import Parts, directory_beneath, root_directory
from supervisor_ai.workspaces.repositories.definite_directory import find_directory
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.sessions.walk import FILE_BYTES, FolderWalk, look_at, read_at

_SESSIONS: Final = "sessions"
_OURS: Final = f"{DIRECTORY}/{_SESSIONS}/"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_REPORT: Final = re.compile(r"CHECKPOINT-[A-Za-z0-9_.-]{1,40}-report\.md", re.ASCII)
_WISDOM: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.md", re.ASCII)
_PART_LENGTH: Final = 255
_MOST_BYTES: Final = 64 << 20
_IGNORED: Final = b"*\n"
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PATIENCE: Final = 5.0
_NOT_THERE: Final = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


def open_session_files(project: Callable[[], SliceProject]) -> "DiskSessionFolders":
    """Open the folders of sessions in a project."""
    opened = project()
    if not isinstance(opened.repository, GitRepository):
        raise InternalError("The folders of sessions are beside git repositories only.")
    return DiskSessionFolders(opened.repository)


class DiskSessionFolders:
    """Folders below `.supervisor/sessions`, and those that teams have already."""

    def __init__(
        self,
        repository: GitRepository,
        *,
        rename: Rename = os.rename,
        patience: float = _PATIENCE,
    ) -> None:
        self._repository = repository
        self._rename = rename
        self._patience = patience

    def choose(self, session: str, directory: str | None) -> str:
        """Say how the folder of a new session is recorded."""
        if directory is None:
            return f"{_OURS}{session}"
        return str(self._foreign(directory))

    def place(self, folder: str) -> str:
        """Say where the folder is, for people."""
        top, parts = self._find(folder)
        return str(top.joinpath(*parts))

    def prepare(self, folder: str, subfolders: Sequence[str] = ()) -> None:
        """Make the folder and those in it that are missing; one of our own stays out of git."""
        with _translated():
            top, parts = self._find(folder)
            if not parts:
                top.mkdir(parents=True, exist_ok=True)
            with root_directory(top) as here:
                make_directories(here, parts)
                for name in subfolders:
                    make_directories(here, (*parts, name))
                if parts:
                    self._keep_out_of_git(here)

    def _keep_out_of_git(self, state: int) -> None:
        """Hide our own folders from a project whose `.gitignore` does not know of them."""
        with directory_beneath(state, (_SESSIONS,)) as sessions:
            if status_at(sessions, ".gitignore") is None:
                replace_at(sessions, ".gitignore", _IGNORED, self._rename)

    def list(self, folder: str) -> FileListing:
        """Name the files of the folder in the order of their paths, but those of the bus."""
        with self._opened(folder) as root:
            return FileListing(files=()) if root is None else FolderWalk(root).listing()

    def read(self, folder: str, path: str) -> str | None:
        """Return the text of a file; None where there is none, or one that is too large."""
        content = self._content(folder, path, FILE_BYTES + 1)
        if content is None or len(content) > FILE_BYTES:
            return None
        return content.decode("utf-8", errors="replace")

    def fetch(self, folder: str, path: str, most: int) -> bytes | None:
        """Return what a file holds; None where there is none. Raises InvalidInput for more."""
        content = self._content(folder, path, most + 1)
        if content is not None and len(content) > most:
            raise InvalidInput(f"The file {path!r} has more than {most} bytes.")
        return content

    def glimpse(self, folder: str, path: str) -> FileGlimpse | None:
        """Look at a file without reading it; None where there is none."""
        parts = _parts(path)
        with self._opened(folder) as root:
            status = None if root is None or parts is None else look_at(root, parts)
        if status is None:
            return None
        return FileGlimpse(size=status.st_size, changed=status.st_mtime_ns, inode=status.st_ino)

    def write_report(self, folder: str, name: str, text: str) -> str:
        """Write `artifacts/{name}` and return its path; written twice, it is one report."""
        if _REPORT.fullmatch(name) is None:
            raise Denied(f"{name[:80]!r} is no name of a checkpoint's report.")
        path, content = f"artifacts/{name}", _encoded(text)
        with self._writable(folder, path) as (here, file):
            before = _regular(here, file, FILE_BYTES)
            if before == content:
                return path
            if before is not None:
                _keep_beside(here, file, before, self._rename)
            replace_at(here, file, content, self._rename)
            os.fsync(here)
        return path

    def append_wisdom(self, folder: str, name: str, entry: str) -> str:
        """Append an entry to `wisdom/{name}` and return its path; appended twice, it is one."""
        if _WISDOM.fullmatch(name) is None:
            raise Denied(f"{name[:80]!r} is no name of a file of wisdom.")
        path, block = f"wisdom/{name}", _encoded(entry.strip("\n") + "\n")
        with self._writable(folder, path) as (here, file):
            before = _regular(here, file, FILE_BYTES) or b""
            if block in before:
                return path
            gap = b"" if before.endswith(b"\n") or not before else b"\n"
            _append(here, file, gap + block)
        return path

    def replace(self, folder: str, path: str, content: bytes, *, expected: str | None) -> None:
        """Let a whole file appear at once, where the one there still has the expected SHA-256."""
        with self._writable(folder, path) as (here, name):
            before = _regular(here, name, _MOST_BYTES)
            found = None if before is None else hashlib.sha256(before).hexdigest()
            if found != expected:
                raise Conflict(f"Somebody has changed {path!r} meanwhile.", hint="Import it first.")
            replace_at(here, name, content, self._rename)
            os.fsync(here)

    def append(self, folder: str, path: str, content: bytes) -> None:
        """Add to the end of a file, whoever else does so at the same moment."""
        with self._writable(folder, path) as (here, name):
            _append(here, name, content)

    def _find(self, folder: str) -> tuple[Path, Parts]:
        """Return a directory that is the user's, and the way from there to the folder."""
        name = folder.removeprefix(_OURS)
        if name != folder and _NAME.fullmatch(name):
            return self._repository.state_directory, (_SESSIONS, name)
        return self._foreign(folder), ()

    def _foreign(self, directory: str) -> Path:
        return find_directory(directory, self._repository, what="a session")

    @contextmanager
    def _opened(self, folder: str) -> Iterator[int | None]:
        """Open the folder; None where there is none."""
        top, parts = self._find(folder)
        with ExitStack() as stack:
            try:
                here = stack.enter_context(root_directory(top))
                root = stack.enter_context(directory_beneath(here, parts))
            except OSError as error:
                if error.errno not in _NOT_THERE:
                    raise disk_failure(error) from error
                root = None
            yield root

    def _content(self, folder: str, path: str, most: int) -> bytes | None:
        parts = _parts(path)
        with self._opened(folder) as root:
            return None if root is None or parts is None else read_at(root, parts, most)

    @contextmanager
    def _writable(self, folder: str, path: str) -> Iterator[tuple[int, str]]:
        """Open the directory of a file for one writer of ours at a time; make what is missing."""
        parts = _parts(path)
        if parts is None:
            raise InvalidInput(f"{path[:200]!r} is no path in the folder of a session.")
        self.prepare(folder)
        with _translated(), self._opened(folder) as root:
            if root is None:
                raise Conflict(f"The folder {folder!r} is gone.")
            make_directories(root, parts[:-1])
            with directory_beneath(root, parts[:-1]) as here, _alone(root, self._patience):
                yield here, parts[-1]


@contextmanager
def _alone(root: int, patience: float) -> Iterator[None]:
    """Be the only one of our processes that writes into the folder."""
    with held(os.open(".", os.O_RDONLY | os.O_CLOEXEC, dir_fd=root), patience=patience) as is_ours:
        if not is_ours:
            raise Busy("Another process writes into the session's folder.", hint="Try again.")
        yield


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise disk_failure(error) from error


def _parts(path: str) -> Parts | None:
    """Split a path in a folder; None: it leaves the folder, or cannot be one."""
    parts = tuple(path.split("/"))
    is_fine = all(
        it not in {"", ".", ".."} and it.isprintable() and len(os.fsencode(it)) <= _PART_LENGTH
        for it in parts
    )
    return parts if is_fine else None


def _regular(here: int, name: str, most: int) -> bytes | None:
    """Read a file that is to be written; nothing but a regular one may be in its place."""
    status = status_at(here, name)
    if status is None:
        return None
    content = read_at(here, (name,), most + 1)
    if content is None or status.st_nlink > 1:
        raise Conflict(f"In place of {name!r} there is no regular file of the folder's own.")
    if len(content) > most:
        raise Conflict(f"The file {name!r} has more than {most} bytes.")
    return content


def _keep_beside(here: int, name: str, content: bytes, rename: Rename) -> None:
    stem = name.removesuffix(".md")
    free = (it for number in count(1) if status_at(here, it := f"{stem}.{number}.md") is None)
    replace_at(here, next(free), content, rename)


def _append(here: int, name: str, content: bytes) -> None:
    status = status_at(here, name)
    if status is None:
        replace_at(here, name, b"")
    elif not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise Conflict(f"In place of {name!r} there is no regular file of the folder's own.")
    handle = os.open(name, _APPEND, dir_fd=here)
    with os.fdopen(handle, "ab") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


def _encoded(text: str) -> bytes:
    content = text.encode("utf-8", errors="backslashreplace")
    if len(content) > FILE_BYTES:
        raise InvalidInput(f"The text has {len(content)} bytes; {FILE_BYTES} are the most.")
    return content
