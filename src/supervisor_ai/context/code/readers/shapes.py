"""The shapes of the languages that tree-sitter reads."""

import re
from typing import TYPE_CHECKING, Final

from supervisor_ai.context.code.language import SourceLanguage
from supervisor_ai.context.code.readers.python import is_public_name
from supervisor_ai.context.code.readers.shape import NodePlace, SyntaxShape, name_of, roles
from supervisor_ai.context.code.syntax_tree import SyntaxTree

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMON_JS: Final = re.compile(r"(?:module\.)?exports\b")
_ASSIGNMENT: Final = re.compile(r"\w+\s*(?::|=(?!=))")
_WORD: Final = re.compile(r"[\w$]+")
_GO_HIDDEN: Final = re.compile(r"^\W*(?:\w+\.)?[^A-Z\W]")


def _python_public(tree: SyntaxTree, node: "Node", _place: NodePlace) -> bool:
    if node.type == "expression_statement":
        return is_public_name(tree.text(node).split("=")[0].split(":")[0].strip())
    return not node.type.startswith(("import", "future")) and is_public_name(name_of(tree, node))


def _script_public(tree: SyntaxTree, node: "Node", place: NodePlace) -> bool:
    if place.container.startswith(("class", "abstract_class")):
        hidden = any(
            child.type == "accessibility_modifier" and tree.text(child) != "public"
            for child in node.children
        )
        return (
            not hidden and not name_of(tree, node).startswith("#") and not _is_private_field(node)
        )
    if place.container in {"interface_declaration", "enum_declaration"} or place.is_exported:
        return True
    if node.type == "expression_statement":
        return True
    return bool(_declared(tree, node) & place.exported)


def _is_private_field(node: "Node") -> bool:
    name = node.child_by_field_name("property")
    return name is not None and name.type == "private_property_identifier"


def _declared(tree: SyntaxTree, node: "Node") -> frozenset[str]:
    names = [name_of(tree, node), *(name_of(tree, child) for child in node.named_children)]
    return frozenset(name for name in names if name)


def _script_exported(tree: SyntaxTree) -> frozenset[str]:
    """Collect the names of `export { ... }` and of `module.exports = { ... }`."""
    names: set[str] = set()
    for node in tree.root.named_children:
        source = node.child_by_field_name("source")
        if node.type == "export_statement" and source is None:
            if node.child_by_field_name("declaration") is None:
                names.update(_WORD.findall(tree.text(node)[:4000]))
        elif node.type == "expression_statement" and _COMMON_JS.match(tree.text(node)[:20]):
            names.update(_WORD.findall(tree.text(node)[:4000]))
    return frozenset(names)


def _go_public(tree: SyntaxTree, node: "Node", _place: NodePlace) -> bool:
    names = [tree.text(name) for name in node.children_by_field_name("name")]
    if not names:
        return _GO_HIDDEN.match(tree.text(node)) is None
    receiver = tree.text(node.child_by_field_name("receiver")).strip("()").split()
    owner = receiver[-1].lstrip("*") if receiver else "T"
    return owner[:1].isupper() and any(name[:1].isupper() for name in names)


def _rust_public(tree: SyntaxTree, node: "Node", place: NodePlace) -> bool:
    if node.type == "impl_item":
        kind = tree.text(node.child_by_field_name("type"))
        return not place.exported.isdisjoint(_WORD.findall(kind)[:1])
    if place.container in {"trait_item", "enum_item"} or "macro_export" in place.marks:
        return True
    return any(
        child.type == "visibility_modifier" and tree.text(child) == "pub" for child in node.children
    )


def _rust_exported(tree: SyntaxTree) -> frozenset[str]:
    nodes = [node for node in tree.root.named_children if _rust_public(tree, node, NodePlace())]
    return frozenset(name_of(tree, node) for node in nodes) - {""}


def _java_public(tree: SyntaxTree, node: "Node", place: NodePlace) -> bool:
    words = [
        word.type for child in node.children if child.type == "modifiers" for word in child.children
    ]
    if node.type == "enum_constant":
        return True
    if place.container in {"interface_declaration", "annotation_type_declaration"}:
        return "private" not in words
    return "public" in words


_SCRIPT: Final = SyntaxShape(
    roles=roles(
        **{
            "import": "import_statement import_alias",
            "wrapper": "export_statement ambient_declaration",
            "container": "class_declaration abstract_class_declaration class interface_declaration "
            "internal_module module",
            "callable": "function_declaration generator_function_declaration function_signature "
            "method_definition method_signature abstract_method_signature",
            "value": "lexical_declaration variable_declaration public_field_definition "
            "field_definition",
            "line": "type_alias_declaration enum_declaration property_signature call_signature "
            "construct_signature index_signature",
        }
    ),
    is_public=_script_public,
    exported=_script_exported,
    declaring=_COMMON_JS,
)
SHAPES: Final = {
    SourceLanguage.PYTHON: SyntaxShape(
        roles=roles(
            **{
                "import": "import_statement import_from_statement future_import_statement",
                "wrapper": "decorated_definition",
                "container": "class_definition",
                "callable": "function_definition",
                "line": "type_alias_statement",
                "group": "if_statement try_statement with_statement block else_clause "
                "except_clause",
            }
        ),
        is_public=_python_public,
        doc_marks=("\0",),
        declaring=_ASSIGNMENT,
    ),
    SourceLanguage.TYPESCRIPT: _SCRIPT,
    SourceLanguage.TSX: _SCRIPT,
    SourceLanguage.JAVASCRIPT: _SCRIPT,
    SourceLanguage.GO: SyntaxShape(
        roles=roles(
            **{
                "import": "import_declaration package_clause",
                "callable": "function_declaration method_declaration",
                "container": "type_spec",
                "line": "field_declaration method_elem type_elem type_alias",
                "value": "const_spec var_spec",
                "group": "type_declaration const_declaration var_declaration var_spec_list",
            }
        ),
        is_public=_go_public,
        prefixes={"type_spec": "type ", "type_alias": "type ", "const_spec": "const "}
        | {"var_spec": "var "},
        doc_marks=("//", "/*"),
    ),
    SourceLanguage.RUST: SyntaxShape(
        roles=roles(
            **{
                "import": "use_declaration extern_crate_declaration",
                "callable": "function_item function_signature_item macro_definition",
                "container": "struct_item enum_item union_item trait_item impl_item mod_item",
                "line": "type_item associated_type field_declaration enum_variant",
                "value": "const_item static_item",
                "group": "foreign_mod_item",
            }
        ),
        is_public=_rust_public,
        doc_marks=("///", "/**"),
        exported=_rust_exported,
    ),
    SourceLanguage.JAVA: SyntaxShape(
        roles=roles(
            **{
                "import": "import_declaration package_declaration",
                "callable": "method_declaration constructor_declaration "
                "compact_constructor_declaration annotation_type_element_declaration",
                "container": "class_declaration interface_declaration enum_declaration "
                "record_declaration annotation_type_declaration",
                "line": "enum_constant",
                "value": "field_declaration constant_declaration",
                "group": "enum_body_declarations",
            }
        ),
        is_public=_java_public,
    ),
}
