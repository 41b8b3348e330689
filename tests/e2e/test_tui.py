"""A person at a real terminal, in the terminal UI."""

import re

import pytest
from tests.e2e.command import User
from tests.e2e.imports import imported
from tests.e2e.terminal import Terminal


def asked(user: User) -> str:
    """Return a run that waits for a person, and that nobody drives."""
    user.script(implement=["write done.txt"])
    run: str = user.run("--workflow", "careful").run["id"]
    return run


def test_a_question_is_answered_on_the_screen(user: User) -> None:
    run = asked(user)
    terminal = Terminal(user, "tui")
    terminal.wait_for("needs you")
    terminal.type("a")
    terminal.wait_for("Approval Required")
    terminal.wait_for("done.txt")
    terminal.type("d")
    terminal.wait_for("1/1")
    terminal.type("\x1b")
    terminal.wait_for("Review Summary", after=terminal.seen.rindex("1/1"))
    terminal.type("a")
    terminal.wait_for("A note for the next worker")
    terminal.type("\r")
    terminal.wait_for("completed")
    terminal.type("q")
    assert terminal.wait() == 0
    assert user.call("status", run, "--json").run["status"] == "completed"
    given = [it for it in user.events(run) if it["type"] == "ApprovalGiven"]
    assert [it["actor"]["via"] for it in given] == ["tui"]


def test_a_new_run_is_watched_while_it_is_driven(user: User) -> None:
    user.script(implement=["write done.txt"])
    terminal = Terminal(user, "run", "Do it", "--workflow", "quick", "--yes", "--tui")
    terminal.wait_for("implement")
    terminal.wait_for("completed")
    terminal.type("q")
    assert terminal.wait() == 0
    assert "on top of main" in terminal.seen
    newest = user.newest()
    assert newest is not None
    assert newest["status"] == "completed"


def test_who_leaves_early_is_told_how_to_go_on(user: User) -> None:
    user.script(implement=["hang"])
    terminal = Terminal(user, "run", "Do it", "--workflow", "quick", "--yes", "--tui")
    terminal.wait_for("● running")
    terminal.type("5")
    terminal.wait_for("thinking")
    terminal.type("q")
    assert terminal.wait() == 130
    newest = user.newest()
    assert newest is not None
    assert f"Go on with: supervisor resume {newest['id']}" in terminal.seen.replace("\r\n", " ")
    assert newest["status"] == "running"
    assert newest["interrupted"]


@pytest.mark.parametrize("other", ["--json", "--queue"])
def test_a_screen_and_no_screen_are_not_wanted_together(user: User, other: str) -> None:
    said = user.call("run", "Do it", "--tui", other)
    assert said.code == 2
    assert "wants none" in said.out + said.err


def test_the_board_can_be_printed(user: User) -> None:
    assert user.call("tui", "--json").json == {"board": [], "total": 0}
    run = asked(user)
    [line] = user.call("tui", "--json").json["board"]
    assert (line["id"], line["word"], line["at"]) == (run, "waiting", "approve")
    assert line["waits"] == "the workflow asks a person here"


def colours(terminal: Terminal) -> set[int]:
    """Return the numbers of all colours that were asked for, grey ones included."""
    asked = re.findall(r"\x1b\[([0-9;]*)m", terminal.seen)
    numbers = {int(it) for words in asked for it in words.split(";") if it}
    return numbers & {*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)}


def test_no_colour_is_no_colour(user: User) -> None:
    asked(user)
    plain, old, usual = (
        Terminal(user, "tui", NO_COLOR="1"),
        Terminal(user, "tui", term="vt100"),
        Terminal(user, "tui"),
    )
    for terminal in (plain, old, usual):
        terminal.wait_for("needs you")
        terminal.type("q")
        assert terminal.wait() == 0
    assert not colours(plain)
    assert not colours(old)
    assert colours(usual)
    assert re.search(r"\x1b\[1[;m]", plain.seen), "bold is no colour"


def test_a_terminal_that_cannot_be_drawn_on_is_told_so(user: User) -> None:
    terminal = Terminal(user, "tui", term="dumb")
    terminal.wait_for("TERM is 'dumb'")
    assert terminal.wait() == 2
    assert "\x1b[" not in terminal.seen


def test_a_terminal_that_goes_away_leaves_everything_in_good_order(user: User) -> None:
    user.script(implement=["hang"])
    terminal = Terminal(user, "run", "Do it", "--workflow", "quick", "--yes", "--tui")
    terminal.wait_for("● running")
    terminal.type("5")
    terminal.wait_for("thinking")
    terminal.hang_up()
    newest = user.newest()
    assert newest is not None
    assert newest["interrupted"]
    assert "AttemptLost" not in user.types(newest["id"]), "nobody has to find out what happened"


def test_it_wants_a_terminal(user: User) -> None:
    said = user.call("tui")
    assert said.code == 2
    assert "needs a terminal" in said.err


@pytest.mark.parametrize("arguments", [["--help"], ["status"], ["tui", "--help"]])
def test_nothing_else_imports_it(user: User, arguments: list[str]) -> None:
    assert "textual" not in imported(user, *arguments)


POLICY = """\
approval_gates:
  high_risk:
    conditions: [file_count > 0]
    action: require_approval
"""


def test_a_risky_change_is_commented_on_and_sent_back(user: User) -> None:
    user.commit({".supervisor/approval_policy.yaml": POLICY})
    run = user.run("--workflow", "quick").run["id"]
    assert user.call("approvals", "--json").json["approvals"][0]["level"] == "high_risk"
    terminal = Terminal(user, "tui", run)
    terminal.wait_for("needs you")
    terminal.type("a")
    terminal.wait_for("file count > 0")
    terminal.type("c")
    terminal.wait_for("Comment on a line")
    terminal.type("done.txt:1 Where is the check?\r")
    terminal.wait_for("Commented on done.txt:1.")
    terminal.wait_for("Where is the check?", after=terminal.seen.rindex("Commented on"))
    terminal.type("r")
    terminal.wait_for("Reject")
    terminal.type("Check the password\r")
    terminal.wait_for("is rejected")
    terminal.type("q")
    terminal.wait()
    types = user.types(run)
    assert "CommentMade" in types
    assert "ApprovalRefused" in types


def test_a_run_that_nobody_drives_goes_on_and_is_cancelled(user: User) -> None:
    user.script(implement=["hang"])
    first = Terminal(user, "run", "Do it", "--workflow", "quick", "--yes", "--tui")
    first.wait_for("● running")
    first.type("5")
    first.wait_for("thinking")
    first.type("q")
    assert first.wait() == 130
    terminal = Terminal(user, "tui")
    terminal.wait_for("interrupted")
    terminal.type("g")
    terminal.wait_for("goes on here")
    terminal.wait_for("● ", after=terminal.seen.rindex("goes on here"))
    terminal.type("x")
    terminal.wait_for("Cancel run")
    terminal.type("Not needed\r")
    terminal.wait_for("is cancelled.")
    terminal.type("q")
    assert terminal.wait() == 0
    newest = user.newest()
    assert newest is not None
    assert newest["status"] == "cancelled"
