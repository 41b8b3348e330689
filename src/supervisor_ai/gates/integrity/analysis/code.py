"""Reads expressions of any language by its table: calls, constants, truth, lists, names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code_text import bare
from supervisor_ai.gates.integrity.analysis.local_names import Scopes, Setting
from supervisor_ai.gates.integrity.analysis.names import (
    MAX_VALUE,
    NO_NAMES,
    Names,
    standing_for,
)
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, Taken

_MAX_STEPS: Final = 8
_PAIR: Final = len(("left", "right"))
_DECIDING: Final = {"||": True, "&&": False, "or": True, "and": False}


def operator(node: "Node") -> str:
    """Return the operator of an expression."""
    found = field(node, "operator") or field(node, "operators")
    if found is None and node.type == "unary_expression":
        found = node.children[0]
    return " ".join(source_of(found).split())


def sides(node: "Node") -> "tuple[Node | None, Node | None]":
    """Return the two sides of an expression; a grammar may have no names for those it compares."""
    if field(node, "operators") is None:
        return field(node, "left"), field(node, "right")
    compared = items(node)
    return (compared[0], compared[1]) if len(compared) == _PAIR else (None, None)


def without_not(node: "Node", table: "LanguageTable", *, holds: bool) -> tuple["Node", bool]:
    """Return what is negated, and whether it has to hold for the whole to be as wanted."""
    node = bare(node, table)
    while _is_not(node) and items(node):
        node, holds = bare(items(node)[0], table), not holds
    return node, holds


def _is_not(node: "Node") -> bool:
    is_sign = node.type == "unary_expression" and operator(node) == "!"
    return is_sign or node.type == "not_operator"


def called(node: "Node", table: "LanguageTable") -> str:
    """Return the last name of what is called; nothing where it has none."""
    callee = _callee(node, table)
    fields = table.members.get(callee.type)
    name = field(callee, fields[1]) if fields else callee
    return source_of(name) if name is not None and name.type.endswith("identifier") else ""


def owner(node: "Node", table: "LanguageTable") -> "Node | None":
    """Return what a method is called on."""
    callee = _callee(node, table)
    fields = table.members.get(callee.type)
    return field(callee, fields[0]) if fields and fields[0] else None


def callee(node: "Node", table: "LanguageTable") -> tuple[str, str]:
    """Return what a call is made on, and its name: `t.Run(...)` is ("t", "Run")."""
    return source_of(owner(node, table)), called(node, table)


def _callee(node: "Node", table: "LanguageTable") -> "Node":
    found = bare(field(node, "function") or field(node, "macro") or node, table)
    inner = field(found, "function") if found.type == "generic_function" else None
    return inner or found


def arguments(node: "Node | None") -> list["Node"]:
    """Return what a call is made with."""
    return items(field(node, "arguments"))


def resolved(node: "Node", table: "LanguageTable", names: Names) -> "Node":
    """Return what a name stands for; what is no name stands for itself."""
    node = bare(node, table)
    is_name = node.type == "identifier"
    return bare(standing_for(source_of(node), names, node), table) if is_name else node


def is_constant(node: "Node | None", table: "LanguageTable", names: Names = NO_NAMES) -> bool:
    """Tell whether an expression is written out as one plain value, whatever the code does."""
    stack = [] if node is None else [node]
    seen = set[str]()
    while stack:
        found = bare(stack.pop(), table)
        if found.type == "identifier" and source_of(found) not in seen:
            # A name may be set to something that holds the one before it: `let x = [x]`.
            seen.add(source_of(found))
            found = bare(standing_for(source_of(found), names, found), table)
            if found.descendant_count > MAX_VALUE:
                return False
        if found.type in table.holding:
            stack.extend(items(found))
        elif found.type in table.calls and source_of(_callee(found, table)) in table.pure:
            stack.extend(arguments(found))
        elif found.type not in table.literals and source_of(found) not in table.constants:
            return False
    return node is not None


def is_frozen(node: "Node", table: "LanguageTable") -> bool:
    """Tell whether a value is a constant that nothing can change afterwards."""
    return bare(node, table).type not in table.changeable and is_constant(node, table)


def truth(node: "Node | None", table: "LanguageTable", names: Names = NO_NAMES) -> bool | None:
    """Tell whether a condition always or never holds; None if it depends."""
    if node is None:
        return None
    node, is_plain = without_not(node, table, holds=True)
    node = resolved(node, table, names)
    found = _plain_truth(node, table)
    if found is None:
        deciding = _DECIDING.get(operator(node))
        known = (_plain_truth(part, table) for part in _joined(node, table))
        found = deciding if deciding is not None and deciding in known else _equality(node, table)
    return found if found is None or is_plain else not found


def _joined(node: "Node", table: "LanguageTable") -> "Iterator[Node]":
    """Yield what one operator joins, however often it stands there."""
    stack = [node]
    while stack:
        found = bare(stack.pop(), table)
        if operator(found) == operator(node):
            stack.extend(side for side in sides(found) if side is not None)
        else:
            yield found


def _equality(node: "Node", table: "LanguageTable") -> bool | None:
    """Compare two values that are both written out."""
    left, right = sides(node)
    if operator(node) not in ("==", "!=") or left is None or right is None:
        return None
    if not {left.type, right.type} <= table.literals:
        return None
    return (source_of(left) == source_of(right)) is (operator(node) == "==")


def _plain_truth(node: "Node", table: "LanguageTable") -> bool | None:
    node, is_plain = without_not(node, table, holds=True)
    if node.type in table.filled:
        return is_plain if items(node) else None
    if node.type not in table.literals:
        return None
    text = source_of(node)
    if text in table.falsehoods:
        return not is_plain
    return is_plain if text in table.truths or node.type in table.truths else None


def length_of(node: "Node | None", table: "LanguageTable", names: Names) -> int | None:
    """Return how many items a list has that is written out; None if nobody can say."""
    taken: list[Taken] = []
    for _ in range(_MAX_STEPS):
        if node is None:
            return None
        node = resolved(node, table, names)
        count = _items_in(node, table) if node.type in table.lists else table.count_of(node, names)
        if count is not None or node.type in table.lists:
            return _left(count, taken)
        step = table.part_of_list(node)
        if step is None:
            return None
        node = step[0]
        taken.append(step[1])
    return None


def _items_in(node: "Node", table: "LanguageTable") -> int | None:
    inside = table.lists[node.type]
    found = items(field(node, inside) if inside else node)
    return None if any(each.type in table.spreads for each in found) else len(found)


def _left(count: int | None, taken: "list[Taken]") -> int | None:
    for take in reversed(taken):
        count = None if count is None else take(count)
    return count


def statements(block: "Node | None", table: "LanguageTable") -> list["Node"]:
    """Return the statements of a block; one that stands alone is its own block."""
    if block is not None and block.type.endswith("_clause"):
        block = field(block, "body") or next(iter(reversed(items(block))), None)
    if block is None:
        return []
    if block.type != "block" and block.type not in table.blocks:
        return [block]
    inside = items(block)
    return items(inside[0]) if inside and inside[0].type == "statement_list" else inside


def expression_of(node: "Node") -> "Node":
    """Return the expression that a statement is made of, or the statement itself."""
    inside = items(node) if node.type == "expression_statement" else []
    return inside[0] if inside else node


def scopes_of(function: "Node", table: "LanguageTable") -> Scopes:
    """Return what the names of a function stand for, at every place in it."""
    if not table.scopes:
        return Scopes.everywhere(set_once(function, table))
    found, changed = [], set[str]()
    stack = [(function, function)]
    while stack:
        node, scope = stack.pop()
        changed.update(table.changes(node))
        for name, value in table.settings(node):
            found.append(Setting(name=name, value=value, start=node.end_byte, end=scope.end_byte))
            if node.type in table.assignments and scope is not function:
                # What the name stands for behind the block depends on whether this was run, and
                # before it, in a loop, on whether this is the first round.
                first = scope if scope.type in table.loops else node
                found.append(
                    Setting(name=name, value=None, start=first.start_byte, end=node.start_byte)
                )
                found.append(
                    Setting(name=name, value=None, start=scope.end_byte, end=function.end_byte)
                )
        inside = node if node.type in table.scopes else scope
        stack.extend((child, inside) for child in reversed(node.named_children))
    return Scopes(sorted(found, key=lambda each: each.start), changed)


def set_once(scope: "Node", table: "LanguageTable") -> dict[str, "Node"]:
    """Return the names that a piece of code sets exactly once, and to what."""
    values: dict[str, Node | None] = {}
    for node in walked(scope):
        for name, value in table.settings(node):
            values[name] = None if name in values else value
    return {name: value for name, value in values.items() if value is not None}
