"""Scripts that the base's settings of tests call: whoever changes them changes what judges."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.gates.integrity.protected_files.protected_changes import settings_of
from supervisor_ai.gates.integrity.protected_files.settings import sources_of
from supervisor_ai.tools.toml import TooMuchError

_SUFFIXES: Final = frozenset({"", ".sh", ".bash", ".zsh", ".ksh", ".bat", ".cmd", ".ps1"})
_FOLDERS: Final = frozenset(
    {"script", "scripts", "tool", "tools", "ci", "dev", "hack", "etc", "config", "bin", "build"}
)
_LEFT_OUT: Final = (".js", ".mjs", ".cjs", ".ts", ".py")
"""What may be left out where a script names another."""
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
    return scripts & _with_parts(commits, files, named)


def _with_parts(
    commits: Commits, files: Mapping[str, CommitFile], named: set[str]
) -> frozenset[str]:
    """Add the scripts that scripts are made of: those that they name, and so on."""
    found: set[str] = set()
    news = {path for path in named if path in files and _is_script(path)}
    while news and len(found) < _MOST:
        found |= news
        read = [files[path] for path in sorted(news) if files[path].size <= _LARGEST]
        said = {name for file, source in commits.read(read) for name in _parts(file.path, source)}
        news = {path for path in said - found if path in files and _is_script(path)}
    return frozenset(found)


def _parts(path: str, source: bytes) -> Iterator[str]:
    folder = PurePosixPath(path).parent
    for name in _NAMED.findall(source.decode(errors="replace")):
        for at in (normpath(name), normpath(folder / name)):
            yield at
            yield from (f"{at}{suffix}" for suffix in _LEFT_OUT)


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
