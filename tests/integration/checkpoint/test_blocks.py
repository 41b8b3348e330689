"""A checkpoint that blocks waits for a person, who overrides it or has work revised."""

from tests.support.checkpoint_scene import (
    BAD,
    FOLDER,
    GOOD,
    CheckpointScene,
    resident,
    strict_spec,
)
from tests.support.kernel import Kernel

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import Approve, Cancel, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.queries.checkpoints import show_checkpoint


def blocked(folder: str | None = FOLDER) -> tuple[CheckpointScene, RunId, e.ApprovalRequested]:
    at = CheckpointScene(Kernel(None), folder=folder)
    run = at.start(resident(strict_spec()))
    at.write("DRAFT-001", BAD)
    if folder is None:
        at.keep("spec/product-brief.md", BAD)
    at.ask("CHECKPOINT-001", "DRAFT-001")
    at.kernel.drive(run)
    [asked] = at.kernel.events(run, e.ApprovalRequested)
    return at, run, asked


def approve(at: CheckpointScene, run: RunId, asked: e.ApprovalRequested, words: str | None) -> None:
    note = None if words is None else at.kernel.world.artifacts.put(words)
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    at.kernel.send(run, f"yes {words}", yes)
    at.kernel.drive(run)


def reject(at: CheckpointScene, run: RunId, asked: e.ApprovalRequested) -> None:
    note = at.kernel.world.artifacts.put("The brief lacks a vision.")
    at.kernel.send(
        run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    )
    at.kernel.drive(run)


def test_a_block_is_told_and_put_before_a_person() -> None:
    at, run, asked = blocked()
    assert at.kernel.status(run) is RunStatus.WAITING
    assert (asked.reason, asked.step, asked.needs_reason) == ("checkpoint", "CHECKPOINT-001", True)
    assert at.said()[-1].type == "consistency_alert"
    assert at.contents()[-1].split("\n")[1] == "Verdict: block (score: 0.00)"
    assert at.status("CHECKPOINT-001") is TaskStatus.IN_PROGRESS
    view = show_checkpoint(at.desk, at.session, "CHECKPOINT-001")
    assert view.is_blocked
    assert view.decision is None
    assert (at.said()[-2].data or {})["blocks_detected"] == 5


def test_a_yes_without_a_reason_does_not_count() -> None:
    at, run, asked = blocked()
    approve(at, run, asked, None)
    assert len(at.kernel.events(run, e.CommandRefused)) == 1
    assert at.status("CHECKPOINT-001") is TaskStatus.IN_PROGRESS


def test_an_override_is_written_down_with_who_and_why() -> None:
    at, run, asked = blocked()
    approve(at, run, asked, "Agreed with the customer.")
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED
    entry = at.wisdom("decisions.md")
    assert "- [CHECKPOINT-001 #1] override: by ada: Agreed with the customer." in entry
    told = at.contents()[-1].split("\n")
    assert told[0] == "[supervisor] CHECKPOINT-001 overridden."
    assert told[1:] == ["By: ada", "Reason: Agreed with the customer."]
    [settled] = at.kernel.events(run, k.BlockSettled)
    assert settled.decision is k.BlockDecision.OVERRIDE
    assert show_checkpoint(at.desk, at.session, "CHECKPOINT-001").decision == "override"
    assert at.kernel.status(run) is RunStatus.WAITING
    at.ask("CHECKPOINT-002", "DRAFT-003")
    at.kernel.drive(run)
    assert at.contents()[-1].startswith("[supervisor] CHECKPOINT-002 complete.")


def test_without_a_folder_an_override_is_in_the_ledger() -> None:
    at, run, asked = blocked(folder=None)
    approve(at, run, asked, "Fine.")
    assert "override: by ada: Fine." in at.wisdom("decisions.md")
    assert at.wisdom("issues.md").count("risk:") == 5


def test_a_no_has_upstream_work_revised_and_the_checkpoint_made_again() -> None:
    at, run, asked = blocked()
    reject(at, run, asked)
    assert at.status("CHECKPOINT-001") is TaskStatus.PENDING
    assert "not overridden: revise upstream" in at.contents()[-1]
    assert show_checkpoint(at.desk, at.session, "CHECKPOINT-001").decision == "revise"
    at.kernel.session_files.files[FOLDER]["spec/product-brief.md"] = GOOD.encode()
    at.ask("CHECKPOINT-001", "DRAFT-001")
    at.kernel.drive(run)
    assert "Verdict: pass (score: 1.00)" in at.contents()[-1]
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED
    assert at.kernel.events(run, k.ReportWritten)[-1].visit == 2


