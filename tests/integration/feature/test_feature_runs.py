"""A feature is built from beginning to end: components side by side, merged one at a time."""

import pytest
from tests.support.feature_scene import FAILS, FeatureScene, Tries
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.plan.model import (
    ComponentId,
    Interface,
    InterfaceKind,
    Overlaps,
    UndeclaredFiles,
)

ONE, TWO, THREE, LAST = cid(1, 1), cid(1, 2), cid(1, 3), cid(2, 1)
PLAN = feature(
    [component(1, 1), component(1, 2), component(1, 3, needs=[ONE])],
    [component(2, 1, needs=[THREE])],
)


def test_all_components_land_in_an_order_that_keeps_what_they_depend_on() -> None:
    scene = FeatureScene(PLAN)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert set(scene.statuses().values()) == {"completed"}
    assert scene.files() == {"README": "hi", **{f"src/{it.id}": "done" for it in PLAN.components}}
    order = scene.steps(e.IntegrationLanded)
    assert order.index(ONE) < order.index(THREE) < order.index(LAST)
    started = scene.steps(e.ChildStarted)
    assert started[:2] == [ONE, TWO], "two at a time"


def test_a_component_begins_where_the_branch_stands() -> None:
    scene = FeatureScene(PLAN)
    scene.go()
    children = {str(it.step): it.child for it in scene.kernel.events(scene.run, e.ChildStarted)}
    birth = scene.kernel.events(children[LAST], e.RunSubmitted)[0]
    assert birth.base is not None
    assert birth.base.sha == scene.branch()[-2]
    assert birth.parent == scene.run


def test_a_conflict_goes_back_with_its_report_and_is_built_again_on_top() -> None:
    deeds = {ONE: [{"shared": "one"}], TWO: [{"shared": "two"}, {"other": "two"}]}
    scene = FeatureScene(PLAN, deeds)
    scene.go()
    scene.check()
    refused = scene.kernel.events(scene.run, f.MergeRefused)
    assert [str(it.step) for it in refused] == [TWO]
    assert "shared" in refused[0].reason
    again = [prompt for name, prompt in scene.told if name == TWO][-1]
    assert "could not be merged" in again
    assert "Both sides changed it." in again
    assert scene.files()["shared"] == "one"
    assert scene.files()["other"] == "two"


def test_a_red_merge_of_green_parts_is_sent_back_with_the_log_and_never_lands() -> None:
    deeds = {ONE: [{"a": "left"}], TWO: [{"b": "right"}, {"b": "straight"}]}
    scene = FeatureScene(PLAN, deeds)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    failed = scene.kernel.events(scene.run, e.StepFailed)
    assert [(str(it.step), it.visit) for it in failed] == [(TWO, 1)]
    assert "does not pass on the merged files" in failed[0].reason
    assert scene.files()["b"] == "straight"


@pytest.mark.parametrize("policy", UndeclaredFiles)
def test_what_a_component_writes_beyond_its_plan_is_merged_or_not(policy: UndeclaredFiles) -> None:
    good = {f"src/1/{number}.py": "done" for number in (1, 2)}
    deeds: dict[ComponentId, Tries] = {
        ONE: [{"src/1/1.py": "done", "stray.py": "x"}, {"src/1/1.py": "done"}],
        TWO: [{"src/1/2.py": "done"}],
    }
    plan = feature([component(1, 1), component(1, 2)])
    scene = FeatureScene(plan, deeds, undeclared_files=policy)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    failed = [it.reason for it in scene.kernel.events(scene.run, e.StepFailed)]
    if policy is UndeclaredFiles.WARN:
        assert (failed, scene.files().get("stray.py")) == ([], "x")
    else:
        assert failed == ["It writes files that its plan does not name: 'stray.py'."]
        assert good.items() <= scene.files().items()
        assert "stray.py" not in scene.files()


def test_a_component_that_stays_red_fails_and_blocks_only_what_depends_on_it() -> None:
    deeds = {ONE: [{"a": "red"}]}
    scene = FeatureScene(PLAN, deeds, max_returns=1, speculation=3)
    scene.go()
    scene.check()
    assert scene.statuses() == {ONE: "failed", TWO: "completed", THREE: "pending", LAST: "pending"}
    prepared = scene.steps(f.MergePrepared)
    assert prepared.count(ONE) == 3, "one more try, and a look at it without the other"
    assert prepared.count(TWO) == 2, "on top of the red one, and anew without it"
    assert scene.steps(f.MergeDropped) == [TWO]
    assert scene.kernel.status(scene.run) is RunStatus.WAITING


def test_a_failed_component_is_tried_again_at_a_persons_word() -> None:
    deeds: dict[ComponentId, Tries] = {ONE: [FAILS, {"a": "fine"}]}
    scene = FeatureScene(PLAN, deeds)
    scene.go()
    assert scene.statuses()[ONE] == "failed"
    assert "failed" in scene.state.part(ONE).reason
    scene.say(f"retry {ONE}")
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert scene.files()["a"] == "fine"


