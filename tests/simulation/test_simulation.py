"""Thousands of random worlds: crashes, freezes, races, clock jumps and people; no rule breaks."""

import pytest
from tests.simulation.profiles import PROFILES, complaint, find_broken
from tests.simulation.simulation import Simulation
from tests.simulation.story import final_files, story
from tests.support.example_counts import worlds

from supervisor_ai.domain.ids import RunId

RUN = RunId("r1")
FIRST_OF_MANY = 100_000
"""The worlds of the long tests are others than those of the short ones."""


@pytest.mark.parametrize("shard", range(3))
def test_no_rule_breaks_in_a_workflow(shard: int) -> None:
    check("workflow", shard_of(shard, 400))


@pytest.mark.parametrize("shard", range(3))
def test_no_rule_breaks_in_a_family_of_runs(shard: int) -> None:
    check("family", shard_of(shard, 200))


def test_no_rule_breaks_in_a_rush_for_a_permit() -> None:
    check("rush", range(60))


def test_no_rule_breaks_where_runs_share_a_budget() -> None:
    check("spree", range(100))


@pytest.mark.parametrize("shard", range(2))
def test_no_rule_breaks_in_a_kanban(shard: int) -> None:
    check("kanban", shard_of(shard, 25))


def test_accidents_do_not_change_the_story_of_a_kanban() -> None:
    for seed in range(15):
        check_story(seed, "kanban ")


@pytest.mark.parametrize("shard", range(2))
def test_accidents_do_not_change_the_story(shard: int) -> None:
    for seed in shard_of(shard, 80):
        check_story(seed)


@pytest.mark.parametrize("profile", ["workflow", "family", "rush", "spree", "kanban"])
def test_a_seed_always_makes_the_same_world(profile: str) -> None:
    first, second = (Simulation(7, PROFILES[profile]).run().world.log.head() for _ in range(2))
    assert first == second


@pytest.mark.long
@pytest.mark.parametrize("shard", range(40))
@pytest.mark.parametrize(
    ("profile", "usual"),
    [("workflow", 400), ("family", 400), ("rush", 200), ("spree", 100), ("kanban", 60)],
)
def test_no_rule_breaks_in_many_more_worlds(profile: str, usual: int, shard: int) -> None:
    check(profile, shard_of(shard, worlds(usual), first=FIRST_OF_MANY))


@pytest.mark.long
@pytest.mark.parametrize("shard", range(20))
@pytest.mark.parametrize(("kind", "usual"), [("", 300), ("kanban ", 80)])
def test_accidents_do_not_change_many_more_stories(kind: str, usual: int, shard: int) -> None:
    for seed in shard_of(shard, worlds(usual), first=FIRST_OF_MANY):
        check_story(seed, kind)


def shard_of(shard: int, size: int, *, first: int = 0) -> range:
    return range(first + shard * size, first + (shard + 1) * size)


def check(profile: str, seeds: range) -> None:
    for seed in seeds:
        broken = find_broken(profile, seed)
        assert not broken, complaint(profile, seed, broken)


def check_story(seed: int, kind: str = "") -> None:
    calm = Simulation(seed, PROFILES[f"{kind}calm"]).run()
    stormy = Simulation(seed, PROFILES[f"{kind}undisturbed"]).run()
    told, expected = story(stormy, RUN), story(calm, RUN)
    assert told == expected, complaint(
        f"{kind}undisturbed", seed, f"{told}\ninstead of\n{expected}"
    )
    files, wanted = final_files(stormy, RUN), final_files(calm, RUN)
    assert files == wanted, complaint(f"{kind}undisturbed", seed, f"{files} instead of {wanted}")
