"""Scripts that the base's settings of tests call: whoever changes them changes what judges."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.gates.integrity.protected_files.protected_changes import settings_of
from supervisor_ai.gates.integrity.protected_files.settings import sources_of
from supervisor_ai.tools.toml import TooMuchError

_SUFFIXES: Final = frozenset({"", ".sh", ".bash", ".zsh", ".ksh", ".bat", ".cmd", ".ps1"})
_FOLDERS: Final = frozenset(
    {"script", "scripts", "tool", "tools", "ci", "dev", "hack", "etc", "config", "bin", "build"}
)
_NAMED: Final = re.compile(r"[\w.-][\w./-]{0,500}")
_LARGEST: Final = 256 * 1024
_MOST: Final = 50
_DEEPEST: Final = 2


def called_scripts(
    commits: Commits, files: Mapping[str, CommitFile], paths: Sequence[str]
) -> frozenset[str]:
    """Return those of the paths that are scripts, and that a test run of the base calls.

    A module of the product that a setting names as well is only what is tested.
    """
    scripts = frozenset(filter(_is_script, paths))
    if not scripts:
        return frozenset()
    settings = [file for path, file in files.items() if path.count("/") < _DEEPEST]
    known = [file for file in settings if sources_of(file.path) and file.size <= _LARGEST]
    named = {
        name for file, source in commits.read(known[:_MOST]) for name in _names(file.path, source)
    }
    return scripts & named


def _is_script(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix in _SUFFIXES or pure.parts[0] in _FOLDERS


def _names(path: str, source: bytes) -> Iterator[str]:
    """Return the paths that the settings of a file name, from the top."""
    folder = PurePosixPath(path).parent
    for read in sources_of(path):
        try:
            settings = settings_of(source, read) or {}
        except TooMuchError:
            continue
        for name in _NAMED.findall("\n".join(settings.values())):
            yield str(PurePosixPath(name))
            yield str(folder / name)
