"""The kinds of worlds that are simulated."""

from typing import Final

from tests.simulation.chaos import CALM, Weather
from tests.simulation.invariants import broken_rules
from tests.simulation.kanban_rules import broken_kanban_rules
from tests.simulation.simulation import RIGHT, Kind, Parts, Setting, Simulation

from supervisor_ai.domain.structs import replace

STORM: Final = Weather(kill=0.01, freeze=0.005, interrupt=0.1, latency=0.1, strikes=4)
HECTIC: Final = replace(STORM, longest_interrupt=1.0)

PROFILES: Final = {
    "workflow": Setting(weather=STORM),
    "family": Setting(weather=STORM, kind=Kind.FAMILY),
    "rush": Setting(weather=HECTIC, kind=Kind.RUSH, processes=3),
    "spree": Setting(weather=HECTIC, kind=Kind.SPREE, processes=3),
    "kanban": Setting(weather=STORM, kind=Kind.KANBAN),
    "kanban undisturbed": Setting(
        weather=STORM, kind=Kind.KANBAN, is_meddled_with=False, has_deadlines=False
    ),
    "kanban calm": Setting(
        weather=CALM, kind=Kind.KANBAN, is_meddled_with=False, has_deadlines=False
    ),
    "undisturbed": Setting(weather=STORM, is_meddled_with=False, has_deadlines=False),
    "calm": Setting(weather=CALM, is_meddled_with=False, has_deadlines=False),
}


def find_broken(profile: str, seed: int, parts: Parts = RIGHT) -> list[str]:
    """Simulate one world and return the rules that do not hold in it."""
    setting = replace(PROFILES[profile], parts=parts)
    evidence = Simulation(seed, setting).run()
    return broken_rules(evidence) + broken_kanban_rules(evidence)


def complaint(profile: str, seed: int, broken: object) -> str:
    """Say what went wrong and how to see it again."""
    return f"{broken}\nReproduce: python -m tests.simulation.replay {profile} {seed}"
