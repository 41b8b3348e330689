"""Maps that grow large and change one entry at a time: an entry more copies few of the others."""

from collections.abc import Iterator
from typing import Final, TypeVar
from zlib import crc32

V = TypeVar("V")

Shelves = dict[str, dict[str, V]]
"""Values by their keys, on shelves; a plain dict of dicts, so that it can be kept as JSON."""
_SHELVES: Final = 64


def _shelf(key: str) -> str:
    return str(crc32(key.encode(errors="surrogatepass")) % _SHELVES)


def get(shelves: Shelves[V], key: str) -> V | None:
    """Return the value of a key; None: there is none."""
    return shelves.get(_shelf(key), {}).get(key)


def put(shelves: Shelves[V], key: str, value: V) -> Shelves[V]:
    """Return the map with another value for a key."""
    name = _shelf(key)
    return {**shelves, name: {**shelves.get(name, {}), key: value}}


def drop(shelves: Shelves[V], key: str) -> Shelves[V]:
    """Return the map without a key."""
    name = _shelf(key)
    left = {at: value for at, value in shelves.get(name, {}).items() if at != key}
    return {**shelves, name: left}


def values(shelves: Shelves[V]) -> Iterator[V]:
    """Return all values, in an order that depends on their keys alone."""
    for name in sorted(shelves):
        shelf = shelves[name]
        yield from (shelf[key] for key in sorted(shelf))
