"""A person at a terminal: previews, questions, the live board."""

import os
import pty
import re
import select
import subprocess
import time
from dataclasses import replace

from tests.e2e.command import SUPERVISOR, User
from tests.support.processes import PATIENCE


class Terminal:
    """A terminal with the command in it."""

    def __init__(self, user: User, *arguments: str, **environment: str) -> None:
        self.seen = ""
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [SUPERVISOR, *arguments],
            cwd=user.repository,
            env={**user.environment, "TERM": "xterm", "COLUMNS": "100", **environment},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, words: str) -> None:
        """Read until the words are on the screen."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen:
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"{words!r} never came: {self.seen}")

    def wait(self) -> int:
        """Read until the command ends; return its exit code."""
        while self._read():
            pass
        os.close(self._master)
        return self._process.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        try:
            piece = os.read(self._master, 65536) if ready else b""
        except OSError:
            piece = b""
        self.seen += piece.decode(errors="replace")
        return bool(piece)


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
