"""Quality supervisors beside a feature: they look at what was merged, in runs of their own."""

from typing import Final

from tests.support.feature_scene import FeatureScene
from tests.support.kernel import CLI, flow, work
from tests.support.loop_scene import style
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Role, Step
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.definition import (
    AT_END,
    WATCHED,
    FeatureDefinition,
    workflow_of,
)
from supervisor_ai.drivers.quality.attached import AttachedStep, encode
from supervisor_ai.drivers.quality.events import SupervisorRan
from supervisor_ai.drivers.quality.kinds import ATTACHED, OF_STYLE
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

ROLE: Final = "code_style_supervisor"
DOCUMENT: Final = "docs/knowledge/conventions/files.md"


class Supervised(FeatureScene):
    """A feature whose supervisor writes what a test says."""

    text: Final = "# Files\n"
    wrong: str | None = None

    def _definition(  # type: ignore[explicit-override]
        self, slots: int, max_returns: int, read_only: tuple[str, ...]
    ) -> FeatureDefinition:
        made = super()._definition(slots, max_returns, read_only)
        spec = replace(BUILTIN[0], every=1)
        own = AttachedStep(specs=(spec,), of_base=True)
        looking = Step(
            name=StepName("supervisors"), kind=ATTACHED, roles=(ROLE,), particulars=encode(own)
        )
        role = Role(
            name=ROLE, description="", answer=OF_STYLE, writes=True, cli=CLI.name, template=""
        )
        usual = flow(looking, work("never"))
        steps = {looking.name: replace(looking, terminal=True)}
        child = replace(
            usual,
            workflow=replace(usual.workflow, steps=steps),
            roles={ROLE: role},
            gates={},
        )
        pinned = self.kernel.world.documents.save(child)
        return replace(
            made,
            workflow=workflow_of(self.plan, is_supervised=True),
            children={**made.children, WATCHED: pinned, AT_END: pinned},
        )

    def _work(self, request: WorkerRequest) -> FakeReply:  # type: ignore[explicit-override]
        if request.role == ROLE:
            return FakeReply(output=style(), files={DOCUMENT: self.wrong or self.text})
        return super()._work(request)

    def looks(self) -> list[SupervisorRan]:
        """Return the looks of all runs of supervisors."""
        children = [it.child for it in self.kernel.events(self.run, e.ChildStarted)]
        return [it for child in children for it in self.kernel.events(child, SupervisorRan)]


def scene() -> Supervised:
    return Supervised(feature([component(1, 1), component(1, 2)]), slots=1)


def test_they_look_at_what_is_merged_and_their_documents_are_merged_too() -> None:
    made = scene()
    made.go()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED
    assert made.files()[DOCUMENT] == "# Files\n"
    assert made.looks()
    assert made.statuses() == {cid(1, 1): "completed", cid(1, 2): "completed"}
    made.check()


def test_runs_of_components_know_the_base_and_what_was_looked_at_alone() -> None:
    planted = {"docs/knowledge/conventions/x.md": "# EVIL\n", "src/a": "done"}
    plan = feature([component(1, 1), component(1, 2), component(1, 3)])
    made = Supervised(plan, {cid(1, 1): [planted]}, slots=1)
    made.go()
    assert made.files()["docs/knowledge/conventions/x.md"] == "# EVIL\n"
    base = made.kernel.events(made.run, e.RunSubmitted)[0].base
    assert base is not None
    looks = [it for name, it in made.state.line if name == WATCHED]
    children = [it.child for it in made.kernel.events(made.run, e.ChildStarted)]
    births = [it for child in children for it in made.kernel.events(child, e.RunSubmitted)]
    known = [it.base.knowledge for it in births if it.base and it.base.knowledge]
    assert [it.base for it in known] == [base.sha] * len(children)
    assert [it.commit for it in known[-1].looks] == [it.commit for it in looks][:1]


def test_a_document_without_form_is_not_merged_and_stops_nobody() -> None:
    made = scene()
    made.wrong = "No heading"
    made.go()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED
    assert DOCUMENT not in made.files()
    made.check()


def test_nobody_looks_while_a_feature_rests() -> None:
    made = scene()
    made.say("pause")
    made.go()
    assert made.looks() == []
    made.say("resume")
    made.go()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED
