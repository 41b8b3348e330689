"""Where the names come from that a Python test uses, so that two tests can be told apart."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of
from supervisor_ai.gates.integrity.languages.python.nodes import expression, unwrapped

if TYPE_CHECKING:
    from tree_sitter import Node

_OF_PYTEST: Final = frozenset(
    {"tmp_path", "tmp_path_factory", "monkeypatch", "capsys", "capfd", "caplog", "recwarn"}
    | {"request", "pytestconfig", "self"}
)
_DEFINITIONS: Final = ("function_definition", "class_definition")


class Origins:
    """Names what the names of one file mean."""

    def __init__(self, path: str, root: "Node", nodes: "Iterable[Node]") -> None:
        self._path = path
        self._folder = PurePosixPath(path).parent
        found = imports(nodes)
        self._imported = {bound: self._place(origin) for bound, origin, _module in found}
        self._own = frozenset(_defined(items(root)))
        self.imported = frozenset(self._imported)
        """The names that the file takes from elsewhere."""
        self._prepared: dict[int, bool] = {}

    def _place(self, origin: str) -> str:
        return f"{self._folder}:{origin}" if origin.startswith(".") else origin

    def of(
        self, function: "Node", classes: "tuple[Node, ...]", names: Iterable[str]
    ) -> tuple[str, ...]:
        """Return the origins of all that a function uses; what belongs to it alone has none."""
        used = set(names) - {source_of(field(function, "name"))}
        given = {
            source_of(field(each, "name") or each) for each in items(field(function, "parameters"))
        }
        given -= _OF_PYTEST
        origins = {self._imported[name] for name in used & self._imported.keys()}
        origins |= {f"{self._path}: {name}" for name in (used | given) & self._own}
        origins |= {f"fixture of {self._folder}: {name}" for name in given - self._own}
        prepared = (each for each in classes if self._is_prepared(each))
        origins |= {f"{self._path}: {source_of(field(each, 'name'))}" for each in prepared}
        return tuple(sorted(origins))

    def _is_prepared(self, outer: "Node") -> bool:
        if outer.id not in self._prepared:
            self._prepared[outer.id] = _is_prepared(outer)
        return self._prepared[outer.id]


def _is_prepared(outer: "Node") -> bool:
    """Tell whether a class brings more than tests."""
    inside = map(unwrapped, items(field(outer, "body")))
    named = [source_of(field(each, "name")) for each in inside if each.type in _DEFINITIONS]
    return bool(items(field(outer, "superclasses"))) or any(
        not name.startswith("test") for name in named
    )


def imports(nodes: "Iterable[Node]") -> Iterator[tuple[str, str, str]]:
    """Yield the names that a file imports, what each of them is, and the module it is from."""
    for node in nodes:
        if node.type not in ("import_statement", "import_from_statement"):
            continue
        module = source_of(field(node, "module_name"))
        for each in node.children_by_field_name("name"):
            alias = source_of(field(each, "alias"))
            name = source_of(field(each, "name")) if alias else source_of(each)
            if node.type == "import_from_statement":
                yield alias or name, f"{module}.{name}", module
            else:
                first = alias or name.partition(".")[0]
                yield first, name if alias else first, name


def _defined(body: "list[Node]") -> Iterator[str]:
    for node in map(unwrapped, body):
        inner = expression(node)
        if node.type in _DEFINITIONS:
            yield source_of(field(node, "name"))
        elif inner.type == "assignment":
            yield source_of(field(inner, "left"))
