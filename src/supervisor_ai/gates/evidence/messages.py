"""What the reader's process finds out about the halves of a change.

What is as it was at the base, or empty, is only named: contents need not go through a pipe.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from supervisor_ai.engine.ports.evidence import HalfOf, TestProbe


class HalvesFound(Struct, frozen=True, kw_only=True):
    """The halves of a change."""

    files: tuple[HalfOf, ...] = ()
    touches_harness: bool = False
    touches_product: bool = False
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    grafted: Mapping[str, bytes] = field(default_factory=dict)
    not_replayed: tuple[str, ...] = ()


class ProbesFound(Struct, frozen=True, kw_only=True):
    """Probes of one kind."""

    probes: tuple[TestProbe, ...] = ()
    far_tests: tuple[str, ...] = ()
    """The files of tests that are left out of all of them."""


class HollowFound(Struct, frozen=True, kw_only=True):
    """The modules of a product, emptied."""

    emptied: Mapping[str, bytes] = field(default_factory=dict)
    """What is left of those that still load."""
    blank: tuple[str, ...] = ()
    """Those of which nothing is left."""
    left: int = 0
    far_tests: tuple[str, ...] = ()
