"""Edit, merge and complete-task on a real terminal."""

from pathlib import Path

from tests.e2e.command import User, until
from tests.e2e.terminal import Terminal

POLICY = """\
approval_gates:
  high_risk:
    conditions: [file_count > 0]
    action: require_approval
"""


def test_a_completed_run_is_merged_with_the_options_of_the_verb(user: User) -> None:
    user.script(implement=["well"])
    user.run("--workflow", "quick")
    before = user.git("rev-parse", "main")
    terminal = Terminal(user, "tui")
    terminal.wait_for("Do it")
    terminal.type("m")
    terminal.wait_for("Would take")
    assert user.git("rev-parse", "main") == before, "a preview touches nothing"
    terminal.type("--squash\r")
    terminal.wait_for("as one commit")
    assert user.git("rev-parse", "main") == before
    terminal.type("\r")
    until(lambda: user.git("rev-parse", "main") != before, "the merge")
    terminal.type("m")
    terminal.wait_for("everything")
    terminal.type("q")
    assert terminal.wait() == 0
    assert user.git("rev-list", "--count", f"{before}..main") == "1"
    assert (user.repository / "done.txt").exists()


def test_a_merge_that_is_refused_says_why(user: User) -> None:
    user.script(implement=["well"])
    user.run("--workflow", "quick")
    user.write({"README.md": "My own words, which no commit holds.\n"})
    before = user.git("rev-parse", "main")
    terminal = Terminal(user, "tui")
    terminal.wait_for("Do it")
    terminal.type("m")
    terminal.wait_for("README.md")
    terminal.type("q")
    assert terminal.wait() == 0
    assert user.git("rev-parse", "main") == before


def test_a_task_is_completed_from_its_question(user: User) -> None:
    user.script(implement=["well"])
    said = user.call("start-task", "Add it", "--workflow", "quick", "--yes", "--json")
    run = said.run["id"]
    before = user.git("rev-parse", "main")
    terminal = Terminal(user, "tui")
    terminal.wait_for("needs you")
    terminal.type("a")
    terminal.wait_for("Review Summary")
    terminal.type("a")
    terminal.wait_for("Merge target: main")
    terminal.type("\r")
    until(lambda: user.git("rev-parse", "main") != before, "the merge")
    terminal.type("q")
    assert terminal.wait() == 0
    assert user.call("status", run, "--json").run["status"] == "completed"
    assert user.git("rev-list", "--count", f"{before}..main") == "1"
    [given] = [it for it in user.events(run) if it["type"] == "ApprovalGiven"]
    assert given["actor"]["via"] == "tui"


def test_a_change_is_edited_and_asked_about_again(user: User, tmp_path: Path) -> None:
    user.script(implement=["well"])
    user.commit({".supervisor/approval_policy.yaml": POLICY})
    run = user.run("--workflow", "quick").run["id"]
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\nprintf "I am the editor of %s\\n" "$1"\necho mine >> "$1"\n')
    editor.chmod(0o755)
    terminal = Terminal(user, "tui", run, EDITOR=f"'{editor}'")
    terminal.wait_for("needs you")
    terminal.type("a")
    terminal.wait_for("done.txt")
    terminal.type("e")
    terminal.wait_for("I am the editor of")
    until(lambda: user.types(run).count("ApprovalRequested") == 2, "the next question")
    terminal.type("q")
    terminal.wait()
    [edited] = [it for it in user.events(run) if it["type"] == "ChangeEdited"]
    assert edited["actor"]["via"] == "tui"
    assert "+mine" in user.call("diff", run).out
    assert (
        user.call("approvals", "--json").json["approvals"][0]["tree"] == edited["payload"]["tree"]
    )


def test_an_editor_that_fails_leaves_the_change_alone(user: User) -> None:
    user.script(implement=["well"])
    run = user.run("--workflow", "careful").run["id"]
    terminal = Terminal(user, "tui", run, EDITOR="false")
    terminal.wait_for("needs you")
    terminal.type("d")
    terminal.wait_for("1/1")
    terminal.type("e")
    terminal.wait_for("nothing was")
    terminal.type("q")
    assert terminal.wait() == 0
    assert "ChangeEdited" not in user.types(run)
