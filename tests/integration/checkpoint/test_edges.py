"""Where a supervisor meets what is not usual: folders, forks, other definitions, kanbans."""

import json
from datetime import timedelta

import pytest
from tests.support.checkpoint_scene import (
    ADA,
    BOSS,
    FOLDER,
    CheckpointScene,
    judges,
    resident,
    strict_spec,
)
from tests.support.kanban_scene import Scene, kanban_definition
from tests.support.kernel import Kernel
from tests.support.memory_session_files import MemorySessionFolders
from tests.unit.control.sessions.session_desk import SessionScene, member
from tests.unit.drivers.checkpoint.session import material

from supervisor_ai.control.ports.session_files import FileListing
from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.calls import calls_for, make_call
from supervisor_ai.control.sessions.folder.folder_desk import FROM_FILE
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Denied, InternalError, NotFound, Unavailable
from supervisor_ai.domain.ids import ArtifactHash, SessionId, StepName
from supervisor_ai.domain.run.definition import Definition, Step
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.inbox_commands import Signal
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.checks.catalogue import spec_of
from supervisor_ai.drivers.checkpoint.checks.rounds import run_checks
from supervisor_ai.drivers.checkpoint.commands.requests import find_reply
from supervisor_ai.drivers.checkpoint.decisions.definition import (
    Residence,
    expect_resident,
    permit_of,
)
from supervisor_ai.drivers.checkpoint.decisions.state import given
from supervisor_ai.drivers.checkpoint.decisions.workflow_step import CheckpointStep, encode
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver
from supervisor_ai.drivers.checkpoint.kinds import CHECKPOINT, JUDGE
from supervisor_ai.drivers.checkpoint.performers.answer_text import answer_text
from supervisor_ai.drivers.checkpoint.performers.brief import write_brief
from supervisor_ai.drivers.checkpoint.performers.context import artifacts_of, inner_path
from supervisor_ai.drivers.checkpoint.performers.table import checkpoint_performers
from supervisor_ai.drivers.checkpoint.performers.verdicts import kept_report
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.world import Operation
from supervisor_ai.testing.fake_worker import FakeReply


class BrokenFolders(MemorySessionFolders):
    """Folders on a disk that is gone, as long as a test says so."""

    def __init__(self, error: type[Unavailable | InternalError] = Unavailable) -> None:
        super().__init__()
        self.is_gone = False
        self._error = error

    def list(self, folder: str) -> FileListing:  # type: ignore[explicit-override]
        if self.is_gone:
            raise self._error("The disk is gone.")
        return super().list(folder)


def on(files: BrokenFolders) -> CheckpointScene:
    kernel = Kernel(None)
    kernel.session_files = files
    kernel.world = replace(
        kernel.world, performers={**kernel.world.performers, **checkpoint_performers(files)}
    )
    return CheckpointScene(kernel, folder=FOLDER)


def test_a_folder_that_cannot_be_read_is_an_error_and_the_task_is_pending_again() -> None:
    files = BrokenFolders()
    at = on(files)
    run = at.start()
    files.is_gone = True
    at.ask()
    at.kernel.drive(run)
    assert at.contents()[-1] == "[supervisor] Error: The disk is gone."
    assert at.status("CHECKPOINT-001") is TaskStatus.PENDING
    files.is_gone = False
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    at.ask()
    at.kernel.drive(run)
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED


def test_a_bug_is_no_message_to_the_coordinator() -> None:
    files = BrokenFolders(InternalError)
    at = on(files)
    run = at.start()
    files.is_gone = True
    at.ask()
    with pytest.raises(InternalError):
        at.kernel.drive(run)


def test_a_request_need_not_say_how_far_the_pipeline_is() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    run = at.start()
    at.write("DRAFT-001")
    words = "## Checkpoint Request\ntask_id: CHECKPOINT-001\nscope: [DRAFT-001]"
    at.bus().log(Post(kind="message", summary=words, to="supervisor"))
    at.kernel.drive(run)
    [taken] = at.kernel.events(run, k.RequestTaken)
    assert (taken.done, taken.total) == (None, None)
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED


