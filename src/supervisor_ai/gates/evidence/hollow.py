"""Empties the product, so that whoever tests it must notice; runs in the reader's process."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, Protocol

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.product_files import is_shipped
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.far_tests import far_tests
from supervisor_ai.gates.evidence.messages import HollowFound
from supervisor_ai.gates.evidence.mixed_files import is_build_file
from supervisor_ai.gates.evidence.sources.edits import Edit, applied
from supervisor_ai.gates.evidence.sources.emptied_compiled import empty_go, empty_java, empty_rust
from supervisor_ai.gates.evidence.sources.emptied_python import empty_python
from supervisor_ai.gates.evidence.sources.emptied_script import empty_script
from supervisor_ai.gates.evidence.toml_graft import NoGraft


class _Empty(Protocol):
    """Says what empties a source; None: nothing of it may stay."""

    def __call__(self, path: str, source: bytes, *, with_values: bool) -> list[Edit] | None: ...


_FILES: Final = 8000
_READ_FILES: Final = 1500
_READ_BYTES: Final = 6 * 1024 * 1024
_LARGEST: Final = 512 * 1024
_BY_SYNTAX: Final[Mapping[str, _Empty]] = {
    ".py": empty_python,
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), empty_script),
    ".go": empty_go,
    ".rs": empty_rust,
    ".java": empty_java,
}
_MODULES: Final = frozenset(
    {*_BY_SYNTAX, ".kt", ".scala", ".groovy", ".rb", ".php", ".cs", ".fs", ".swift", ".c", ".cc"}
    | {".cpp", ".cxx", ".m", ".ex", ".erl", ".hs", ".ml", ".lua", ".pl", ".pm", ".dart", ".zig"}
    | {".jl", ".r", ".clj", ".nim", ".cr", ".vue", ".svelte", ".sh", ".bash", ".zsh", ".ksh"}
)
_NOT_WRITTEN: Final = re.compile(
    r"(?:.*/)?(?:migrations|dist|build|out|target|vendor|third_party|generated|scripts?)/.*"
    r"|(?:.*/)?alembic/versions/.*"
    r"|(?:.*/)?(?:_version\.py|__version__\.py|setup\.py|build\.rs|manage\.py|hatch_build\.py)"
    r"|.*(?:_pb2(?:_grpc)?\.py|\.pb\.go|_gen\.go|\.gen\.\w+|\.generated\.\w+|\.min\.js|\.d\.[cm]?ts)"
    r"|(?:.*/)?(?:zz_generated[^/]*|[^/]+\.config\.[cm]?[jt]s)",
    re.DOTALL,
)
"""What nobody wrote, or what builds the product and is none."""


def hollow(case: ChangeCase, rules: HarnessRules, commits: Commits, *, whole: bool) -> HollowFound:
    """Empty the modules that a change touches, or all of them."""
    head = commits.list(case.head)
    base = frozenset(file.path for file in commits.list(case.base))
    changed = frozenset(change.path for change in commits.changes(case.base, case.head))
    conventions = Conventions(rules, base, frozenset(file.path for file in head))
    modules = [
        file
        for file in head
        if (whole or file.path in changed)
        and _is_module(file.path)
        and conventions.of(file.path).half == Half.PRODUCT
    ]
    chosen = sorted(modules, key=lambda file: _distance(file.path, changed))[:_FILES]
    emptied, blank = _emptied(chosen, commits, changed)
    return HollowFound(
        emptied=emptied,
        blank=tuple(blank),
        left=len(modules) - len(chosen),
        far_tests=() if whole else far_tests(commits, head, [*emptied, *blank]),
    )


def _is_module(path: str) -> bool:
    is_code = PurePosixPath(path).suffix.lower() in _MODULES
    return is_code and is_shipped(path) and not is_build_file(path) and not _NOT_WRITTEN.match(path)


def _distance(path: str, changed: frozenset[str]) -> tuple[bool, bool, str]:
    """Put what changed first, then what stands beside it."""
    folders = {each.rpartition("/")[0] for each in changed} if len(changed) <= 1 else frozenset()
    return path not in changed, path.rpartition("/")[0] not in folders, path


def _emptied(
    files: Sequence[CommitFile], commits: Commits, changed: frozenset[str]
) -> tuple[dict[str, bytes], list[str]]:
    read = frozenset(file.path for file in _within_bounds(files))
    blank = [file.path for file in files if file.path not in read]
    emptied: dict[str, bytes] = {}
    for file, source in commits.read([file for file in files if file.path in read]):
        left = _left_of(file.path, source, is_changed=file.path in changed)
        if left is None:
            blank.append(file.path)
        elif left != source:
            emptied[file.path] = left
    return emptied, sorted(blank)


def _within_bounds(files: Sequence[CommitFile]) -> Iterator[CommitFile]:
    total = count = 0
    for file in files:
        is_known = PurePosixPath(file.path).suffix in _BY_SYNTAX and file.size <= _LARGEST
        if is_known and total + file.size <= _READ_BYTES and count < _READ_FILES:
            total, count = total + file.size, count + 1
            yield file


def _left_of(path: str, source: bytes, *, is_changed: bool) -> bytes | None:
    """Return what is left of a module; None where it is nothing, for nobody understands it."""
    try:
        edits = _BY_SYNTAX[PurePosixPath(path).suffix](path, source, with_values=is_changed)
    except NoGraft:
        return None
    return None if edits is None else applied(source, edits)
