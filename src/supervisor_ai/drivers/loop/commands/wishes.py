"""What a loop is to pin, as far as a person says so."""

from msgspec import Struct


class WantedLoop(Struct, frozen=True, kw_only=True):
    """What a person wants of a loop."""

    cli: str | None = None
    max_tasks: int | None = None
    """None: as configured."""
    is_alone: bool = False
    """Whether no supervisor looks."""
