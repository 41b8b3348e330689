"""Some keys of a settings file, compared before and after a change."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.tools.toml import read_toml

FORMATS: Final[Mapping[str, Callable[[str], object]]] = {"json": json.loads, "toml": read_toml}


def keys_differ(form: str, keys: Sequence[str], before: bytes, after: bytes) -> bool:
    """Compare the keys that count; a new file that cannot be read could hold anything."""
    old = picked(form, before, keys) if before else {}
    new = picked(form, after, keys) if after else {}
    return new is None or (old or {}) != new


def picked(form: str, text: bytes, keys: Sequence[str]) -> Mapping[str, str] | None:
    """Return what stands at some dotted keys; None where the file cannot be understood."""
    try:
        parsed = FORMATS[form](text.decode("utf-8-sig"))
        found = (pair for key in keys for pair in _at(parsed, key.split("."), ""))
        return {place: json.dumps(value, sort_keys=True, default=str) for place, value in found}
    except (ValueError, RecursionError):
        return None


def _at(value: object, parts: Sequence[str], place: str) -> Iterator[tuple[str, object]]:
    if not parts:
        yield place, value
    elif isinstance(value, dict):
        names = list(value) if parts[0] == "*" else [parts[0]]
        for name in names:
            if name in value:
                yield from _at(value[name], parts[1:], f"{place}.{name}")
