"""The files that a CLI finds in its home, and what it must not find in the repository."""

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.workers.launch.profile import HOME


@contextmanager
def furnished(files: Mapping[str, str], covers: Mapping[str, Path]) -> Iterator[tuple[Mount, ...]]:
    """Keep files for a home, and blanks for what is covered, as long as the CLI runs.

    They are shown read-only, each at its place: the home itself is the sandbox's own.
    """
    with tempfile.TemporaryDirectory(prefix="supervisor-home-") as name:
        room = Path(name)
        shown = [_file(room / str(at), *entry) for at, entry in enumerate(files.items())]
        hidden = [_blank(room / f"blank-{at}", place) for at, place in enumerate(covers.values())]
        yield (*shown, *hidden)


def found_covers(workspace: Path, names: tuple[str, ...]) -> dict[str, Path]:
    """Find which of the names a workspace has; a link could lead a cover anywhere."""
    found = {name: workspace / name for name in names if os.path.lexists(workspace / name)}
    for name, place in found.items():
        if place.is_symlink():
            raise InvalidInput(
                f"The repository has a link {name!r}, from which the CLI would take settings.",
                hint="Make it a directory, remove it, or let another CLI work in this role.",
            )
    return found


def _file(source: Path, path: str, text: str) -> Mount:
    source.write_text(text, encoding="utf-8", errors="replace")
    # Who works in the sandbox may be another user than the one who wrote it.
    source.chmod(0o644)
    return Mount(source=source, target=Path(HOME, path))


def _blank(source: Path, place: Path) -> Mount:
    if stat.S_ISDIR(place.lstat().st_mode):
        source.mkdir()
        source.chmod(0o755)
    else:
        source.touch()
        source.chmod(0o644)
    return Mount(source=source, target=place)
