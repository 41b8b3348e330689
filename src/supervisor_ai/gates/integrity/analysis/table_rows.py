"""Table-driven tests: whether a condition on a row picks some rows by their values."""

from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.names import NO_NAMES, Names, standing_for
from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of, walked

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})
_MEMBERSHIP: Final = frozenset({"in", "not in"})
# To ask whether a row has something at all is no way to pick one.
_NOTHING: Final = frozenset({"", "0", "-1", "1"})


def mentions(node: "Node | None", names: frozenset[str]) -> bool:
    """Tell whether code names one of these."""
    if node is None or not names:
        return False
    return any(source_of(each) in names for each in walked(node) if each.type in _NAMES)


def _picks(condition: "Node", table: "LanguageTable", names: Names) -> bool:
    """Tell whether a condition compares something with a value that is written out."""
    for each in walked(condition):
        if each.type in _MEMBERSHIP:
            return True
        is_name = each.type == "identifier"
        value = standing_for(source_of(each), names, each) if is_name else each
        if value.type in table.literals and _is_value(source_of(value)):
            return True
    return False


def _is_value(text: str) -> bool:
    # What is a word without quotation marks says yes, no or nothing.
    return not text.isidentifier() and text.strip("\"'`") not in _NOTHING


def is_of_table(
    condition: "Node | None", bound: frozenset[str], table: "LanguageTable", names: Names = NO_NAMES
) -> bool:
    """Tell whether a condition asks a row what is to be done with it, and picks none."""
    if condition is None or not mentions(condition, bound):
        return False
    return not _picks(condition, table, names)