@pytest.mark.parametrize("actor", [FROM_FILE, ADA])
def test_no_words_of_a_file_end_a_supervisor(actor: Actor) -> None:
    """A file proves nobody, so what it quotes counts as little as what it says."""
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    run = at.start()
    words = '{"type": "shutdown_request", "request_id": "r-1"}'
    body = at.kernel.world.artifacts.put(json.dumps({"summary": words, "data": None}))
    view = at.desk.view(at.session)
    said = s.MessageLogged(
        number=view.refresh().messages + 1,
        sender="coordinator",
        to="supervisor",
        kind="message",
        body=body,
    )
    view.add(lambda _: (said,), actor)
    at.kernel.send(run, "wake", Signal(signal="message"))
    at.kernel.drive(run)
    is_file = actor == FROM_FILE
    assert at.kernel.status(run) is (RunStatus.WAITING if is_file else RunStatus.COMPLETED)
    assert ("a file proves nobody" in at.contents()[-1]) is is_file


def flaky(*diagnoses: Diagnosis | None) -> tuple[CheckpointScene, list[WorkerRequest]]:
    """Let the judge fail as often as there are diagnoses, and then answer."""
    asked: list[WorkerRequest] = []
    left = list(diagnoses)
    answer = judges()

    def act(request: WorkerRequest) -> FakeReply:
        asked.append(request)
        if left:
            return FakeReply(exit_code=1, diagnosis=left.pop(0))
        return answer(request)

    return CheckpointScene(Kernel(None, agent=act), folder=FOLDER), asked


def patient(*, is_optional: bool) -> Definition:
    made = resident(has_judge=True)
    steps = {
        name: replace(step, max_retries=2 if step.role else None)
        for name, step in made.workflow.steps.items()
    }
    judge = replace(made.roles[JUDGE], is_optional=is_optional)
    return replace(made, workflow=replace(made.workflow, steps=steps), roles={JUDGE: judge})


def judged(at: CheckpointScene, definition: Definition) -> str:
    run = at.start(definition)
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    at.ask()
    at.kernel.drive(run)
    for _ in range(5):
        at.kernel.fakes.clock.advance(timedelta(hours=1))
        at.kernel.drive(run)
    return at.contents()[-1]


def test_a_judge_that_fails_for_a_moment_is_asked_again() -> None:
    trouble = Diagnosis(message="Gone.", category=FailureCategory.NETWORK, action=Action.RETRY_SAME)
    at, asked = flaky(trouble)
    assert "Verdict: pass (score: 1.00)" in judged(at, patient(is_optional=True))
    assert len(asked) == 2


def test_a_judge_behind_a_usage_limit_is_not_waited_for() -> None:
    limit = Diagnosis(message="Later.", category=FailureCategory.LIMIT, action=Action.PARK)
    at, asked = flaky(limit, limit, limit)
    assert "nobody judged it: " in judged(at, patient(is_optional=False))
    assert len(asked) == 1


def test_a_fork_becomes_the_supervisor_anew() -> None:
    driver = CheckpointDriver()
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    birth = at.kernel.play(at.start()).run.birth
    state = replace(driver.begin(birth, resident()), errors=4, cursor=7)
    forked = driver.fork(state)
    assert (forked.errors, forked.cursor, forked.residence.recovery) == (0, 0, True)


def test_a_supervisor_goes_on_under_another_definition_of_its_own_session() -> None:
    driver = CheckpointDriver()
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    birth = at.kernel.play(at.start()).run.birth
    state = driver.begin(birth, resident())
    other = resident(strict_spec())
    assert driver.migration_problems(state, other) == ()
    assert driver.migrate(state, other).residence.spec == strict_spec()
    moved = replace(other, residence=replace(other.residence, session=SessionId("S2")))
    assert driver.migration_problems(state, moved) == ("A supervisor stays with its session.",)


