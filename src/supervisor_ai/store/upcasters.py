"""How facts written by older versions become facts of today."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct


class RawEvent(Struct, frozen=True, kw_only=True):
    """A fact as it was written: its type, the revision of that type, and its fields."""

    type: str
    revision: int
    fields: dict[str, object]


Upcaster = Callable[[dict[str, object]], RawEvent]
"""Makes the next revision, or another type, of the fields of one revision of one type."""

Upcasters = Mapping[tuple[str, int], Upcaster]
"""The upcaster of each (type, revision) that is not written any more."""

UPCASTERS: Final[Upcasters] = {}
"""A field with a default needs no upcaster; every other change of an event needs one here."""


def upcast(raw: RawEvent, upcasters: Upcasters) -> RawEvent:
    """Lift a fact, step by step, to what is written today."""
    while (lift := upcasters.get((raw.type, raw.revision))) is not None:
        raw = lift(raw.fields)
    return raw


def current_revision(kind: str, upcasters: Upcasters) -> int:
    """Return the revision of a type that is written today."""
    return 1 + max((revision for name, revision in upcasters if name == kind), default=0)
