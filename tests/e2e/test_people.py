"""People who approve, reject, cancel and interrupt, from other processes than the run's."""

import re
import signal
from pathlib import Path

import pytest
from tests.e2e.command import HUMAN, Json, User, until
from tests.e2e.terminal import Terminal
from tests.support.processes import PATIENCE

from supervisor_ai.tools.file_lock import held, open_lock_file


def waiting(user: User) -> Json:
    """Bring a run to its human gate."""
    said = user.run("--workflow", "careful")
    assert said.code == 5, said.out + said.err
    run = said.run
    assert (run["status"], run["active_steps"]) == ("waiting", ["approve"])
    return run


def test_a_run_waits_for_a_person_over_restarts(user: User) -> None:
    run = waiting(user)
    assert user.call("resume", run["id"], "--json").code == 5
    said = user.call("approve", run["id"], "--json")
    assert said.code == 0
    assert said.json["target"] == run["id"]
    assert (said.json["applied"], said.json["dry_run"]) == (True, False)
    assert "No process drives the run now. Go on with: " in said.err
    assert user.call("status", run["id"], "--json").run["status"] == "waiting"
    assert user.call("approve", run["id"], "--json").json["applied"] is False
    ended = user.call("resume", run["id"], "--json")
    assert (ended.code, ended.run["status"]) == (0, "completed")
    [given] = [it for it in user.events(run["id"]) if it["type"] == "ApprovalGiven"]
    assert (given["actor"]["kind"], given["actor"]["via"]) == ("user", "cli")
    tree = user.git("rev-parse", f"{ended.run['commit']}^{{tree}}")
    assert given["payload"]["tree"] == tree


def test_a_rejection_goes_back_with_its_reason(user: User) -> None:
    user.script(implement=["well", "echo"])
    run = waiting(user)
    said = user.call("reject", run["id"], "--reason", "Mind the gap.", "--drive", "--json")
    assert (said.code, said.run["status"]) == (5, "waiting")
    logs = user.call("logs", run["id"], "--step", "implement", "--visit", "2", "--json")
    assert "Mind the gap." in logs.json["logs"][0]["came_back"]
    said = user.call("approve", run["id"], "--drive", "--json")
    assert (said.code, said.run["status"]) == (0, "completed")


def test_an_answer_is_bound_to_the_tree(user: User) -> None:
    run = waiting(user)
    tree = user.events(run["id"])[-2]["payload"]["tree"]
    said = user.call("approve", run["id"], "--tree", "0" * 40, "--json")
    assert said.code == 4
    assert said.error["message"] == (
        f"Step 'approve' asks about tree '{tree}', not about '{'0' * 40}'."
    )
    assert user.call("approve", run["id"], "--tree", tree).code == 0
    said = user.call("reject", run["id"], "--reason", "Too late.", "--json")
    assert (said.code, said.error["kind"]) == (4, "conflict")
    assert said.error["message"].startswith("Step 'approve' was approved by ")


def test_nothing_can_be_approved_that_nobody_asks(user: User) -> None:
    run = user.run("--workflow", "quick").run
    said = user.call("approve", run["id"], "--json")
    assert said.code == 4
    assert said.error["message"] == (
        f"Run '{run['id']}' does not wait for an approval: it is completed."
    )
    assert user.call("reject", run["id"]).code == 2
    assert user.call("approve", "r0000", "--json").code == 3


def test_a_dry_run_of_an_answer_sends_nothing(user: User) -> None:
    run = waiting(user)
    said = user.call("approve", run["id"], "--dry-run", "--json")
    assert (said.json["applied"], said.json["dry_run"]) == (False, True)
    assert user.call("resume", run["id"], "--json").code == 5


def test_whoever_waits_for_a_run_takes_the_answer_in(user: User) -> None:
    with user.start("run", "Do it", "--workflow", "careful", "--wait", "--json") as process:
        until(lambda: (user.newest() or {}).get("status") == "waiting", "the wait")
        run = user.newest()
        assert run is not None
        busy = user.call("resume", run["id"], "--json")
        said = user.call("approve", run["id"], "--json")
        out, _ = process.communicate(timeout=PATIENCE)
    assert said.json["applied"] is True
    assert process.returncode == 0, out
    assert busy.code in {4, 5}


