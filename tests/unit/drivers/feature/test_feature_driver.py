"""What a feature's driver says beside its decisions: forks, migrations, definitions."""

import pytest
from tests.support.feature_scene import FeatureScene
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.effects import AwaitSignal
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.decide import decide
from supervisor_ai.drivers.feature.decisions.entries import known_value
from supervisor_ai.drivers.feature.decisions.unlocks import decide_interfaces
from supervisor_ai.drivers.feature.definition import (
    expect_feature,
    landing_verb,
    permit_of,
    workflow_of,
)
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.effects import DraftPlan
from supervisor_ai.drivers.feature.interfaces.book import InterfaceBook, Unlock, UnlockStage
from supervisor_ai.drivers.feature.interfaces.events import ComponentReopened
from supervisor_ai.drivers.feature.parts import Part, PartStage
from supervisor_ai.drivers.feature.plan.dependents import find_phase
from supervisor_ai.drivers.feature.plan.merge_search import MergeSearch
from supervisor_ai.drivers.feature.plan.model import ComponentStatus, Interface, InterfaceKind
from supervisor_ai.drivers.feature.plan.projects import FeatureProject
from supervisor_ai.drivers.feature.plan.settings import FeatureSettings, ProjectOrder
from supervisor_ai.drivers.feature.state import LOCKING, FeatureState, evolve

PLAN = feature([component(1, 1)])


def test_a_fork_has_a_branch_of_its_own() -> None:
    scene = FeatureScene(PLAN)
    scene.go()
    assert scene.state.landed is not None
    assert FeatureDriver().fork(scene.state).landed is None


def test_a_fork_forgets_what_is_under_way_and_keeps_what_has_landed() -> None:
    scene = FeatureScene(PLAN)
    scene.go()
    done, two, three = scene.state, cid(1, 2), cid(1, 3)
    busy = replace(
        done,
        parts={
            **done.parts,
            two: Part(status=ComponentStatus.IMPLEMENTING, stage=PartStage.BUILD, visit=2),
            three: Part(status=ComponentStatus.TESTING, visit=3, is_undone=True),
        },
        queue=(two,),
        is_paused=True,
    )
    found = FeatureDriver().fork(busy)
    assert found.part(cid(1, 1)) == done.part(cid(1, 1))
    assert found.part(two) == Part(visit=2), "it is built again"
    assert found.part(three) == Part(status=ComponentStatus.COMPLETED, visit=3), "as before"
    assert (found.queue, found.is_paused, found.left) == ((), False, done.landed)
    again = FeatureDriver().fork(found)
    assert again.left == done.landed, "also where nothing landed in between"


def test_a_look_that_is_lost_says_so() -> None:
    at = StepName("feature")
    begun = f.TouchedFilesLookStarted(step=at, visit=1)
    assert begun.lost() == f.TouchedFilesLookLost(step=at, visit=1)


def test_the_config_says_how_many_are_built_at_once_and_which_project_waits() -> None:
    assert FeatureSettings(max_parallel=5).slots.max_parallel == 5
    web, types = FeatureProject(name="web", path="web"), FeatureProject(name="types", path="types")
    ordered = ProjectOrder(needs={"web": ("types",)}).over((web, types))
    assert [it.depends_on for it in ordered] == [("types",), ()]


def test_a_feature_goes_on_under_another_definition_with_the_same_components() -> None:
    scene = FeatureScene(PLAN)
    driver, more = FeatureDriver(), replace(scene.definition, max_returns=5)
    assert driver.migration_problems(scene.state, more) == ()
    assert driver.migrate(scene.state, more).definition.max_returns == 5
    other = replace(more, feature=feature([component(1, 1), component(1, 2)]))
    assert driver.migration_problems(scene.state, other) != ()


def test_the_plan_stays_the_same_once_a_component_has_begun() -> None:
    scene = FeatureScene(PLAN)
    other = replace(scene.definition, feature=replace(PLAN, title="Another"))
    assert FeatureDriver().migration_problems(scene.state, other) == ()
    begun = replace(scene.state, parts={cid(1, 1): Part(status=ComponentStatus.IMPLEMENTING)})
    assert FeatureDriver().migration_problems(begun, other) != ()


def test_steps_are_drawn_as_a_tree_of_phases() -> None:
    labels = FeatureScene(PLAN).definition.step_labels
    assert list(labels) == [StepName(cid(1, 1))]


def test_a_feature_over_other_repositories_lands_in_its_own_way() -> None:
    definition = FeatureScene(PLAN).definition
    assert landing_verb(definition) is None
    other = FeatureProject(name="types", path="../types")
    wide = replace(definition, feature=replace(PLAN, projects=(other,)))
    assert landing_verb(wide) == f"feature land {PLAN.id}"


def test_a_phase_is_found_by_both_of_its_names() -> None:
    phase = PLAN.phases[0]
    assert find_phase(PLAN, phase.id) == find_phase(PLAN, phase.name) == phase.id
    assert find_phase(PLAN, "nothing") is None


def test_a_plan_is_about_to_be_drafted() -> None:
    at = StepName("draft")
    task = ArtifactHash("t")
    draft = DraftPlan(step=at, visit=1, feature="P1", task=task, phases=None, components=None)
    assert draft.intent() == f.PlanDraftStarted(step=at, visit=1)


def searching(scene: FeatureScene) -> FeatureState:
    """Stand where it is looked for with whom a component is red."""
    search = MergeSearch(slot=1, low=-1, high=3, reason="It is red.")
    part = Part(status=ComponentStatus.TESTING, stage=PartStage.SEARCH, visit=1, search=search)
    return replace(scene.state, is_home=True, parts={cid(1, 1): part})


