"""The scheduler: what starts next, without deadlock, starvation or two writers on one file."""

from collections.abc import Iterable, Mapping

import pytest
from bench.feature_plans import RandomPlan, make_plan
from bench.features import makespan, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.graph import Node, make_graph, remaining
from supervisor_ai.drivers.feature.plan.rehearsal import play, rehearse
from supervisor_ai.drivers.feature.plan.scheduler import Scheduler, Terms


def scheduler(
    needs: dict[str, list[str]],
    *,
    slots: int = 2,
    locks: Mapping[str, Iterable[str]] | None = None,
    first: dict[str, tuple[str, ...]] | None = None,
    durations: dict[str, float] | None = None,
    gates: Iterable[str] = (),
) -> Scheduler:
    graph = make_graph(needs, gates=gates)
    terms = Terms(
        graph=graph,
        slots=slots,
        locks={node: frozenset(it) for node, it in (locks or {}).items()},
        first=first or {},
    )
    return Scheduler(terms, remaining(graph, durations or dict.fromkeys(needs, 1.0)))


def test_the_longest_remaining_way_starts_first() -> None:
    found = scheduler({"a": [], "b": [], "c": ["b"], "d": []}, slots=2)
    assert list(found.next()) == ["b", "a"]
    assert found.running == ("b", "a")
    found.complete("a")
    assert list(found.next()) == ["d"]


def test_no_batches_what_is_ready_starts_as_soon_as_a_slot_is_free() -> None:
    found = scheduler({"a": [], "b": [], "c": ["a"]}, slots=2)
    assert list(found.next()) == ["a", "b"]
    found.complete("a")
    assert list(found.next()) == ["c"], "c does not wait for b"


def test_who_shares_a_file_with_a_running_component_waits_and_others_pass() -> None:
    found = scheduler({"a": [], "b": [], "c": []}, slots=3, locks={"a": ["f"], "b": ["f"]})
    assert list(found.next()) == ["a", "c"]
    found.complete("a")
    assert list(found.next()) == ["b"]


def test_what_a_running_component_really_wrote_is_kept_from_others() -> None:
    found = scheduler({"a": [], "b": ["a"], "c": []}, slots=1, locks={"a": ["f"], "c": ["g"]})
    assert list(found.next()) == ["a"]
    found.touch("a", ["g"])
    grown = scheduler({"a": [], "c": []}, slots=2, locks={"c": ["g"]}, durations={"a": 2, "c": 1})
    starts = grown.next()
    assert next(starts) == "a"
    grown.touch("a", ["g"])
    assert list(starts) == []
    grown.complete("a")
    assert list(grown.next()) == ["c"]


def test_no_more_run_than_an_agent_has_places() -> None:
    graph = make_graph({"a": [], "b": [], "c": [], "d": []})
    terms = Terms(
        graph=graph,
        slots=4,
        places={"a": ("cli x",), "b": ("cli x",), "c": ("cli x",)},
        limits={"cli x": 2},
    )
    found = Scheduler(terms, dict.fromkeys("abcd", 1.0))
    assert list(found.next()) == ["a", "b", "d"]
    found.complete("b")
    assert list(found.next()) == ["c"]


def test_a_failed_component_blocks_only_what_depends_on_it() -> None:
    found = scheduler({"a": [], "b": ["a"], "c": [], "d": ["c"]}, slots=1)
    assert list(found.next()) == ["a"]
    found.stop("a")
    assert list(found.next()) == ["c"]
    found.complete("c")
    assert list(found.next()) == ["d"]
    found.complete("d")
    assert list(found.next()) == []
    found.retry("a")
    assert list(found.next()) == ["a"]
    found.complete("a")
    assert list(found.next()) == ["b"]


def test_a_skipped_component_never_starts_and_holds_nothing_up() -> None:
    found = scheduler({"a": [], "b": ["a"], "c": ["b"]}, slots=1)
    found.complete("b")
    assert list(found.next()) == ["a"]
    found.complete("a")
    assert list(found.next()) == ["c"]


def test_who_waits_behind_a_skipped_component_goes_on() -> None:
    found = scheduler({"a": [], "b": [], "c": []}, slots=1, locks={"b": ["f"], "c": ["f"]})
    assert list(found.next()) == ["a"]
    found.complete("b")
    found.complete("a")
    assert list(found.next()) == ["c"]


def test_a_phase_gate_opens_when_all_before_it_are_done() -> None:
    needs = {"a": [], "b": [], "gate": ["a", "b"], "c": ["gate"], "none": [], "d": ["none"]}
    found = scheduler(needs, slots=9, gates=("gate", "none"))
    assert sorted(found.next()) == ["a", "b", "d"]
    found.complete("a")
    assert list(found.next()) == []
    found.complete("b")
    assert list(found.next()) == ["c"]


