"""A feature over several projects: in their order, with what they publish, from elsewhere."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from tests.support.feature_scene import FeatureScene
from tests.support.memory_projects import MemoryProjectTrees
from tests.unit.drivers.feature.plans import cid, component, feature
from typing_extensions import override

from supervisor_ai.domain.errors import HostFailure
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature, StartWhen
from supervisor_ai.drivers.feature.plan.projects import FeatureProject, publication
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.plan.waits import waits_of
from supervisor_ai.drivers.feature.projects import events as p
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin
from supervisor_ai.drivers.feature.queries.made_views import made_parts

TYPES = FeatureProject(name="types", path="./packages/types", publishes=("dist/",))
API = FeatureProject(name="api", path="./packages/api")
WEB = FeatureProject(
    name="web", path="./packages/web", depends_on=("types", "api"), receives="vendor"
)
ONE, TWO, THREE = cid(1, 1), cid(1, 2), cid(1, 3)
PUBLISHED = publication("types")


def plan(*projects: FeatureProject) -> Feature:
    """Make a plan whose components are in the wrong order, one for each project."""
    parts = [
        replace(component(1, number), project=it.name) for number, it in enumerate(projects, 1)
    ]
    return replace(feature(parts, start_when=StartWhen.INTERFACES_LOCKED), projects=projects)


DEEDS = {
    ONE: [{"packages/web/page": "done"}],
    TWO: [{"packages/types/dist/user.d.ts": "User", "packages/types/src": "x"}],
    THREE: [{"packages/api/serve": "done"}],
}


def test_projects_are_built_in_their_order_and_get_what_others_publish() -> None:
    scene = FeatureScene(plan(WEB, TYPES, API), DEEDS, slots=3, speculation=2)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    order = scene.steps(e.IntegrationLanded)
    assert order.index(TWO) < order.index(PUBLISHED) < order.index(ONE)
    assert order.index(THREE) < order.index(ONE)
    assert scene.files()["packages/web/vendor/types/dist/user.d.ts"] == "User"
    assert "packages/web/vendor/types/src" not in scene.files()
    births = {str(it.step): it.child for it in scene.kernel.events(scene.run, e.ChildStarted)}
    birth = scene.kernel.events(births[ONE], e.RunSubmitted)[0]
    assert birth.base is not None
    seen = scene.kernel.fakes.workspaces.files(birth.base.sha)
    assert "packages/web/vendor/types/dist/user.d.ts" in seen, "before the dependent starts"


def test_what_is_published_again_takes_the_place_of_what_was() -> None:
    old = {"packages/web/vendor/types/dist/old.d.ts": "Old"}
    deeds = {**DEEDS, THREE: [{**old, "packages/api/serve": "done"}]}
    scene = FeatureScene(plan(WEB, TYPES, API), deeds)
    scene.go()
    scene.check()
    assert not set(old) & set(scene.files())


def test_a_project_without_what_it_publishes_holds_its_dependents_up_and_says_why() -> None:
    scene = FeatureScene(plan(WEB, TYPES, API), {**DEEDS, TWO: [{"packages/types/src": "x"}]})
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    refused = scene.kernel.events(scene.run, p.HandoverRefused)
    assert "has none of what it publishes: dist/" in refused[0].reason
    assert scene.statuses()[ONE] == "pending"
    [made] = made_parts(scene.state)
    assert (made.name, made.status.value, made.why) == (PUBLISHED, "failed", refused[0].reason)
    known = {ComponentId(made.name): made.status, **scene.state.statuses}
    whys = waits_of(scene.plan, known, ParallelLimits(), touched={})
    assert whys[ONE] == f"blocked: {PUBLISHED} (failed)"
    scene.say(f"skip {PUBLISHED}")
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED, "at a person's word, without it"


def test_a_publication_that_was_made_before_others_landed_is_made_anew() -> None:
    fast = FeatureProject(name="other", path="./packages/other")
    whole = plan(WEB, TYPES, API, fast)
    deeds = {**DEEDS, cid(1, 4): [{"packages/other/x": "done"}]}
    for slots in (1, 2, 4):
        scene = FeatureScene(whole, deeds, slots=slots, speculation=3)
        scene.go()
        scene.check()
        assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
        assert scene.files()["packages/other/x"] == "done", "nothing is lost by the copies"
        assert scene.files()["packages/api/serve"] == "done"


OUT = FeatureProject(name="types", path="../types", publishes=("dist/",))


def test_other_repositories_are_brought_in_first_and_it_is_known_from_where() -> None:
    deeds = {ONE: [{"packages/web/page": "done"}], TWO: [{"projects/types/src": "new"}]}
    near = replace(WEB, depends_on=("types",))
    others = {"../types": {"src": "old", "dist/user.d.ts": "User"}}
    scene = FeatureScene(plan(near, OUT), deeds, others=others)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert scene.steps(e.IntegrationLanded)[0] == "projects"
    assert scene.files()["projects/types/src"] == "new"
    assert scene.files()["packages/web/vendor/types/dist/user.d.ts"] == "User"
    assert [(it.project, it.place, it.branch) for it in scene.state.origins] == [
        ("types", "projects/types", "main")
    ]


def test_a_repository_that_cannot_be_had_lets_nobody_begin() -> None:
    scene = FeatureScene(plan(OUT))
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.WAITING
    refused = scene.kernel.events(scene.run, p.ProjectsRefused)
    assert "../types" in refused[0].reason
    assert scene.steps(e.ChildStarted) == []


class FullTrees(MemoryProjectTrees):
    """Other repositories that cannot be put onto a full disk."""

    @override
    async def gather(
        self, onto: CommitSha, projects: Sequence[FeatureProject], *, at: datetime
    ) -> tuple[Snapshot, tuple[ProjectOrigin, ...]]:
        raise HostFailure("No space.", hint="Free some.")


def test_a_disk_that_fails_while_repositories_are_brought_in_refuses_nothing() -> None:
    others = {"../types": {"src": "old"}}
    scene = FeatureScene(plan(OUT), {ONE: [{"projects/types/src": "new"}]}, others=others)
    ports = scene.kernel.feature_ports
    well, ports["trees"] = ports["trees"], FullTrees(scene.kernel.fakes.workspaces)
    with pytest.raises(HostFailure):
        scene.go()
    ports["trees"] = well
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert not scene.kernel.events(scene.run, p.ProjectsRefused)


def test_what_has_no_outcome_is_lost_and_done_again() -> None:
    at = StepName("projects")
    assert p.GatheringStarted(step=at, visit=2).lost() == p.GatheringLost(step=at, visit=2)
    assert p.HandoverStarted(step=at, visit=2).lost() == p.HandoverLost(step=at, visit=2)


def test_a_component_that_depends_on_a_later_one_of_the_plan_starts_once() -> None:
    scene = FeatureScene(feature([component(1, 1, needs=[TWO]), component(1, 2)]))
    scene.go()
    scene.check()
    assert scene.steps(e.ChildStarted) == [TWO, ONE]


def test_one_that_depends_on_a_later_one_and_fails_is_not_built_for_ever() -> None:
    plan_ = feature([component(1, 1, needs=[TWO]), component(1, 2)])
    scene = FeatureScene(plan_, {ONE: ["fails"]})
    scene.go()
    assert scene.statuses() == {ONE: "failed", TWO: "completed"}
    assert scene.steps(e.ChildStarted) == [TWO, ONE]


def test_what_a_project_published_is_taken_back_with_its_phase() -> None:
    scene = FeatureScene(plan(WEB, TYPES, API), {**DEEDS, ONE: ["fails"]})
    scene.go()
    assert "packages/web/vendor/types/dist/user.d.ts" in scene.files()
    scene.say("rollback P1T5-PH1")
    scene.go()
    scene.check()
    assert scene.state.problem == ""
    assert scene.files() == {"README": "hi"}
    assert set(scene.statuses().values()) == {"pending"}
    scene.say("resume")
    scene.go()
    assert scene.steps(e.IntegrationLanded).count(PUBLISHED) == 3, "copied, reverted, copied"
    assert scene.statuses()[ONE] == "failed"