def test_a_skipped_component_counts_as_completed() -> None:
    scene = FeatureScene(PLAN, {ONE: [FAILS]})
    scene.go()
    scene.say(f"skip {ONE}")
    scene.go()
    scene.check()
    assert scene.statuses() == {
        ONE: "skipped",
        TWO: "completed",
        THREE: "completed",
        LAST: "completed",
    }
    ended = scene.kernel.events(scene.run, e.RunCompleted)[0]
    assert ended.degraded
    assert "1 was skipped" in ended.outcome.reason


def test_a_paused_feature_starts_and_merges_nothing_until_it_is_resumed() -> None:
    scene = FeatureScene(PLAN)
    scene.say("pause")
    scene.go()
    assert scene.kernel.events(scene.run, e.ChildStarted) == []
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    scene.say("nonsense")
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    scene.say("resume")
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_a_pause_between_building_and_merging_holds_the_merge_back() -> None:
    scene = FeatureScene(PLAN)
    scene._drive(scene.run)
    scene.say("pause")
    scene.go()
    assert scene.kernel.events(scene.run, f.MergeStarted) == []
    assert len(scene.kernel.events(scene.run, e.ChildEnded)) == 2
    scene.say("resume")
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_a_component_without_changes_is_done_without_a_commit() -> None:
    scene = FeatureScene(PLAN, {TWO: [{}]})
    scene.go()
    scene.check()
    assert scene.steps(f.MergeNeedless) == [TWO]
    assert len(scene.branch()) == 3


def test_what_the_branch_has_already_is_no_commit_either() -> None:
    scene = FeatureScene(PLAN, {ONE: [{"x": "same"}], TWO: [{"x": "same"}]})
    scene.go()
    scene.check()
    assert len(scene.kernel.events(scene.run, f.MergeNeedless)) == 1


def locked() -> FeatureScene:
    interface = Interface(name="User", kind=InterfaceKind.PYTHON, definition="class User: ...")
    first, second = PLAN.phases
    plan = replace(PLAN, phases=(replace(first, interfaces=(interface,)), second))
    deeds = {ONE: [{"interfaces/User.pyi": "class Other: ..."}, {"a": "fine"}]}
    return FeatureScene(plan, deeds)


def test_interfaces_are_on_the_branch_first_and_a_change_to_them_is_sent_back() -> None:
    scene = locked()
    scene.go()
    scene.check()
    first = scene.kernel.fakes.workspaces.files(scene.branch()[0])
    assert first == {"README": "hi", "interfaces/User.pyi": "class User: ...\n"}
    refused = scene.kernel.events(scene.run, f.MergeRefused)
    assert [str(it.step) for it in refused] == [ONE]
    assert "interfaces/User.pyi" in refused[0].reason
    assert scene.files()["interfaces/User.pyi"] == "class User: ...\n"
    assert "interfaces/User.pyi" in scene.told[0][1], "every worker is told what is agreed on"


def test_a_worker_of_a_component_has_the_interfaces_read_only() -> None:
    scene = FeatureScene(PLAN, read_only=("interfaces/User.pyi",))
    scene.go()
    mounts = scene.kernel.fakes.worker.requests[0].workspace.mounts
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert any(it.target.name == "User.pyi" and not it.is_writable for it in mounts)


def test_red_interfaces_stop_the_feature_before_anybody_builds() -> None:
    scene = locked()
    interface = Interface(name="Bad", kind=InterfaceKind.SQL, definition="x")
    first, second = PLAN.phases
    plan = replace(PLAN, phases=(replace(first, interfaces=(interface,)), second))
    scene = FeatureScene(plan)
    scene.kernel.fakes.sandbox._script = lambda spec: None
    scene.go()
    assert scene.kernel.events(scene.run, e.ChildStarted) == []
    assert scene.branch() == []
    assert scene.kernel.status(scene.run) is RunStatus.WAITING


def test_a_cancelled_feature_cancels_its_components_and_keeps_its_branch() -> None:
    from supervisor_ai.domain.run.inbox_commands import Cancel

    scene = FeatureScene(PLAN)
    scene._drive(scene.run)
    scene.kernel.send(scene.run, "cancel", Cancel())
    scene.go()
    children = [it.child for it in scene.kernel.events(scene.run, e.ChildStarted)]
    assert {scene.kernel.status(it) for it in (scene.run, *children)} == {RunStatus.CANCELLED}


def test_two_that_share_a_file_are_not_built_at_the_same_time() -> None:
    both = [component(1, 1, files=["src/*"]), component(1, 2, files=["src/a"])]
    plan = replace(feature(both), overlaps=Overlaps.SERIALIZE)
    scene = FeatureScene(plan)
    scene._drive(scene.run)
    assert scene.steps(e.ChildStarted) == [ONE]
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


@pytest.mark.parametrize("word", ["retry", "skip"])
def test_a_word_about_a_component_that_is_done_changes_nothing(word: str) -> None:
    scene = FeatureScene(PLAN, {TWO: [FAILS]})
    scene.go()
    scene.say(f"{word} {ONE}")
    scene.go()
    assert scene.statuses()[ONE] == "completed"
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
