"""What the project knows: first what waits for a person, then everything else."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from supervisor_ai.control.dashboard.knowledge import DocumentView
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.tools.text import counted
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    DIM,
    GOOD,
    STRONG,
    LineBlock,
    joined,
    own,
    rule,
    said,
    wrapped,
)

_MARKS: Final = {
    KnowledgeStatus.PROVISIONAL: ("?", ASKS),
    KnowledgeStatus.ESTABLISHED: ("✓", GOOD),
    KnowledgeStatus.DEPRECATED: ("-", DIM),
}


def knowledge_head(documents: Sequence[DocumentView], width: int) -> list[Text]:
    """Say how many documents there are and how many wait."""
    waiting = sum(bool(it.why) for it in documents)
    told = f"{counted(len(documents), 'document')}, {waiting} waiting for you"
    return [own("WHAT THE PROJECT KNOWS", STRONG), *wrapped(said(told, DIM), width)[:2]]


def knowledge_blocks(documents: Sequence[DocumentView], width: int) -> list[LineBlock]:
    """Draw the documents, each with its rules; what waits says why."""
    if not documents:
        words = "There is no document yet. Write one: supervisor knowledge add conventions/NAME"
        return [LineBlock(tuple(wrapped(own(words, DIM), width)))]
    groups = (
        ("Waiting for you", [it for it in documents if it.why]),
        ("All others", [it for it in documents if not it.why]),
    )
    blocks = []
    for title, found in groups:
        if found:
            blocks.append(LineBlock((rule(width, f"{title} ({len(found)})"),)))
            blocks += [LineBlock(tuple(_document(it, width)), it.path) for it in found]
    return blocks


def _document(it: DocumentView, width: int) -> list[Text]:
    mark, style = _MARKS[it.status]
    title = joined(own(f"{mark} ", style), said(it.title, STRONG), "  ", said(it.path, DIM))
    used = f"{it.status.value}, {counted(it.uses, 'use')}, {it.clean_uses} clean in a row"
    by = f", by {it.updated_by}" if it.updated_by else ""
    lines = [*wrapped(title, width, indent=4)]
    lines += wrapped(joined("    ", said(f"{used}{by}", DIM)), width, indent=4)
    lines += wrapped(joined("    ", said(f"→ {it.why}", ASKS)), width, indent=4) if it.why else ()
    for line in it.rules.split("\n"):
        lines += wrapped(joined("    ", said(line)), width, indent=4)
    return lines
