"""The mark by which a repository is known again: a file that no clone and no checkout can bring."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.tools.file_lock import held

_FILE: Final = "supervisor-mark"
_BYTES: Final = 16
_MARK: Final = re.compile(rb"([0-9a-f]{32})\n")
_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def read_mark(git_directory: Path) -> str | None:
    """Return the mark of a repository, or None where nobody made one yet."""
    path = git_directory / _FILE
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error.strerror) from error
    with os.fdopen(descriptor, "rb") as file:
        return _read(file.fileno(), path)


def make_mark(git_directory: Path) -> str:
    """Return the mark of a repository; make it where there is none."""
    found = read_mark(git_directory)
    if found is not None:
        return found
    path = git_directory / _FILE
    draft = git_directory / f"{_FILE}.{token_hex(_BYTES)}"
    try:
        # A link, unlike a rename, never replaces the mark that another process made meanwhile.
        with draft.open("w") as file:
            file.write(f"{token_hex(_BYTES)}\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    except OSError as error:
        raise Unavailable(
            f"The repository cannot be marked with {str(path)!r}: {error.strerror}.",
            hint="Make the git directory writable for you and try again.",
        ) from error
    return make_mark(git_directory)


@contextmanager
def hold_mark(git_directory: Path) -> Iterator[None]:
    """Be the only one, of all processes and users, who does something with the repository."""
    make_mark(git_directory)
    path = git_directory / _FILE
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        raise _unusable(path, error.strerror) from error
    with held(descriptor):
        yield


def _read(descriptor: int, path: Path) -> str:
    is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
    found = _MARK.fullmatch(os.read(descriptor, 2 * _BYTES + 2)) if is_file else None
    if found is None:
        raise _unusable(path, "it does not hold a mark")
    return found[1].decode()


def _unusable(path: Path, why: str | None) -> Unavailable:
    return Unavailable(
        f"The mark by which the repository is known, {str(path)!r}, cannot be used: {why}.",
        hint="Make it readable for you, or remove it and run `supervisor trust` again.",
    )