def test_what_is_missing_is_a_bug() -> None:
    with pytest.raises(InternalError):
        given(None)
    with pytest.raises(InternalError):
        expect_resident(kanban_definition())
    assert expect_resident(resident()).residence == Residence(
        session=SessionId("S1"), spec=resident().residence.spec
    )
    assert permit_of(SessionId("S1")) == "session:S1"


def test_a_report_of_ours_that_was_erased_is_told() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    operation = Operation(
        world=at.kernel.world,
        run=at.start(),
        identity=None,
        key="k",  # type: ignore[arg-type]
        epoch=1,
        intended_at=at.kernel.world.clock.now(),
        record=lambda _: None,
    )
    with pytest.raises(InternalError):
        kept_report(operation, ArtifactHash("0" * 64))


def test_reports_that_are_not_in_their_form_are_left_out_and_counted() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    folder = at.kernel.session_files.files.setdefault(FOLDER, {})
    folder["artifacts/CHECKPOINT-001-report.md"] = b"# All is well\n"
    run = at.start()
    [read] = at.kernel.events(run, k.SessionRead)
    assert (read.reports, read.unreadable) == (0, 1)


def test_a_report_that_somebody_forged_does_not_count_against_ours() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    first = at.start()
    at.write("DRAFT-001")
    at.ask()
    at.kernel.drive(first)
    folder = at.kernel.session_files.files[FOLDER]
    ours = folder["artifacts/CHECKPOINT-001-report.md"]
    folder["artifacts/CHECKPOINT-001-report.md"] = ours.replace(b"warn", b"pass")
    at.bus().log(
        Post(kind="shutdown_request", summary="Bye", data={"request_id": "r"}, to="supervisor")
    )
    at.kernel.drive(first)
    again = at.start(resident(recovery=True))
    [read] = at.kernel.events(again, k.SessionRead)
    assert (read.reports, read.unreadable) == (1, 0)


def test_a_supervisor_that_was_replaced_stops_nobody() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    run = at.start()
    at.bus().log(
        Post(kind="shutdown_request", summary="Bye", data={"request_id": "r"}, to="supervisor")
    )
    other = s.ResidentStarted(run=at.kernel.world.ids.run_id())
    at.desk.view(at.session).add(lambda _: (other,), ADA)
    at.kernel.drive(run)
    assert at.desk.view(at.session).refresh().resident == other.run


def test_a_brief_that_is_too_long_is_cut() -> None:
    cut = write_brief(material(), (), most=40)
    assert cut.endswith("[what follows was left out: there is too much of it]")


def test_only_new_wisdom_is_told_unless_a_question_is_about_all_of_it() -> None:
    text = "- old\n- new\n"
    on = replace(material(), wisdom={"wisdom/a.md": text}, known_wisdom={"wisdom/a.md": 6})
    [other] = run_checks(on, [spec_of("execution_method")]).questions
    [about] = run_checks(on, [spec_of("wisdom_agrees")]).questions
    assert "wisdom/a.md:1: - old" not in write_brief(on, (other,))
    assert "wisdom/a.md:2: - new" in write_brief(on, (other,))
    assert "wisdom/a.md:1: - old" in write_brief(on, (other, about))
    heard = replace(on, known_wisdom={"wisdom/a.md": len(text)})
    assert "What the team has learnt" not in write_brief(heard, (other,))
    rewritten = replace(on, known_wisdom={"wisdom/a.md": 99})
    assert "wisdom/a.md:1: - old" in write_brief(rewritten, (other,))


def test_answers_are_shown_as_they_are() -> None:
    assert answer_text("plan", "no JSON") == "# plan\n\nno JSON\n"
    text = answer_text(
        "plan",
        '{"summary": "S", "risks": ["a", {"b": 1}], "phases": [{"id": "P1", "title": "T"},'
        ' {"components": [{"id": "T2", "title": "U", "depends_on": ["P1"]}]}]}',
    )
    assert "- P1: T\n- T2: U (depends on P1)" in text
    assert "- b: 1" in text


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("spec/a.md", "spec/a.md"),
        ("./spec/a.md", "spec/a.md"),
        ("home/S/spec/a.md", "spec/a.md"),
        ("<session>/spec/a.md", "spec/a.md"),
        ("/etc/passwd", ""),
        ("../a.md", ""),
        ("", ""),
    ],
)
def test_paths_stay_inside_the_session(ref: str, path: str) -> None:
    assert inner_path(ref, "home/S/") == path


