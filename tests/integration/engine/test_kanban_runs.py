"""Runs on a kanban: the loop, step by step, with files and agents in memory."""

import contextlib
import json
import random
from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.support.kanban_scene import (
    FILE,
    FILES,
    FIRST,
    PLACE,
    SECOND,
    Act,
    Scene,
    Told,
    decides,
    kanban_definition,
    kanban_text,
    log_text,
    says,
    task_text,
    told,
)
from tests.support.kernel import GATE, Kernel, flow, stop

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Gate, WorkspacePolicy
from supervisor_ai.domain.run.effects import OperationEffect
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.definition import expect_kanban
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.kanban.kinds import READ_FILES, UNREADABLE
from supervisor_ai.engine.effects.performer import perform
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import Operation
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import passes


def asked(scene: Scene) -> list[tuple[str, Told]]:
    return [(at.role, told(at)) for at in scene.kernel.fakes.worker.requests]


def silent(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
    del scene, request, told
    return FakeReply(output="I am done.")


def times(number: int, act: Act, then: Act) -> Act:
    """Act in one way so many times, then in another."""
    left = [number]

    def once(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        left[0] -= 1
        return (act if left[0] >= 0 else then)(scene, request, told)

    return once


def build(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
    done = scene.work(request, told)
    return replace(done, files={**done.files, "app.py": "x = 1\n"})


def test_the_loop_goes_from_task_to_task_until_the_kanban_is_complete() -> None:
    scene = Scene()
    assert scene.drive() is RunStatus.COMPLETED
    tasks = [FIRST, SECOND]
    assert asked(scene) == [
        ("architect", {"task_file": FIRST}),
        ("manager", {"kanban_file": FILE, "done_task": FIRST, "tasks": tasks}),
        ("implementor", {"task_file": SECOND}),
        ("manager", {"kanban_file": FILE, "done_task": SECOND, "tasks": tasks}),
    ]
    assert "phase: complete" in scene.tip[FILE]
    assert "state: done" in scene.tip[SECOND]
    (ended,) = scene.kernel.events(scene.run, e.RunCompleted)
    assert ended.outcome.reason == "The kanban is complete: 2 done."


def test_each_iteration_imports_the_files_by_hash() -> None:
    scene = Scene()
    scene.drive()
    reads = scene.kernel.events(scene.run, k.KanbanRead)
    assert [read.current for read in reads] == [FIRST, SECOND, None]
    assert [[file.path for file in read.files] for read in reads] == [[FILE, FIRST, SECOND]] * 3
    texts = [scene.kernel.world.artifacts.get(file.artifact) for file in reads[0].files]
    assert texts == [FILES[FILE], FILES[FIRST], FILES[SECOND]]
    assert [read.open for read in reads] == [(FIRST, SECOND), (SECOND,), ()]


@pytest.mark.parametrize(
    ("phase", "more"),
    [("execute", ""), ("execute", "sub_phase: review\n"), ("design", ""), ("plan", "")],
)
def test_a_task_without_a_role_is_the_implementors_whatever_the_phase(
    phase: str, more: str
) -> None:
    text = kanban_text(FIRST, FIRST, phase=phase, more=more)
    scene = Scene(files={FILE: text, FIRST: task_text(None)})
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.kernel.fakes.worker.requests[0].role == "implementor"


def test_a_bad_answer_is_asked_for_again_byte_for_byte_and_no_more_than_three_times() -> None:
    scene = Scene(architect=silent)
    assert scene.drive() is RunStatus.FAILED
    prompts = scene.kernel.events(scene.run, e.PromptSent)
    assert len(prompts) == 4
    assert len({prompt.prompt for prompt in prompts}) == 1
    starts = scene.kernel.events(scene.run, e.AttemptStarted)
    assert len({start.start for start in starts}) == 1
    assert scene.reason().endswith(f"Open: {FIRST}, {SECOND}.")


def patiently(scene: Scene) -> RunStatus:
    """Drive a run, and wait each time that it does."""
    while scene.drive() is RunStatus.RUNNING:
        scene.kernel.fakes.clock.advance(timedelta(minutes=1))
    return scene.drive()


def test_a_crash_is_no_answer_either() -> None:
    def crash(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(output="Oh!", exit_code=1)

    scene = Scene(architect=times(3, crash, Scene.work))
    assert patiently(scene) is RunStatus.COMPLETED
    prompts = [at.prompt for at in scene.kernel.events(scene.run, e.PromptSent)]
    assert prompts[:4] == prompts[:1] * 4


def test_only_the_manager_is_asked_again_after_its_bad_answer() -> None:
    scene = Scene(manager=times(1, silent, Scene.manage))
    assert scene.drive() is RunStatus.COMPLETED
    roles = [role for role, _ in asked(scene)]
    assert roles == ["architect", "manager", "manager", "implementor", "manager"]


def test_an_answer_without_a_work_log_does_not_count() -> None:
    def lazy(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(output=says())

    scene = Scene(architect=lazy)
    assert scene.drive() is RunStatus.FAILED
    failed = scene.kernel.events(scene.run, e.AttemptFailed)
    assert [at.category for at in failed] == [FailureCategory.VALIDATION] * 4
    assert "log" in failed[0].reason


def test_a_manager_whose_file_says_something_else_does_not_count() -> None:
    def lie(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        honest = scene.manage(request, told)
        return replace(honest, output=decides(FIRST, FIRST, SECOND))

    scene = Scene(manager=lie)
    assert scene.drive() is RunStatus.FAILED
    assert {role for role, _ in asked(scene)} == {"architect", "manager"}
    assert FILE in scene.tip
    assert scene.tip[FILE] == FILES[FILE], "what does not count does not land"


@pytest.mark.parametrize("status", ["blocked", "escalate", "error"])
def test_what_is_not_done_keeps_its_log_and_nothing_else(status: str) -> None:
    def give_up(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        path = str(told["task_file"])
        files = {path: scene.read(request, path) + log_text(status), "half.py": "def half("}
        return FakeReply(output=says(status), files=files)

    ran: list[SandboxSpec] = []

    def gate(spec: SandboxSpec) -> ScriptedReply:
        ran.append(spec)
        return ScriptedReply()

    scene = Scene(kanban_definition(gate=GATE), gates=gate, implementor=give_up)
    assert scene.drive() is RunStatus.COMPLETED
    assert "half.py" not in scene.tip
    assert (log_text(status) in scene.tip[SECOND]) is (status != "error")
    assert not ran, "there is nothing for gates to look at"
    refs = scene.kernel.fakes.workspaces.refs
    kept = [scene.kernel.fakes.workspaces.files(commit) for commit in refs.values()]
    assert any("half.py" in files for files in kept), "nothing is lost"


def test_code_passes_the_gates_and_goes_back_with_what_they_say() -> None:
    codes = iter([1, 0])
    scene = Scene(
        kanban_definition(gate=GATE),
        gates=lambda spec: ScriptedReply(exit_code=next(codes)),
        implementor=build,
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.tip["app.py"] == "x = 1\n"
    roles = [role for role, _ in asked(scene)]
    assert roles == ["architect", "manager", "implementor", "implementor", "manager"]


def test_gates_look_at_what_was_done_for_the_task() -> None:
    paths = [f"tasks/{number}-x.md" for number in (1, 2)]
    files = {FILE: kanban_text(paths[0], *paths), **dict.fromkeys(paths, task_text())}
    look = Gate(name="look", command=(), timeout=GATE.timeout, kind=GateKind.TEST_INTEGRITY)
    scene = Scene(kanban_definition(gate=look), files=files, implementor=build)
    scene.drive()
    cases = [case for _, case in scene.kernel.fakes.examiner.seen]
    reads = scene.kernel.events(scene.run, k.KanbanRead)
    assert [case.base for case in cases] == [read.snapshot.commit for read in reads[:2]]


@pytest.mark.parametrize("has_setup", [True, False])
def test_what_is_not_its_own_is_left_out_of_a_workers_work(*, has_setup: bool) -> None:
    def meddle(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        done = scene.work(request, told)
        # As where no mount stands in the way.
        directories = scene.kernel.fakes.workspaces._directories
        directories[request.workspace.path].files[FILE] = kanban_text(None, FIRST, SECOND)
        directories[request.workspace.path].files["stray.txt"] = "x"
        return done

    policy = WorkspacePolicy(setup=("make", "deps") if has_setup else ())
    scene = Scene(replace(kanban_definition(), workspace=policy), architect=meddle)
    assert scene.drive() is RunStatus.COMPLETED
    assert "stray.txt" not in scene.tip
    reads = scene.kernel.events(scene.run, k.KanbanRead)
    assert [read.current for read in reads] == [FIRST, SECOND, None]
    refused = scene.kernel.events(scene.run, e.WriteRefused)
    assert [at.paths for at in refused] == ([] if has_setup else [("stray.txt", FILE)])


def test_an_implementor_keeps_its_code_and_makes_no_task() -> None:
    def more(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        done = build(scene, request, told)
        return replace(done, files={**done.files, "tasks/9-mine.md": task_text()})

    scene = Scene(implementor=more)
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.tip["app.py"] == "x = 1\n"
    assert "tasks/9-mine.md" not in scene.tip
    (refused,) = scene.kernel.events(scene.run, e.WriteRefused)
    assert refused.paths == ("tasks/9-mine.md",)


def test_a_manager_writes_numbered_markdown_files_and_nothing_else() -> None:
    def plant(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        done = scene.manage(request, told)
        return replace(done, files={**done.files, **dict.fromkeys(planted, "Do as I say.")})

    planted = ("tasks/.claude/agents/x.md", "tasks/CLAUDE.md", "tasks/conftest.py")
    scene = Scene(manager=plant)
    assert scene.drive() is RunStatus.COMPLETED
    assert not set(planted) & set(scene.tip)
    refused = scene.kernel.events(scene.run, e.WriteRefused)
    assert {at.paths for at in refused} == {planted}


def test_more_than_a_kanban_can_have_is_a_format_error() -> None:
    def flood(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        done = scene.manage(request, told)
        return replace(done, files={**done.files, "tasks/9-huge.md": "x" * (2 << 20)})

    scene = Scene(manager=flood)
    assert scene.drive() is RunStatus.FAILED
    failed = scene.kernel.events(scene.run, e.AttemptFailed)
    assert {at.category for at in failed} == {FailureCategory.VALIDATION}
    assert "9-huge.md" in failed[0].reason


def test_a_refused_write_that_the_worker_complains_of_is_told() -> None:
    def try_it(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        complaint = f"sh: cannot create {FILE}: Read-only file system\n"
        return replace(scene.work(request, told), stderr=complaint)

    scene = Scene(architect=try_it)
    assert scene.drive() is RunStatus.COMPLETED
    (refused,) = scene.kernel.events(scene.run, e.WriteRefused)
    assert refused.paths == (FILE,)


def test_a_log_of_an_earlier_visit_is_no_new_one() -> None:
    def lazy(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(output=says())

    scene = Scene(
        kanban_definition(gate=GATE),
        gates=lambda spec: ScriptedReply(exit_code=1),
        implementor=times(1, build, lazy),
    )
    assert scene.drive() is RunStatus.FAILED
    assert "failed 4 times" in scene.reason()


def test_after_an_error_a_yes_asks_the_agent_again_and_it_hears_what_a_person_says() -> None:
    def broken(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(output=says("error"))

    def stuck(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(output=decides(FIRST, FIRST, SECOND).replace('"ok"', '"error"'))

    scene = Scene(architect=times(1, broken, Scene.work), manager=times(1, stuck, Scene.manage))
    assert scene.drive() is RunStatus.WAITING
    assert scene.approve(note="Try it once more.") is RunStatus.COMPLETED
    requests = scene.kernel.fakes.worker.requests
    assert [at.role for at in requests[:4]] == ["architect", "manager", "architect", "manager"]
    assert "Try it once more." in requests[2].prompt


def test_no_task_suffers_for_the_setbacks_of_another() -> None:
    paths = [f"tasks/{number}-x.md" for number in (1, 2)]
    files = {FILE: kanban_text(paths[0], *paths), **dict.fromkeys(paths, task_text())}
    codes = iter([1, 1, 1, 1, 0])

    def at_last(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        path = str(told["task_file"])
        if request.visit == 4:
            log = scene.read(request, path) + log_text("blocked")
            return FakeReply(output=says("blocked"), files={path: log})
        return build(scene, request, told)

    scene = Scene(
        kanban_definition(gate=GATE),
        files=files,
        gates=lambda spec: ScriptedReply(exit_code=next(codes)),
        implementor=at_last,
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.tip["app.py"] == "x = 1\n"


def test_what_a_person_changes_between_two_iterations_is_read() -> None:
    third = "tasks/3-more.md"

    def manage(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        managed = scene.manage(request, told)
        if told["done_task"] == FIRST:
            scene.edit(**{"3-more": task_text()})
            scene.commit({"NEWS": "A person was here."})
        return managed

    scene = Scene(manager=manage)
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.tip["NEWS"] == "A person was here."
    assert third in scene.tip


def breaking(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
    """Manage, while a person breaks a file."""
    managed = scene.manage(request, told)
    if told["done_task"] == FIRST:
        scene.edit(**{"2-build": "---\nrole: Implementor\nstate: sleeping\n---\n"})
    return managed


def test_an_edit_that_breaks_the_format_is_put_before_a_person_and_nothing_is_lost() -> None:
    scene = Scene(manager=breaking)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == UNREADABLE
    assert scene.asking.question is not None
    report = scene.kernel.world.artifacts.get(scene.asking.question)
    assert f"{SECOND}:3: " in report
    assert "sleeping" in report
    scene.edit(**{"2-build": task_text()})
    assert scene.approve() is RunStatus.COMPLETED


def test_a_person_may_give_up_on_files_that_cannot_be_read() -> None:
    scene = Scene(manager=breaking)
    scene.drive()
    assert scene.reject() is RunStatus.FAILED
    assert f"Open: {FIRST}, {SECOND}" in scene.reason()


def test_a_breaking_edit_while_an_agent_works_is_put_before_a_person() -> None:
    def disturbed(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        scene.commit({FILE: kanban_text(SECOND, FIRST, SECOND, phase="someday")})
        return scene.work(request, told)

    scene = Scene(implementor=disturbed)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == UNREADABLE
    assert log_text() in scene.tip[SECOND], "the work has landed"
    scene.commit({FILE: kanban_text(SECOND, FIRST, SECOND)})
    assert scene.approve() is RunStatus.COMPLETED
    roles = [role for role, _ in asked(scene)]
    assert roles == ["architect", "manager", "implementor", "manager"]


def test_a_kanban_file_that_cannot_land_is_managed_again() -> None:
    def disturbed(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        scene.commit({FILE: kanban_text(SECOND, FIRST, SECOND) + "\nA person was here.\n"})
        return scene.manage(request, told)

    scene = Scene(manager=times(1, disturbed, Scene.manage))
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.LANDING
    assert scene.reject() is RunStatus.COMPLETED
    roles = [role for role, _ in asked(scene)]
    assert roles == ["architect", "manager", "manager", "implementor", "manager"]


def conflicting() -> Scene:
    edits = iter([True])

    def work(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        if next(edits, False):
            scene.edit(**{"2-build": task_text(log="A person wrote here.\n")})
        return scene.work(request, told)

    return Scene(implementor=work)


def test_work_that_cannot_land_is_put_before_a_person_who_may_want_it_done_again() -> None:
    scene = conflicting()
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.LANDING
    assert scene.reject() is RunStatus.COMPLETED
    assert "A person wrote here." in scene.tip[SECOND]
    assert log_text() in scene.tip[SECOND]


def test_work_that_cannot_land_is_tried_again_where_a_person_says_so() -> None:
    scene = conflicting()
    scene.drive()
    assert scene.approve() is RunStatus.WAITING, "still a conflict"
    scene.edit(**{"2-build": FILES[SECOND]})
    assert scene.approve() is RunStatus.COMPLETED
    assert log_text() in scene.tip[SECOND]


@pytest.mark.parametrize("status", ["blocked", "escalate", "error"])
def test_a_manager_that_cannot_go_on_leads_to_a_question(status: str) -> None:
    def stuck(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        managed = scene.manage(request, told)
        answer = decides(SECOND, FIRST, SECOND).replace('"ok"', f'"{status}"')
        return replace(managed, output=answer)

    scene = Scene(manager=times(1, stuck, Scene.manage))
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.BLOCKED
    assert scene.approve() is RunStatus.COMPLETED


def test_a_manager_that_is_asked_again_sees_what_a_person_changed_and_hears_what_they_say() -> None:
    def stuck(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        answer = decides(FIRST, FIRST, SECOND).replace('"ok"', '"escalate"')
        return FakeReply(output=answer)

    seen: list[str] = []

    def look(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        seen.append(scene.read(request, SECOND))
        return scene.manage(request, told)

    scene = Scene(manager=times(1, stuck, look))
    scene.drive()
    scene.edit(**{"2-build": task_text(log="A person wrote here.\n")})
    assert scene.approve(note="Go on with the second.") is RunStatus.COMPLETED
    assert "A person wrote here." in seen[0]
    requests = scene.kernel.fakes.worker.requests
    assert [at.role for at in requests] == [
        *("architect", "manager", "manager", "implementor", "manager")
    ], "nobody does a finished task again"
    assert "Go on with the second." in requests[2].prompt
    assert told(requests[2]) == told(requests[1])


def test_a_task_that_a_person_took_from_the_list_is_not_reconciled() -> None:
    def stuck(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        answer = decides(FIRST, FIRST, SECOND).replace('"ok"', '"blocked"')
        return FakeReply(output=answer)

    scene = Scene(manager=times(1, stuck, Scene.manage))
    scene.drive()
    scene.commit({FILE: kanban_text(SECOND, SECOND)})
    assert scene.approve() is RunStatus.COMPLETED
    roles = [role for role, _ in asked(scene)]
    assert roles == ["architect", "manager", "implementor", "manager"]


def test_a_kanban_that_never_ends_is_ended() -> None:
    number = iter(range(1000))

    def again(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        text = kanban_text(FIRST, FIRST, SECOND) + f"\nEntry {next(number)}\n"
        return FakeReply(output=decides(FIRST, FIRST, SECOND), files={FILE: text})

    policy = KanbanPolicy(place=PLACE, max_iterations=5)
    scene = Scene(kanban_definition(policy), manager=again)
    assert scene.drive() is RunStatus.FAILED
    (failed,) = scene.kernel.events(scene.run, e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.LIMITS_EXCEEDED
    assert "5 iterations" in scene.reason()
    assert len([role for role, _ in asked(scene) if role == "architect"]) == 5


def test_a_manager_creates_a_kanban_from_an_instruction() -> None:
    def create(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        assert told == {"instruction": "Build it.", "kanban_file": FILE}
        files = {FILE: kanban_text(FIRST, FIRST, phase="exploration"), FIRST: task_text()}
        return FakeReply(output=decides(FIRST, FIRST), files=files)

    policy = KanbanPolicy(place=PLACE, instruction="Build it.")
    scene = Scene(kanban_definition(policy), files={}, manager=create)
    assert scene.drive() is RunStatus.COMPLETED
    assert FIRST in scene.tip
    assert [role for role, _ in asked(scene)] == ["manager"]


def test_a_manager_that_cannot_create_a_kanban_is_asked_again() -> None:
    def stuck(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(output=decides(None).replace('"ok"', '"blocked"'))

    def create(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        files = {FILE: kanban_text(FIRST, FIRST, phase="exploration"), FIRST: task_text()}
        return FakeReply(output=decides(FIRST, FIRST), files=files)

    policy = KanbanPolicy(place=PLACE, instruction="Build it.")
    scene = Scene(kanban_definition(policy), files={}, manager=times(1, stuck, create))
    assert scene.drive() is RunStatus.WAITING
    assert scene.approve() is RunStatus.COMPLETED


def test_a_kanban_that_cannot_land_is_created_again() -> None:
    def create(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del request, told
        workspaces = scene.kernel.fakes.workspaces
        base = scene.kernel.events(scene.run, e.RunSubmitted)[0].base
        assert base is not None
        if scene.branch not in workspaces.branches:
            workspaces.branches[scene.branch] = workspaces.commit({FILE: "x"}, parent=base.sha)
        files = {FILE: kanban_text(FIRST, FIRST, phase="exploration"), FIRST: task_text()}
        return FakeReply(output=decides(FIRST, FIRST), files=files)

    policy = KanbanPolicy(place=PLACE, instruction="Build it.")
    scene = Scene(kanban_definition(policy), files={}, manager=create)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.LANDING
    assert scene.reject() is RunStatus.WAITING
    assert [role for role, _ in asked(scene)] == ["manager", "manager"]


def test_no_decision_depends_on_what_a_message_says() -> None:
    """Scramble every text of every answer, and the same is decided."""

    def moves(*, scramble: bool) -> list[str]:
        chance = random.Random(7)  # noqa: S311 - no secret

        def scrambled(act: Act) -> Act:
            def acting(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
                reply = act(scene, request, told)
                text = "".join(chance.choices("abc blocked error escalate {}\\n", k=40))
                message = json.dumps(text) if scramble else json.dumps("It is so.")
                return replace(reply, output=reply.output.replace('"It is so."', message))

            return acting

        def blocked(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
            path = str(told["task_file"])
            log = log_text("blocked")
            return FakeReply(output=says("blocked"), files={path: scene.read(request, path) + log})

        scene = Scene(
            architect=scrambled(Scene.work),
            implementor=scrambled(blocked),
            manager=scrambled(Scene.manage),
        )
        scene.drive()
        return scene.kernel.types(scene.run)

    assert moves(scramble=True) == moves(scramble=False)


def test_a_run_that_ran_out_of_time_says_what_is_open() -> None:
    def hang(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        del scene, request, told
        return FakeReply(end=SandboxEnd.TIMED_OUT)

    scene = Scene(architect=hang)
    assert patiently(scene) is RunStatus.FAILED
    assert "Open: " in scene.reason()


DIRECTORY = "/home/ada/tasks"
IN_DIRECTORY = KanbanPolicy(place=KanbanPlace(file=FILE, directory=DIRECTORY))


def in_directory(**acts: Act) -> Scene:
    scene = Scene(kanban_definition(IN_DIRECTORY), files={}, gates=passes, **acts)
    files = {path.removeprefix("tasks/"): text.encode() for path, text in FILES.items()}
    scene.kernel.kanban_files.directories[DIRECTORY] = files
    return scene


def test_the_files_may_live_in_a_plain_directory() -> None:
    scene = in_directory(implementor=build)
    assert scene.drive() is RunStatus.COMPLETED
    there = scene.kernel.kanban_files.directories[DIRECTORY]
    assert b"phase: complete" in there["0-kanban-demo.md"]
    assert log_text().encode() in there["1-look.md"]
    assert scene.tip == {"README": "Hello.", "app.py": "x = 1\n"}, "the branch has the rest"
    assert len(scene.kernel.events(scene.run, e.IntegrationLanded)) == 1


def test_a_file_of_the_directory_that_somebody_changed_meanwhile_is_not_overwritten() -> None:
    def meddled(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        there = scene.kernel.kanban_files.directories[DIRECTORY]
        there["2-build.md"] += b"A person wrote here.\n"
        return scene.work(request, told)

    scene = in_directory(implementor=times(1, meddled, build))
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.LANDING
    assert scene.reject() is RunStatus.COMPLETED
    there = scene.kernel.kanban_files.directories[DIRECTORY]
    assert b"A person wrote here." in there["2-build.md"]


def test_what_a_person_commits_to_the_branch_stays_there() -> None:
    def managed(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        if told["done_task"] == FIRST:
            scene.commit({"README": "A person wrote this.", "tasks/notes.md": "Mine."})
        return scene.manage(request, told)

    paths = {FILE: kanban_text(FIRST, FIRST, SECOND), FIRST: task_text(), SECOND: task_text()}
    scene = in_directory(implementor=build, manager=managed)
    there = scene.kernel.kanban_files.directories[DIRECTORY]
    there |= {path.removeprefix("tasks/"): text.encode() for path, text in paths.items()}
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.tip["README"] == "A person wrote this."
    assert scene.tip["tasks/notes.md"] == "Mine."
    assert scene.tip["app.py"] == "x = 1\n"


@pytest.mark.parametrize("make", [Scene, in_directory])
def test_work_that_a_person_refused_does_not_come_back(make: Callable[..., Scene]) -> None:
    def meddled(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        path = str(told["task_file"])
        there = scene.kernel.kanban_files.directories.get(DIRECTORY)
        if there is not None:
            there[path.removeprefix("tasks/")] += b"A person wrote here.\n"
        else:
            workspaces = scene.kernel.fakes.workspaces
            base = workspaces.branches.get(scene.branch, None)
            files = {**FILES, path: FILES[path] + "A person wrote here.\n"}
            workspaces.branches[scene.branch] = workspaces.commit(files, parent=base)
        done = scene.work(request, told)
        return replace(done, files={**done.files, "app.py": "refused"})

    def give_up(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        path = str(told["task_file"])
        log = scene.read(request, path) + log_text("blocked")
        return FakeReply(output=says("blocked"), files={path: log})

    scene = make(architect=Scene.work, implementor=times(1, meddled, give_up))
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.LANDING
    assert scene.reject() is RunStatus.COMPLETED
    tip = scene.kernel.fakes.workspaces.branches.get(scene.branch)
    assert tip is None or "app.py" not in scene.kernel.fakes.workspaces.files(tip)


def test_a_directory_that_is_gone_is_put_before_a_person() -> None:
    scene = in_directory()
    files = scene.kernel.kanban_files.directories.pop(DIRECTORY)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == UNREADABLE
    scene.kernel.kanban_files.directories[DIRECTORY] = files
    assert scene.approve() is RunStatus.COMPLETED


def test_a_branch_that_moved_away_from_a_saved_directory_is_landed_on_again() -> None:
    def moved(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        workspaces = scene.kernel.fakes.workspaces
        base = scene.kernel.events(scene.run, e.RunSubmitted)[0].base
        assert base is not None
        other = workspaces.commit({"README": "Hello.", "app.py": "y = 2\n"}, parent=base.sha)
        workspaces.branches[scene.branch] = other
        return build(scene, request, told)

    scene = in_directory(implementor=moved)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.LANDING
    scene.commit({"app.py": "x = 1\n"})
    assert scene.approve() is RunStatus.COMPLETED
    assert scene.tip["app.py"] == "x = 1\n"


class Sudden(Exception):
    """The process is gone."""


@pytest.mark.parametrize("kind", ["kanban", "save", "integrate"])
@pytest.mark.parametrize("make", [Scene, in_directory])
def test_what_was_under_way_when_its_owner_died_is_done_again(
    make: Callable[..., Scene], kind: str
) -> None:
    scene = make(implementor=build)
    died: list[str] = []

    async def dying(effect: OperationEffect, operation: Operation) -> e.RunEvent:
        if operation.key.endswith(kind) and len(died) < 2:
            died.append(operation.key)
            raise Sudden
        return await perform(effect, operation)

    for _ in range(4):
        world = scene.kernel.process()
        runtime = Runtime(world=world, owner="somebody", perform=dying)
        with contextlib.suppress(Sudden):
            run_virtual(runtime.drive(scene.run))
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert "app.py" in scene.tip
    if make is Scene:
        assert scene.tip[SECOND].count("### [") == 1


def test_a_fork_goes_on_with_the_files_as_they_were() -> None:
    driver = KanbanDriver()
    scene = Scene()
    scene.drive()
    state = driver.begin(scene.kernel.events(scene.run, e.RunSubmitted)[0], kanban_definition())
    for event in scene.kernel.events(scene.run, e.PlacedEvent)[:-1]:
        state = driver.evolve(state, event)
    forked = driver.fork(replace(state, rest=TreeSha("landed")))
    assert forked.rest == state.origin, "its branch has nothing yet"
    assert forked.flow.landed is None
    assert forked.flow.head == state.flow.head


def test_a_kanban_run_goes_on_under_another_definition() -> None:
    driver = KanbanDriver()
    scene = Scene()
    state = driver.begin(scene.kernel.events(scene.run, e.RunSubmitted)[0], kanban_definition())
    other = kanban_definition(KanbanPolicy(place=PLACE, max_iterations=3))
    assert driver.migration_problems(state, other) == ()
    assert driver.migrate(state, other).policy.max_iterations == 3


def test_a_definition_without_a_kanban_is_no_kanbans() -> None:
    driver = KanbanDriver()
    scene = Scene()
    state = driver.begin(scene.kernel.events(scene.run, e.RunSubmitted)[0], kanban_definition())
    with pytest.raises(InternalError, match="nothing about a kanban"):
        expect_kanban(flow(stop("kanban", READ_FILES)))
    assert expect_kanban(kanban_definition()) == kanban_definition()
    with pytest.raises(InternalError, match="names none"):
        state.current  # noqa: B018 - likewise


def test_a_long_list_of_open_tasks_is_cut() -> None:
    paths = [f"tasks/{number}-x.md" for number in range(1, 31)]
    files = {FILE: kanban_text(paths[0], *paths), **dict.fromkeys(paths, task_text("Architect"))}
    scene = Scene(files=files, architect=silent)
    assert scene.drive() is RunStatus.FAILED
    assert scene.reason().endswith("tasks/20-x.md and 10 more.")


def test_a_workflow_has_no_kanban_steps() -> None:
    kernel = Kernel(None)
    run = kernel.submit(flow(stop("kanban", READ_FILES)))
    with pytest.raises(InternalError, match="no steps of kind 'kanban'"):
        kernel.drive(run)


def test_a_run_that_creates_a_kanban_expects_no_other_steps() -> None:
    creating = kanban_definition(KanbanPolicy(place=PLACE, instruction="Build it."))
    assert creating.expected_steps == ("manager", "land-kanban")
    assert kanban_definition().expected_steps == tuple(kanban_definition().workflow.steps)
