"""Fenced json blocks in a worker's output."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Final

from msgspec import Struct

# Possessive, so that no output makes the search slower than linear.
_OPENING: Final = re.compile(
    r"^[ \t]*+(`{3,}+|~{3,}+)[ \t]*+json(?:[ \t\r][^\n]*+)?$", re.MULTILINE | re.IGNORECASE
)


class JsonBlock(Struct, frozen=True, kw_only=True):
    """A fenced json block: what it holds, where it stands, and whether a fence closes it."""

    text: str
    is_closed: bool
    start: int
    end: int


def json_blocks(output: str) -> Iterator[JsonBlock]:
    """Yield every json block, wherever its opening fence stands.

    Other fences are not paired with each other on purpose: a quoted text with a fence too many
    could otherwise hide the worker's own block and leave only the quoted one.
    """
    for opening, following in pairwise(chain(_OPENING.finditer(output), (None,))):
        if opening is not None:
            limit = len(output) if following is None else following.start()
            yield _block(output, opening, limit)


def _block(output: str, opening: re.Match[str], limit: int) -> JsonBlock:
    fence = opening.group(1)
    closing = re.compile(rf"^[ \t]*+{fence[0]}{{{len(fence)},}}+[ \t\r]*+$", re.MULTILINE)
    match = closing.search(output, opening.end(), limit)
    end = limit if match is None else match.start()
    return JsonBlock(
        text=output[opening.end() : end].strip(),
        is_closed=match is not None,
        start=opening.start(),
        end=limit if match is None else match.end(),
    )
