"""The queue to a feature's branch: merged ahead, thrown away, and never tested twice."""

import pytest
from tests.support.feature_scene import FeatureScene, Tries
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature

ONE, TWO, THREE = cid(1, 1), cid(1, 2), cid(1, 3)
PLAN = feature([component(1, 1), component(1, 2), component(1, 3)])


def test_while_one_is_tested_the_next_is_merged_on_top_of_it() -> None:
    scene = FeatureScene(PLAN, slots=3, speculation=2)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    merges = {str(it.step): it for it in scene.kernel.events(scene.run, f.MergeStarted)}
    prepared = {str(it.step): it for it in scene.kernel.events(scene.run, f.MergePrepared)}
    assert merges[TWO].onto == prepared[ONE].snapshot.commit
    assert merges[TWO].tree == prepared[ONE].snapshot.tree
    assert not scene.kernel.events(scene.run, f.MergeDropped)


def test_one_at_a_time_where_nothing_is_to_be_done_ahead() -> None:
    scene = FeatureScene(PLAN, slots=3, speculation=1)
    scene.go()
    scene.check()
    landed = [it.commit for it in scene.kernel.events(scene.run, e.IntegrationLanded)]
    onto = [it.onto for it in scene.kernel.events(scene.run, f.MergeStarted)]
    assert onto[1:] == landed[:-1]


def test_what_was_merged_on_top_of_a_red_one_is_thrown_away_and_lands_without_it() -> None:
    deeds: dict[ComponentId, Tries] = {ONE: [{"a": "red"}]}
    scene = FeatureScene(PLAN, deeds, slots=3, max_returns=0, speculation=3)
    scene.go()
    scene.check()
    assert scene.statuses() == {ONE: "failed", TWO: "completed", THREE: "completed"}
    assert TWO in scene.steps(f.MergeDropped)
    assert "a" not in scene.files()


def test_a_red_merge_ahead_counts_only_when_the_one_before_it_has_landed() -> None:
    deeds: dict[ComponentId, Tries] = {ONE: [{"a": "left"}], TWO: [{"b": "right"}, {"b": "up"}]}
    scene = FeatureScene(PLAN, deeds, slots=3, speculation=3)
    scene.go()
    scene.check()
    failed = scene.kernel.events(scene.run, e.StepFailed)
    assert [(str(it.step), it.visit) for it in failed] == [(TWO, 1)]
    assert scene.files()["b"] == "up"


def test_a_conflict_ahead_is_none_when_what_it_conflicts_with_does_not_land() -> None:
    deeds: dict[ComponentId, Tries] = {
        ONE: [{"shared": "red"}],
        TWO: [{"shared": "two"}],
    }
    scene = FeatureScene(PLAN, deeds, slots=3, max_returns=0, speculation=3)
    scene.go()
    scene.check()
    assert scene.statuses() == {ONE: "failed", TWO: "completed", THREE: "completed"}
    assert len(scene.kernel.events(scene.run, f.MergeRefused)) == 1
    assert scene.files()["shared"] == "two"


def test_what_adds_nothing_to_a_merge_that_is_thrown_away_is_merged_anew() -> None:
    deeds: dict[ComponentId, Tries] = {
        ONE: [{"same": "text", "a": "red"}],
        TWO: [{"same": "text"}],
    }
    scene = FeatureScene(PLAN, deeds, slots=3, max_returns=0, speculation=3)
    scene.go()
    scene.check()
    assert scene.statuses()[TWO] == "completed"
    assert len(scene.kernel.events(scene.run, f.MergeNeedless)) == 1
    assert scene.files()["same"] == "text"


def test_gates_that_passed_on_the_same_files_in_the_components_run_do_not_run_again() -> None:
    chain = feature([component(1, 1), component(1, 2, needs=[ONE]), component(1, 3, needs=[TWO])])
    scene = FeatureScene(chain, is_tested=True, speculation=3)
    scene.go()
    scene.check()
    prepared = scene.kernel.events(scene.run, f.MergePrepared)
    assert [it.known for it in prepared] == [("test",)] * 3
    assert scene.kernel.events(scene.run, e.GateStarted) == []


def test_a_merge_with_others_is_tested_though_the_component_was() -> None:
    scene = FeatureScene(PLAN, slots=3, speculation=1, is_tested=True)
    scene.go()
    scene.check()
    prepared = scene.kernel.events(scene.run, f.MergePrepared)
    assert [it.known for it in prepared] == [("test",), (), ()]
    assert scene.steps(e.GateStarted) == [TWO, THREE]


