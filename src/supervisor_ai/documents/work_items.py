"""The work items that agents suggest in task files, in both of the forms that they have."""

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from supervisor_ai.documents.cycles import find_cycle
from supervisor_ai.documents.fences import ITEMS_END, Span, marker, spans
from supervisor_ai.documents.fields import Fields, Mistakes
from supervisor_ai.documents.front_matter import normal_key, problems, read_texts
from supervisor_ai.documents.outline import Block, Outline
from supervisor_ai.documents.words import EFFORTS, PRIORITIES
from supervisor_ai.drivers.kanban.board.kanban import Priority, WorkItem
from supervisor_ai.tools.text import excerpt

if TYPE_CHECKING:
    from supervisor_ai.tools.yaml_tree import KeyPath, TextValue, YamlTree

SECTIONS: Final = ("work items", "suggested work items")
_LIST: Final = "work_items"
_LIST_KEY: Final = re.compile(r"[ \t]{0,8}work_items[ \t]?:.*")
_FENCES: Final = frozenset({"", "yaml", "yml"})
_INDEX: Final = re.compile(r"[0-9]{1,6}")

Range = tuple[int, int]
"""The index of the first line, and of the line after the last."""


def read_items(file: str, outline: Outline, mistakes: Mistakes) -> tuple[WorkItem, ...]:
    """Read every list of work items in a task file as one."""
    for number in range(outline.start, len(outline.lines)):
        if number not in outline.shown and marker(outline.lines[number]) == "start":
            problem = f"The block of work items that begins here never ends; expected {ITEMS_END}."
            mistakes.add(file, number + 1, problem)
    lists = [
        _list_fields(file, read_texts(_text(outline, span), span[0] + 1), mistakes)
        for span in sorted(_ranges(outline))
    ]
    fields = [field for found in lists for field in found]
    items = tuple(_item(field, number, len(fields)) for number, field in enumerate(fields))
    _check_order(fields, items)
    return items


def _text(outline: Outline, span: Range) -> str:
    return dedent("\n".join(outline.lines[span[0] : span[1]]))


def _ranges(outline: Outline) -> Iterator[Range]:
    marked = [span for span in outline.spans if span.is_marked]
    for span in marked:
        lines = outline.lines[span.first + 1 : span.last]
        fenced = next(iter(spans(lines)), None)
        start = span.first + 1
        yield (start, span.last) if fenced is None else _inside(fenced, start)
    for block in outline.sections(*SECTIONS):
        if not any(block.first < span.first < block.last for span in marked):
            yield from _in_section(outline, block)


def _inside(span: Span, start: int = 0) -> Range:
    return start + span.first + 1, start + span.last


def _in_section(outline: Outline, block: Block) -> Iterator[Range]:
    for span in outline.spans:
        lines = outline.lines[span.first + 1 : span.last]
        is_inside = block.first < span.first < block.last and span.word in _FENCES
        if is_inside and _is_list(lines):
            yield _inside(span)
    for number in range(block.first + 1, block.last):
        if number not in outline.shown and _LIST_KEY.fullmatch(outline.lines[number]):
            yield number, _end_of_yaml(outline.lines, number + 1, block.last)
            return


def _is_list(lines: Sequence[str]) -> bool:
    filled = (line.strip() for line in lines if line.strip())
    return next(filled, "").startswith("- ") or any(map(_LIST_KEY.fullmatch, lines))


def _end_of_yaml(lines: Sequence[str], start: int, end: int) -> int:
    for number in range(start, end):
        if lines[number].strip() and not lines[number].startswith((" ", "\t", "-", "#")):
            return number
    return end


def _list_fields(file: str, tree: "YamlTree[TextValue]", mistakes: Mistakes) -> list[Fields]:
    for line, problem in problems(tree):
        mistakes.add(file, line, problem)
    found = _list_in(tree)
    if found is None:
        if not tree.problems:
            mistakes.add(file, tree.first_line, f"There is no list {_LIST!r}; expected one.")
        return []
    at, size = found
    return [Fields(file, tree, mistakes, (*at, number)) for number in range(size)]


def _list_in(tree: "YamlTree[TextValue]") -> "tuple[KeyPath, int] | None":
    """Find the list and its length."""
    value = tree.value
    if isinstance(value, dict):
        key = next((key for key in value if normal_key(key) == _LIST), "")
        inner = value.get(key, "")
        return ((key,), len(inner or ())) if inner is None or isinstance(inner, list) else None
    if value is None and not tree.problems:
        return (), 0
    return ((), len(value)) if isinstance(value, list) else None


def _item(fields: Fields, number: int, size: int) -> WorkItem:
    if not fields.is_mapping:
        problem = f"Work item {number} is no mapping; expected description, files and more."
        fields.mistakes.add(fields.file, fields.tree.line(*fields.at), problem)
    return WorkItem(
        description=fields.text("description") or "",
        files=fields.texts("files"),
        related_domains=fields.texts("related_domains"),
        expertise_required=fields.texts("expertise_required"),
        dependencies=tuple(_indices(fields, number, size)),
        priority=fields.word("priority", PRIORITIES) or Priority.MEDIUM,
        estimated_effort=fields.word("estimated_effort", EFFORTS),
        notes=fields.text("notes") or "",
    )


def _indices(fields: Fields, number: int, size: int) -> Iterator[int]:
    for text, line in fields.lined_texts("dependencies"):
        if not _INDEX.fullmatch(text.strip()) or int(text) >= size:
            problem = (
                f"Work item {number} depends on {excerpt(text)}; "
                f"expected the index of an item of this file, from 0 to {size - 1}."
            )
            fields.mistakes.add(fields.file, line, problem)
        else:
            yield int(text)


def _check_order(fields: Sequence[Fields], items: Sequence[WorkItem]) -> None:
    cycle = find_cycle({number: item.dependencies for number, item in enumerate(items)})
    if cycle:
        named = " → ".join(map(str, cycle))
        first = fields[cycle[0]]
        problem = f"Work items depend on each other in a circle: {named}."
        first.mistakes.add(first.file, first.tree.first_line, problem)
