"""Files that hold logins: read within bounds, replaced at once, for their user alone."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.tools.json_value import JsonObject, canonical_json, parse_object
from supervisor_ai.workers.launch.login_form import BadLogin

_LARGEST: Final = 1 << 20
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

Put = Callable[[JsonObject], None]
"""Writes a whole document."""


def read_document(path: Path) -> JsonObject | None:
    """Read a file that holds a login, None where there is none; raises BadLogin."""
    try:
        # A pipe in its place would let us wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadLogin("it is no file")
            text = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadLogin(f"it cannot be read: {error.strerror}") from None
    found = parse_object(text) if len(text) <= _LARGEST else None
    if found is None:
        raise BadLogin("it is no JSON object")
    return found


@contextmanager
def replaced(path: Path) -> Iterator[Put]:
    """Replace a file at once, if anything is written.

    Its successor is opened first: who cannot write must not have spent what works only once.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")

    def put(document: JsonObject) -> None:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(canonical_json(document).encode() + b"\n")
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)

    try:
        yield put
    finally:
        os.close(descriptor)
        Path(name).unlink(missing_ok=True)


def exposure(path: Path) -> str | None:
    """Say whether others can read or change a file, and what to do about it."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
    if not mode & _OTHERS:
        return None
    return f"{str(path)!r} is open to other users (mode {mode:04o}); do: chmod 600 {path}"
