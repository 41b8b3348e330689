"""JSON as its standard says: no duplicate keys, no NaN, no half characters."""

import json
from collections import Counter

from supervisor_ai.definitions.mistakes import shown

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


class BadJson(ValueError):
    """The text is not JSON."""


def read_json(text: str) -> JsonValue:
    """Parse a text strictly."""
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


def canonical_json(value: object) -> str:
    """Write the same value always in the same way."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _without_duplicates(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise BadJson(f"the key {shown(twice)!r} is given twice")
    return found


def _refuse_constant(name: str) -> JsonValue:
    raise BadJson(f"{name} is not a JSON number")
