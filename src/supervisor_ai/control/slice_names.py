"""Slices by name: what is known of a driver before anything of it is imported.

A place is `module:attribute`. Places may lie above the driver's own row: they are names, and only
the row that uses what is there imports it.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import Final, NamedTuple

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class SliceVerb(NamedTuple):
    """A group of commands that a slice adds to the command line."""

    place: str
    help: str
    """The first line of its help page."""


class SliceName(NamedTuple):
    """A slice by its driver's name and the module that has it as `SLICE`."""

    name: str
    module: str
    ports: Mapping[str, str] = _NOTHING
    """Where the makers of its adapters are, by the names of its ports."""
    section: str | None = None
    """Where its section of the config is."""
    resolver: str | None = None
    """Where what its runs pin is made of definitions; None: it is a workflow."""
    verb: SliceVerb | None = None


_REGISTERED: Final[dict[str, SliceName]] = {}


def register(slices: Iterable[SliceName]) -> None:
    """Make slices known to this process."""
    _REGISTERED.update({it.name: it for it in slices})


@contextmanager
def registered(more: SliceName) -> Iterator[None]:
    """Make one more slice known for a while."""
    register((more,))
    try:
        yield
    finally:
        del _REGISTERED[more.name]


def registered_slices() -> Mapping[str, SliceName]:
    """Return all slices that are known, in their order."""
    return dict(_REGISTERED)


def import_place(place: str) -> object:
    """Import what is at a place."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
