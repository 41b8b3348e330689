"""A judge or a member that tries to write, to decide and to get out: nothing of it works.

Each attempt is made once more outside of the sandbox, where it has to work: one that could never
work proves nothing.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.checkpoint_session import FIRST, FOLDER, SESSION, furnish_judged, open_drafted
from tests.e2e.command import SUPERVISOR, User
from tests.integration.sandboxes.containers.engines import podman_storage

AGENT: Final = Path(__file__).with_name("hostile_agent.py")
TRIED: Final = ("workspace", "artifact", "ledger", "override", "approve", "door", "host")
CAME: Final = re.compile(r"(\w+)=(yes|no)")
WORKFLOW: Final = """\
steps:
  implement: {role: implementer, next: commit}
  commit: {type: commit}
"""


@pytest.fixture
def target(user: User) -> Iterator[User]:
    """Give the test a session, an agent that attacks it, and what there is to reach."""
    furnish_judged(user)
    with (
        tempfile.TemporaryDirectory(prefix="supervisor-door-") as room,
        socket.socket(socket.AF_UNIX) as door,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        place = Path(room, "s")
        door.bind(str(place))
        place.chmod(0o666)
        Path(room).chmod(0o755)
        door.listen()
        aims = {
            "project": str(user.repository),
            "folder": str(FOLDER / "spec"),
            "command": str(SUPERVISOR),
            "environment": user.environment,
            "door": str(place),
            "server": f"http://127.0.0.1:{server.getsockname()[1]}",
        }
        user.commit(
            {
                "tools/judge.py": AGENT.read_text(),
                "tools/aims.json": json.dumps(aims),
                ".supervisor/workflows/plain.yaml": WORKFLOW,
            }
        )
        open_drafted(user)
        yield user


def came_of(text: str) -> dict[str, str]:
    return dict(CAME.findall(text))


def judged(user: User, *options: str) -> dict[str, str]:
    """Let the agent judge a checkpoint; return what came of its attempts, by its own word."""
    assert user.call("checkpoint", "serve", SESSION, "--queue", "--yes", *options).code == 0
    assert user.call("checkpoint", "request", SESSION, *FIRST).code == 5
    served = user.call("serve", "--once")
    assert served.code == 0, served.err
    shown = user.call("checkpoint", "show", SESSION, "CHECKPOINT-001", "--json").json["checkpoint"]
    return came_of(shown["text"])


def test_a_judge_can_write_and_decide_and_reach_nothing(target: User) -> None:
    before = target.git("status", "--porcelain")
    assert judged(target) == dict.fromkeys(TRIED, "no")
    assert not (target.repository / FOLDER / "spec/planted.md").exists()
    assert target.git("status", "--porcelain") == before


@pytest.mark.long
def test_a_judge_in_a_container_can_do_no_more(target: User) -> None:
    with podman_storage():
        assert judged(target, "--sandbox", "podman") == dict.fromkeys(TRIED, "no")


def test_a_worker_that_may_write_can_do_no_more_than_that(target: User) -> None:
    said = target.run("--workflow", "plain")
    assert said.code == 0, said.out + said.err
    answers = target.call("logs", said.run["id"], "--step", "implement", "--json").json["logs"]
    came = came_of(json.dumps(answers[0]))
    assert came == {**dict.fromkeys(TRIED, "no"), "workspace": "yes"}
    assert not (target.repository / FOLDER / "spec/planted.md").exists()


def test_each_attempt_would_work_outside_of_the_sandbox(target: User, tmp_path: Path) -> None:
    done = subprocess.run(
        (sys.executable, target.repository / "tools/judge.py"),
        cwd=tmp_path,
        input="",
        capture_output=True,
        text=True,
        check=True,
        env=target.environment,
    )
    assert came_of(done.stdout) == dict.fromkeys(TRIED, "yes")
