"""The user's editor, opened on copies of files."""

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.tools.programs import find_program

_EDITOR: Final = "vi"


def edit_copies(texts: Mapping[str, str]) -> Mapping[str, bytes]:
    """Let the user change copies that have the names of the files and lie elsewhere."""
    with tempfile.TemporaryDirectory(prefix="supervisor-edit-") as place:
        copies: dict[str, Path] = {}
        for number, (file, text) in enumerate(texts.items()):
            copy = Path(place, str(number), Path(file).name)
            copy.parent.mkdir()
            copy.write_text(text, newline="")
            copies[file] = copy
        _open_editor([str(copy) for copy in copies.values()])
        return {file: copy.read_bytes() for file, copy in copies.items()}


def _open_editor(paths: list[str]) -> None:
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _EDITOR
    name, *arguments = shlex.split(wanted) or [_EDITOR]
    program = find_program(name, os.environ.get("PATH"))
    if program is None:
        raise Unavailable(f"There is no editor {name!r}.", hint="Set EDITOR to one that there is.")
    environment = dict(os.environ)
    with _deaf_to_keys():
        ended = subprocess.run([program, *arguments, *paths], env=environment, check=False)
    if ended.returncode:
        raise Unavailable(
            f"The editor {name!r} ended with code {ended.returncode}; nothing was changed."
        )


@contextmanager
def _deaf_to_keys() -> Iterator[None]:
    """Leave the keys that stop a program to the editor, as git does."""
    kept = {it: signal.getsignal(it) for it in (signal.SIGINT, signal.SIGQUIT)}
    for number in kept:
        # A handler is not handed on to the editor, as an ignored signal would be.
        signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
