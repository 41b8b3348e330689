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
_USUAL: Final = 1.0


class ParallelLimits(Struct, frozen=True, kw_only=True):
    """How many components are built at the same time."""

    max_parallel: int = 3
    clis: dict[str, int] = field(default_factory=dict)
    """How many at most with one agent, by its name."""


def territory_of(feature: Feature) -> Territory:
    """Find out which of the plan's claims overlap."""
    return Territory(file for it in feature.components for file in it.files)


def durations_of(feature: Feature, measured: Mapping[ComponentId, float]) -> dict[Node, float]:
    """Say how long each component takes: as measured, else as expected, else as the others do."""
    known = {it.id: it.estimate for it in feature.components if it.estimate is not None}
    known |= measured
    usual = sum(known.values()) / len(known) if known else _USUAL
    return {it.id: known.get(it.id, usual) for it in feature.components}


def terms_of(
    feature: Feature, limits: ParallelLimits, *, clis: Mapping[ComponentId, str] | None = None
) -> Terms:
    """Tell the scheduler what it has to keep to."""
    territory = territory_of(feature)
    agents = {it.id: _agents(it, clis or {}) for it in feature.components}
    return Terms(
        graph=graph_of(feature),
        locks={it.id: territory.locks(it.files) for it in feature.components},
        places={node: places for node, places in agents.items() if places},
        limits={f"{_CLI}{cli}": most for cli, most in limits.clis.items()},
        durations=durations_of(feature, {}),
        slots=limits.max_parallel,
    )


def _agents(component: Component, clis: Mapping[ComponentId, str]) -> tuple[str, ...]:
    cli = component.cli or clis.get(component.id)
    return () if cli is None else (f"{_CLI}{cli}",)
