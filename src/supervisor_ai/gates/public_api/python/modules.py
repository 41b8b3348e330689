"""Modules of Python: their names, what they define and where their other names come from."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from supervisor_ai.gates.change.product_files import is_product
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    Grammar,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.foreign_files import is_foreign

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMAR: Final = Grammar("tree_sitter_python")
_ROOTS: Final = ("src/", "lib/", "python/")
_SCRIPTS: Final = frozenset(
    {"setup", "conftest", "noxfile", "tasks", "manage", "fabfile", "dodo", "__main__", "test"}
    | {"toxfile", "hatch_build", "build", "ez_setup", "versioneer"}
)
_BLOCKS: Final = frozenset(
    {"if_statement", "else_clause", "elif_clause", "try_statement", "except_clause", "block"}
    | {"finally_clause", "with_statement", "except_group_clause"}
)


class ImportOrigin(Struct, frozen=True):
    """Where an imported name comes from; without a name the module itself is meant."""

    module: str
    name: str | None


class PythonModule(Struct, frozen=True, kw_only=True):
    """One module as it is written."""

    name: str
    path: str
    is_package: bool
    definitions: Mapping[str, list["Node"]] = field(default_factory=dict)
    imports: Mapping[str, list[ImportOrigin]] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    listed: frozenset[str] = frozenset()
    """What `__all__` names, as far as it is written out."""
    served: frozenset[str] = frozenset()
    """What `__getattr__` of the module answers to."""
    is_dynamic: bool = False
    """Whether it makes names up when it is asked for them."""
    kept: frozenset[str] = frozenset()
    """What is imported under its own name on purpose: `import a as a`."""


class PythonModules:
    """All modules of a commit by their names; each is read when it is asked for."""

    def __init__(self, side: CommitSide, suffix: str = ".py") -> None:
        self._side = side
        self._suffix = suffix
        packages = {it.rpartition("/")[0] for it in side.files if it.endswith(f"/__init__{suffix}")}
        named = ((module_name(it, packages, suffix), it) for it in side.files)
        self.paths: Mapping[str, str] = {name: path for name, path in named if name}
        self._read: dict[str, PythonModule | None] = {}

    def find(self, name: str) -> PythonModule | None:
        """Return a module; None where the commit has none, or none that can be read."""
        if name not in self._read:
            path = self.paths.get(name)
            root = None if path is None else self._side.root(path, GRAMMAR)
            self._read[name] = None if root is None or path is None else _module(name, path, root)
        return self._read[name]


def module_name(path: str, packages: set[str], suffix: str = ".py") -> str:
    """Name the module of a file; nothing for what is no module that others could import."""
    if not path.endswith(suffix) or not is_product(path) or is_foreign(path):
        return ""
    parts = path.removesuffix(suffix).split("/")
    start = len(parts) - 1
    while start > 0 and "/".join(parts[:start]) in packages:
        start -= 1
    home = "/".join(parts[:start])
    name = ".".join(parts[start:]).removesuffix(".__init__")
    is_alone = start == len(parts) - 1
    if is_alone and (f"{home}/" not in (*_ROOTS, "/") or parts[-1] in _SCRIPTS):
        return ""
    return (
        "" if parts[-1] == "__main__" or not all(map(str.isidentifier, name.split("."))) else name
    )


def is_public_name(name: str) -> bool:
    """Tell whether each part of a dotted name is meant for everybody."""
    return all(not it.startswith("_") for it in name.split("."))


def _module(name: str, path: str, root: "Node") -> PythonModule:
    is_package = path.rpartition("/")[2].startswith("__init__.")
    definitions: dict[str, list[Node]] = {}
    imports: dict[str, list[ImportOrigin]] = {}
    stars: list[str] = []
    listed: set[str] = set()
    served: set[str] = set()
    kept: set[str] = set()
    is_dynamic = False
    package = name if is_package else name.rpartition(".")[0]
    for node in _statements(root):
        if node.type == "import_from_statement":
            _add_imports(node, package, imports, stars, kept)
            continue
        if node.type == "import_statement":
            _add_modules(node, imports, kept)
            continue
        for defined in _defined(node):
            is_dynamic = is_dynamic or defined == "__getattr__"
            if defined == "__all__":
                listed |= {_content(it) for it in walked(node) if it.type == "string"}
            elif defined == "__getattr__":
                served |= {_content(it) for it in _compared(node)}
            else:
                definitions.setdefault(defined, []).append(node)
    return PythonModule(
        name=name,
        path=path,
        is_package=is_package,
        definitions=definitions,
        imports=imports,
        stars=tuple(stars),
        listed=frozenset(listed - {""}),
        served=frozenset(served - {""}),
        is_dynamic=is_dynamic,
        kept=frozenset(kept),
    )


def _statements(node: "Node") -> Iterator["Node"]:
    """Return the statements of a module; what only some machines run counts as well."""
    for each in items(node):
        if each.type in _BLOCKS:
            yield from _statements(each)
        elif each.type == "expression_statement":
            yield from items(each)
        else:
            yield each


def _defined(node: "Node") -> Iterator[str]:
    match node.type:
        case "decorated_definition":
            yield source_of(part(node, "definition", "name"))
        case "function_definition" | "class_definition":
            yield source_of(part(node, "name"))
        case "assignment" | "augmented_assignment" | "type_alias_statement":
            left = part(node, "left")
            yield from (source_of(it) for it in _targets(left))
        case "call" if source_of(part(node, "function")).startswith("__all__."):
            yield "__all__"
        case _:
            return


def _targets(left: "Node | None") -> Iterator["Node"]:
    if left is None:
        return
    if left.type == "identifier":
        yield left
    elif left.type in {"pattern_list", "tuple_pattern", "list_pattern", "type"}:
        for each in items(left):
            yield from _targets(each)


def _content(node: "Node") -> str:
    return "".join(source_of(it) for it in items(node) if it.type == "string_content")


def _compared(node: "Node") -> Iterator["Node"]:
    """Return the texts that something is compared with."""
    for each in walked(node):
        if each.type == "comparison_operator":
            yield from (it for it in walked(each) if it.type == "string")


def _add_imports(
    node: "Node",
    package: str,
    imports: dict[str, list[ImportOrigin]],
    stars: list[str],
    kept: set[str],
) -> None:
    module = _absolute(source_of(part(node, "module_name")), package)
    for each in node.children_by_field_name("name"):
        name = source_of(part(each, "name") if each.type == "aliased_import" else each)
        local = source_of(part(each, "alias")) if each.type == "aliased_import" else name
        imports.setdefault(local, []).append(ImportOrigin(module, name))
        if each.type == "aliased_import" and name == local:
            kept.add(local)
    if any(it.type == "wildcard_import" for it in items(node)):
        stars.append(module)


def _add_modules(node: "Node", imports: dict[str, list[ImportOrigin]], kept: set[str]) -> None:
    for each in items(node):
        name = source_of(part(each, "name") if each.type == "aliased_import" else each)
        local = source_of(part(each, "alias")) if each.type == "aliased_import" else ""
        imports.setdefault(local or name.partition(".")[0], []).append(ImportOrigin(name, None))
        if local and local == name:
            kept.add(local)


def _absolute(written: str, package: str) -> str:
    dots = len(written) - len(written.lstrip("."))
    if not dots:
        return written
    above = package.split(".")
    base = ".".join(above[: len(above) - dots + 1])
    rest = written[dots:].strip()
    return f"{base}.{rest}" if rest and base else base or rest
