"""What a document is made of: its headings, the entries of its logs, and what is below them."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from msgspec import Struct

from supervisor_ai.documents.fences import Span, spans
from supervisor_ai.documents.front_matter import take_apart

_HEADING: Final = re.compile(r"(#{1,6})[ \t]{1,8}(.*)")
_ENTRY: Final = re.compile(
    r"#{2,4}[ \t]{1,8}(?:\[([^\]]{0,80})\]|(\d{4}-\d\d-\d\d[T ]?[\d:.,Z+-]{0,40}))(.*)"
)
_BULLET: Final = r"(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?"
_WORD: Final = r"(facts?|findings?|analysis|conclusions?)"
_LABELS: Final = (
    re.compile(rf"#{{2,6}}[ \t]{{1,8}}[*_]{{0,2}}{_WORD}:?[*_]{{0,2}}:?()", re.IGNORECASE),
    re.compile(rf"{_BULLET}(?:\*\*|__){_WORD}[ \t]?:?(?:\*\*|__)[ \t]?:?(.*)", re.IGNORECASE),
    re.compile(rf"{_BULLET}{_WORD}[ \t]?:(.*)", re.IGNORECASE),
)
_NEAR: Final = re.compile(_WORD, re.IGNORECASE)
_NEAR_END: Final = 40
_PARTS: Final = {"f": "facts", "a": "analysis", "c": "conclusion"}
_SECTION_LEVEL: Final = 2
_LOGS: Final = frozenset({"work log", "plan adjustment log", "supervisor log"})
_NAMES: Final = _LOGS | {
    *("context", "files", "description", "work items", "suggested work items", "request"),
}


class Block(Struct, frozen=True, kw_only=True):
    """A heading and what is below it, up to the next one that counts."""

    level: int
    title: str
    first: int
    """The index of the heading's line in the file."""
    last: int
    """The index of the line after the block."""
    log: str | None = None
    """The log that it is an entry of; None: it is none."""
    at: str = ""
    """The time that an entry gives."""

    @property
    def name(self) -> str:
        """Return the one spelling of a section's title."""
        bare = self.title.strip("*_:# \t").lower()
        return bare.partition("(")[0].strip(" :")


def label(line: str) -> tuple[str, str] | None:
    """Find out which part of a log entry begins in a line, and what the line says of it."""
    text = line.strip()
    if not _NEAR.search(text, 0, _NEAR_END):
        return None
    for pattern in _LABELS:
        match = pattern.fullmatch(text)
        if match is not None:
            return _PARTS[match[1][0].lower()], match[2].strip()
    return None


class Outline:
    """A document by its headings; what is fenced is never taken for one."""

    def __init__(self, text: str) -> None:
        self.lines = [line.removesuffix("\r") for line in text.split("\n")]
        parts = take_apart(text)
        self.start = 0 if parts is None else parts.before.count("\n") + parts.header.count("\n") + 1
        self.spans: list[Span] = spans(self.lines, self.start)
        self.shown = {n for span in self.spans for n in range(span.first, span.last + 1)}

    @cached_property
    def blocks(self) -> list[Block]:
        """List what the document consists of; the first has no heading."""
        heads = [Block(level=0, title="", first=self.start - 1, last=0), *self._heads()]
        ends = [*(head.first for head in heads[1:]), len(self.lines)]
        return [
            Block(level=h.level, title=h.title, first=h.first, last=end, log=h.log, at=h.at)
            for h, end in zip(heads, ends, strict=True)
        ]

    def _heads(self) -> Iterator[Block]:
        log: str | None = None
        has_title = False
        for number in range(self.start, len(self.lines)):
            head = None if number in self.shown else _head(self.lines[number], number, log)
            # After the title, what looks like a heading of the first level is mostly a comment.
            if head is None or (head.level == 1 and has_title and head.name not in _NAMES):
                continue
            has_title = has_title or head.level == 1
            if head.log is None and head.name in _LOGS:
                log = head.name
            yield head

    def below(self, block: Block) -> list[str]:
        """Return the lines below a block's heading."""
        return self.lines[block.first + 1 : block.last]

    def sections(self, *names: str) -> list[Block]:
        """Find the sections with one of these names."""
        return [b for b in self.blocks if b.level and b.log is None and b.name in names]

    def entries(self, log: str) -> list[Block]:
        """List the entries of a log."""
        return [block for block in self.blocks if block.log == log]


def _head(line: str, number: int, log: str | None) -> Block | None:
    match = _HEADING.fullmatch(line.rstrip()) if line.startswith("#") else None
    if match is None or label(line):
        return None
    entry = _ENTRY.fullmatch(line.rstrip()) if log else None
    level = len(match[1])
    if entry is not None:
        at, title = (entry[1] or entry[2] or "").strip(), entry[3].strip()
        # A time without brackets is often set off by a dash or a colon.
        title = title if entry[2] is None else title.lstrip("-\u2013\u2014: ")
        return Block(level=level, title=title, first=number, last=0, log=log, at=at)
    if level > _SECTION_LEVEL:
        return None
    return Block(level=level, title=match[2].strip(), first=number, last=0)
