"""Manifests that are trees: TOML and JSON."""

import json
import re
from collections.abc import Iterator
from typing import Final

from supervisor_ai.control.ports.project_survey import ManifestEvidence
from supervisor_ai.definitions.detection.facts import ProjectFact
from supervisor_ai.tools.toml import read_toml

Found = Iterator[ProjectFact]

_MOST_KEYS: Final = 2_000
_DEEPEST: Final = 6
_DEPENDENCY: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]{0,100})")
_NODE_GROUPS: Final = (
    *("dependencies", "devDependencies", "peerDependencies"),
    "optionalDependencies",
)
_NO_TESTS: Final = "no test specified"
_PYTHON_LISTS: Final = re.compile(
    r"project\.dependencies|project\.optional-dependencies\.[^.]+|dependency-groups\.[^.]+"
    r"|tool\.(uv|pdm)\.dev-dependencies(\.[^.]+)?"
)
_PYTHON_TABLES: Final = re.compile(
    r"(tool\.poetry(\.group\.[^.]+)?\.(dev-)?dependencies|packages|dev-packages)\.([^.]+)"
)
_CARGO_TABLES: Final = re.compile(r"(workspace\.)?(dev-|build-)?dependencies\.([^.]+)")


def pyproject(file: str, text: str) -> Found:
    """Find the keys and the dependencies of a Python project, also of a Pipfile."""
    for path, value in _toml(text):
        yield _fact("toml", path, file, path)
        table = _PYTHON_TABLES.fullmatch(path)
        if table:
            yield _fact("pypi", normal(table[4]), file, path)
        if isinstance(value, list) and _PYTHON_LISTS.fullmatch(path):
            for entry in value:
                name = _DEPENDENCY.match(entry) if isinstance(entry, str) else None
                if name:
                    yield _fact("pypi", normal(name[1]), file, path)


def cargo(file: str, text: str) -> Found:
    """Find the keys and the dependencies of a crate or of a workspace of crates."""
    for path, _ in _toml(text):
        yield _fact("toml", path, file, path)
        table = _CARGO_TABLES.fullmatch(path)
        if table:
            yield _fact("cargo", table[3], file, path)


def toml_keys(file: str, text: str) -> Found:
    """Find the keys of any TOML file."""
    for path, _ in _toml(text):
        yield _fact("toml", path, file, path)


def package_json(file: str, text: str) -> Found:
    """Find the dependencies and the scripts of a Node package."""
    manifest = _json(text)
    for group in _NODE_GROUPS:
        for name in _table(manifest.get(group)):
            yield _fact("npm", name, file, f"{group}.{name}")
    for name, script in _table(manifest.get("scripts")).items():
        if isinstance(script, str) and script.strip() and _NO_TESTS not in script:
            yield _fact("script", name, file, f"scripts.{name}")
    if manifest.get("workspaces"):
        yield _fact("package", "workspaces", file, "workspaces")
    if manifest.get("bin"):
        yield _fact("package", "bin", file, "bin")
    chosen = manifest.get("packageManager")
    if isinstance(chosen, str):
        name = chosen.partition("@")[0]
        yield _fact("package", f"packageManager.{name}", file, "packageManager")


def normal(name: str) -> str:
    """Write the name of a Python distribution as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _fact(kind: str, name: str, file: str, key: str) -> ProjectFact:
    return ProjectFact(name=f"{kind}:{name}", evidence=ManifestEvidence(file=file, key=key))


def _toml(text: str) -> Iterator[tuple[str, object]]:
    try:
        tree: dict[str, object] = read_toml(text)
    except (ValueError, RecursionError):
        return
    for _, pair in zip(range(_MOST_KEYS), _walk(tree, ()), strict=False):
        yield pair


def _walk(table: dict[str, object], above: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        path = (*above, key)
        yield ".".join(path), value
        if isinstance(value, dict) and len(path) < _DEEPEST:
            yield from _walk(value, path)


def _json(text: str) -> dict[str, object]:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return _table(found)


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        return {}
    return {str(key): inner for _, (key, inner) in zip(range(_MOST_KEYS), value.items())}  # noqa: B905 - a bound
