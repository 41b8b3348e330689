"""Empties sources of Go, Rust and Java: they still compile, whatever is called fails."""

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.change.risks.sources import read_source
from supervisor_ai.gates.evidence.sources.edits import Edit, applied, tree_of
from supervisor_ai.gates.evidence.sources.rust_items import rust_items
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.languages.java.table import JAVA
from supervisor_ai.gates.integrity.languages.rust.table import RUST

if TYPE_CHECKING:
    from tree_sitter import Node

_MESSAGE: Final = "emptied: does any test notice?"
_GO: Final = f'{{ panic("{_MESSAGE}") }}'.encode()
_RUST: Final = f'{{ panic!("{_MESSAGE}") }}'.encode()
_JAVA: Final = f'throw new RuntimeException("{_MESSAGE}"); }}'.encode()
_GO_FUNCTIONS: Final = frozenset({"function_declaration", "method_declaration", "func_literal"})
_GO_VALUES: Final = frozenset({"const_declaration", "var_declaration", "type_declaration"})
_RUST_VALUES: Final = frozenset(
    {"const_item", "static_item", "struct_item", "enum_item", "macro_definition", "type_item"}
)
_JAVA_FUNCTIONS: Final = frozenset(
    {"method_declaration", "constructor_declaration", "compact_constructor_declaration"}
)
_VERSION: Final = re.compile(r"v\d+")


def empty_go(path: str, source: bytes, *, with_values: bool) -> list[Edit] | None:
    """Return what empties a source; None where nothing of it may stay."""
    root = tree_of(GO.grammars[".go"], path, source)
    bodies = list(_bodies(root, _GO_FUNCTIONS))
    if not bodies:
        return None if with_values and _has(root, _GO_VALUES) else []
    edits = [Edit(body.start_byte, body.end_byte, _go_body(of)) for of, body in bodies]
    specs = [node for node in walked(root) if node.type == "import_spec"]
    gone = [Edit(spec.start_byte, spec.end_byte) for spec in specs]
    rest = read_source("go", applied(source, [*edits, *gone]).decode("utf-8", "replace"))
    return [*edits, *(edit for spec in specs for edit in _unused(spec, rest.code))]


def _go_body(of: "Node") -> bytes:
    is_init = of.type == "function_declaration" and source_of(field(of, "name")) == "init"
    return b"{}" if is_init else _GO


def _unused(spec: "Node", rest: str) -> Iterator[Edit]:
    """Keep a package that nothing names any more, for what it does when it is loaded."""
    path, alias = field(spec, "path"), source_of(field(spec, "name"))
    if path is None or alias in ("_", ".") or source_of(path).strip('"`') == "C":
        return
    names = [alias] if alias else _package_names(source_of(path).strip('"`'))
    if not any(re.search(rf"\b{re.escape(name)}\s*\.", rest) for name in names):
        yield Edit(spec.start_byte, spec.end_byte, b"_ " + source_of(path).encode())


def _package_names(path: str) -> Collection[str]:
    parts = [part for part in path.split("/") if not _VERSION.fullmatch(part)]
    last = (parts or [path])[-1].partition(".")[0]
    plain = last.removeprefix("go-").removesuffix("-go")
    return {last, plain, plain.replace("-", "_"), plain.replace("-", ""), last.replace("-", "_")}


def empty_rust(path: str, source: bytes, *, with_values: bool) -> list[Edit] | None:
    """Return what empties a source besides its tests; None where nothing of it may stay."""
    root = tree_of(RUST.grammars[".rs"], path, source)
    tests = [span for spans in rust_items(path, source).spans.values() for span in spans]
    bodies = [
        body
        for _, body in _bodies(root, frozenset({"function_item"}))
        if not any(start <= body.start_byte < end for start, end in tests)
    ]
    if with_values and not bodies and not tests and _has(root, _RUST_VALUES):
        return None
    return [Edit(body.start_byte, body.end_byte, _RUST) for body in bodies]


def empty_java(path: str, source: bytes, *, with_values: bool) -> list[Edit] | None:
    """Return what empties a source; None where nothing of it may stay."""
    root = tree_of(JAVA.grammars[".java"], path, source)
    bodies = [body for _, body in _bodies(root, _JAVA_FUNCTIONS)]
    return [_java_body(body) for body in bodies] or (None if with_values else [])


def _java_body(body: "Node") -> Edit:
    """Empty a body; what a constructor passes on to another one stays."""
    first = next(iter(items(body)), None)
    is_passed_on = first is not None and first.type == "explicit_constructor_invocation"
    start = first.end_byte if first is not None and is_passed_on else body.start_byte + 1
    return Edit(start, body.end_byte, b" " + _JAVA)


def _has(root: "Node", kinds: Collection[str]) -> bool:
    return any(node.type in kinds for node in root.named_children)


def _bodies(root: "Node", kinds: Collection[str]) -> Iterator[tuple["Node", "Node"]]:
    """Find functions with their bodies; what stands in one goes with it."""
    stack = [root]
    while stack:
        node = stack.pop()
        body = field(node, "body") if node.type in kinds else None
        if body is not None:
            yield node, body
        else:
            stack.extend(node.named_children)
