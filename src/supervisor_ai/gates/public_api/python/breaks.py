"""Breaks of the public API of Python."""

from collections.abc import Iterator

from supervisor_ai.engine.ports.gates import ApiBreak
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.comparison import compare
from supervisor_ai.gates.public_api.python.surface import DIALECT, PythonSurface


def python_breaks(
    before: CommitSide, after: CommitSide, paths: frozenset[str]
) -> Iterator[ApiBreak]:
    """Compare the modules of changed files, and those that re-export what stands in them."""
    for suffix in (".py", ".pyi"):
        some = frozenset(it for it in paths if it.endswith(suffix))
        if some:
            yield from _breaks(before, after, some, suffix)


def _breaks(
    before: CommitSide, after: CommitSide, paths: frozenset[str], suffix: str
) -> Iterator[ApiBreak]:
    old, new = PythonSurface(before, suffix), PythonSurface(after, suffix)
    names = old.names_of(paths) | new.names_of(paths)
    was, is_now = old.promised(names), new.of(names)
    gone = {it for it in was if was[it].kind == "module" and it not in is_now}
    # A stub may go when the module has annotations itself.
    stubs = gone if suffix == ".pyi" else frozenset()
    kept = {
        name: symbol
        for name, symbol in was.items()
        if not any(name.startswith(f"{it}.") for it in gone) and name not in stubs
    }
    yield from compare(kept, is_now, DIALECT)
