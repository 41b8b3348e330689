"""Taking secrets out of structured data, where the name of a value tells some of them."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.domain.redaction.keys import KEY_WORDS
from supervisor_ai.domain.redaction.redacted import WITHHELD

Redact = Callable[[str], str]
Other = Callable[[object, str], object]
"""What becomes of a value, by its name, that is no text, number, mapping or list."""

_TELLING: Final = (*KEY_WORDS, "auth", "cookie")
"""One of these stands in the name of whatever is known by its name."""
_DEEPEST: Final = 100
_MARK: Final = f"[REDACTED:{WITHHELD}]"


def redact_tree(
    value: object,
    redact: Redact,
    name: str = "",
    *,
    other: Other = lambda value, _: value,
    depth: int = 0,
) -> object:
    """Redact every text and number of a tree as the same data would be as JSON text."""
    if depth > _DEEPEST:
        return _MARK
    match value:
        case None | bool():
            return value
        case str() | int() | float():
            return redact_value(name, value, redact)
        case Mapping():
            called = value.get("name", value.get("key"))
            names = {"value": called} if isinstance(called, str) else {}
            return {
                redact(key) if isinstance(key, str) else key: redact_tree(
                    it, redact, names.get(key, str(key)), other=other, depth=depth + 1
                )
                for key, it in value.items()
            }
        case list() | tuple():
            return [redact_tree(it, redact, name, other=other, depth=depth + 1) for it in value]
        case _:
            return other(value, name)


def redact_value(name: str, value: str | float, redact: Redact) -> str | float:
    """Redact a text or a number that has a name."""
    left = redact(value) if isinstance(value, str) else value
    if not any(word in name.lower() for word in _TELLING):
        return left
    pair = json.dumps({name: left}, ensure_ascii=False)
    told = redact(pair)
    if told == pair:
        return left
    try:
        (found,) = json.loads(told).values()
    except ValueError:
        return _MARK  # The mark stands in place of a number, or of a quote.
    return found if isinstance(found, str) else _MARK
