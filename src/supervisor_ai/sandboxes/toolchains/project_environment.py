"""Which Python environment is the project's, and which one is only supervisor's own."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

_ACTIVE: Final = "VIRTUAL_ENV"
_CONDA: Final = "CONDA_PREFIX"
_USUAL: Final = (".venv", "venv", "env", ".env")
_SETTINGS: Final = "pyvenv.cfg"


def own_environment(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the virtual environment that holds supervisor, unless it is the project's as well."""
    is_virtual = sys.prefix != sys.base_prefix
    active = environment.get(_ACTIVE)
    if not is_virtual or (active and _is_ours(Path(active))):
        return ()
    own = Path(sys.prefix)
    return tuple(dict.fromkeys((own, own.resolve())))


def with_project_environment(
    environment: Mapping[str, str], tops: Iterable[Path], is_tracked: Callable[[Path, str], bool]
) -> dict[str, str]:
    """Let VIRTUAL_ENV name the project's environment: in its work tree, or else the active one.

    Where that is supervisor's own and lies elsewhere, none is named. What git tracks is the
    repository's word, and an environment says which directories of the host are shown.
    """
    given = {name: value for name, value in environment.items() if name != _ACTIVE}
    if _is_supervisors(environment.get(_CONDA)):
        given.pop(_CONDA)
    found = next(_environments(environment.get(_ACTIVE), tuple(tops), is_tracked), None)
    return given if found is None else {**given, _ACTIVE: os.fspath(found)}


def _environments(
    active: str | None, tops: tuple[Path, ...], is_tracked: Callable[[Path, str], bool]
) -> Iterator[Path]:
    chosen = [Path(os.path.normpath(active))] if active and active.startswith("/") else []
    yield from (it for it in chosen if any(top in it.parents for top in tops))
    for top in tops:
        for name in _USUAL:
            if (top / name / _SETTINGS).is_file() and not is_tracked(top, name):
                yield top / name
    yield from (it for it in chosen if not _is_ours(it))


def _is_supervisors(prefix: str | None) -> bool:
    """Tell whether a conda environment was made for supervisor alone: its base is the user's."""
    return (
        bool(prefix) and _is_ours(Path(prefix or "")) and Path(prefix or "").parent.name == "envs"
    )


def _is_ours(prefix: Path) -> bool:
    return prefix.resolve() == Path(sys.prefix).resolve()
