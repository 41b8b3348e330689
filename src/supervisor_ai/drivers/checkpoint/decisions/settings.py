"""Words of the configuration about supervision; all that is imported of them to check a config."""

from typing import Final

from msgspec import Struct

SPEC_FILE: Final = ".supervisor/checkpoints/supervisor.md"
"""Where a project's own checks stand."""


class SupervisionSettings(Struct, frozen=True, kw_only=True):
    """What the config says about supervision."""

    enabled: bool = True
    """Whether checkpoints are made at all."""
    judge: bool = True
    """Whether a worker is asked what text does not decide; else that is noted."""
