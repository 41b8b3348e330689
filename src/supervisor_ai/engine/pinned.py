"""What a pinned definition allows a run to do, part by part."""

import json
from collections.abc import Iterator
from typing import Final

from supervisor_ai.engine.ports.consent import PinnedPower

_BY_NAME: Final = frozenset({"clis", "gates", "roles"})


def pinned_powers(document: str) -> tuple[PinnedPower, ...]:
    """Take a definition apart as it was pinned, with nothing left out that could be forgotten."""
    try:
        definition = json.loads(document)
        return tuple(_parts(definition if isinstance(definition, dict) else {"*": definition}))
    except (ValueError, RecursionError):
        return (PinnedPower(key="*", value=document),)


def _parts(definition: dict[str, object]) -> Iterator[PinnedPower]:
    for key, value in sorted(definition.items()):
        if key in _BY_NAME and isinstance(value, dict):
            yield from (_power(f"{key}.{name}", part) for name, part in sorted(value.items()))
        else:
            yield _power(key, value)


def _power(key: str, value: object) -> PinnedPower:
    return PinnedPower(key=key, value=json.dumps(value, sort_keys=True, ensure_ascii=False))
