"""The packages of a JavaScript repository and what they offer under which name."""

import re
from collections.abc import Iterator
from functools import cached_property
from posixpath import dirname
from typing import Final

from supervisor_ai.context.code.resolvers.repository import RepositoryFiles, parents, strings, under
from supervisor_ai.context.code.resolvers.tsconfig import matched

MAX_TARGETS: Final = 64
MAX_DEPTH: Final = 8
_BUILT: Final = re.compile(r"^(?:\./)?(?:dist|lib|build|out|esm|cjs|es)/(?:(?:esm|cjs|types)/)?")
_COMPILED: Final = re.compile(r"(?:\.d)?\.[cm]?[jt]s$")


class Packages:
    """Knows every package.json; built files are looked for among the sources."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository

    def places(self, path: str, name: str) -> Iterator[str]:
        """Yield where the file behind a bare name may lie."""
        if name.startswith("#"):
            yield from self._private(path, name)
            return
        parts = name.split("/")
        size = 2 if name.startswith("@") else 1
        folder = self._folders.get("/".join(parts[:size]))
        if folder is not None:
            rest = "/".join(parts[size:])
            yield from (under(folder, each) for each in self.entries(folder, f"./{rest}"))

    def entries(self, folder: str, wanted: str) -> Iterator[str]:
        """Yield the files that a package may mean by a name, relative to its folder."""
        table = self._repository.table(self._manifest(folder)) if self._has(folder) else {}
        rest = wanted.removeprefix(".").removeprefix("/")
        exports = table.get("exports")
        yield from _sources(_offered(exports, f"./{rest}" if rest else "."))
        if rest:
            yield from (rest, f"src/{rest}")
            return
        for key in ("source", "types", "typings", "module", "main"):
            yield from _sources(strings(table.get(key)))
        yield from ("src/index", "index")

    def _private(self, path: str, name: str) -> Iterator[str]:
        folder = next((each for each in parents(dirname(path)) if self._has(each)), None)
        if folder is not None:
            table = self._repository.table(self._manifest(folder))
            found = _sources(_offered(table.get("imports"), name))
            yield from (under(folder, each) for each in found)

    def _has(self, folder: str) -> bool:
        return self._manifest(folder) in self._repository

    def _manifest(self, folder: str) -> str:
        return under(folder, "package.json")

    @cached_property
    def _folders(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in self._repository.named("package.json"):
            if "node_modules/" not in path:
                for name in strings(self._repository.table(path).get("name")):
                    found.setdefault(name, dirname(path))
        return found


def _offered(exports: object, wanted: str) -> list[str]:
    """Return the targets of a name in `exports` or `imports`, under whatever condition."""
    if isinstance(exports, dict) and any(str(key).startswith((".", "#")) for key in exports):
        for key, target in exports.items():
            middle = matched(str(key), wanted)
            if middle is not None:
                return [each.replace("*", middle) for each in _targets(target, MAX_DEPTH)]
        return []
    return _targets(exports, MAX_DEPTH) if wanted == "." else []


def _targets(value: object, left: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    nested = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(nested, list) or not left:
        return []
    return [target for each in nested for target in _targets(each, left - 1)][:MAX_TARGETS]


def _sources(targets: list[str]) -> Iterator[str]:
    """Yield the targets, then the sources from which they may be built."""
    yield from targets
    for target in targets:
        stem = _COMPILED.sub("", target.removeprefix("./"))
        inner = _BUILT.sub("", stem)
        yield from (f"src/{inner}", stem, inner)
