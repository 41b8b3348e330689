"""Workers that fail, conflict and lie: every commit is green, every component ends or says why."""

from collections.abc import Mapping
from datetime import datetime

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.support.feature_scene import FAILS, FeatureScene
from tests.support.memory_branch_merges import MemoryBranchMerges
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.model import Overlaps
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.plan.waits import waits_of
from supervisor_ai.engine.ports.branch_merges import Conflicted

_DEED = st.one_of(
    st.just(FAILS),
    st.dictionaries(
        st.sampled_from(["shared", "a", "b", "c"]),
        st.sampled_from(["fine", "left", "right", "red", "other"]),
        max_size=2,
    ),
)
_TERMINAL = {"completed", "failed", "skipped"}


@st.composite
def scenes(draw: st.DrawFn) -> FeatureScene:
    count = draw(st.integers(2, 5))
    phases = draw(st.integers(1, 2))
    plan, deeds = [], {}
    for phase in range(1, phases + 1):
        parts = []
        for number in range(1, count + 1):
            earlier = [cid(phase, it) for it in range(1, number)]
            needs = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
            shared = ["shared"] if draw(st.booleans()) else []
            files = [f"src/{phase}/{number}", *shared]
            parts.append(component(phase, number, files=files, needs=needs))
            deeds[cid(phase, number)] = draw(st.lists(_DEED, min_size=1, max_size=3))
        plan.append(parts)
    whole = replace(feature(*plan), overlaps=Overlaps.SERIALIZE)
    return FeatureScene(
        whole,
        deeds,
        slots=draw(st.integers(1, 4)),
        max_returns=1,
        speculation=draw(st.integers(1, 3)),
    )


@given(scenes(), st.data())
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ],  # to make an example smaller takes minutes
)
def test_the_branch_is_green_at_every_commit_and_every_component_ends_or_is_explained(
    scene: FeatureScene, data: st.DataObject
) -> None:
    scene.go()
    scene.check()
    assert scene.lost() == []
    for _ in range(20):
        if scene.kernel.status(scene.run) is RunStatus.COMPLETED:
            break
        assert scene.kernel.status(scene.run) is RunStatus.WAITING
        failed = sorted(name for name, status in scene.statuses().items() if status == "failed")
        assert failed, "it waits for a person because something failed"
        whys = waits_of(scene.plan, scene.state.statuses, ParallelLimits(), touched={})
        pending = [name for name, status in scene.statuses().items() if status == "pending"]
        assert all(whys[name].startswith("blocked") for name in pending)  # type: ignore[index]
        word = data.draw(st.sampled_from(["retry", "skip", "skip"]))
        scene.say(f"{word} {data.draw(st.sampled_from(failed))}")
        scene.go()
        scene.check()
    else:
        for name in scene.statuses():
            scene.say(f"skip {name}")
        scene.go()
        scene.check()
    assert set(scene.statuses().values()) <= _TERMINAL | {"pending"}


class ForgetfulMerges(MemoryBranchMerges):
    """A planted bug: what is merged ahead forgets what it is merged with."""

    async def merge(  # type: ignore[explicit-override]
        self,
        ours: CommitSha,
        theirs: CommitSha,
        *,
        at: datetime,
        merged: Mapping[str, bytes] | None = None,
    ) -> Snapshot | Conflicted:
        found = await super().merge(ours, theirs, at=at, merged=merged)
        if isinstance(found, Conflicted):
            return found
        files = self._workspaces.files(theirs)
        gone = [path for path in self._workspaces.files(found.commit) if path not in files]
        return await self._workspaces.compose(found.commit, dict.fromkeys(gone), at=at)


def test_a_planted_bug_is_found() -> None:
    plan = feature([component(1, number) for number in range(1, 5)])
    scene = FeatureScene(plan, slots=4, speculation=3)
    assert scene.lost() == []
    scene.kernel.feature_ports["merges"] = ForgetfulMerges(scene.kernel.fakes.workspaces)
    scene.go()
    assert scene.lost() != []
