"""Fills the nonce that a prompt tells into what the script says."""

import re
from typing import Final

from supervisor_ai.lab.shapes import Turn

_TOLD: Final = re.compile(r"nonce of this attempt is `([a-z0-9-]{1,64})`")
_WANTED: Final = re.compile(r"\{\{ ?nonce ?\}\}")


def with_nonce(turn: Turn, request: str) -> Turn:
    """Put the nonce in place of `{{nonce}}`; what a prompt quotes stands before its own words."""
    written = turn.model_dump_json(by_alias=True, exclude_unset=True)
    told = _TOLD.findall(request)
    if not told or not _WANTED.search(written):
        return turn
    return Turn.model_validate_json(_WANTED.sub(told[-1], written))
