"""The demo's small project, copied into a git repository of its own."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable

TASK: Final = "Add a median function to the stats package"
_PREFIX: Final = "supervisor-demo-"
_SUFFIX: Final = ".template"
_PYTHON: Final = "{{python}}"
"""Stands for the interpreter that runs us: a sandbox always shows it, a PATH may have none."""


def make_demo_project(
    commit: Callable[[Path], None],
    package: str = "supervisor_ai.definitions",
    folder: str = "builtin/demo/project",
) -> Path:
    """Copy the project into a new directory and let it be committed."""
    try:
        directory = Path(tempfile.mkdtemp(prefix=_PREFIX))
        _copy(resources.files(package) / folder, directory)
    except OSError as error:
        raise Unavailable(
            f"The project of the demo cannot be written: {error.strerror}.",
            hint="Name a directory for it with TMPDIR.",
        ) from error
    commit(directory)
    return directory


def left_demos() -> Sequence[Path]:
    """Name the projects of earlier demos that lie in the temporary directory and are the user's."""
    found = sorted(Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"))
    return [it for it in found if not it.is_symlink() and it.stat().st_uid == os.geteuid()]


def _copy(source: Traversable, target: Path) -> None:
    """Copy files without the suffix that keeps our own tools away from them."""
    target.mkdir(exist_ok=True)
    python = json.dumps(os.path.realpath(sys.executable))
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            text = entry.read_text(encoding="utf-8").replace(_PYTHON, python)
            (target / entry.name.removesuffix(_SUFFIX)).write_text(text, encoding="utf-8")
