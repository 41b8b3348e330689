"""What a feature's plan means for the scheduler."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from supervisor_ai.drivers.feature.plan.claims import Territory
from supervisor_ai.drivers.feature.plan.graph import Node, graph_of
from supervisor_ai.drivers.feature.plan.model import Component, ComponentId, Feature
from supervisor_ai.drivers.feature.plan.scheduler import Terms

_CLI: Final = "cli "
"""Before the name of an agent: no path that a plan can claim begins like this."""
_ACCOUNT: Final = "account "
_USUAL: Final = 1.0


class AccountLimit(Struct, frozen=True, kw_only=True):
    """Agents that are paid for or limited together."""

    clis: tuple[str, ...]
    max_parallel: int


class ParallelLimits(Struct, frozen=True, kw_only=True):
    """How many components are built at the same time."""

    max_parallel: int = 3
    clis: dict[str, int] = field(default_factory=dict)
    """How many at most with one agent, by its name."""
    accounts: dict[str, AccountLimit] = field(default_factory=dict)
    """How many at most with agents that share an account, by its name."""
    agents: dict[ComponentId, tuple[str, ...]] = field(default_factory=dict)
    """The agents that the run of each component uses, as far as they are resolved."""

    def places_of(self, component: Component) -> dict[str, int]:
        """Name the limited numbers of places a component needs one of, and how many there are."""
        own = () if component.cli is None else (component.cli,)
        agents = self.agents.get(component.id, own)
        found = {f"{_CLI}{it}": self.clis[it] for it in agents if it in self.clis}
        for name, account in self.accounts.items():
            if any(it in account.clis for it in agents):
                found[f"{_ACCOUNT}{name}"] = account.max_parallel
        return found


def territory_of(feature: Feature) -> Territory:
    """Find out which of the plan's claims overlap."""
    return Territory(file for it in feature.components for file in it.files)


def durations_of(feature: Feature, measured: Mapping[ComponentId, float]) -> dict[Node, float]:
    """Say how long each component takes: as measured, else as expected, else as the others do."""
    known = {it.id: it.estimate for it in feature.components if it.estimate is not None}
    known |= measured
    usual = sum(known.values()) / len(known) if known else _USUAL
    return {it.id: known.get(it.id, usual) for it in feature.components}


def terms_of(feature: Feature, limits: ParallelLimits) -> Terms:
    """Tell the scheduler what it has to keep to."""
    territory = territory_of(feature)
    places = {it.id: limits.places_of(it) for it in feature.components}
    return Terms(
        graph=graph_of(feature),
        locks={it.id: territory.locks(it.files) for it in feature.components},
        places={node: tuple(needed) for node, needed in places.items() if needed},
        limits={name: most for needed in places.values() for name, most in needed.items()},
        durations=durations_of(feature, {}),
        slots=limits.max_parallel,
    )
