"""What a person asks for who wants a team to be watched over."""

from msgspec import Struct


class WantedWatch(Struct, frozen=True, kw_only=True):
    """What a resident run is to pin."""

    team: str