def test_who_lets_another_go_first_waits_until_that_has_begun_or_something_failed() -> None:
    needs = {"a": [], "b": ["a"], "c": []}
    locks = {"b": ["f"], "c": ["f"]}
    found = scheduler(needs, locks=locks, first={"c": ("b",)})
    assert list(found.next()) == ["a"]
    found.complete("a")
    assert list(found.next()) == ["b"]
    found.complete("b")
    assert list(found.next()) == ["c"]
    broken = scheduler(needs, locks=locks, first={"c": ("b",)})
    assert list(broken.next()) == ["a"]
    broken.stop("a")
    assert list(broken.next()) == ["c"], "b never comes"


def test_who_has_waited_long_has_its_files_kept_free() -> None:
    """One that needs two files is not overtaken for ever by those that need one of them."""
    ones = [f"f{number}" for number in range(60)]
    twos = [f"g{number}" for number in range(60)]
    needs: dict[str, list[str]] = {it: [] for it in (*ones, *twos, "both")}
    found = scheduler(
        needs,
        slots=2,
        locks={**dict.fromkeys(ones, "f"), **dict.fromkeys(twos, "g"), "both": "fg"},
        durations={**dict.fromkeys((*ones, *twos), 1.0), "both": 2.0},
    )
    first = list(found.next())
    assert first == ["both"]
    found.stop("both")
    order = list(found.next())
    found.retry("both")
    while "both" not in order and len(order) < 121:
        found.complete(found.running[0])
        order += found.next()
    assert order.index("both") < 20


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_everything_ends_and_no_two_write_one_file(seed: int, chance: object) -> None:
    del chance
    plan = _small(seed)
    terms = terms_of(plan)
    best = rehearse(terms)
    found = Scheduler(replace(terms, first=best.first), best.lengths)
    done: set[Node] = set()
    turn = seed
    while True:
        for node in found.next():
            assert done.issuperset(terms.graph.needs[node])
        running = found.running
        if not running:
            break
        assert len(running) <= plan.slots
        held = [lock for node in running for lock in terms.locks[node]]
        assert len(held) == len(set(held)), "two writers on one file"
        turn = turn * 1_103_515_245 + 12_345 & 0x7FFFFFFF
        ended = running[turn % len(running)]
        done.add(ended)
        found.complete(ended)
    assert len(done) == len(plan.durations), "neither deadlock nor starvation"


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_with_failures_everything_runs_that_depends_on_no_failed_one(seed: int) -> None:
    plan = _small(seed)
    terms = terms_of(plan)
    best = rehearse(terms)
    found = Scheduler(replace(terms, first=best.first), best.lengths)
    failed: set[Node] = set()
    done: set[Node] = set()
    while True:
        list(found.next())
        if not found.running:
            break
        ended = found.running[0]
        if (seed + int(ended[1:])) % 7 == 0:
            failed.add(ended)
            found.stop(ended)
        else:
            done.add(ended)
            found.complete(ended)
    blocked: set[Node] = set()
    for node, needs in terms.graph.needs.items():
        if not (failed | blocked).isdisjoint(needs):
            blocked.add(node)
    assert done == set(terms.graph.needs) - failed - blocked


def _small(seed: int) -> RandomPlan:
    plan = make_plan(seed)
    most = 40
    return RandomPlan(
        plan.slots,
        plan.durations[:most],
        tuple(plan.depends_on[:most]),
        tuple(plan.files[:most]),
    )


@pytest.mark.parametrize("seed", [938, 275, 242, 993])
def test_the_hardest_of_the_random_plans_stay_near_their_bound(seed: int) -> None:
    """The plans of which plain list scheduling makes the most; `bench.features` has all 1,000."""
    plan = make_plan(seed)
    assert makespan(plan, terms_of(plan)) <= 1.4 * plan.bound


def test_a_play_without_components_is_over_at_once() -> None:
    terms = Terms(graph=make_graph({}))
    assert rehearse(terms).makespan == 0
    assert play(terms, {}).ends == {}


def test_rehearsals_end_where_no_more_may_be_tried() -> None:
    """A plan with phase gates in which every way to begin is as bad as the other."""
    needs: dict[str, list[str]] = {f"c{it}": [] for it in range(24)}
    needs |= {"gate": list(needs), **{f"d{it}": ["gate"] for it in range(24)}}
    nodes = [it for it in needs if it != "gate"]
    locks = {node: frozenset({f"f{at % 5}", f"f{at % 7}"}) for at, node in enumerate(nodes)}
    terms = Terms(
        graph=make_graph(needs, gates=("gate",)),
        locks=locks,
        durations={node: 1.0 + at % 3 for at, node in enumerate(nodes)},
        slots=4,
    )
    best = rehearse(terms)
    assert set(best.play.ends) == set(needs)
    assert best.makespan >= sum(terms.durations.values()) / 4
