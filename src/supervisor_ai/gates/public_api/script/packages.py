"""Packages of npm: which files their entry points are, and how they can be loaded."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.script.script_modules import ScriptModules
from supervisor_ai.tools.json_value import Json, JsonObject, mapping, parse_object, text

MANIFEST: Final = "package.json"
_MAIN: Final = "."
_FIELDS: Final = ("types", "typings", "main", "module", "browser")
_BUILT: Final = ("dist/", "lib/", "build/", "out/", "esm/", "cjs/", "es/", "types/", "typings/")
_DEEPEST: Final = 8
_OF_CODE: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx")


class ScriptPackage(Struct, frozen=True, kw_only=True):
    """One package and its doors."""

    folder: str
    name: str = ""
    entries: Mapping[str, str] = field(default_factory=dict)
    """The file with the types of each door, or else with its code."""
    is_closed: bool = True
    """Whether every door was found, so that nothing else is public."""
    is_library: bool = True
    can_be_required: bool = True


def find_package(side: CommitSide, modules: ScriptModules, folder: str) -> ScriptPackage:
    """Read the manifest of a folder; without one, or without doors, every file is one."""
    manifest = parse_object(side.text(f"{folder}{MANIFEST}") or b"")
    if manifest is None:
        return ScriptPackage(folder=folder, is_closed=False)
    doors = dict(_doors(manifest))
    found = {door: _file(modules, folder, paths) for door, paths in doors.items()}
    entries = {door: file for door, file in found.items() if file is not None}
    is_private = manifest.get("private") is True
    has_door = any(manifest.get(it) for it in (*_FIELDS, "exports"))
    return ScriptPackage(
        folder=folder,
        name=text(manifest.get("name")),
        entries=entries,
        is_closed=bool(entries) and len(entries) == len(found),
        is_library=has_door or not is_private,
        can_be_required=_can_be_required(manifest),
    )


def _doors(manifest: JsonObject) -> Iterator[tuple[str, list[str]]]:
    exports = manifest.get("exports")
    listed = mapping(exports)
    if any(key.startswith(_MAIN) for key in listed):
        for key, value in listed.items():
            paths = [it for it in _leaves(value, 0) if it.endswith(_OF_CODE)]
            if paths and "*" not in key:
                yield key, paths
        return
    paths = list(_leaves(exports, 0)) if exports is not None else []
    paths = [*(text(manifest.get(it)) for it in _FIELDS[:2]), *paths]
    if exports is None:
        paths += [text(manifest.get(it)) for it in _FIELDS[2:]]
    named = [it for it in paths if it]
    yield _MAIN, named or ["index.js"]


def _leaves(value: Json, depth: int) -> Iterator[str]:
    """Return the paths below conditions; types come first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < _DEEPEST:
        for key in sorted(value, key=lambda it: not it.startswith("types")):
            yield from _leaves(value[key], depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for each in value:
            yield from _leaves(each, depth + 1)


def _file(modules: ScriptModules, folder: str, paths: list[str]) -> str | None:
    """Find the source of a door: what is published is often built from somewhere else."""
    for path in paths:
        plain = path.removeprefix("./")
        places = [
            plain,
            *(f"src/{plain.removeprefix(it)}" for it in _BUILT if plain.startswith(it)),
        ]
        for place in (*places, f"src/{plain.rpartition('/')[2]}", "src/index.ts"):
            found = modules.resolve(f"{folder}{place}")
            if found is not None:
                return found
    return None


def _can_be_required(manifest: JsonObject) -> bool:
    exports = manifest.get("exports")
    if _has_condition(exports, "require", 0):
        return True
    main = [*_leaves(exports, 0)] if exports is not None else [text(manifest.get("main"))]
    if any(it.endswith(".cjs") for it in main):
        return True
    is_module = manifest.get("type") == "module"
    return not is_module and not (
        main and all(it.endswith(".mjs") for it in main if it) and any(main)
    )


def _has_condition(value: Json, word: str, depth: int) -> bool:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return False
    return word in value or any(_has_condition(it, word, depth + 1) for it in value.values())
