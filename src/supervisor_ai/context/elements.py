"""The text of a context: elements with their path in an attribute, which no content can fake."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.context.material import cleaned
from supervisor_ai.context.tokens import Measure

OPENING: Final = "<context>\n"
CLOSING: Final = "</context>\n"
_NAMES: Final = "context|file|diff|tree|plan|omitted"
_POSING: Final = re.compile(rf"<(?=/?\s{{0,8}}(?:{_NAMES})\b)", re.IGNORECASE)
_ESCAPED: Final = re.compile(rf"&(?=(?:amp;){{0,64}}lt;/?\s{{0,8}}(?:{_NAMES})\b)", re.IGNORECASE)
_UNCLEAN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_ATTRIBUTE: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": " ", "\t": " "}
)


class Element(Struct, frozen=True, kw_only=True):
    """A piece of the context's text."""

    text: str
    measure: Measure
    redactions: int = 0


def escaped(text: str) -> str:
    """Keep a content from opening or closing an element of ours; the rest stays as it is."""
    if "lt;" in text:
        text = _ESCAPED.sub("&amp;", text)
    return _POSING.sub("&lt;", text)


def unescaped(text: str) -> str:
    """Undo the escaping."""
    if "lt;" not in text:
        return text
    text = re.sub(rf"&lt;(?=/?\s{{0,8}}(?:{_NAMES})\b)", "<", text, flags=re.IGNORECASE)
    again = rf"&amp;(?=(?:amp;){{0,64}}lt;/?\s{{0,8}}(?:{_NAMES})\b)"
    return re.sub(again, "&", text, flags=re.IGNORECASE)


def without_controls(text: str) -> str:
    """Leave out control characters and what no encoding can write; quick where there are none."""
    return cleaned(text) if _UNCLEAN.search(text) else text


def opening(tag: str, attributes: Mapping[str, str], *, is_empty: bool = False) -> str:
    """Return the beginning of an element, or the whole of an empty one."""
    parts = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    return f"<{tag}{parts}/>\n" if is_empty else f"<{tag}{parts}>"


def _attribute(value: str) -> str:
    return without_controls(value).translate(_ATTRIBUTE)
