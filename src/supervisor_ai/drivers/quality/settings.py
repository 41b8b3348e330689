"""Which supervisors look after which work."""

from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.quality.supervisors import SupervisorSpec

SECTION: Final = "quality"
"""The section of the config that says so."""


class Quality(Struct, frozen=True, kw_only=True):
    """Which supervisors look after the work."""

    enabled: bool = True
    attach: tuple[str, ...] = ()
    """The drivers after whose commits they look, besides loops."""
    supervisors: tuple[SupervisorSpec, ...] = ()
    """Those that are switched on, the built-in ones first."""

    def is_attached(self, driver: str) -> bool:
        """Tell whether they look behind the commits of a driver."""
        return driver in self.attach and bool(self.supervisors)
