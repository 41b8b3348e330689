"""Whatever the roles of a loop say, it ends within its limits and no directive vanishes."""

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.integration.loop.cast import ACTS, wild
from tests.support.example_counts import examples
from tests.support.loop_scene import (
    Act,
    Scene,
    answers_all,
    assess,
    design,
    directive,
    judge,
    loop_definition,
    plan,
    style,
    work,
)
from tests.support.mortal_log import MortalLog

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Backlog, DirectiveResponse
from supervisor_ai.drivers.quality.events import DirectiveAdded, DirectiveDropped, SupervisorRan
from supervisor_ai.drivers.quality.supervisors import STORE
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

PHASES = (Phase.explicit, Phase.generate)
"""A failing example is told as it was found: making it smaller takes minutes."""
RULES = LoopRules(
    max_tasks=9, max_attempts=2, review_interval=3, polish_tasks=3, backlog=Backlog(cap=3, age=4)
)
GONE = Diagnosis(message="No key.", category=FailureCategory.CLI_ERROR, action=Action.ESCALATE)


def says(output: str) -> Act:
    return lambda scene, request: FakeReply(output=output)


def unavailable(scene: Scene, request: WorkerRequest) -> FakeReply:
    del scene, request
    return FakeReply(diagnosis=GONE, exit_code=1)


def chooses(action: str) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del scene
        told = plan(
            action,
            "Write other.py",
            carry_forward=[f"Thought {len(request.prompt)} {number}" for number in range(4)],
            directives=answers_all(request, "addressed"),
        )
        return FakeReply(output=told)

    return act


def wants(*kinds: tuple[str, str]) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        number = len(scene.kernel.fakes.worker.requests)
        wanted = [directive(f"{kind} {number}", kind, urgency) for kind, urgency in kinds]
        if request.role == "design_supervisor":
            return FakeReply(output=design(*wanted))
        path = f"docs/knowledge/conventions/c{number}.md"
        return FakeReply(output=style(*wanted), files={path: f"# {number}\n"})

    return act


OTHERWISE = {
    "task_planner": [
        *(chooses(action) for action in ("implement", "skip", "abort", "milestone_done")),
        says(plan("implement", "Write other.py")),
        says("I do not know."),
    ],
    "loop_implementor": [says(work("FAILED")), says(work("BLOCKED")), says(work(created=["gone"]))],
    "loop_qa": [says(judge("fail", "No."))],
    "assessor": [
        says(assess(verdict, "Turn."))
        for verdict in ("aligned", "minor_drift", "major_divergence", "milestone_complete")
    ],
    "code_style_supervisor": [
        says("All well."),
        unavailable,
        wants(("cleanup", "low"), ("cleanup", "low")),
        wants(("functional", "normal")),
    ],
    "design_supervisor": [says("?"), unavailable, wants(("functional", "critical"))],
    "internaliser": [says("?"), unavailable],
}


class Chance:
    """Numbers that were drawn, then nothing but zeros."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = list(numbers)

    def __call__(self) -> int:
        return self._numbers.pop(0) if self._numbers else 0


def played(numbers: list[int], dies_at: int, *, pauses: bool) -> Scene:
    chance = Chance(numbers)
    acts = wild(OTHERWISE, chance)
    supervisors = [replace(it, every=2) if it.every else it for it in BUILTIN]
    scene = Scene(loop_definition(RULES, supervisors=supervisors), **acts)  # type: ignore[arg-type]
    kernel = scene.kernel
    log = MortalLog(kernel.world.log, dies_at, is_late=bool(dies_at % 2))
    if pauses:
        text = kernel.world.artifacts.put('{"description": "Mind it"}')
        scene.signal(f"directive-add cleanup low {text}")
        scene.signal("pause")
    try:
        kernel.drive(scene.run, world=replace(kernel.world, log=log))
    except KeyboardInterrupt:
        kernel.kill(1)
        kernel.world = kernel.process()
        scene.drive()
    if pauses:
        scene.signal("resume")
        scene.drive()
    return scene


def check_limits(scene: Scene) -> None:
    marked = scene.events(k.TaskMarked)
    assert len(marked) <= RULES.max_tasks + RULES.polish_tasks
    assert all(it.qa_failures <= RULES.max_attempts for it in marked)
    assert [it.task for it in marked] == list(range(1, len(marked) + 1))
    assert scene.kernel.status(scene.run) in {
        *(RunStatus.COMPLETED, RunStatus.FAILED),
        # A planner without a model asks a person.
        RunStatus.WAITING,
    }


def check_directives(scene: Scene) -> None:
    """Hold every directive that there was against what became of it."""
    made = [it.number for run in scene.events(SupervisorRan) for it in run.directives]
    made += [it.directive.number for it in scene.events(DirectiveAdded)]
    answered = _answered(scene)
    dropped = [it.number for it in scene.events(DirectiveDropped)]
    pending = [it.number for it in scene.state.book.pending_directives]
    assert len(set(made)) == len(made)
    assert sorted(made) == sorted([*answered, *dropped, *pending])


def _answered(scene: Scene) -> list[int]:
    """Name the directives that were answered by attempts that counted."""
    succeeded = {(it.place, it.attempt) for it in scene.events(e.AttemptSucceeded)}
    return [
        it.number
        for planned in scene.events(k.TaskPlanned)
        if (planned.place, planned.attempt) in succeeded
        for it in planned.answers
        if it.response is not DirectiveResponse.DEFERRED
    ]


def owner_of(path: str) -> str | None:
    """Name the supervisor in whose folder a file lies."""
    folders = {f"{STORE}/{folder}/": spec.name for spec in BUILTIN for folder in spec.owns}
    return next((name for folder, name in folders.items() if path.startswith(folder)), None)


def check_folders(scene: Scene) -> None:
    """Look whether anybody wrote into the folder of another."""
    for look in scene.events(SupervisorRan):
        assert {owner_of(path) for path in look.updated} <= {look.supervisor}
    for path in scene.kernel.fakes.workspaces.branches.get(scene.branch, "") and scene.tip:
        is_ours = not path.startswith("docs/knowledge/")
        assert is_ours or owner_of(path) in {"code_style", "internaliser"}


@settings(max_examples=examples(60), phases=PHASES)
@given(
    numbers=st.lists(st.integers(0, 6), max_size=60),
    dies_at=st.integers(1, 200),
    pauses=st.booleans(),
)
def test_any_answers_lead_to_an_end(numbers: list[int], dies_at: int, *, pauses: bool) -> None:
    scene = played(numbers, dies_at, pauses=pauses)
    check_limits(scene)
    check_directives(scene)
    check_folders(scene)


def test_with_good_answers_the_remit_is_complete() -> None:
    scene = played([], 10**6, pauses=True)
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    check_limits(scene)
    check_directives(scene)
    assert set(ACTS) | {"design_supervisor"} == set(scene.asked)
