"""Supervisors beside workflows in a real ledger: counters, wishes and troubles over many runs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.support.kernel import CLI, Kernel, flow, stop, work
from tests.support.loop_scene import directive, style

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.knowledge.selection import KnowledgePlan
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, Role, Step, StepKind
from supervisor_ai.domain.run.event_kinds.directives import DirectivesAnswered
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.quality.attached import AttachedStep, detached, encode
from supervisor_ai.drivers.quality.directives import Backlog
from supervisor_ai.drivers.quality.events import DirectiveDropped, StockTaken, SupervisorRan
from supervisor_ai.drivers.quality.kinds import ATTACHED, OF_STYLE
from supervisor_ai.drivers.quality.supervisors import LookMoment, RunOutcome, SupervisorSpec
from supervisor_ai.engine.ports.knowledge import NoQualityRecords
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply, answering
from supervisor_ai.testing.world import says

ROLE: Final = "code_style_supervisor"
STYLE: Final = replace(BUILTIN[0], every=1)
DOCUMENT: Final = "docs/knowledge/conventions/files.md"
Act = Callable[[WorkerRequest], FakeReply]


def definition(*specs: SupervisorSpec, **more: object) -> Definition:
    """Make a workflow with a plan, behind whose commit supervisors look."""
    own = AttachedStep(specs=specs, **more)  # type: ignore[arg-type]
    looking = Step(
        name=StepName("supervisors"),
        kind=ATTACHED,
        roles=tuple(it.role for it in specs if not it.lacks),
        particulars=encode(own),
    )
    found = flow(
        work("plan", AnswerKind.PLAN),
        work("build"),
        work("review", AnswerKind.REVIEW),
        stop("commit", StepKind.COMMIT),
        looking,
    )
    known = KnowledgePlan(budget=100)
    roles = {name: replace(it, knowledge=known) for name, it in found.roles.items()}
    own_role = Role(
        name=ROLE, description="", answer=OF_STYLE, writes=True, cli=CLI.name, template=""
    )
    steps = dict(found.workflow.steps)
    review = StepName("review")
    steps[review] = replace(steps[review], on_reject=StepName("build"))
    workflow = replace(found.workflow, steps=steps)
    return replace(found, workflow=workflow, roles={**roles, ROLE: own_role}, hears_directives=True)


class Project:
    """A real ledger, in which one run follows the other."""

    def __init__(self, place: Path, look: Act, replies: str = "addressed") -> None:
        self.kernel = Kernel(place, agent=self._act, files={"README": "hi"})
        self._look, self._replies = look, replies
        self.prompts: list[tuple[str, str]] = []
        self.silences = 0
        self.rejections = 0
        self._runs = 0

    def _act(self, request: WorkerRequest) -> FakeReply:
        self.prompts.append((request.role, request.prompt))
        if request.role == ROLE:
            return self._look(request)
        if request.role == AnswerKind.PLAN:
            number = 1 if "[1] " in request.prompt else 0
            said = [{"directive": 1, "response": self._replies, "note": "So."}] if number else []
            if said and self.silences:
                self.silences -= 1
                said = []
            told = {"status": "COMPLETE", "summary": "So.", "directives": said or None}
            return FakeReply(output=answering(told))
        if request.role == AnswerKind.REVIEW and self.rejections:
            self.rejections -= 1
            return FakeReply(output=says(AnswerKind.REVIEW, "CHANGES_REQUESTED"))
        if request.role == AnswerKind.IMPLEMENTATION:
            name, text = f"src/{self._runs}", f"{len(self.prompts)}"
            return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files={name: text})
        return FakeReply(output=says(AnswerKind.REVIEW))

    def go(self, pinned: Definition) -> RunId:
        """Do one task."""
        self._runs += 1
        run = self.kernel.submit(pinned)
        self.kernel.drive(run)
        assert self.kernel.status(run) is RunStatus.COMPLETED
        return run

    def looks(self, run: RunId) -> list[SupervisorRan]:
        """Return the looks of a run."""
        return self.kernel.events(run, SupervisorRan)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Callable[..., Project]]:
    made: list[Project] = []

    def make(look: Act, **more: str) -> Project:
        made.append(Project(tmp_path, look, **more))
        return made[-1]

    yield make
    for it in made:
        it.kernel.close()


def finds(*directives: dict[str, object], files: dict[str, str] | None = None) -> Act:
    return lambda _: FakeReply(output=style(*directives), files=files or {})


def test_a_look_is_due_by_the_commits_of_all_runs(project: Callable[..., Project]) -> None:
    scene = project(finds())
    pinned = definition(replace(STYLE, every=2))
    assert [len(scene.looks(scene.go(pinned))) for _ in range(4)] == [0, 1, 0, 1]


def test_a_look_that_brings_nothing_new_doubles_the_interval_over_runs(
    project: Callable[..., Project],
) -> None:
    scene = project(finds())
    pinned = definition(STYLE)
    assert [len(scene.looks(scene.go(pinned))) for _ in range(4)] == [1, 1, 0, 1]


def test_work_that_is_sent_back_pulls_a_look_forward(project: Callable[..., Project]) -> None:
    scene = project(finds())
    pinned = definition(replace(STYLE, every=9))
    scene.rejections = 2
    assert scene.looks(scene.go(pinned)) == []
    scene.rejections = 2
    assert len(scene.looks(scene.go(pinned))) == 1


def test_a_moment_calls_who_wants_to_hear_of_it(project: Callable[..., Project]) -> None:
    scene = project(finds())
    pinned = definition(replace(STYLE, every=9), moments=(LookMoment.MILESTONE,))
    assert len(scene.looks(scene.go(pinned))) == 1


def test_what_is_written_lands_and_the_run_ends_with_it(project: Callable[..., Project]) -> None:
    written = iter(({DOCUMENT: "# Files\n"}, {}))
    scene = project(lambda _: FakeReply(output=style(), files=next(written)))
    run = scene.go(definition(STYLE, replace(STYLE, name="second", owns=("api",))))
    landed = [it for it in scene.kernel.events(run, e.IntegrationLanded) if it.step != "commit"]
    assert len(landed) == 1
    first, second = scene.looks(run)
    assert (first.updated, second.updated) == ((DOCUMENT,), ())
    assert (first.slot, second.slot) == (1, 2)


@pytest.mark.parametrize(("said", "left"), [("addressed", 0), ("escalated", 0), ("deferred", 1)])
def test_the_planner_of_the_next_run_answers_a_wish(
    project: Callable[..., Project], said: str, left: int
) -> None:
    wish = directive("Sort them", "cleanup" if said == "deferred" else "functional")
    scene = project(finds(wish), replies=said)
    pinned = definition(STYLE)
    scene.go(pinned)
    second = scene.go(pinned)
    plans = [prompt for role, prompt in scene.prompts if role == AnswerKind.PLAN]
    assert ["Sort them" in it for it in plans] == [False, True]
    reviews = [prompt for role, prompt in scene.prompts if role == AnswerKind.REVIEW]
    assert not any("Sort them" in it for it in reviews)
    (stock,) = scene.kernel.events(second, StockTaken)
    assert [it.response.value for it in stock.answers] == [said]
    assert len(stock.pending) == left


def test_a_planner_that_says_nothing_to_a_wish_is_asked_again(
    project: Callable[..., Project],
) -> None:
    scene = project(finds(directive("Sort them", "functional")))
    pinned = definition(STYLE)
    scene.go(pinned)
    scene.silences = 1
    second = scene.go(pinned)
    (failed,) = scene.kernel.events(second, e.AttemptFailed)
    assert failed.category is FailureCategory.VALIDATION
    assert failed.reason.startswith("Directive 1 is not answered in `directives`")
    (answered,) = scene.kernel.events(second, DirectivesAnswered)
    assert [(it.number, it.response) for it in answered.answers] == [(1, "addressed")]
    assert answered.attempt == failed.attempt + 1


def test_a_planner_that_goes_on_saying_nothing_has_no_plan(project: Callable[..., Project]) -> None:
    scene = project(finds(directive("Sort them", "functional")), replies="deferred")
    pinned = definition(STYLE)
    scene.go(pinned)
    run = scene.kernel.submit(pinned)
    scene.kernel.drive(run)
    assert scene.kernel.status(run) is RunStatus.FAILED
    reasons = {it.reason for it in scene.kernel.events(run, e.AttemptFailed)}
    assert reasons == {"Directive 1 is functional and cannot be deferred."}
    assert [it.number for it in scene.kernel.world.quality.pending()] == [1]


@pytest.mark.parametrize(("said", "left"), [("explained", 0), ("deferred", 1)])
def test_what_a_run_without_supervisors_says_counts_once_it_has_ended_well(
    project: Callable[..., Project], said: str, left: int
) -> None:
    kind = "cleanup" if said == "deferred" else "functional"
    found = iter((style(directive("Sort them", kind)), style()))
    scene = project(lambda _: FakeReply(output=next(found)), replies=said)
    pinned = definition(STYLE)
    scene.go(pinned)
    scene.go(detached(pinned))
    last = replace(pinned, workflow=replace(pinned.workflow, initial_step=StepName("build")))
    (stock,) = scene.kernel.events(scene.go(last), StockTaken)
    assert [it.response.value for it in stock.answers] == [said]
    assert len(stock.pending) == left == len(scene.kernel.world.quality.pending())


def test_a_wish_that_is_pending_is_not_wanted_twice(project: Callable[..., Project]) -> None:
    scene = project(finds(directive("Sort them")), replies="deferred")
    pinned = definition(STYLE)
    looks = [scene.looks(scene.go(pinned)) for _ in range(2)]
    assert [len(it.directives) for (it,) in looks] == [1, 0]
    shown = [prompt for role, prompt in scene.prompts if role == ROLE][1]
    assert "[1] cleanup, low, from code_style: Sort them" in shown


def test_cleanup_that_is_too_much_is_dropped_on_record(project: Callable[..., Project]) -> None:
    scene = project(finds(directive("Sort them"), directive("Trim them")), replies="deferred")
    run = scene.go(definition(STYLE, backlog=Backlog(cap=1)))
    assert [it.number for it in scene.kernel.events(run, DirectiveDropped)] == [1]
    assert [it.number for it in scene.kernel.world.quality.pending()] == [2]


def test_who_cannot_be_had_is_recorded_and_the_run_goes_on(
    project: Callable[..., Project],
) -> None:
    gone = Diagnosis(message="No key.", category=FailureCategory.AUTH, action=Action.ESCALATE)
    scene = project(lambda _: FakeReply(output="", diagnosis=gone))
    absent = replace(STYLE, name="absent", lacks="No agent can be had for it.")
    run = scene.go(definition(STYLE, absent))
    assert [(it.supervisor, it.outcome) for it in scene.looks(run)] == [
        ("code_style", RunOutcome.UNAVAILABLE),
        ("absent", RunOutcome.UNAVAILABLE),
    ]


def test_an_answer_of_another_form_is_discarded(project: Callable[..., Project]) -> None:
    scene = project(lambda _: FakeReply(output="I looked."))
    (look,) = scene.looks(scene.go(definition(STYLE)))
    assert look.outcome is RunOutcome.DISCARDED


def test_nobody_looks_where_nothing_was_committed(project: Callable[..., Project]) -> None:
    scene = project(finds())
    pinned = definition(STYLE)
    alone = replace(pinned, workflow=replace(pinned.workflow, initial_step=StepName("supervisors")))
    run = scene.go(alone)
    assert scene.looks(run) == []
    (skipped,) = scene.kernel.events(run, e.StepSkipped)
    assert skipped.reason == "Nothing was committed."


def test_a_run_of_supervisors_alone_looks_at_what_it_begins_with(
    project: Callable[..., Project],
) -> None:
    scene = project(finds(files={DOCUMENT: "# Files\n"}))
    pinned = definition(STYLE, of_base=True, is_one_task=False)
    alone = replace(pinned, workflow=replace(pinned.workflow, initial_step=StepName("supervisors")))
    (look,) = scene.looks(scene.go(alone))
    assert look.updated == (DOCUMENT,)


def test_a_run_whose_work_others_look_at_has_no_such_step() -> None:
    steps = detached(definition(STYLE)).workflow.steps
    assert list(steps) == ["plan", "build", "review", "commit"]
    assert steps[StepName("commit")].next is None


def test_the_tables_are_the_same_when_they_are_made_again(project: Callable[..., Project]) -> None:
    scene = project(finds(directive("Sort them")), replies="deferred")
    pinned = definition(STYLE)
    run = scene.go(pinned)
    ledger = scene.kernel._opened[0]
    landed = scene.kernel.events(run, e.IntegrationLanded)[0].commit
    before = ledger.quality.stock(landed)
    assert before.is_counted
    ledger.care.rebuild()
    assert ledger.quality.stock(landed) == before
    assert ledger.care.verify().faults == ()


def test_a_world_without_records_knows_of_nothing() -> None:
    records = NoQualityRecords()
    assert records.stock(b"".hex()).looks == ()  # type: ignore[arg-type]
    assert (records.pending(), records.uses()) == ((), ())
