"""What the config says about features."""

from collections.abc import Sequence

from msgspec import Struct, field

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.model import UndeclaredFiles
from supervisor_ai.drivers.feature.plan.projects import FeatureProject
from supervisor_ai.drivers.feature.plan.terms import AccountLimit, ParallelLimits


class FeatureSettings(Struct, frozen=True, kw_only=True):
    """How the components of a feature are built."""

    max_parallel: int = 3
    clis: dict[str, int] = field(default_factory=dict)
    accounts: dict[str, AccountLimit] = field(default_factory=dict)
    max_returns: int = 2
    speculation: int = 2
    undeclared_files: UndeclaredFiles = UndeclaredFiles.WARN

    @property
    def slots(self) -> ParallelLimits:
        """Say how many components are built at the same time."""
        return ParallelLimits(
            max_parallel=self.max_parallel, clis=self.clis, accounts=self.accounts
        )


class ProjectList(Struct, frozen=True, kw_only=True):
    """The packages and repositories that a feature can go over."""

    projects: tuple[FeatureProject, ...] = ()


class ProjectOrder(Struct, frozen=True, kw_only=True):
    """Which project waits for which others."""

    needs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def over(self, projects: Sequence[FeatureProject]) -> tuple[FeatureProject, ...]:
        """Let each project know what it waits for."""
        return tuple(replace(it, depends_on=self.needs.get(it.name, ())) for it in projects)
