"""As many messages a second as a session takes: none lost, none doubled, each sender's in order.

Several real servers of `supervisor mcp`, each with a coordinator on its pipes that sends without
waiting for answers; workers are held to 120 calls a minute and could not.
"""

import json
import os
import re
import subprocess
import time
from itertools import pairwise
from threading import Thread
from typing import Final

import pytest
from tests.e2e.command import SUPERVISOR, User, furnish
from tests.faults.figures import Figures, figures
from tests.faults.scene import MakeUser, check_ledger, rows
from tests.support.processes import PATIENCE, Owned

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
SENDERS: Final = 4
SECONDS: Final = float(os.environ.get("FAULTS_MESSAGE_SECONDS", "15"))
WINDOW: Final = 8
"""So many calls of a sender are under way at once; a server takes no more."""
MEMBER: Final = ("mcp", "--session", "S1", "--role", "coordinator")
HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


class Sender:
    """A coordinator that talks to a server of its own."""

    def __init__(self, user: User, name: str) -> None:
        self.name = name
        self.sent = 0
        self.accepted: list[int] = []
        self.refused: list[str] = []
        self._server = Owned(
            [SUPERVISOR, *MEMBER],
            cwd=user.repository,
            env=user.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._say({"id": "hello", "method": "initialize", "params": HELLO})
        self._hear()
        self._say({"method": "notifications/initialized"})

    def talk(self, deadline: float) -> None:
        """Send until the time is over, then hear the rest of the answers."""
        while time.monotonic() < deadline:
            if self.sent - len(self.accepted) - len(self.refused) < WINDOW:
                self._send()
            else:
                self._take(self._hear())
        while self.sent > len(self.accepted) + len(self.refused):
            self._take(self._hear())

    def end(self) -> None:
        """Let the server end."""
        self._server.communicate(timeout=PATIENCE)

    def _send(self) -> None:
        self.sent += 1
        words = {
            "operation": "log",
            "to": "all",
            "type": "note",
            "summary": f"{self.name} {self.sent}",
        }
        params = {"name": "team_msg", "arguments": words}
        self._say({"id": self.sent, "method": "tools/call", "params": params})

    def _take(self, answer: dict[str, object]) -> None:
        result = answer.get("result")
        if isinstance(result, dict) and not result.get("isError"):
            self.accepted.append(int(str(answer["id"])))
        else:
            self.refused.append(json.dumps(answer)[:300])

    def _say(self, message: dict[str, object]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._server.stdin.flush()

    def _hear(self) -> dict[str, object]:
        assert self._server.stdout is not None
        found: dict[str, object] = json.loads(self._server.stdout.readline())
        return found


def test_messages_at_a_high_rate_are_all_there_once_and_in_order(make: MakeUser) -> None:
    with figures("messages", f"{SENDERS} senders, {SECONDS:.0f} s") as count:
        user = make("session")
        furnish(user)
        made = ("session", "new", "S1", "--pipeline", "spec-only", "--requirement", "A shop.")
        assert user.call(*made).code == 0
        senders = [Sender(user, f"sender-{at}") for at in range(SENDERS)]
        began = time.monotonic()
        threads = [Thread(target=it.talk, args=[began + SECONDS]) for it in senders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - began
        for it in senders:
            it.end()
        accepted = sum(len(it.accepted) for it in senders)
        count["messages"], count["a second"] = accepted, round(accepted / seconds)
        count["refused"] = sum(len(it.refused) for it in senders)
        compare(user, senders, count)
        check_ledger(user, count)


def compare(user: User, senders: list[Sender], count: Figures) -> None:
    """Hold what is in the session against what its senders were told."""
    listed = spoken(user)
    for sender in senders:
        own = [number for name, number in listed if name == sender.name]
        for number in set(sender.accepted) - set(own):
            count.broke("lost", f"{sender.name} {number}")
        if len(own) != len(set(own)):
            count.broke("doubled", f"{sender.name}: {len(own)} of {len(set(own))}")
        count["out of order"] += sum(one > other for one, other in pairwise(own))
        if sender.refused:
            count.broke("stuck", sender.refused[0])


def spoken(user: User) -> list[tuple[str, int]]:
    """Return who said which of its messages, in the order of the session."""
    found = []
    for (body,) in rows(
        user, "SELECT payload FROM events WHERE type = 'MessageLogged' ORDER BY seq"
    ):
        text = (user.repository / ".supervisor/artifacts" / place(body)).read_text()
        said = re.search(r"(sender-\d+) (\d+)", text)
        if said is not None:
            found.append((said[1], int(said[2])))
    return found


def place(payload: str) -> str:
    body: str = json.loads(payload)["body"]
    return f"{body[:2]}/{body[2:]}"
