"""Transcripts of sessions, as files have them."""

import re
from typing import Final

TURN: Final = re.compile(r"^(<<|>>) (\w+)\n", re.MULTILINE)


def turns(text: str) -> list[tuple[str, str, str]]:
    """Take a transcript apart into who speaks, of which type, and the words."""
    _, *parts = TURN.split(text)
    return [
        (who, kind, words.removesuffix("\n"))
        for who, kind, words in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]
