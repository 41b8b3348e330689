"""The crates of a Rust repository."""

from collections.abc import Iterator
from functools import cached_property
from posixpath import basename, dirname
from typing import Final

from supervisor_ai.context.code.resolvers.repository import (
    RepositoryFiles,
    parents,
    strings,
    table_at,
    under,
)

_ROOT_NAMES: Final = ("lib.rs", "main.rs")
_TARGETS: Final = ("bin", "example", "test", "bench")
_DEPENDENCIES: Final = ("dependencies", "dev-dependencies", "build-dependencies")


class Crates:
    """Knows every Cargo.toml: which file is the root of a crate, and under which name."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository

    def library(self, path: str, name: str) -> str | None:
        """Return the root file of the crate that a file knows by a name, or None."""
        manifest = self._manifest(path)
        return self._renamed(manifest).get(name) or self._libraries.get(name)

    def root(self, path: str) -> str:
        """Return the root file of the crate that a file belongs to."""
        if path in self._roots:
            return path
        top = dirname(self._manifest(path) or "")
        for folder in parents(dirname(path)):
            files = self._repository.beside(folder)
            found = [file for file in files if self._is_root(file)]
            if found:
                return found[0]
            if folder == top:
                break
        return path

    def _is_root(self, path: str) -> bool:
        return path in self._roots or basename(path) in _ROOT_NAMES

    def _manifest(self, path: str) -> str | None:
        return self._repository.first(under(each, "Cargo.toml") for each in parents(dirname(path)))

    def _renamed(self, manifest: str | None) -> dict[str, str]:
        """Return the crates that a manifest calls by a name of its own."""
        found: dict[str, str] = {}
        table = self._repository.table(manifest) if manifest else {}
        for key, value in (
            pair for kind in _DEPENDENCIES for pair in table_at(table, kind).items()
        ):
            for real in strings(table_at({key: value}, key).get("package")):
                library = self._libraries.get(real.replace("-", "_"))
                if library is not None:
                    found[key.replace("-", "_")] = library
        return found

    @cached_property
    def _libraries(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for manifest in self._repository.named("Cargo.toml"):
            table = self._repository.table(manifest)
            library = self._library_path(manifest)
            names = strings(table_at(table, "package").get("name"))
            own = strings(table_at(table, "lib").get("name"))
            for name in (*names, *own):
                if library in self._repository:
                    found.setdefault(name.replace("-", "_"), library)
        return found

    def _library_path(self, manifest: str) -> str:
        paths = strings(table_at(self._repository.table(manifest), "lib").get("path"))
        return under(dirname(manifest), (*paths, "src/lib.rs")[0])

    @cached_property
    def _roots(self) -> frozenset[str]:
        """Return every root that a manifest names, and the programs below src/bin."""
        return frozenset(
            root for manifest in self._repository.named("Cargo.toml") for root in self._of(manifest)
        )

    def _of(self, manifest: str) -> Iterator[str]:
        folder = dirname(manifest)
        yield self._library_path(manifest)
        for kind in _TARGETS:
            targets = self._repository.table(manifest).get(kind)
            for target in targets if isinstance(targets, list) else ():
                paths = strings(table_at({"it": target}, "it").get("path"))
                yield from (under(folder, path) for path in paths)
        for place in ("src/bin", "tests", "examples", "benches"):
            files = self._repository.beside(under(folder, place))
            yield from (file for file in files if file.endswith(".rs"))
