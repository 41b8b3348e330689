"""JSON that is not believed: read without trust in its syntax, its depth or its shape."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from supervisor_ai.tools.text import escaped

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
JsonObject = dict[str, Json]
JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
"""What parsing gives, exactly; `Json` may be any sequence or mapping."""


class BadJson(ValueError):
    """The text is not JSON, or no JSON that is wanted; the message goes on after "because"."""


def parse_json(text: str | bytes) -> Json:
    """Parse a text as leniently as Python does; BadJson is all that can go wrong."""
    try:
        value: Json = json.loads(text)
    except RecursionError:
        raise BadJson("it is nested too deeply") from None
    except ValueError as error:
        raise BadJson(str(error)) from error
    return value


def parse_object(text: str | bytes) -> JsonObject | None:
    """Parse a text that is one JSON object; None where it is anything else."""
    try:
        value = parse_json(text)
    except BadJson:
        return None
    return value if isinstance(value, dict) else None


def read_json(text: str) -> JsonValue:
    """Parse a text strictly: no key twice, no NaN, no half characters."""
    try:
        value: JsonValue = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
        canonical_json(value).encode()
    except RecursionError:
        raise BadJson("it is nested too deeply") from None
    except UnicodeEncodeError as error:
        raise BadJson("it contains half of a surrogate pair") from error
    except BadJson:
        raise
    except ValueError as error:
        raise BadJson(str(error)) from error
    return value


def json_line(value: object) -> str:
    """Write a value on one line."""
    return json.dumps(value, ensure_ascii=False)


def canonical_json(value: object) -> str:
    """Write the same value always in the same way."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def inner(value: Json, *path: str | int) -> Json:
    """Follow keys and indices as far as they lead; None where they end."""
    for part in path:
        if isinstance(value, dict) and isinstance(part, str):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def mapping(value: Json) -> JsonObject:
    """Take a mapping for what it is, and anything else for an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Json) -> list[Json]:
    """Take a list for what it is, and anything else for an empty one."""
    return value if isinstance(value, list) else []


def text(value: Json, otherwise: str = "") -> str:
    """Take text with something in it for what it is."""
    return value if isinstance(value, str) and value else otherwise


def _without_duplicates(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise BadJson(f"the key {escaped(twice)!r} is given twice")
    return found


def _refuse_constant(name: str) -> Json:
    raise BadJson(f"{name} is not a JSON number")
