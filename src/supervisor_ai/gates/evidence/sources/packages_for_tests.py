"""Packages that are there for tests alone, though they are no tests: checkers, fixtures, fakes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any, Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.tools.toml import TooMuchError, read_toml

_OF_GO: Final = re.compile(rb'^\s*(?:import\s+)?(?:\w+\s+)?"testing(?:/\w+)?"', re.MULTILINE)
_FOR_TESTS: Final = re.compile(r"(?:^|[_-])(?:tests?|testing|testkit|testutils?|fixtures?|mocks?)")
_MANIFEST: Final = "Cargo.toml"
_LARGEST: Final = 256 * 1024
_MOST: Final = 200


class _Crate(Struct, frozen=True, kw_only=True):
    """What a manifest of Rust says about itself and the crates beside it."""

    folder: str
    is_inner: bool
    """Whether nobody else is given it, or its name speaks of tests."""
    for_use: frozenset[str]
    for_tests: frozenset[str]


def packages_for_tests(
    commits: Commits, files: Mapping[str, CommitFile], paths: Sequence[str]
) -> frozenset[str]:
    """Return those of the paths whose package only tests import."""
    return _of_go(commits, files, paths) | _of_rust(commits, files, paths)


def _of_go(
    commits: Commits, files: Mapping[str, CommitFile], paths: Sequence[str]
) -> frozenset[str]:
    """Find code that asks for a test to report to: no program can call it."""
    found = [files[path] for path in paths if path.endswith(".go") and path in files]
    small = [file for file in found if file.size <= _LARGEST][:_MOST]
    return frozenset(file.path for file, source in commits.read(small) if _OF_GO.search(source))


def _of_rust(
    commits: Commits, files: Mapping[str, CommitFile], paths: Sequence[str]
) -> frozenset[str]:
    if not any(path.endswith((".rs", _MANIFEST)) for path in paths):
        return frozenset()
    manifests = [file for path, file in files.items() if PurePosixPath(path).name == _MANIFEST]
    small = [file for file in manifests if file.size <= _LARGEST][:_MOST]
    crates = [crate for file, source in commits.read(small) for crate in _crates(file, source)]
    used = frozenset[str]().union(*(crate.for_use for crate in crates))
    tested = frozenset[str]().union(*(crate.for_tests for crate in crates))
    inner = {crate.folder for crate in crates if crate.is_inner}
    folders = tuple(f"{folder}/" for folder in (tested - used) & inner)
    return frozenset(path for path in paths if path.startswith(folders)) if folders else frozenset()


def _crates(file: CommitFile, source: bytes) -> Iterator[_Crate]:
    try:
        manifest = read_toml(source.decode())
    except (TooMuchError, ValueError):
        return
    folder = str(PurePosixPath(file.path).parent)
    package = _table(manifest.get("package"))
    yield _Crate(
        folder=folder,
        is_inner=package.get("publish") is False
        or bool(_FOR_TESTS.search(str(package.get("name")))),
        for_use=frozenset(_paths(manifest, folder, ("dependencies", "build-dependencies"))),
        for_tests=frozenset(_paths(manifest, folder, ("dev-dependencies",))),
    )


def _paths(manifest: Mapping[str, Any], folder: str, keys: Sequence[str]) -> Iterator[str]:
    targets = map(_table, _table(manifest.get("target")).values())
    for table in (manifest, *targets):
        for key in keys:
            for found in map(_table, _table(table.get(key)).values()):
                if isinstance(found.get("path"), str):
                    yield normpath(f"{folder}/{found['path']}")


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
