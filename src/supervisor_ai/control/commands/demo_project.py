"""The demo's small project, copied into a git repository of its own."""

import importlib.util
import tempfile
from collections.abc import Callable
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable

TASK: Final = "Add a median function to the stats package"
_SUFFIX: Final = ".template"


def require_pytest() -> None:
    """Refuse to begin what would fail at the test gate."""
    if importlib.util.find_spec("pytest") is None:
        raise Unavailable(
            "The demo runs its tests with pytest, which is not installed beside supervisor.",
            hint="Install it: python3 -m pip install pytest",
        )


def make_demo_project(commit: Callable[[Path], None]) -> Path:
    """Copy the project into a new directory and let it be committed."""
    directory = Path(tempfile.mkdtemp(prefix="supervisor-demo-"))
    _copy(resources.files("supervisor_ai.definitions") / "builtin/demo/project", directory)
    commit(directory)
    return directory


def _copy(source: Traversable, target: Path) -> None:
    """Copy files without the suffix that keeps our own tools away from them."""
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            (target / entry.name.removesuffix(_SUFFIX)).write_bytes(entry.read_bytes())