def test_a_run_that_nobody_drives_is_cancelled_at_once(user: User) -> None:
    run = waiting(user)
    said = user.call("cancel", run["id"], "--reason", "A mistake.", "--json")
    assert said.code == 0
    assert said.run["status"] == "cancelled"
    assert said.run["outcome"] == {"kind": "cancelled", "reason": "The run was cancelled."}
    again = user.call("cancel", run["id"], "--json")
    assert (again.code, again.run["status"]) == (0, "cancelled")
    assert user.call("resume", run["id"], "--json").code == 1


def test_an_ended_run_cannot_be_cancelled(user: User) -> None:
    run = user.run("--workflow", "quick").run
    said = user.call("cancel", run["id"], "--json")
    assert said.code == 4
    assert said.error["message"] == (
        f"Run '{run['id']}' cannot be cancelled: it is completed already."
    )


def test_the_owner_of_a_run_stops_it_when_asked(user: User) -> None:
    user.script(implement=["hang"])
    with user.start("run", "Do it", "--workflow", "quick", "--json") as process:
        run = begun(user)
        busy = user.call("resume", run, "--json")
        said = user.call("cancel", run, "--json")
        process.communicate(timeout=PATIENCE)
    assert busy.code == 4
    assert busy.error["kind"] == "busy"
    assert f"process {process.pid}" in busy.error["message"]
    assert (said.code, said.run["status"]) == (0, "cancelled")
    assert process.returncode == 1
    assert "AttemptCancelled" in user.types(run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_can_be_resumed(user: User, number: signal.Signals) -> None:
    user.script(implement=["hang"])
    with user.start("run", "Do it", "--workflow", "quick") as process:
        run = begun(user)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert f"resume {run}" in err
    assert "Traceback" not in err
    cancelled = user.call("cancel", run, "--json")
    assert cancelled.run["status"] == "cancelled"
    assert "AttemptLost" in user.types(run)


def begun(user: User) -> str:
    """Wait until the agent is at work; return the run."""

    def is_at_work() -> bool:
        run = user.newest()
        return run is not None and "PromptSent" in user.types(run["id"])

    until(is_at_work, "the agent's work")
    run = user.newest()
    assert run is not None
    return str(run["id"])


def test_on_a_terminal_an_answer_goes_on_with_a_run_that_nobody_drives(user: User) -> None:
    signed = HUMAN.replace("name: careful", "name: signed").replace(
        "    on_reject: implement\n", ""
    )
    user.commit({".supervisor/workflows/signed.yaml": signed})
    run = user.run("--workflow", "signed").run["id"]

    left = Terminal(user, "reject", run, "--reason", "Mind the gap.", "--no-drive")
    assert left.wait() == 0
    assert "No process drives the run now. Go on with:" in left.seen
    assert user.call("resume", run, "--json").run["status"] == "waiting"

    terminal = Terminal(user, "approve", run[:5])
    assert terminal.wait() == 0
    assert "No process drives the run, so it goes on here" in terminal.seen
    assert "completed" in terminal.seen
    assert user.types(run).count("ApprovalRefused") == 1
    assert "Mind the gap." in user.call("logs", run, "--step", "implement", "--visit", "2").out


def test_nothing_says_that_no_process_drives_a_run_while_a_serve_lives(user: User) -> None:
    run = waiting(user)["id"]
    lock = user.repository / ".supervisor/locks/serve"
    with user.start("serve") as process:
        until(lambda: is_held(lock), "serve")
        # A stopped process still lives, and takes nothing away before it was looked at.
        process.send_signal(signal.SIGSTOP)
        said = [
            user.call("approve", run),
            user.call("status", run),
            user.call("run", "Say hello", "--workflow", "quick", "--queue", "--yes"),
        ]
        words = "\n".join(it.out + it.err for it in said)
        assert "A running `supervisor serve` goes on with the run." in said[0].err
        assert words.count("a running `supervisor serve` goes on with it") == 2
        assert not re.search("nobody|No process|supervisor resume", words, re.IGNORECASE)
        assert "took" not in said[2].out + said[2].err
        process.send_signal(signal.SIGCONT)
        until(lambda: user.call("status", run, "--json").run["status"] == "completed", "the run")
        process.send_signal(signal.SIGINT)
    verified = user.call("ledger", "verify")
    assert verified.code == 0, verified.out + verified.err
    assert not is_held(lock)
    assert (
        "supervisor serve" in user.call("run", "x", "--workflow", "quick", "--queue", "--yes").out
    )


def is_held(lock: Path) -> bool:
    if not lock.exists():
        return False
    with held(open_lock_file(lock), patience=0) as is_free:
        return not is_free
