"""What components at work have changed counts before another one begins."""

import asyncio

from tests.support.feature_scene import FeatureScene, Tries
from tests.support.kernel import PERSON
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.ids import EffectKey, RunId, StepName, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.operations import operation_key
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.effects import LookAtTouched
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.merges.touched_files import look_at_touched
from supervisor_ai.drivers.feature.plan.model import ComponentId
from supervisor_ai.drivers.feature.state import evolve
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.world import Operation

ONE, TWO, THREE = cid(1, 1), cid(1, 2), cid(1, 3)
PLAN = feature(
    [
        component(1, 1, files=["src/one"]),
        component(1, 2, files=["src/two"]),
        component(1, 3, files=["src/three"]),
    ]
)


def _begin(scene: FeatureScene) -> list[RunId]:
    """Let the first components begin, and none of them work."""
    scene._drive(scene.run)
    return [it.child for it in scene.kernel.events(scene.run, e.ChildStarted)]


def _look(scene: FeatureScene, children: dict[ComponentId, RunId]) -> dict[str, tuple[str, ...]]:
    world = scene.kernel.world
    operation = Operation(
        world=world,
        run=scene.run,
        identity=None,
        key=EffectKey("look"),
        epoch=1,
        intended_at=world.clock.now(),
        record=lambda _: None,
    )
    effect = LookAtTouched(step=FEATURE, visit=1, children=children)
    seen = asyncio.run(look_at_touched(effect, operation))
    return {it.component: it.files for it in seen.seen}


def test_nobody_is_looked_at_where_nobody_is_at_work_yet() -> None:
    scene = FeatureScene(PLAN, slots=3)
    scene.go()
    assert scene.kernel.events(scene.run, f.TouchedFilesSeen) == []


def test_a_component_waits_for_what_another_one_has_changed_without_a_claim() -> None:
    deeds: dict[ComponentId, Tries] = {ONE: [{"src/one": "1", "src/three": "1"}]}
    scene = FeatureScene(PLAN, deeds, slots=2)
    one, two = _begin(scene)
    # The first one has answered and waits for a person, as far as the feature knows.
    scene._drive(one)
    scene._drive(two)
    letters = scene.kernel.world.inbox.pending(scene.run)
    assert len(letters) == 2
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    seen = scene.kernel.events(scene.run, f.TouchedFilesSeen)
    files = [it.files for look in seen for it in look.seen if it.component == ONE]
    assert files[0] == ("src/one", "src/three")
    steps = [str(it.step) for it in scene.kernel.events(scene.run, e.StepEntered)]
    assert steps.index(THREE) > steps.index(TWO)
    births = [it.event for it in scene.kernel.envelopes(scene.run)]
    landed = next(
        at
        for at, it in enumerate(births)
        if isinstance(it, e.IntegrationLanded) and it.step == StepName(ONE)
    )
    entered = next(
        at
        for at, it in enumerate(births)
        if isinstance(it, e.StepEntered) and it.step == StepName(THREE)
    )
    assert entered > landed, "it begins where the other one's work is"


def test_what_a_worker_is_about_to_write_counts_and_what_it_said_before() -> None:
    scene = FeatureScene(PLAN, slots=2)
    one, two = _begin(scene)
    scene._drive(two)
    world, workspaces = scene.kernel.world, scene.kernel.fakes.workspaces
    started = e.AttemptStarted(
        step=StepName("implement"),
        visit=1,
        attempt=1,
        role="implementer",
        cli="agent",
        start=scene.state.tip.commit,
    )
    version = sum(1 for _ in world.log.read(run_stream(one)))
    append = StreamAppend(
        stream=run_stream(one), expected=version, events=(NewEvent(event=started, actor=PERSON),)
    )
    world.log.append(Batch(appends=(append,)))
    key = operation_key(one, started)
    opened = workspaces.open(one, key, fence=1, start=scene.state.tip.commit)
    workspace = asyncio.run(opened)
    assert _look(scene, {ONE: one, TWO: two}) == {ONE: (), TWO: (f"src/{TWO}",)}
    workspaces.write(workspace, "src/three", "half")
    workspaces.write(workspace, "odd \udcff name", "half")
    assert _look(scene, {ONE: one})[ONE] == ("odd \ufffd name", "src/three")


def test_what_is_merged_meanwhile_is_known_better() -> None:
    scene = FeatureScene(PLAN, slots=2)
    scene.go()
    state = scene.state
    late = f.TouchedFiles(component=ONE, child=RunId("another"), files=("x",))
    seen = f.TouchedFilesSeen(step=FEATURE, visit=1, seen=(late,))
    after = evolve(state, seen)
    assert after.part(ONE).touched == state.part(ONE).touched
    assert after.is_looked
