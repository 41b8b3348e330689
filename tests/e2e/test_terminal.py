"""A person at a terminal: previews, questions, the live board."""

import re

from tests.e2e.command import User
from tests.e2e.terminal import Terminal

from supervisor_ai.domain.structs import replace


def test_a_run_is_shown_before_it_is_started(user: User) -> None:
    terminal = Terminal(user, "run", "Do it", "--workflow", "quick")
    terminal.wait_for("Proceed? [Y/n]")
    assert "python3 tools/agent.py" in terminal.seen
    terminal.type("n\n")
    assert terminal.wait() == 1
    assert "Nothing was started." in terminal.seen
    assert user.call("status", "--json").json == {"runs": []}


def test_the_board_shows_the_steps(user: User) -> None:
    terminal = Terminal(user, "run", "Do it", "--workflow", "quick")
    terminal.wait_for("Proceed? [Y/n]")
    terminal.type("\n")
    assert terminal.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.seen)
    assert re.search(r"✓ +implement +1 visit +1 attempt +SUCCESS", plain)
    assert "\x1b[32m" in terminal.seen


def test_no_colour_is_no_colour(user: User) -> None:
    terminal = Terminal(user, "run", "Do it", "--workflow", "quick", "--yes", NO_COLOR="1")
    assert terminal.wait() == 0
    assert "\x1b[32m" not in terminal.seen
    assert "completed" in terminal.seen


def test_trust_is_asked_for_and_kept(user: User) -> None:
    refused = Terminal(user, "trust", SUPERVISOR_TRUST="")
    refused.wait_for("Do you trust these settings? [y/N]")
    refused.type("\n")
    assert refused.wait() == 7
    agreed = Terminal(user, "trust", SUPERVISOR_TRUST="")
    agreed.wait_for("Do you trust these settings? [y/N]")
    agreed.type("y\n")
    assert agreed.wait() == 0
    assert user.run("--workflow", "quick", SUPERVISOR_TRUST="").code == 0


def test_a_run_asks_for_the_trust_that_it_lacks(user: User) -> None:
    refused = Terminal(user, "run", "Do it", "--workflow", "quick", "--yes", SUPERVISOR_TRUST="")
    refused.wait_for("Do you trust these settings? [y/N]")
    assert "gates.test.command" in refused.seen
    refused.type("\n")
    assert refused.wait() == 7
    assert "Proceed?" not in refused.seen
    for option in ("--dry-run", "--json"):
        silent = Terminal(user, "run", "Do it", option, SUPERVISOR_TRUST="")
        assert (silent.wait(), "Do you trust" in silent.seen) == (7, False)
    agreed = Terminal(user, "run", "Do it", "--workflow", "quick", SUPERVISOR_TRUST="")
    agreed.wait_for("Do you trust these settings? [y/N]")
    agreed.type("y\n")
    agreed.wait_for("Proceed? [Y/n]")
    agreed.type("n\n")
    assert agreed.wait() == 1
    assert user.call("trust", "--json", SUPERVISOR_TRUST="").json["applied"] is False


def test_a_ledger_and_what_its_runs_pinned_are_asked_for_one_after_the_other(user: User) -> None:
    run = user.run("--workflow", "careful").run["id"]
    moved = replace(user, repository=user.repository.rename(user.home / "moved"))
    agreed = Terminal(moved, "trust", SUPERVISOR_TRUST="")
    agreed.wait_for("Do you trust this ledger and these settings? [y/N]")
    assert "was moved or copied" in agreed.seen
    agreed.type("y\n")
    agreed.wait_for("Do you trust these runs? [y/N]")
    assert f"Run {run} was started with:" in agreed.seen
    agreed.type("y\n")
    assert agreed.wait() == 0
    assert moved.call("approve", run, "--drive", SUPERVISOR_TRUST="").code == 0
