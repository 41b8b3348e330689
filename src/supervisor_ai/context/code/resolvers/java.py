"""Resolves the imports of Java to files of the repository."""

import re
from collections.abc import Iterator
from posixpath import commonprefix, dirname
from typing import Final

from supervisor_ai.context.code.language import SourceLanguage
from supervisor_ai.context.code.resolvers.repository import Imported, RepositoryFiles
from supervisor_ai.context.code.syntax_tree import parsed

_QUERY: Final = """
(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration) @import
(type_identifier) @type
(method_invocation object: (identifier) @type)
(field_access object: (identifier) @type)
(marker_annotation name: (identifier) @type)
(annotation name: (identifier) @type)
"""
_IMPORT: Final = re.compile(r"import\s+(?:static\s+)?([\w.]+\*?)")


class JavaResolver:
    """Finds classes by their path: a package is a folder, a public class a file."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield what a file imports, and the classes of its own package that it names."""
        tree = parsed(SourceLanguage.JAVA, text)
        found = [(kind, tree.text(node)) for kind, node in tree.found(_QUERY)]
        used = dict.fromkeys(name for kind, name in found if kind == "type")
        for name in (match[1] for kind, line in found if (match := _IMPORT.match(line))):
            if name.endswith(".*"):
                yield from self._used_of(path, name.removesuffix(".*"), used)
            else:
                yield Imported(name=name, files=tuple(self._class(path, name)))
        own = next((name for kind, name in found if kind == "package"), "")
        yield from self._used_of(path, own, used)

    def _class(self, path: str, name: str) -> list[str]:
        """Find the file of a class, of a class inside one, or of a static member."""
        parts = name.split(".")
        for end in range(len(parts), max(0, len(parts) - 3), -1):
            found = self._files("/".join(parts[: end - 1]), parts[end - 1])
            if found:
                return [max(found, key=lambda each: len(commonprefix([each, path])))]
        return []

    def _used_of(self, path: str, package: str, used: dict[str, None]) -> Iterator[Imported]:
        inner = self._class(path, package) if package else []
        if inner:
            yield Imported(name=f"{package}.*", files=tuple(inner))
            return
        for name in used:
            found = self._files(package.replace(".", "/"), name)
            if found and path not in found:
                nearest = max(found, key=lambda each: len(commonprefix([each, path])))
                yield Imported(name=f"{package}.{name}", files=(nearest,))

    def _files(self, package: str, name: str) -> list[str]:
        paths = self._repository.named(f"{name}.java")
        return [path for path in paths if f"/{dirname(path)}".endswith(f"/{package}")]
