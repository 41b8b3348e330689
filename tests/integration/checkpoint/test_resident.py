"""A resident supervisor answers requests, errs, and ends when it is asked to."""

import pytest
from tests.support.checkpoint_scene import (
    BOSS,
    FOLDER,
    WRITER,
    CheckpointScene,
    resident,
)
from tests.support.kernel import Kernel

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import close_session
from supervisor_ai.control.sessions.tasks import NewTask
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.commands.requests import CheckpointWish, request_checkpoint
from supervisor_ai.drivers.checkpoint.score import QualityTrend

READY = (
    "[supervisor] Resident supervisor ready. Baseline loaded for session S1. "
    "Awaiting checkpoint assignments."
)


def scene(folder: str | None = FOLDER) -> CheckpointScene:
    return CheckpointScene(Kernel(None), folder=folder)


def test_a_supervisor_says_that_it_is_ready_and_waits() -> None:
    at = scene()
    run = at.start()
    assert at.kernel.status(run) is RunStatus.WAITING
    assert at.contents() == [READY]
    assert at.desk.view(at.session).refresh().resident == run


def test_a_request_is_answered_with_a_report() -> None:
    at = scene()
    run = at.start()
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    asked = at.ask()
    at.kernel.drive(run)
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED
    told = at.contents()[-1].split("\n")
    assert told[0] == "[supervisor] CHECKPOINT-001 complete."
    assert told[1] == "Verdict: pass (score: 1.00)"
    assert told[-1] == f"Artifact: {FOLDER}/artifacts/CHECKPOINT-001-report.md"
    assert "artifacts/CHECKPOINT-001-report.md" in at.kernel.session_files.files[FOLDER]
    assert at.kernel.status(run) is RunStatus.WAITING
    update, report = at.said()[-2:]
    assert update.type == "state_update"
    assert (update.data or {})["supervision_verdict"] == "pass"
    assert (report.data or {})["in_reply_to"] == asked
    assert at.bus().get_state("supervisor")["task_id"] == "CHECKPOINT-001"


def test_without_a_folder_the_ledger_alone_has_the_files() -> None:
    at = scene(folder=None)
    run = at.start()
    at.ask()
    at.kernel.drive(run)
    files = at.desk.view(at.session).refresh().files
    assert set(files) == {"artifacts/CHECKPOINT-001-report.md", "wisdom/issues.md"}
    assert "Missing: an artifact of DRAFT-001" in at.wisdom("issues.md")
    assert at.kernel.session_files.files == {}
    assert "Artifact: S1/artifacts/CHECKPOINT-001-report.md" in at.contents()[-1]


