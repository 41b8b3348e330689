"""What the config says about features."""

from msgspec import Struct, field

from supervisor_ai.drivers.feature.plan.terms import ParallelLimits


class FeatureSettings(Struct, frozen=True, kw_only=True):
    """How the components of a feature are built."""

    max_parallel: int = 3
    clis: dict[str, int] = field(default_factory=dict)
    max_returns: int = 2

    @property
    def slots(self) -> ParallelLimits:
        """Say how many components are built at the same time."""
        return ParallelLimits(max_parallel=self.max_parallel, clis=self.clis)