def test_artifacts_are_found_by_name_whatever_anybody_names() -> None:
    files = dict.fromkeys(
        ("spec/DRAFT-001-brief.md", "spec/DRAFT-0011.md", "wisdom/DRAFT-001.md", "a/draft-001.md"),
        "x",
    )
    assert artifacts_of("DRAFT-001", ("gone.md",), files) == (
        "a/draft-001.md",
        "spec/DRAFT-001-brief.md",
    )
    diverted = artifacts_of("DRAFT-001", ("spec/DRAFT-0011.md",), files)
    assert diverted == ("spec/DRAFT-0011.md", "a/draft-001.md", "spec/DRAFT-001-brief.md")


def test_members_can_ask_list_and_show() -> None:
    scene = SessionScene()
    room = scene.room()
    asked = make_call(
        room, "checkpoint_request", {"task_id": "CHECKPOINT-001", "scope": ["DRAFT-001"]}
    )
    assert isinstance(asked, dict)
    assert asked["checkpoint"]["message"] == "MSG-001"
    assert asked["checkpoint"]["verdict"] is None
    listed = make_call(room, "checkpoint_list", {})
    assert isinstance(listed, dict)
    assert [it["task_id"] for it in listed["checkpoints"]] == ["CHECKPOINT-001"]
    with pytest.raises(NotFound, match="CHECKPOINT-002"):
        make_call(room, "checkpoint_show", {"task_id": "CHECKPOINT-002"})
    shown = make_call(room, "checkpoint_show", {"task_id": "CHECKPOINT-001"})
    assert isinstance(shown, dict)
    assert shown["checkpoint"]["status"] == "pending"


@pytest.mark.parametrize("role", [MemberRole.WORKER, MemberRole.SUPERVISOR, MemberRole.OBSERVER])
def test_nobody_but_the_coordinator_can_ask_and_the_attempt_is_recorded(role: MemberRole) -> None:
    scene = SessionScene()
    name = "supervisor" if role is MemberRole.SUPERVISOR else "eve"
    room = scene.room(member(name, role))
    with pytest.raises(Denied):
        make_call(room, "checkpoint_request", {"task_id": "CHECKPOINT-001", "scope": ["A-1"]})
    assert scene.types()[-1] == "CallRefused"
    names = {call.name for call in calls_for(role)}
    assert "checkpoint_request" not in names
    assert {"checkpoint_list", "checkpoint_show"} <= names
    assert not any("override" in it or "approve" in it for it in names)


def test_an_answer_is_found_by_the_message_that_it_answers() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    run = at.start()
    asked = at.ask()
    assert find_reply(at.desk, at.session, BOSS, asked) is None
    at.kernel.drive(run)
    reply = find_reply(at.desk, at.session, BOSS, asked)
    assert reply is not None
    assert not reply.is_error
    again = at.ask()
    at.kernel.drive(run)
    wrong = find_reply(at.desk, at.session, BOSS, again)
    assert wrong is not None
    assert wrong.is_error


def test_a_kanban_makes_a_checkpoint_behind_the_work() -> None:
    base = kanban_definition()
    own = CheckpointStep(checkpoint="CHECKPOINT-001", checks=(spec_of("role_errors"),))
    step = Step(
        name=StepName("supervise"),
        kind=CHECKPOINT,
        next=StepName("land-task"),
        on_reject=StepName("implementor"),
        particulars=encode(own),
    )
    steps = dict(base.workflow.steps)
    steps[StepName("implementor")] = replace(
        steps[StepName("implementor")], next=StepName("supervise")
    )
    steps[step.name] = step
    scene = Scene(replace(base, workflow=replace(base.workflow, steps=steps)))
    assert scene.drive() is RunStatus.COMPLETED
    [written] = scene.kernel.events(scene.run, k.ReportWritten)
    assert written.verdict == "pass"
