"""Files that agents read anyway, such as AGENTS.md: seeds of the store, and where rules go."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from supervisor_ai.control.ports.knowledge import Seeds, taken_from
from supervisor_ai.domain.knowledge.documents import (
    MAX_RULES,
    MAX_TITLE,
    USER,
    KnowledgeArea,
    KnowledgeDocument,
    line_text,
    section_text,
)
from supervisor_ai.domain.knowledge.updates import WriteDocument
from supervisor_ai.domain.slugs import cut, slug_of

BEGIN: Final = "<!-- supervisor knowledge: begin. Written by `supervisor knowledge export`. -->"
END: Final = "<!-- supervisor knowledge: end -->"
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*")
_FENCE: Final = re.compile(r"[ \t]*(```+|~~~+)")
_ITEM: Final = re.compile(r"[-*+] |\d+[.)] ")


class MarkdownGuide:
    """Markdown that people keep for their agents."""

    def exported(self, text: str | None, documents: Iterable[KnowledgeDocument]) -> str:
        """Return a file with the rules of these documents between our marks, and all else as is."""
        sections = [f"### {it.title}\n\n{it.rules}" for it in documents]
        body = "\n\n".join(("## Conventions of this project", *sections)).replace(END, "")
        block = f"{BEGIN}\n{body}\n{END}\n"
        if text is None:
            return block
        if (at := _block(text)) is not None:
            return f"{text[: at[0]]}{block}{text[at[1] :]}"
        # With this one line end the file can be given back as it was.
        return f"{text}\n{block}"

    def restored(self, text: str) -> str | None:
        """Return the file as it was without our marks; None: there was none."""
        at = _block(text)
        if at is None:
            return text
        before, after = text[: at[0]], text[at[1] :]
        if not before and not after:
            return None
        return before.removesuffix("\n") + after

    def seeds(self, name: str, text: str) -> Seeds:
        """Make documents of what a file says, section by section."""
        updates: list[WriteDocument] = []
        left_out: list[str] = []
        for title, lines in _sections(self.restored(text) or "", name):
            pieces = list(_pieces(lines))
            for number, piece in enumerate(_packed(pieces), 1):
                shown = title if number == 1 else f"{title} ({number})"
                updates.append(_seed(name, shown, piece, {it.name for it in updates}))
            long = (len(it) for it in pieces if len(it) > MAX_RULES)
            left_out += (f"{title}: a passage of {length} characters" for length in long)
        return Seeds(updates=tuple(updates), left_out=tuple(left_out))


def _block(text: str) -> tuple[int, int] | None:
    """Find what stands between our marks, the marks included."""
    begin = text.find(BEGIN)
    end = text.find(END, begin)
    if begin < 0 or end < 0:
        return None
    end += len(END)
    return begin, end + text[end:].startswith("\n")


def _sections(text: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """Divide a file by its headings; those inside of code are none."""
    title, lines, fence = name, [], ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if mark is not None:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        heading = None if fence or mark else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        yield title, lines
        title, lines = cut(line_text(heading[2], len(line)), MAX_TITLE - 5, " "), []
    yield title, lines


def _pieces(lines: list[str]) -> Iterator[str]:
    """Divide a section where nothing is torn apart: by paragraphs, items and blocks of code."""
    piece: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if not fence and piece and (not line.strip() or _ITEM.match(line)):
            yield section_text("\n".join(piece))
            piece = []
        if mark is not None:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        if line.strip() or fence:
            piece.append(line)
    if piece:
        yield section_text("\n".join(piece))


def _packed(pieces: Iterable[str]) -> Iterator[str]:
    """Put as many pieces together as a document may hold."""
    packed = ""
    for piece in (it for it in pieces if it and len(it) <= MAX_RULES):
        if packed and len(packed) + 1 + len(piece) > MAX_RULES:
            yield packed
            packed = ""
        packed = f"{packed}\n{piece}" if packed else piece
    if packed:
        yield packed


def _seed(source: str, title: str, rules: str, taken: set[str]) -> WriteDocument:
    name = slug_of(title) or "rules"
    number = 2
    while name in taken:
        name, number = f"{slug_of(title) or 'rules'}-{number}", number + 1
    return WriteDocument(
        by=USER,
        what=taken_from(source),
        area=KnowledgeArea.CONVENTIONS,
        name=name,
        title=title,
        rules=rules,
    )