def test_only_what_is_new_is_loaded_at_the_next_wake() -> None:
    at = scene()
    run = at.start()
    for task in ("DRAFT-001", "DRAFT-002"):
        at.write(task)
    at.ask()
    at.kernel.drive(run)
    for task in ("DRAFT-003", "DRAFT-004"):
        at.write(task)
    at.ask("CHECKPOINT-002", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004")
    at.kernel.drive(run)
    first, second = at.kernel.events(run, k.ContextLoaded)
    assert [it.path for it in first.files] == ["spec/product-brief.md", "spec/requirements.md"]
    assert [it.path for it in second.files] == ["spec/architecture.md", "spec/stories.md"]
    assert first.tokens == first.all_tokens
    assert second.tokens < second.all_tokens
    assert second.all_tokens == pytest.approx(first.all_tokens + second.tokens, rel=0.1)


def test_an_artifact_that_changed_is_read_again() -> None:
    at = scene()
    run = at.start()
    at.write("DRAFT-001")
    at.ask("CHECKPOINT-001", "DRAFT-001")
    at.kernel.drive(run)
    folder = at.kernel.session_files.files[FOLDER]
    folder["spec/product-brief.md"] += b"\nGOAL-9: A new goal.\n"
    at.ask("CHECKPOINT-002", "DRAFT-001")
    at.kernel.drive(run)
    assert [it.path for it in at.kernel.events(run, k.ContextLoaded)[1].files] == [
        "spec/product-brief.md"
    ]


def test_a_message_that_cannot_be_followed_is_answered_with_an_error_then_with_alerts() -> None:
    at = scene()
    run = at.start()
    for _ in range(4):
        at.bus().log(Post(kind="message", summary="Look at it, please.", to="supervisor"))
        at.kernel.drive(run)
    kinds = [it.type for it in at.said()][1:]
    assert kinds == ["error", "error", "consistency_alert", "consistency_alert"]
    assert at.contents()[1].startswith("[supervisor] Error: Asked for '## Checkpoint Request'")
    assert at.contents()[3].startswith("[supervisor] Alert: 3 errors since the session began.")
    assert at.kernel.status(run) is RunStatus.WAITING
    at.write("DRAFT-001")
    at.ask()
    at.kernel.drive(run)
    assert at.contents()[-1].startswith("[supervisor] CHECKPOINT-001 complete.")


def test_several_messages_are_answered_one_by_one_in_one_wake() -> None:
    at = scene()
    run = at.start()
    for task in ("DRAFT-001", "DRAFT-002"):
        at.write(task)
    at.bus().log(Post(kind="message", summary="Hm?", to="supervisor"))
    at.ask("CHECKPOINT-001")
    at.ask("CHECKPOINT-003")
    at.kernel.drive(run)
    assert [it.partition("\n")[0][:37] for it in at.contents()[1:]] == [
        "[supervisor] Error: Asked for '## Che",
        "[supervisor] CHECKPOINT-001 complete.",
        "[supervisor] CHECKPOINT-003 complete.",
    ]


@pytest.mark.parametrize(
    ("summary", "problem"),
    [
        ("## Checkpoint Request\ntask_id: CHECKPOINT-009\nscope: [DRAFT-001]", "CHECKPOINT-009"),
        ("## Checkpoint Request\ntask_id: DRAFT-001\nscope: [DRAFT-001]", "CHECKPOINT-NNN"),
    ],
)
def test_a_checkpoint_that_nobody_has_defined_is_refused(summary: str, problem: str) -> None:
    at = scene()
    run = at.start()
    at.bus().log(Post(kind="message", summary=summary, to="supervisor"))
    at.kernel.drive(run)
    assert problem in at.contents()[-1]
    assert at.kernel.events(run, k.ClaimStarted) == []


def test_a_checkpoint_that_is_completed_can_be_asked_for_again() -> None:
    at = scene()
    run = at.start()
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    for _ in range(2):
        at.ask()
        at.kernel.drive(run)
        assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED
    assert [it.trend for it in at.kernel.events(run, k.ReportWritten)] == [QualityTrend.STABLE] * 2


def test_a_checkpoint_that_waits_for_a_task_cannot_be_claimed() -> None:
    at = scene()
    spec = resident().residence.spec
    own = {**spec.checkpoints, "CHECKPOINT-007": spec.checkpoints["CHECKPOINT-001"]}
    run = at.start(resident(type(spec)(checkpoints=own, every=spec.every)))
    at.tasks.add(NewTask(task="EXTRA-001", subject="More"))
    at.tasks.add(NewTask(task="CHECKPOINT-007", subject="Later", blocked_by=("EXTRA-001",)))
    at.ask("CHECKPOINT-007", "EXTRA-001")
    at.kernel.drive(run)
    assert "waits for" in at.contents()[-1]
    assert len(at.kernel.events(run, k.ClaimRefused)) == 1
    [failed] = at.kernel.events(run, e.StepFailed)
    assert failed.step == "CHECKPOINT-007"


def test_a_worker_cannot_ask_for_a_checkpoint() -> None:
    at = scene()
    run = at.start()
    wish = CheckpointWish(task="CHECKPOINT-001", scope=("DRAFT-001",))
    with pytest.raises(Denied):
        request_checkpoint(at.desk, at.session, WRITER, wish)
    words = "## Checkpoint Request\ntask_id: CHECKPOINT-001\nscope: [DRAFT-001]"
    at.bus(WRITER).log(Post(kind="message", summary=words, to="supervisor"))
    at.kernel.drive(run)
    assert "Asked for a message from 'coordinator'" in at.contents()[-1]
    assert at.status("CHECKPOINT-001") is TaskStatus.PENDING


def test_a_wish_to_shut_down_is_granted() -> None:
    at = scene()
    run = at.start()
    wish = {"request_id": "r-1"}
    at.bus().log(Post(kind="shutdown_request", summary="Bye", data=wish, to="supervisor"))
    at.kernel.drive(run)
    assert at.kernel.status(run) is RunStatus.COMPLETED
    last = at.said()[-1]
    assert last.type == "shutdown_response"
    assert (last.data or {})["approve"] is True
    assert (last.data or {})["request_id"] == "r-1"
    assert at.desk.view(at.session).refresh().resident is None


def test_without_an_open_session_there_is_nothing_to_watch_over() -> None:
    at = scene()
    close_session(at.desk, at.session, BOSS.actor)
    run = at.start()
    assert at.kernel.status(run) is RunStatus.FAILED
    assert at.contents() == []


def test_a_session_that_is_closed_meanwhile_hears_nothing_more() -> None:
    at = scene()
    run = at.start()
    wish = {"request_id": "r-1"}
    at.bus().log(Post(kind="shutdown_request", summary="Bye", data=wish, to="supervisor"))
    close_session(at.desk, at.session, BOSS.actor)
    at.kernel.drive(run)
    assert at.kernel.status(run) is RunStatus.COMPLETED
    assert at.contents() == [READY]


def test_a_request_that_came_before_the_supervisor_is_answered() -> None:
    at = scene()
    at.ask()
    run = at.start()
    assert at.contents()[0] == READY
    assert at.contents()[-1].startswith("[supervisor] CHECKPOINT-001 complete.")
    assert at.kernel.status(run) is RunStatus.WAITING


def test_an_own_checkpoint_is_added_as_a_task_and_made() -> None:
    at = scene()
    spec = resident().residence.spec
    own = {**spec.checkpoints, "CHECKPOINT-007": spec.checkpoints["CHECKPOINT-001"]}
    run = at.start(resident(type(spec)(checkpoints=own, every=spec.every)))
    at.write("DRAFT-001")
    at.ask("CHECKPOINT-007", "DRAFT-001")
    at.kernel.drive(run)
    assert at.status("CHECKPOINT-007") is TaskStatus.COMPLETED


@pytest.mark.parametrize(
    "wish",
    [
        CheckpointWish(task="DRAFT-001", scope=("A-1",)),
        CheckpointWish(task="CHECKPOINT-001", scope=("A 1",)),
        CheckpointWish(task="CHECKPOINT-001", scope=("A-1",), progress="many"),
        CheckpointWish(task="CHECKPOINT-001", scope=("A-1",), progress="3/2"),
    ],
)
def test_a_wish_that_would_be_refused_is_refused_at_once(wish: CheckpointWish) -> None:
    at = scene()
    with pytest.raises(InvalidInput):
        request_checkpoint(at.desk, at.session, BOSS, wish)


def test_a_session_without_supervision_has_no_checkpoints() -> None:
    at = CheckpointScene(Kernel(None), supervision=False)
    with pytest.raises(Conflict, match="supervision: false"):
        at.ask()
