"""What a feature's driver says beside its decisions: forks, migrations, definitions."""

import pytest
from tests.support.feature_scene import FeatureScene
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.effects import AwaitSignal
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.decide import _known, decide
from supervisor_ai.drivers.feature.definition import (
    expect_feature,
    merge_gates,
    permit_of,
    workflow_of,
)
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.drivers.feature.state import evolve

PLAN = feature([component(1, 1)])


def test_a_fork_has_a_branch_of_its_own() -> None:
    scene = FeatureScene(PLAN)
    scene.go()
    assert scene.state.landed is not None
    assert FeatureDriver().fork(scene.state).landed is None


def test_a_feature_goes_on_under_another_definition_with_the_same_components() -> None:
    scene = FeatureScene(PLAN)
    driver, more = FeatureDriver(), replace(scene.definition, max_returns=5)
    assert driver.migration_problems(scene.state, more) == ()
    assert driver.migrate(scene.state, more).definition.max_returns == 5
    other = replace(more, feature=feature([component(1, 1), component(1, 2)]))
    assert driver.migration_problems(scene.state, other) != ()


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
    assert merge_gates(replace(scene.definition, gates=gates)) == (gate,)


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
        _known(None)
