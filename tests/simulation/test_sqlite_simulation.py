"""The same worlds on the real ledger: its chain and its tables survive them too."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.simulation.invariants import broken_rules
from tests.simulation.machine import Ledgers
from tests.simulation.profiles import PROFILES, complaint
from tests.simulation.simulation import Simulation
from tests.simulation.sqlite_ledgers import SqliteLedgers
from tests.support.example_counts import worlds

from supervisor_ai.domain.structs import replace

SHORT = 12
LONG = 60


@pytest.mark.parametrize("profile", ["workflow", "family"])
def test_no_rule_breaks_on_the_real_ledger(profile: str, tmp_path: Path) -> None:
    check(profile, range(SHORT), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(10))
@pytest.mark.parametrize("profile", ["workflow", "family"])
def test_no_rule_breaks_in_many_more_worlds_on_the_real_ledger(
    profile: str, shard: int, tmp_path: Path
) -> None:
    size = worlds(LONG)
    check(profile, range(shard * size, (shard + 1) * size), tmp_path)


def check(profile: str, seeds: range, place: Path) -> None:
    for seed in seeds:
        ledgers = SqliteLedgers(place / str(seed))
        setting = replace(PROFILES[profile], ledgers=always(ledgers))
        broken = broken_rules(Simulation(seed, setting).run()) + ledgers.faults()
        ledgers.close()
        assert not broken, complaint(profile, seed, broken)


def always(ledgers: Ledgers) -> Callable[[], Ledgers]:
    return lambda: ledgers