def crowd(count: int) -> Feature:
    """Make a plan of components that all begin at the same time."""
    return feature([component(1, number) for number in range(1, count + 1)])


def test_with_whom_a_component_is_red_is_found_by_bisection() -> None:
    last = cid(1, 8)
    for culprit in range(1, 8):
        deeds: dict[ComponentId, Tries] = {
            cid(1, culprit): [{f"src/{culprit}": "left"}],
            last: [{"src/8": "right"}, {"src/8": "straight"}],
        }
        scene = FeatureScene(crowd(8), deeds, slots=8)
        scene.go()
        scene.check()
        assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
        [failed] = scene.kernel.events(scene.run, e.StepFailed)
        assert str(failed.step) == last
        partner = f"phase1.part{culprit} ({cid(1, culprit)})"
        assert failed.reason.endswith(f"It is red since {partner} landed.")
        [evicted] = scene.kernel.events(scene.run, f.MergeEvicted)
        assert (evicted.low, evicted.high) == (-2, 6), "nobody knows yet that it is green alone"
        tried = [it for it in scene.steps(f.MergePrepared) if it == last]
        assert len(tried) <= 2 + 3, "the merge, the search by halves, and the merge that fits"
        again = [prompt for name, prompt in scene.told if name == last][-1]
        assert "could not be merged" in again


def test_others_go_on_while_it_is_looked_for() -> None:
    deeds: dict[ComponentId, Tries] = {ONE: [{"a": "left"}], THREE: [{"b": "right"}]}
    scene = FeatureScene(crowd(6), deeds, slots=6, speculation=3, max_returns=1)
    scene.go()
    scene.check()
    done = {name for name, status in scene.statuses().items() if status == "completed"}
    assert done == {cid(1, number) for number in (1, 2, 4, 5, 6)}
    first = scene.kernel.events(scene.run, e.StepFailed)[0]
    assert "It is red since phase1.part1" in first.reason
    landed = scene.steps(e.IntegrationLanded)
    assert len(landed) == len(set(landed)) == 5


@pytest.mark.parametrize("others", [1, 2, 5])
def test_who_is_red_alone_and_has_no_gate_of_its_own_is_told_so(others: int) -> None:
    last = cid(1, others + 1)
    deeds: dict[ComponentId, Tries] = {last: [{"src/last": "red"}, {"src/last": "fine"}]}
    scene = FeatureScene(crowd(others + 1), deeds, slots=others + 1)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    [failed] = scene.kernel.events(scene.run, e.StepFailed)
    assert str(failed.step) == last
    assert failed.reason.endswith("It is red by itself, without what others have landed since.")


def test_who_was_tested_alone_is_not_tested_alone_again() -> None:
    deeds: dict[ComponentId, Tries] = {
        ONE: [{"a": "left"}],
        TWO: [{"b": "right"}, {"b": "straight"}],
    }
    scene = FeatureScene(crowd(2), deeds, slots=2, is_tested=True)
    scene.go()
    scene.check()
    [failed] = scene.kernel.events(scene.run, e.StepFailed)
    assert failed.reason.endswith(f"It is red since phase1.part1 ({ONE}) landed.")
    assert scene.steps(e.GateStarted) == [TWO], "with the other; nobody has to ask about it alone"


def test_who_began_after_others_had_landed_is_red_alone_there() -> None:
    four = cid(1, 4)
    plan = feature(
        [
            component(1, 1),
            component(1, 2, needs=[ONE]),
            component(1, 3, needs=[ONE]),
            component(1, 4, needs=[ONE]),
        ]
    )
    deeds: dict[ComponentId, Tries] = {four: [{"src/last": "red"}, {"src/last": "fine"}]}
    scene = FeatureScene(plan, deeds, slots=3)
    scene.go()
    scene.check()
    [failed] = scene.kernel.events(scene.run, e.StepFailed)
    assert failed.reason.endswith("It is red by itself, without what others have landed since.")


def test_a_death_while_it_is_looked_for_changes_nothing() -> None:
    deeds: dict[ComponentId, Tries] = {
        TWO: [{"a": "left"}],
        cid(1, 5): [{"b": "right"}, {"b": "up"}],
    }
    whole = FeatureScene(crowd(5), deeds, slots=5)
    whole.go()
    for dies_at in range(whole.log.writes - 14, whole.log.writes, 3):
        for is_late in (False, True):
            scene = FeatureScene(crowd(5), deeds, slots=5, dies_at=dies_at, is_late=is_late)
            scene.go()
            scene.check()
            assert scene.files() == whole.files()
            assert len(scene.branch()) == len(whole.branch())
