"""Text from outside, made harmless for a terminal and for the eyes of its reader."""

import re
from typing import Final

_STRING: Final = r"[^\x00-\x08\x0a-\x1f\x7f-\x9f]*"
_LONG_FORM: Final = rf"\x1b(?:\[[\x20-?]*[@-~]?|[\]PX^_]{_STRING}|[\x20-/]*[0-~]?)"
_LONG_ESCAPE: Final = re.compile(_LONG_FORM)
_SHORT_OPENERS: Final = "\x9b\x90\x98\x9d\x9e\x9f"
_ESCAPE: Final = re.compile(rf"{_LONG_FORM}|\x9b[\x20-?]*[@-~]?|[\x90\x98\x9d-\x9f]{_STRING}")
"""A whole escape sequence. A string ends before any control character, its terminator included:
what a terminal would swallow up to a terminator that never comes must not vanish from view."""

_TERMINATED: Final = re.compile(
    rf"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING}\x07|{_ESCAPE.pattern}"
)
_STARTS: Final = f"\x1b{_SHORT_OPENERS}"
_OPENERS: Final = f"\x1b{_SHORT_OPENERS}\r"
_OPEN: Final = re.compile(
    rf"""
    (\x1b\[|\x9b)[\x20-?]*\Z
    | (\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING}\Z
    | (\x1b[\x20-/])[\x20-/]*\Z
    | (\x1b|\r)\Z
    """,
    re.VERBOSE,
)
"""A sequence that goes on in the next piece; its group is enough to remember of it."""

_CONTROLS: Final = (range(0x09), range(0x0B, 0x20), range(0x7F, 0xA0))
_DIRECTIONS: Final = (
    range(0x061C, 0x061D),
    range(0x200E, 0x2010),
    range(0x202A, 0x202F),
    range(0x2066, 0x206A),
)
_INVISIBLE: Final = (
    range(0x00AD, 0x00AE),
    range(0x034F, 0x0350),
    range(0x115F, 0x1161),
    range(0x17B4, 0x17B6),
    range(0x180B, 0x1810),
    range(0x200B, 0x200E),
    range(0x2060, 0x2066),
    range(0x206A, 0x2070),
    range(0x3164, 0x3165),
    range(0xFE00, 0xFE10),
    range(0xFEFF, 0xFF00),
    range(0xFFA0, 0xFFA1),
    range(0xFFF0, 0xFFFC),
    range(0x1BCA0, 0x1BCA4),
    range(0x1D173, 0x1D17B),
    range(0xE0000, 0xE1000),
)
_LINE_ENDS: Final = range(0x2028, 0x202A)
_SURROGATES: Final = range(0xD800, 0xE000)

_HARMFUL: Final = re.compile(
    "[{}]".format(
        "".join(
            f"\\U{points[0]:08x}-\\U{points[-1]:08x}"
            for points in (*_CONTROLS, *_DIRECTIONS, *_INVISIBLE, _LINE_ENDS, _SURROGATES)
        )
    )
)
_PART: Final = 4096
"""Where something has to go, most parts of this size have nothing of the kind."""
_ASCII: Final = bytes(range(0x80))
_HARMFUL_ASCII: Final = bytes(point for points in _CONTROLS for point in points if point in _ASCII)
_HARMLESS: Final = {
    **{point: "" for points in (*_CONTROLS, *_INVISIBLE) for point in points},
    **{point: f"<U+{point:04X}>" for points in _DIRECTIONS for point in points},
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **dict.fromkeys(_SURROGATES, "\N{REPLACEMENT CHARACTER}"),
}


def plain(text: str) -> str:
    """Return the text without escape sequences, controls and invisible characters.

    Only newline and tab are left of the control characters; every carriage return is a newline.
    Characters that turn the direction of writing are shown by their number.
    """
    stream = PlainStream()
    return stream.feed(text) + stream.close()


class PlainStream:
    """Makes text plain that comes in pieces, wherever the pieces were cut."""

    def __init__(self) -> None:
        self._open = ""

    def feed(self, text: str) -> str:
        """Take a piece; return what is plain by now."""
        if not self._open and _is_plain(text):
            return text
        text = self._open + text
        at = max(text.rfind(opener) for opener in _OPENERS)
        rest = _OPEN.match(text, at) if at >= 0 else None
        if rest is None:
            self._open = ""
            return _clean(text)
        self._open = rest.group(rest.lastindex or 0)
        return _clean(text[:at])

    def close(self) -> str:
        """Return the rest."""
        rest, self._open = _clean(self._open), ""
        return rest


def stripped(text: str) -> str:
    """Return the text without escape sequences, for whoever parses or cuts it."""
    return _TERMINATED.sub("", text) if any(it in text for it in _STARTS) else text


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if any(opener in text for opener in _SHORT_OPENERS):
        text = _ESCAPE.sub("", text)
    else:
        # What begins with one character is found many times as fast.
        text = _LONG_ESCAPE.sub("", text)
    if _is_plain(text):
        return text
    parts = (text[at : at + _PART] for at in range(0, len(text), _PART))
    return "".join(part if _is_plain(part) else part.translate(_HARMLESS) for part in parts)


def _is_plain(text: str) -> bool:
    """Tell whether there is nothing to take out; bytes tell most of it many times as fast."""
    encoded = text.encode(errors="surrogatepass")
    if len(encoded) != len(encoded.translate(None, _HARMFUL_ASCII)):
        return False
    if text.isascii():
        return True
    beyond = encoded.translate(None, _ASCII).decode(errors="surrogatepass")
    return _HARMFUL.search(beyond) is None
