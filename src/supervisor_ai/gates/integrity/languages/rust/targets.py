"""Which files below `tests` cargo builds: those at the top, and what they or a `main.rs` hold."""

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.model import TestFile, Unreadable

File = TestFile | Unreadable


def unbuilt_left_out(files: list[File], paths: Collection[str], manifests: str) -> list[File]:
    """Count the tests of files that no target holds as skipped."""
    return [
        replace(file, tests=tuple(replace(test, is_skipped=True) for test in file.tests))
        if isinstance(file, TestFile) and not _is_built(file.path, paths, manifests)
        else file
        for file in files
    ]


def _is_built(path: str, paths: Collection[str], manifests: str) -> bool:
    parts = PurePosixPath(path).parts
    if not path.endswith(".rs") or "tests" not in parts[:-2] or "src" in parts:
        return True
    at = parts.index("tests") + 1
    inside = "/".join(parts[at - 1 :])
    return inside in manifests or any(each in paths for each in _holders("/".join(parts[: at + 1])))


def _holders(folder: str) -> Iterator[str]:
    """Name the files that make a target of a folder, or a part of one."""
    yield f"{folder}/main.rs"
    yield f"{folder}/mod.rs"
    yield f"{folder}.rs"
