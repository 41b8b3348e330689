"""The approval policy judges a plan by its files before the first component begins."""

from datetime import timedelta

import pytest
from tests.support.feature_scene import FeatureScene
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    RiskLevel,
)
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.kinds import PLAN_RISK
from supervisor_ai.engine.ports.gates import ChangeFacts

PLAN = feature([component(1, 1, files=["src/auth/login.py"])])


def level(name: RiskLevel, action: ApprovalAction, words: str) -> ApprovalLevel:
    read = read_condition(words, frozenset())
    assert isinstance(read, RiskCondition)
    return ApprovalLevel(
        level=name,
        conditions=(read,),
        action=action,
        match=ConditionMatch.ALL,
        timeout=timedelta(minutes=30),
        channels=("slack",),
    )


POLICY = ApprovalPolicy(
    levels=(
        level(RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL, "changes_auth_code"),
        level(RiskLevel.MEDIUM, ApprovalAction.NOTIFY_AND_TIMEOUT, "file_count > 5"),
        level(RiskLevel.LOW, ApprovalAction.AUTO_APPROVE, "file_count < 3"),
    )
)


def begun(*, auth: bool, count: int = 1) -> FeatureScene:
    scene = FeatureScene(PLAN)
    facts = {
        "changes_supervisor_settings": False,
        "changes_auth_code": auth,
        "file_count": count,
    }
    told = (Fact(name=name, value=value) for name, value in facts.items())
    scene.kernel.fakes.examiner.known = ChangeFacts(facts=tuple(told))
    scene.definition = replace(scene.definition, approvals=POLICY)
    scene.run = scene.kernel.submit(scene.definition, driver=FeatureDriver.name)
    scene._drive(scene.run)
    return scene


def asked(scene: FeatureScene) -> e.ApprovalRequested:
    found = scene.kernel.play(scene.run).run.approval
    assert found is not None
    return found


def test_a_plan_of_little_risk_is_built_at_once() -> None:
    scene = begun(auth=False)
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    (case,) = scene.kernel.fakes.examiner.asked_facts
    assert case.declared == ("src/auth/login.py",)


def test_a_plan_that_needs_somebody_is_built_after_a_yes() -> None:
    scene = begun(auth=True)
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    question = asked(scene)
    assert question.reason == PLAN_RISK
    assert scene.steps(e.ChildStarted) == []
    yes = Approve(step=question.step, visit=question.visit, tree=question.tree)
    scene.kernel.send(scene.run, "yes", yes)
    scene._drive(scene.run)
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_a_word_to_the_feature_does_not_build_a_plan_that_waits() -> None:
    scene = begun(auth=True)
    scene.say("resume")
    scene._drive(scene.run)
    assert scene.steps(e.ChildStarted) == []
    assert asked(scene).reason == PLAN_RISK


def test_a_plan_that_is_rejected_is_not_built() -> None:
    scene = begun(auth=True)
    question = asked(scene)
    note = scene.kernel.world.artifacts.put("Not like that.")
    no = Reject(step=question.step, visit=question.visit, tree=question.tree, note=note)
    scene.kernel.send(scene.run, "no", no)
    scene._drive(scene.run)
    assert scene.kernel.status(scene.run) is RunStatus.FAILED
    (ended,) = scene.kernel.events(scene.run, e.RunFailed)
    assert ended.outcome.kind is OutcomeKind.REJECTED


@pytest.mark.parametrize("is_objected", [False, True])
def test_nobody_who_objects_in_time_lets_a_plan_be_built(*, is_objected: bool) -> None:
    scene = begun(auth=False, count=7)
    question = asked(scene)
    if is_objected:
        note = scene.kernel.world.artifacts.put("Wait.")
        no = Reject(step=question.step, visit=question.visit, tree=question.tree, note=note)
        scene.kernel.send(scene.run, "no", no)
    else:
        scene.kernel.fakes.clock.advance(timedelta(minutes=31))
    scene.kernel.drive(scene.run)
    scene.go()
    status = RunStatus.FAILED if is_objected else RunStatus.COMPLETED
    assert scene.kernel.status(scene.run) is status
    assert (scene.statuses()[cid(1, 1)] == "completed") is not is_objected
