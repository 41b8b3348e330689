"""Table-driven tests: whether a condition on a row picks some rows by their values."""

from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of, walked

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})
# To ask whether a row has something at all is no way to pick one.
_NOTHING: Final = frozenset({"", "0", "-1", "1"})


def mentions(node: "Node | None", names: frozenset[str]) -> bool:
    """Tell whether code names one of these."""
    if node is None or not names:
        return False
    return any(source_of(each) in names for each in walked(node) if each.type in _NAMES)


def _picks(condition: "Node | None", bound: frozenset[str], table: "LanguageTable") -> bool:
    """Tell whether a condition compares what a loop sets with a value that is written out."""
    if condition is None or not mentions(condition, bound):
        return False
    texts = (source_of(each) for each in walked(condition) if each.type in table.literals)
    # What is a word without quotation marks says yes, no or nothing.
    values = (text.strip("\"'`") for text in texts if not text.isidentifier())
    return any(value not in _NOTHING for value in values)


def is_of_table(condition: "Node | None", bound: frozenset[str], table: "LanguageTable") -> bool:
    """Tell whether a condition asks a row what is to be done with it, and picks none."""
    return mentions(condition, bound) and not _picks(condition, bound, table)