def test_nothing_is_looked_for_while_the_feature_is_paused() -> None:
    scene = FeatureScene(PLAN)
    run = scene.kernel.play(scene.run).run
    resting = decide(run, replace(searching(scene), is_paused=True))
    assert [type(it) for it in resting.effects] == [AwaitSignal]


@pytest.mark.parametrize("kind", ["needless", "refused"])
def test_what_cannot_be_tried_did_not_turn_it_red(kind: str) -> None:
    state, at = searching(FeatureScene(PLAN)), StepName(cid(1, 1))
    refused = f.MergeRefused(step=at, visit=1, reason="Both.", report=ArtifactHash("r"))
    event = f.MergeNeedless(step=at, visit=1) if kind == "needless" else refused
    search = evolve(state, event).part(cid(1, 1)).search
    assert search is not None
    assert (search.low, search.high) == (1, 3)


def test_what_is_made_is_made_anew_where_its_merge_is_dropped() -> None:
    state = FeatureScene(PLAN).state
    at, task = StepName(LOCKING), ArtifactHash("t")
    written = f.InterfacesWritten(step=at, visit=1, snapshot=state.tip, task=task)
    queued = evolve(evolve(state, e.StepEntered(step=at, visit=1, start=None)), written)
    assert queued.queue == (LOCKING,)
    dropped = evolve(queued, f.MergeDropped(step=at, visit=1))
    assert (dropped.queue, dropped.part(LOCKING).stage) == ((), PartStage.ASSIGN)


def test_whatever_is_under_way_is_reopened_when_it_has_ended() -> None:
    scene = FeatureScene(PLAN)
    interface = Interface(name="User", kind=InterfaceKind.SQL, definition="x")
    plan = replace(PLAN, phases=(replace(PLAN.phases[0], interfaces=(interface,)),))
    unlock = Unlock(number=1, stage=UnlockStage.OPEN, why=ArtifactHash("w"))
    done = Part(status=ComponentStatus.COMPLETED, visit=1)
    state = replace(
        scene.state,
        definition=replace(scene.definition, feature=plan),
        book=InterfaceBook(unlocks={"User": unlock}),
        parts={cid(1, 1): done},
    )
    run = scene.kernel.play(scene.run).run
    found = decide_interfaces(run, state)
    assert found is not None
    assert [type(it) for it in found.events] == [ComponentReopened]
    child, onto = RunId("r"), state.tip.commit
    busy = f.MergeStarted(step=StepName(cid(1, 1)), visit=1, child=child, onto=onto)
    assert decide_interfaces(replace(run, open={EffectKey("k"): busy}), state) is None


def test_only_the_definition_of_a_feature_is_one() -> None:
    scene = FeatureScene(PLAN)
    assert expect_feature(scene.definition) is scene.definition
    child = scene.kernel.world.documents.load(scene.definition.children[cid(1, 1)], Definition)
    with pytest.raises(InternalError):
        expect_feature(child)
    assert permit_of("P1") == "feature:P1"


def test_every_component_is_a_step_and_so_are_the_interfaces() -> None:
    interface = Interface(name="User", kind=InterfaceKind.SQL, definition="x")
    phase = replace(PLAN.phases[0], interfaces=(interface,))
    steps = workflow_of(replace(PLAN, phases=(phase,))).steps
    assert list(steps) == ["feature", "interfaces", cid(1, 1)]
    assert list(workflow_of(PLAN).steps) == ["feature", cid(1, 1)]


def test_only_commands_run_after_every_merge_and_each_once() -> None:
    scene = FeatureScene(PLAN)
    gate = scene.definition.gates["test"]
    looks = replace(gate, name="claims", kind=GateKind.CLAIMS)
    gates = {"test": gate, "again.test": gate, "guard.claims": looks}
    assert replace(scene.definition, gates=gates).command_gates == (gate,)


def test_what_has_no_outcome_is_lost_and_done_again() -> None:
    at = StepName("P1")
    assert f.AssignmentStarted(step=at, visit=2).lost() == f.AssignmentLost(step=at, visit=2)
    assert f.InterfacesStarted(step=at, visit=2).lost() == f.InterfacesLost(step=at, visit=2)
    merge = f.MergeStarted(step=at, visit=2, child=RunId("r"), onto=CommitSha("c"))
    assert merge.lost() == f.MergeLost(step=at, visit=2)


def test_a_component_that_was_sent_back_waits_while_the_feature_is_paused() -> None:
    scene = FeatureScene(PLAN)
    entered = e.StepEntered(step=StepName(cid(1, 1)), visit=1, start=scene.state.tip.commit)
    begun = evolve(replace(scene.state, is_home=True), entered)
    run = scene.kernel.play(scene.run).run
    assert decide(run, begun).effects != ()
    paused = decide(run, replace(begun, is_paused=True))
    assert [type(it) for it in paused.effects] == [AwaitSignal]


def test_what_is_not_about_the_feature_changes_nothing() -> None:
    state = FeatureScene(PLAN).state
    ended = e.ChildEnded(
        child=RunId("stranger"),
        status=RunStatus.COMPLETED,
        outcome=Outcome(kind=OutcomeKind.DONE, reason=""),
    )
    assert evolve(state, ended) == state
    refused = e.IntegrationRefused(step=StepName(cid(1, 1)), visit=1, reason="It is checked out.")
    stopped = evolve(state, refused)
    assert stopped.part(cid(1, 1)).reason == "It is checked out."


def test_a_component_cannot_be_at_a_stage_without_what_led_to_it() -> None:
    with pytest.raises(InternalError):
        known_value(None)
