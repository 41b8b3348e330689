"""The table that describes one programming language to the readers of its tests.

One algorithm reads the tests of every language. What differs is data: the names that a grammar
gives to calls, branches and literals, and the words of its test libraries. What no name can say is
a small function of the language, and the table holds it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from supervisor_ai.gates.integrity.analysis.code_text import Style
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.place import (
    COMPARISONS,
    FoundAssertion,
    Placed,
)
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, LineIndex
from supervisor_ai.gates.integrity.model import Strength, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

Taken = Callable[[int], int | None]
"""How many items are left of so many."""
Answer = Callable[..., bool]
"""Says yes or no about a node, given the flow of its test."""
_NONE: Final = frozenset[str]()


class SourceFile(Struct, frozen=True, kw_only=True):
    """A file of tests, parsed, with the table of its language."""

    path: str
    table: "LanguageTable"
    root: "Node"
    lines: LineIndex


def _nothing(*_: object) -> None:
    return None


def _never(*_: object) -> bool:
    return False


def _none(*_: object) -> tuple[()]:
    return ()


def _as_written(text: str) -> str:
    return text


class LanguageTable(Style, frozen=True, kw_only=True):
    """What one language calls the things that tests are made of."""

    # Files
    grammars: Mapping[str, Grammar]
    """The grammar of a file, by the end of its name."""
    is_test: Callable[[str, bytes], bool]
    """Tells by path and source whether tests stand in a file, or what they share."""
    read_file: Callable[["SourceFile"], TestFile]
    """Finds the tests of a file."""
    method: re.Pattern[bytes] | None = None
    """How a function is defined without a keyword of its own; its name is the first group."""
    refusal: Callable[[bytes], str | None] = _nothing
    """Says why nobody can run a source, though its grammar may let it pass."""
    as_parsed: Callable[[bytes], bytes] | None = None
    """Writes a source in the way that its grammar understands better, at the same places."""
    lost_share: float = 0.0
    """How much of a file may be beyond its grammar."""

    # Kinds of nodes
    functions: frozenset[str] = _NONE
    """Functions that have no name of their own, or may have none."""
    calls: frozenset[str] = frozenset({"call_expression"})
    members: Mapping[str, tuple[str, str]]
    """Where a method and what it belongs to stand: `("object", "property")`."""
    literals: frozenset[str]
    holding: frozenset[str] = frozenset({"unary_expression"})
    """What is a constant if all that it holds is one."""
    constants: frozenset[str] = _NONE
    """Names that always stand for the same: `NaN`."""
    pure: frozenset[str] = _NONE
    """Functions whose answer is a constant if all that they are given is one: `len`."""
    changeable: frozenset[str] = _NONE
    """Values that may hold something else by the time that they are looked at."""
    values: frozenset[str] = _NONE
    """What is a wanted value, though it is no constant."""
    falsehoods: frozenset[str] = frozenset({"false"})
    truths: frozenset[str] = frozenset({"true"})
    """Kinds of literals and literals that are true, unless they are among the falsehoods."""
    filled: frozenset[str] = _NONE
    """Kinds of nodes that are true if they hold something."""
    lists: Mapping[str, str] = field(default_factory=dict)
    """Kinds of lists, and the field that holds their items; "" is the list itself."""
    spreads: frozenset[str] = _NONE
    """What stands for any number of items in a list."""

    # What runs
    blocks: frozenset[str]
    branches: frozenset[str] = frozenset({"if_statement"})
    guards: frozenset[str] = _NONE
    """What goes on only if something holds, and has its other way in `alternative`."""
    patterns: frozenset[str] = _NONE
    """Conditions that only take something apart."""
    shortcuts: frozenset[str] = _NONE
    loops: frozenset[str] = _NONE
    each: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The loops over a list: the fields of what is bound, and of the list."""
    attempts: frozenset[str] = frozenset({"try_statement"})
    handlers: frozenset[str] = frozenset({"catch_clause"})
    finals: frozenset[str] = frozenset({"finally_clause"})
    endings: frozenset[str]
    """Statements behind which nothing runs."""
    leavings: frozenset[str]
    """Those of them that leave a loop."""
    steps: Mapping[str, Callable[..., Iterable[Placed]]] = field(default_factory=dict)
    """Kinds of nodes whose parts stand where no other language puts them."""

    # Words
    comparisons: Mapping[str, tuple[Strength, Strength]] = field(
        default_factory=lambda: COMPARISONS
    )
    wanted: tuple[str, ...] = ()
    """How the names begin of what is wanted."""
    asserted: str = "{}"
    """How a condition that must hold is written."""
    environment: re.Pattern[str] | None = None
    """How code asks what differs from one machine to the next."""
    done: frozenset[str] = _NONE
    """Statements after which nobody listens any more."""

    # Small functions
    settings: Callable[["Node"], Iterable[tuple[str, "Node | None"]]]
    """Yields the names that a node sets, and to what."""
    changes: Callable[["Node"], Iterable[str]] = _none
    """Yields the names that a node changes in another way."""
    assignments: frozenset[str] = frozenset({"assignment_statement"})
    """What gives another value to a name that may be known around it."""
    scopes: frozenset[str] = _NONE
    """What ends the life of a name; nothing where a name is known if it is set once."""
    count_of: Callable[["Node", Names], int | None] = _nothing
    """Says how often a loop over a node runs that is no list."""
    part_of_list: Callable[["Node"], "tuple[Node | None, Taken] | None"] = _nothing
    """Takes apart what makes a list of a list."""
    is_loud: Answer
    """Tells whether a node itself passes on that something failed."""
    is_exit: Answer = _never
    is_skip: Answer = _never
    is_failure: Answer = _never
    is_deaf: Answer = _never
    """Tells whether a node lets no failure of the whole test be heard."""
    is_unheard: Answer = _never
    """Tells whether what a node finds is told to nobody."""
    is_subtest: Answer = _never
    catches: Callable[["Node"], bool] = lambda _: True
    """Tells whether a handler catches a failing assertion."""
    function_name: Callable[["Node"], str | None] = _nothing
    """Returns the name under which a node keeps a function for later."""
    checks: Callable[..., Iterable[FoundAssertion]]
    """Finds what a node checks by words of test libraries."""
    several: Callable[..., Iterable[FoundAssertion] | None] = _nothing
    """Finds the checks in a condition that asks more than one thing at once."""
    splits: bool = False
    """Whether the parts of a condition are checks of their own where all of them must hold."""
    checking: frozenset[str] = _NONE
    """Kinds of nodes that may check something; nothing where any of them may."""
    of_one_check: Callable[["Node"], Iterable["Node"]] = _none
    """Yields the nodes that are one check together with this one."""
    keeps_names: bool = False
    """Whether a check is written with the names that stand within its code."""
    reads: Callable[..., FoundAssertion | None] = _nothing
    """Reads a condition in one way though it can be asked in many."""
    weigh: Callable[..., Strength | None] = _nothing
    """Says how much a condition pins down that only this language has."""
    about: Callable[..., "Node | None"] = _nothing
    """Returns what a call is about whose answer is yes or no."""
    asked: Callable[..., str] | None = None
    """Writes what is asked, in one way."""
    same: Callable[[str], str] = _as_written
    """Writes code without what makes no difference to its value."""