def replies_to(at: CheckpointScene, message: str) -> list[str]:
    data = (it.data or {} for it in at.said())
    return [str(it["content"]) for it in data if it.get("in_reply_to") == message]


def test_a_request_during_a_block_is_answered_at_once_and_made_when_asked_again() -> None:
    at, run, asked = blocked()
    requests = [at.ask("CHECKPOINT-003"), at.ask("CHECKPOINT-001"), at.ask("CHECKPOINT-003")]
    at.kernel.drive(run)
    assert at.kernel.status(run) is RunStatus.WAITING
    words = (
        "[supervisor] CHECKPOINT-003 postponed: CHECKPOINT-001 blocks, and a person decides about"
        " it. Ask again when the decision is told."
    )
    assert [replies_to(at, it) for it in requests] == [
        [words],
        [words.replace("CHECKPOINT-003", "CHECKPOINT-001")],
        [words],
    ]
    assert at.kernel.events(run, k.ErrorTold) == []
    assert len(at.kernel.events(run, e.ApprovalRequested)) == 1
    approve(at, run, asked, "Fine.")
    assert at.contents()[-1].startswith("[supervisor] CHECKPOINT-001 overridden.")
    at.ask("CHECKPOINT-003")
    at.kernel.drive(run)
    assert at.contents()[-1].startswith("[supervisor] CHECKPOINT-003 complete.")


def test_errors_during_a_block_are_told_one_by_one() -> None:
    at, run, asked = blocked()
    for words in ("Well?", "Well??", "Well???"):
        at.bus().log(Post(kind="message", summary=words, to="supervisor"))
    at.kernel.drive(run)
    assert [it.type for it in at.said()][-3:] == ["error", "error", "consistency_alert"]
    assert at.status("CHECKPOINT-001") is TaskStatus.IN_PROGRESS
    approve(at, run, asked, "Fine.")
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED


def test_a_wish_to_shut_down_is_granted_during_a_block() -> None:
    at, run, asked = blocked()
    bye = {"request_id": "r-1"}
    at.bus().log(Post(kind="shutdown_request", summary="Bye", data=bye, to="supervisor"))
    at.kernel.drive(run)
    assert at.kernel.status(run) is RunStatus.COMPLETED
    assert at.said()[-1].type == "shutdown_response"
    assert at.status("CHECKPOINT-001") is TaskStatus.PENDING
    [failed] = at.kernel.events(run, e.StepFailed)
    assert "shut down before a person had decided" in failed.reason
    again = at.start(resident(strict_spec(), recovery=True))
    at.ask("CHECKPOINT-001", "DRAFT-001")
    at.kernel.drive(again)
    assert len(at.kernel.events(again, e.ApprovalRequested)) == 1
    assert asked.step == "CHECKPOINT-001"


def test_a_decision_that_comes_together_with_the_end_still_counts() -> None:
    at, run, asked = blocked()
    bye = {"request_id": "r-1"}
    at.bus().log(Post(kind="shutdown_request", summary="Bye", data=bye, to="supervisor"))
    note = at.kernel.world.artifacts.put("Fine.")
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    at.kernel.send(run, "yes", yes)
    at.kernel.drive(run)
    assert [it.type for it in at.said()][-2:] == ["supervision_report", "shutdown_response"]
    assert at.status("CHECKPOINT-001") is TaskStatus.COMPLETED
    assert at.kernel.status(run) is RunStatus.COMPLETED


def test_a_supervisor_that_is_stopped_at_a_block_leaves_it_to_the_next_one() -> None:
    at, run, _ = blocked()
    at.kernel.send(run, "stop", Cancel(reason=None))
    at.kernel.drive(run)
    assert at.kernel.status(run) is RunStatus.CANCELLED
    again = at.start(resident(strict_spec(), recovery=True))
    assert at.status("CHECKPOINT-001") is TaskStatus.PENDING
    assert at.contents()[-1] == (
        "[supervisor] Recovered. Rebuilt context from 1 previous checkpoint reports."
    )
    assert at.kernel.status(again) is RunStatus.WAITING
