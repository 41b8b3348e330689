"""Modules of TypeScript and JavaScript: what they declare, and under which names they export it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, items, source_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.script.declarations import declared_by

if TYPE_CHECKING:
    from tree_sitter import Node

TYPESCRIPT: Final = Grammar("tree_sitter_typescript", "language_typescript")
TSX: Final = Grammar("tree_sitter_typescript", "language_tsx")
JAVASCRIPT: Final = Grammar("tree_sitter_javascript")
WHOLE: Final = "export ="
"""What `require` gives, where it is one thing."""
_TYPED: Final = (".d.ts", ".ts", ".tsx", ".d.mts", ".mts", ".d.cts", ".cts")
ENDINGS: Final = (*_TYPED, ".js", ".mjs", ".cjs", ".jsx")
_WRITTEN: Final = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")


class ScriptOrigin(Struct, frozen=True):
    """Where a name comes from; without a name everything of the module is meant."""

    source: str
    name: str | None


class ScriptModule(Struct, frozen=True, kw_only=True):
    """One file as it is written."""

    path: str
    declared: Mapping[str, list["Node"]] = field(default_factory=dict)
    imports: Mapping[str, ScriptOrigin] = field(default_factory=dict)
    exports: Mapping[str, "str | ScriptOrigin | Node"] = field(default_factory=dict)
    """By the public name: a local name, another module's, or what stands there itself."""
    stars: tuple[str, ...] = ()


class ScriptModules:
    """All modules of a commit; each is read when it is asked for."""

    def __init__(self, side: CommitSide) -> None:
        self._side = side
        self._read: dict[str, ScriptModule | None] = {}

    def find(self, path: str) -> ScriptModule | None:
        """Return the module of a file; None where it is not there or cannot be read."""
        self._side.tick()
        if path not in self._read:
            root = self._side.root(path, grammar_of(path))
            self._read[path] = None if root is None else _module(path, root)
        return self._read[path]

    def follow(self, path: str, source: str) -> str | None:
        """Find the file that a module names; None for what belongs to another package."""
        if not source.startswith("."):
            return None
        return self.resolve(_joined(path.rpartition("/")[0], source))

    def resolve(self, wanted: str) -> str | None:
        """Find the file that is meant by a path, whichever ending it has; types come first."""
        files = self._side.files
        bare = next((wanted.removesuffix(it) for it in _WRITTEN if wanted.endswith(it)), wanted)
        stem = bare.removesuffix(".d")
        tried = (*(f"{stem}{it}" for it in ENDINGS), *(f"{wanted}/index{it}" for it in ENDINGS))
        return next((it for it in tried if it in files), wanted if wanted in files else None)


def grammar_of(path: str) -> Grammar:
    """Choose the grammar of a file."""
    if path.endswith((".ts", ".mts", ".cts")):
        return TYPESCRIPT
    return TSX if path.endswith(".tsx") else JAVASCRIPT


def _joined(folder: str, source: str) -> str:
    parts = folder.split("/") if folder else []
    for word in source.split("/"):
        if word == "..":
            parts = parts[:-1]
        elif word not in {"", "."}:
            parts.append(word)
    return "/".join(parts)


def _module(path: str, root: "Node") -> ScriptModule:
    declared: dict[str, list[Node]] = {}
    imports: dict[str, ScriptOrigin] = {}
    exports: dict[str, str | ScriptOrigin | Node] = {}
    stars: list[str] = []
    for node in items(root):
        for name, found in declared_by(node):
            declared.setdefault(name, []).append(found)
        match node.type:
            case "import_statement":
                imports |= dict(_imported(node))
            case "export_statement":
                exports |= dict(_exported(node))
                stars += [it for it in [_starred(node)] if it]
            case "expression_statement":
                exports |= dict(_assigned(node))
            case _:
                continue
    return ScriptModule(
        path=path, declared=declared, imports=imports, exports=exports, stars=tuple(stars)
    )


def _text(node: "Node | None") -> str:
    return source_of(node).strip("'\"`")


def _imported(node: "Node") -> Iterator[tuple[str, ScriptOrigin]]:
    source = _text(part(node, "source"))
    for clause in items(node):
        if clause.type == "import_require_clause":
            whole = ScriptOrigin(_text(part(clause, "source")), WHOLE)
            yield source_of(items(clause)[0]), whole
        for each in items(clause) if clause.type == "import_clause" else ():
            match each.type:
                case "identifier":
                    yield source_of(each), ScriptOrigin(source, "default")
                case "namespace_import":
                    yield source_of(items(each)[0]), ScriptOrigin(source, None)
                case "named_imports":
                    for one in items(each):
                        name = source_of(part(one, "name"))
                        yield source_of(part(one, "alias")) or name, ScriptOrigin(source, name)
                case _:
                    continue


def _exported(node: "Node") -> Iterator[tuple[str, "str | ScriptOrigin | Node"]]:
    words = {source_of(it) for it in node.children if not it.is_named}
    source = _text(part(node, "source"))
    declaration, value = part(node, "declaration"), part(node, "value")
    if "default" in words:
        inner = declaration if declaration is not None else value
        if inner is not None:
            yield "default", source_of(inner) if inner.type == "identifier" else inner
        return
    if "=" in words:
        yield WHOLE, source_of(items(node)[-1])
        return
    if declaration is not None:
        yield from ((name, name) for name, _ in declared_by(node))
    for each in items(node):
        if each.type == "namespace_export":
            yield source_of(items(each)[0]), ScriptOrigin(source, None)
        for one in items(each) if each.type == "export_clause" else ():
            name = source_of(part(one, "name"))
            public = _text(part(one, "alias")) or name
            yield public, ScriptOrigin(source, name) if source else name


def _starred(node: "Node") -> str:
    is_star = any(it.type == "*" for it in node.children)
    return _text(part(node, "source")) if is_star else ""


def _assigned(node: "Node") -> Iterator[tuple[str, "str | ScriptOrigin | Node"]]:
    """Read `module.exports = …` and `exports.a = …`."""
    assignment = next((it for it in items(node) if it.type == "assignment_expression"), None)
    left, right = source_of(part(assignment, "left")), part(assignment, "right")
    if right is None:
        return
    if left == "module.exports":
        if right.type == "object":
            yield from _keys(right)
        elif not source_of(right).startswith("exports"):
            yield WHOLE, source_of(right) if right.type == "identifier" else right
    for prefix in ("module.exports.", "exports."):
        name = left.removeprefix(prefix)
        if name != left and name.isidentifier() and name != "__esModule":
            yield name, source_of(right) if right.type == "identifier" else right
            return


def _keys(node: "Node") -> Iterator[tuple[str, "str | Node"]]:
    for each in items(node):
        if each.type == "shorthand_property_identifier":
            yield source_of(each), source_of(each)
        elif each.type == "pair":
            value = part(each, "value")
            if value is not None:
                is_name = value.type == "identifier"
                yield _text(part(each, "key")), source_of(value) if is_name else value
        elif each.type == "method_definition":
            yield source_of(part(each, "name")), each
