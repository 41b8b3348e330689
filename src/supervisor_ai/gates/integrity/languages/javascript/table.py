"""JavaScript and TypeScript: the table of their grammars and of their test libraries."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.code import arguments
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, Taken
from supervisor_ai.gates.integrity.analysis.place import COMPARISONS, CodePlace, Placed
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, field, items, source_of
from supervisor_ai.gates.integrity.languages.javascript import checks
from supervisor_ai.gates.integrity.languages.javascript.chains import (
    FUNCTIONS,
    STYLE,
    chain,
    function_of,
    inner_nodes,
    parameters,
)
from supervisor_ai.gates.integrity.languages.javascript.files import is_test_file, read_file
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_LOUD_NAMES: Final = frozenset(
    {"expect", "assert", "fail", "done", "reject", "throws", "t", "should", "unreachable", "next"}
)
_LATER: Final = frozenset({"setTimeout", "setImmediate", "queueMicrotask", "nextTick", "then"})
_LOOPING: Final = frozenset({"forEach", "map"})
_ENDS: Final = re.compile(r"-?\d{1,6}")
_SETTINGS: Final = {
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
    "update_expression": "argument",
    "for_in_statement": "left",
}


def _settings(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    if node.type == "variable_declarator":
        yield source_of(field(node, "name")), field(node, "value")
    elif node.type in _SETTINGS:
        yield source_of(field(node, _SETTINGS[node.type])), None


def _part_of_list(node: "Node") -> "tuple[Node | None, Taken] | None":
    """Take `rows.slice(1, 3)` apart; a filter leaves out one at least."""
    if node.type != "call_expression":
        return None
    if source_of(field(node, "function")) == "Object.entries":
        return next(iter(arguments(node)), None), lambda count: count
    links = chain(node)
    rows, ends = field(links[-1].node, "object"), list(map(source_of, items(links[-1].arguments)))
    if len(links) != len(("rows", "slice")) or rows is None:
        return None
    if links[-1].name == "filter":
        return rows, lambda count: max(count - 1, 1)
    if links[-1].name != "slice" or not all(map(_ENDS.fullmatch, ends)):
        return None
    first, last = ([int(end) for end in ends] + [None, None])[:2]
    return rows, lambda count: len(range(count)[first:last])


def _function_name(node: "Node") -> str | None:
    """Return the name of a function that is declared, or kept."""
    if node.type not in ("variable_declarator", "function_declaration"):
        return None
    value = node if node.type == "function_declaration" else field(node, "value")
    name = field(node, "name")
    return source_of(name) if value is not None and value.type in FUNCTIONS and name else None


def _is_loud(_flow: Flow, node: "Node") -> bool:
    """Tell whether a node passes on that something failed: it throws, asserts, or calls done."""
    if node.type in ("identifier", "property_identifier"):
        return source_of(node) in _LOUD_NAMES
    return node.type == "throw_statement"


def _statement(flow: Flow, node: "Node", place: CodePlace) -> Iterator[Placed]:
    for child in node.named_children:
        if child.type != "call_expression":
            yield child, place
            continue
        names = {link.name for link in chain(child)}
        is_late = bool(names & _LATER) and not flow.waits
        is_promise = bool(names & {"resolves", "rejects"})
        floating = replace(place, is_floating=True) if is_promise else place
        yield child, floating.caught(when=is_late)


def _call(flow: Flow, node: "Node", place: CodePlace) -> Iterator[Placed]:
    callee, given = field(node, "function"), field(node, "arguments")
    name = source_of(field(callee, "property"))
    # Who waits for a call does not wait for what its functions start.
    within = replace(place, is_floating=False)
    if callee is not None:
        is_deaf = name == "catch" and not flow.is_loud(given)
        yield callee, place.caught(when=is_deaf)
    if name in _LOOPING:
        function = function_of(given)
        within = within.repeated(flow.length_of(field(callee, "object")), parameters(function))
        # Unlike `Promise.all(list.map(...))`, nobody waits for what forEach starts.
        is_lost = name == "forEach" and source_of(function).startswith("async")
        within = replace(within, is_floating=within.is_floating or is_lost)
    for child in [] if given is None else given.named_children:
        yield child, within


_TYPESCRIPT: Final = Grammar("tree_sitter_typescript", "language_typescript")
JAVASCRIPT: Final = LanguageTable(
    environment=re.compile(r"\bprocess\.env\b|\bDeno\.env\b"),
    grammars={
        **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), Grammar("tree_sitter_javascript")),
        **dict.fromkeys((".ts", ".mts", ".cts"), _TYPESCRIPT),
        ".tsx": Grammar("tree_sitter_typescript", "language_tsx"),
    },
    is_test=is_test_file,
    read_file=read_file,
    # A grammar may lag behind the language.
    lost_share=0.05,
    left_out=STYLE.left_out,
    whole=STYLE.whole,
    transparent=STYLE.transparent,
    members={"member_expression": ("object", "property")},
    literals=frozenset(
        {"number", "string", "true", "false", "null", "undefined", "regex", "template_string"}
        | {"property_identifier", "string_fragment", "escape_sequence"}
    ),
    holding=frozenset({"array", "object", "pair", "unary_expression", "template_string"}),
    constants=frozenset({"undefined", "NaN", "Infinity"}),
    changeable=frozenset({"array", "object"}),
    falsehoods=frozenset(
        {"false", "null", "undefined", "0", "-0", "0.0", "0n", '""', "''"},
    ),
    truths=frozenset({"true", "number", "string"}),
    lists={"array": "", "object": ""},
    spreads=frozenset({"spread_element"}),
    blocks=frozenset({"statement_block", "switch_case", "switch_default", "program"}),
    branches=frozenset({"if_statement", "ternary_expression"}),
    shortcuts=frozenset({"binary_expression"}),
    loops=frozenset({"for_in_statement", "while_statement"}),
    each={"for_in_statement": ("left", "right")},
    endings=frozenset(
        {"return_statement", "throw_statement", "break_statement", "continue_statement"}
    ),
    leavings=frozenset({"return_statement", "break_statement"}),
    steps={"expression_statement": _statement, "call_expression": _call},
    comparisons={
        **COMPARISONS,
        "===": COMPARISONS["=="],
        "!==": COMPARISONS["!="],
        "in": (Strength.PARTIAL, Strength.PARTIAL),
        "instanceof": (Strength.WEAK, Strength.WEAK),
    },
    # Who says so is no longer listened to.
    done=frozenset({"done()", "cb()", "callback()"}),
    settings=_settings,
    part_of_list=_part_of_list,
    function_name=_function_name,
    is_loud=_is_loud,
    is_skip=checks.is_skip,
    checks=checks.checks,
    of_one_check=inner_nodes,
    weigh=checks.weigh,
    about=checks.about,
)
