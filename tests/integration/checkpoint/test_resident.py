"""A resident supervisor answers requests, errs, and ends when it is asked to."""

from tests.support.checkpoint_scene import FOLDER, CheckpointScene
from tests.support.kernel import Kernel

from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.session.tasks import TaskStatus


def scene() -> CheckpointScene:
    return CheckpointScene(Kernel(None), folder=FOLDER)


def test_a_supervisor_says_that_it_is_ready_and_waits() -> None:
    at = scene()
    run = at.start()
    assert at.kernel.status(run) is RunStatus.WAITING
    assert at.contents() == [
        "[supervisor] Resident supervisor ready. Baseline loaded for session S1. "
        "Awaiting checkpoint assignments."
    ]


def test_a_request_is_answered_with_a_report() -> None:
    at = scene()
    run = at.start()
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    at.ask()
    at.kernel.drive(run)
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED
    told = at.contents()[-1].split("\n")
    assert told[0] == "[supervisor] CHECKPOINT-001 complete."
    assert told[1].startswith("Verdict: ")
    assert told[-1] == f"Artifact: {FOLDER}/artifacts/CHECKPOINT-001-report.md"
    assert "artifacts/CHECKPOINT-001-report.md" in at.kernel.session_files.files[FOLDER]
    assert at.kernel.status(run) is RunStatus.WAITING
