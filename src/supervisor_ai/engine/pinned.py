"""What a pinned definition allows a run to do, part by part."""

import json
from collections.abc import Iterator
from typing import Final

from supervisor_ai.engine.ports.consent import PinnedPower

_BY_NAME: Final = frozenset({"clis", "gates", "roles"})


def pinned_powers(document: str, *, sandbox: str) -> tuple[PinnedPower, ...]:
    """Take apart what was pinned, with nothing left out that could be forgotten.

    Where a run's commands are held is not in its definition: it may have been chosen at its start.
    """
    try:
        definition = json.loads(document)
        parts = tuple(_parts(definition if isinstance(definition, dict) else {"*": definition}))
    except (ValueError, RecursionError):
        parts = (PinnedPower(key="*", value=document),)
    return (*parts, _power("run.sandbox", sandbox))


def _parts(definition: dict[str, object]) -> Iterator[PinnedPower]:
    for key, value in sorted(definition.items()):
        if key in _BY_NAME and isinstance(value, dict):
            yield from (_power(f"{key}.{name}", part) for name, part in sorted(value.items()))
        else:
            yield _power(key, value)


def _power(key: str, value: object) -> PinnedPower:
    return PinnedPower(key=key, value=json.dumps(value, sort_keys=True, ensure_ascii=False))
