"""Breaks of the public API of TypeScript and JavaScript."""

from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ApiBreak, ApiChange
from supervisor_ai.gates.change.differences import is_test_path, shown
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.comparison import compare, is_doubtful
from supervisor_ai.gates.public_api.foreign_files import is_foreign, is_made
from supervisor_ai.gates.public_api.model import ApiSymbol
from supervisor_ai.gates.public_api.script.packages import (
    MANIFEST,
    find_package,
)
from supervisor_ai.gates.public_api.script.script_modules import WHOLE, ScriptModules
from supervisor_ai.gates.public_api.script.script_surface import DIALECT, ScriptSurface, renamed
from supervisor_ai.gates.public_api.script.uses import with_uses

_INTERNAL: Final = ("internal/", "_internal/", "private/")


def script_breaks(
    before: CommitSide, after: CommitSide, paths: frozenset[str]
) -> Iterator[ApiBreak]:
    """Compare the packages that changed files belong to."""
    folders = {_folder(path, before, after) for path in paths}
    for folder in sorted(folders):
        inner = frozenset(it for it in paths if _folder(it, before, after) == folder)
        yield from _package_breaks(before, after, folder, inner)


def _folder(path: str, before: CommitSide, after: CommitSide) -> str:
    """Return the nearest folder above a file that has a manifest, with a slash at its end."""
    parts = path.split("/")[:-1]
    for depth in range(len(parts), -1, -1):
        folder = "".join(f"{it}/" for it in parts[:depth])
        if f"{folder}{MANIFEST}" in before.files or f"{folder}{MANIFEST}" in after.files:
            return folder
    return ""


def _package_breaks(
    before: CommitSide, after: CommitSide, folder: str, paths: frozenset[str]
) -> Iterator[ApiBreak]:
    modules = ScriptModules(before), ScriptModules(after)
    old = find_package(before, modules[0], folder)
    new = find_package(after, modules[1], folder)
    if not old.is_library:
        return
    is_package = all(f"{folder}{MANIFEST}" in side.files for side in (before, after))
    if is_package and old.can_be_required and not new.can_be_required:
        yield _lost(folder, old.name or "package", "it can no longer be loaded by `require`")
    if old.is_closed and new.is_closed:
        for door in sorted(set(old.entries) - set(new.entries)):
            yield _lost(folder, door, "the entry point is gone")
        pairs = {it: (old.entries[it], new.entries[it]) for it in old.entries if it in new.entries}
    else:
        pairs = {it: (it, it) for it in sorted(paths) if _is_open(it, before, after)}
    surfaces = ScriptSurface(modules[0]), ScriptSurface(modules[1])
    told: dict[ApiBreak, None] = {}
    for first, second in pairs.values():
        told |= dict.fromkeys(_file_breaks(surfaces, first, second, before.unread))
    yield from told


def _lost(folder: str, symbol: str, detail: str) -> ApiBreak:
    file = shown(f"{folder}{MANIFEST}")
    return ApiBreak(file=file, symbol=shown(symbol), change=ApiChange.REMOVED, detail=detail)


def _is_open(path: str, before: CommitSide, after: CommitSide) -> bool:
    """Tell whether a file of a package without known doors may be imported from outside."""
    if path.endswith(".json") or path not in before.files or is_test_path(path):
        return False
    is_hidden = any(it in f"/{path}" for it in _INTERNAL) or is_foreign(path)
    is_written = not is_made(before.text(path) or b"")
    stem = path.rpartition(".")[0]
    is_typed = path.endswith("js") and f"{stem}.d.ts" in after.files
    return not is_hidden and is_written and not is_typed


def _file_breaks(
    surfaces: tuple[ScriptSurface, ScriptSurface], first: str, second: str, unread: dict[str, str]
) -> Iterator[ApiBreak]:
    old, new = (
        _uniform(with_uses(surface.of(path), surface.types(path)))
        for surface, path in zip(surfaces, (first, second), strict=True)
    )
    for name in old.keys() & new.keys():
        if is_doubtful(old[name], new[name]):
            unread[old[name].file] = f"nobody can tell whether the type {name!r} takes less now"
    # A file that says nothing at all may be loaded in a way that nobody sees here.
    if new or not old:
        yield from compare(old, new, DIALECT)
    else:
        first_name = next(iter(old))
        yield from compare({first_name: old[first_name]}, new, DIALECT)


def _uniform(surface: Mapping[str, ApiSymbol]) -> Mapping[str, ApiSymbol]:
    """Call what `require` gives the default, and remember that it is loaded in that way."""
    whole = surface.get(WHOLE)
    if whole is None:
        return surface
    traits = frozenset({*whole.traits, "loaded by `require` as a whole"})
    rest = {name: it for name, it in surface.items() if name != WHOLE}
    return {**rest, "default": replace(renamed(whole, "default"), traits=traits)}
