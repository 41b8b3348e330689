"""Edits of a source: places in it, and what stands there instead."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.evidence.toml_graft import NoGraft
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, parsed
from supervisor_ai.gates.integrity.model import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node

Where = tuple[str, ...]
"""The names of what stands around an item."""


class Edit(Struct, frozen=True):
    """A place in a source, and what stands there instead."""

    start: int
    end: int
    text: bytes = b""


class TestItems(Struct, frozen=True, kw_only=True):
    """The test items of a source, and where such items can be put."""

    __test__ = False
    spans: Mapping[Where, Sequence[tuple[int, int]]]
    ends: Mapping[Where, int]
    """Where each container has room for more; one that is missing holds nothing."""
    examples: Mapping[Where, "Examples"]
    """The documentation of each item that can have examples in it."""
    is_by_name: bool = False
    """Whether items are found again by their own names: what only looks like a test, and only the
    head has it, may be the product."""


class Examples(Struct, frozen=True, kw_only=True):
    """The documentation of an item, and what is run of it."""

    start: int
    end: int
    """The same where there is none, but could be."""
    text: bytes = b""
    run: str = ""
    """The examples alone: prose around them may change."""
    is_open: bool = True
    """Whether there is room for it."""
    behind: bytes = b""
    """What must stand between it and what follows, where there is none."""


def applied(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Put what edits say into a source; of two at one place the wider one counts."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            parts += [source[at : edit.start], edit.text]
            at = edit.end
    return b"".join((*parts, source[at:]))


def tree_of(grammar: Grammar, path: str, source: bytes) -> "Node":
    """Parse a source; raise NoGraft where it cannot be understood."""
    root = parsed(grammar, path, source)
    if isinstance(root, Unreadable):
        raise NoGraft(root.reason)
    if root.has_error:
        raise NoGraft("it has a syntax error")
    return root


def grafted(before: bytes, after: bytes, old: TestItems, new: TestItems) -> bytes:
    """Return the head's source with the test items and examples of the base."""
    if new.is_by_name:
        new = replace(new, spans={where: new.spans.get(where, ()) for where in old.spans})
    if _product(before, old) == _product(after, new):
        return before
    return applied(after, [*_items(before, after, old, new), *_examples(old, new)])


def _product(source: bytes, items: TestItems) -> list[bytes]:
    """Return the lines of a source that are no tests."""
    tests = [Edit(start, end) for spans in items.spans.values() for start, end in spans]
    examples = [Edit(each.start, each.end) for each in items.examples.values() if each.run]
    lines = applied(source, [*tests, *examples]).split(b"\n")
    return [line.rstrip() for line in lines if line.strip()]


def _items(before: bytes, after: bytes, old: TestItems, new: TestItems) -> Iterable[Edit]:
    for where in sorted({*old.spans, *new.spans}):
        was = [before[start:end] for start, end in old.spans.get(where, ())]
        now = [after[start:end] for start, end in new.spans.get(where, ())]
        if was == now:
            continue
        yield from (Edit(start, end) for start, end in new.spans.get(where, ()))
        at = new.ends.get(() if new.is_by_name else where)
        if was and at is not None:
            yield Edit(at, at, b"\n" + b"\n\n".join(was) + b"\n")


def _examples(old: TestItems, new: TestItems) -> Iterable[Edit]:
    """Put back the examples that the base runs, where what they belong to is still there."""
    for where, was in old.examples.items():
        now = new.examples.get(where)
        if now is None or not was.run or was.run == now.run:
            continue
        if not now.is_open:
            raise NoGraft(f"there is no room for the examples of {'.'.join(where)!r}")
        yield Edit(now.start, now.end, was.text + now.behind)
