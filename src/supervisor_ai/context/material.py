"""Untrusted text in a prompt, fenced so that it poses neither as instruction nor as answer."""

import re
from typing import Final

_BACKTICKS: Final = re.compile(r"`+")
_SHORTEST_FENCE: Final = 4
_MAX_LABEL: Final = 80
_HEAD_SHARE: Final = 3
_CONTROL: Final = {code: None for code in (*range(32), *range(127, 160)) if code not in {9, 10}}


def fenced(text: str, title: str) -> str:
    """Put a text between fences that are longer than any run of backticks inside."""
    text = cleaned(text)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_SHORTEST_FENCE, longest + 1)
    body = text.removesuffix("\n") or "(empty)"
    return f"{fence}material {label(title)}\n{body}\n{fence}"


def label(text: str, longest: int = _MAX_LABEL) -> str:
    """Make a text fit for a heading: one short line without backticks."""
    words = " ".join(cleaned(text).replace("`", "'").split())
    return words[:longest]


def cleaned(text: str) -> str:
    """Leave out control characters and what no encoding can write."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\r\n", "\n").translate(_CONTROL)


def bounded(text: str, limit: int) -> str:
    """Cut the middle out of a long text: what matters stands at its beginning or its end."""
    if len(text) <= limit:
        return text
    head = limit // _HEAD_SHARE
    left_out = len(text) - limit
    return f"{text[:head]}\n(cut: {left_out} characters left out)\n{text[head - limit :]}"
