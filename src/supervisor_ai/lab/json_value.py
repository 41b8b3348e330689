"""JSON as it comes and goes: nothing is taken for granted about what a client sent."""

import json
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def parsed(text: bytes | str) -> Json:
    """Read JSON; ValueError when it is none, or is nested too deeply to read."""
    try:
        value: Json = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return value


def written(value: Json) -> str:
    """Write a value on one line."""
    return json.dumps(value, ensure_ascii=False)


def mapping(value: Json) -> Mapping[str, Json]:
    """Return the value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def sequence(value: Json) -> Sequence[Json]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def text(value: Json, default: str) -> str:
    """Return the value if it is text with something in it, else the default."""
    return value if isinstance(value, str) and value else default
