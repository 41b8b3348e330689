from tests.unit.drivers.feature.plans import FEATURE, cid, component, feature

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.graph import (
    critical_path,
    find_cycle,
    graph_of,
    in_order,
    make_graph,
    remaining,
)
from supervisor_ai.drivers.feature.plan.model import FeaturePhase, StartWhen, phase_id


def test_a_later_phase_waits_for_all_of_the_earlier_ones() -> None:
    plan = feature([component(1, 1), component(1, 2)], [component(2, 1)], [component(3, 1)])
    graph = graph_of(plan)
    assert graph.needs["before 2"] == (cid(1, 1), cid(1, 2))
    assert graph.needs["before 3"] == (cid(1, 1), cid(1, 2), cid(2, 1))
    assert graph.needs[cid(2, 1)] == ("before 2",)
    assert graph.gates == {"before 2", "before 3"}


def test_a_phase_that_waits_for_interfaces_alone_has_no_gate() -> None:
    plan = feature(
        [component(1, 1)],
        [component(2, 1, needs=[cid(1, 1)]), component(2, 2)],
        start_when=StartWhen.INTERFACES_LOCKED,
    )
    graph = graph_of(plan)
    assert graph.needs[cid(2, 1)] == (cid(1, 1),)
    assert graph.needs[cid(2, 2)] == ()


def test_phases_with_the_same_sequence_run_side_by_side() -> None:
    plan = feature([component(1, 1)], [component(2, 1)])
    same = replace(plan, phases=tuple(replace(it, sequence=1) for it in plan.phases))
    assert graph_of(same).needs == {cid(1, 1): (), cid(2, 1): ()}


def test_an_empty_phase_holds_nothing_up() -> None:
    plan = feature([component(1, 1)])
    empty = FeaturePhase(id=phase_id(FEATURE, 9), name="none", sequence=0)
    graph = graph_of(replace(plan, phases=(empty, *plan.phases)))
    assert in_order(graph) == ("before 1", cid(1, 1))


def test_a_cycle_is_followed_around() -> None:
    graph = make_graph({"a": [], "b": ["a", "d"], "c": ["b"], "d": ["c"], "e": ["d"]})
    circle = find_cycle(graph)
    assert circle[0] == circle[-1]
    assert set(circle) == {"b", "c", "d"}
    assert find_cycle(make_graph({"a": [], "b": ["a"]})) == ()


def test_the_longest_way_is_added_up_from_the_end() -> None:
    graph = make_graph({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
    durations = {"a": 1.0, "b": 5.0, "c": 2.0, "d": 1.0}
    assert remaining(graph, durations) == {"a": 7.0, "b": 6.0, "c": 3.0, "d": 1.0}
    assert critical_path(graph, durations) == ("a", "b", "d")
    assert critical_path(graph, durations, done=frozenset({"a", "b"})) == ("c", "d")


def test_the_critical_path_names_no_gate() -> None:
    plan = feature([component(1, 1)], [component(2, 1)])
    assert critical_path(graph_of(plan), {cid(1, 1): 1, cid(2, 1): 1}) == (cid(1, 1), cid(2, 1))
