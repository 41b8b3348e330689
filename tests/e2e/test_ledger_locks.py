"""Every verb that stays keeps SQLite's lock on the ledger, whoever else opens the file meanwhile.

SQLite deletes the journal when the last process that holds a lock on the file closes it. POSIX
locks of a process go with any close of the file: a second descriptor would lose them.
"""

import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct
from tests.e2e.command import User, until
from tests.e2e.feature_shop import PLAN
from tests.e2e.kanban_project import FILE, kanban_files
from tests.e2e.terminal import Terminal

HANGING: Final = """\
cli: my_agent
clis:
  my_agent: {adapter: command, command: [sleep, "600"]}
gates:
  test: {command: ["true"]}
kanban: {manager: builtin}
limits: {step_max_retries: 0}
"""


def ledger(user: User) -> Path:
    return user.repository / ".supervisor/state.db"


def recorded(user: User) -> list[str]:
    """Return the types of all events, as a program sees them that opens and closes the file."""
    return [kind for kind, _ in events(user)]


def events(user: User) -> list[tuple[str, str]]:
    if not ledger(user).exists():
        return []
    with closing(sqlite3.connect(ledger(user))) as sql:
        try:
            return sql.execute("SELECT type, stream FROM events ORDER BY seq").fetchall()
        except sqlite3.OperationalError:  # it is being made
            return []


def opened(pid: int, name: str) -> list[str]:
    """Return which files with such a name in their path a process has open."""
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found.append(str(link.readlink()))
    return [it for it in found if name in it]


def is_locked(user: User, pid: int) -> bool:
    mine = f" {pid} "
    lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    inode = f":{ledger(user).stat().st_ino} "
    return any(mine in it and inode in it and "POSIX" in it and "READ" in it for it in lines)


class Staying(Struct, frozen=True):
    """A verb that stays, what it needs before, and the last fact of its beginning."""

    words: tuple[str, ...]
    fact: str | None = None
    before: Callable[[User], object] = lambda user: None

    @property
    def is_cancelled(self) -> bool:
        """Tell whether it hears of a cancellation at once, and writes that it has ended."""
        return self.fact == "AttemptStarted"


def with_feature(user: User) -> None:
    user.write({"plan.yaml": PLAN})
    assert user.call("feature", "load", "plan.yaml").code == 0


def with_session(user: User) -> None:
    made = user.call(
        "session", "new", "S1", "--pipeline", "spec-only", "--requirement", "A small shop."
    )
    assert made.code == 0, made.err


VERBS: Final = {
    "run": Staying(("run", "Do it", "--workflow", "quick", "--yes"), "AttemptStarted"),
    "serve": Staying(("serve",)),
    "loop": Staying(("loop", "run", "Build it", "--yes"), "AttemptStarted"),
    "feature": Staying(("feature", "run", "P1", "--yes"), "AttemptStarted", with_feature),
    "kanban": Staying(
        ("kanban", "run", FILE, "--yes"),
        "AttemptStarted",
        lambda user: user.commit(kanban_files({"explore": "Implementer"})),
    ),
    "team": Staying(
        ("team", "serve", "auth", "--yes"),
        "RunWaiting",
        lambda user: user.call("team", "create", "auth"),
    ),
    "checkpoint": Staying(
        ("checkpoint", "serve", "S1", "--no-judge", "--yes"), "RunWaiting", with_session
    ),
    "mcp": Staying(("mcp", "--session", "S1", "--http"), None, with_session),
    "tui": Staying(("tui",), None, with_session),
}


@contextmanager
def staying(user: User, verb: str) -> Iterator[int]:
    """Start the verb and yield its process number once its beginning is recorded."""
    asked = VERBS[verb]
    if verb == "tui":
        terminal = Terminal(user, *asked.words)
        terminal.wait_for("supervisor")
        until(lambda: is_locked(user, terminal.process.pid), "the lock")
        yield terminal.process.pid
        terminal.type("q")
        assert terminal.wait() == 0
        return
    with user.start(*asked.words) as process:
        until(lambda: opened(process.pid, "state.db-wal") != [], "The ledger")
        if asked.fact is not None:
            until(lambda: asked.fact in recorded(user), str(asked.fact))
        yield process.pid
        if not asked.is_cancelled:
            process.send_signal(signal.SIGINT)
        process.communicate()


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_stays_keeps_the_lock_and_the_journal(user: User, verb: str) -> None:
    user.commit({".supervisor/config.yaml": HANGING})
    VERBS[verb].before(user)
    with staying(user, verb) as pid:
        assert is_locked(user, pid)
        seen = len(recorded(user))
        assert is_locked(user, pid)
        assert [it for it in opened(pid, "state.db") if "deleted" in it] == []
        assert ledger(user).with_name("state.db-wal").exists()
        if VERBS[verb].is_cancelled:
            run = next(stream for kind, stream in events(user) if kind == "RunSubmitted")
            assert user.call("cancel", run.removeprefix("run:")).code == 0
    # Only the verb itself writes that its run has ended.
    assert not VERBS[verb].is_cancelled or "RunCancelled" in recorded(user)[seen:]
    assert user.call("ledger", "verify").code == 0
