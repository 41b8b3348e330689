"""Workers of a run as members of a session: what they reach, and what they do not."""

import json
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import Json, User, until
from tests.e2e.session_of import OwnSession, open_own

from supervisor_ai.control.commands.run_migration import plan_migration
from supervisor_ai.control.sessions.calls import calls_for
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.session.events import CallRefused, MemberAdded, MemberRemoved
from supervisor_ai.domain.session.members import MemberRole

AGENT: Final = Path(__file__).with_name("member_agent.py")


@pytest.fixture
def session(user: User) -> OwnSession:
    own = open_own(user)
    other = own.token("other-1.r0", MemberRole.WORKER)
    user.commit({"tools/agent.py": AGENT.read_text(), "tools/other-token": other})
    return own


@pytest.mark.parametrize("sandbox", ["auto", pytest.param("podman", marks=pytest.mark.long)])
def test_a_worker_is_a_member_while_it_works_and_can_do_no_more_than_that(
    user: User, session: OwnSession, sandbox: str
) -> None:
    said = user.run("--workflow", "quick", "--session", "S1", "--sandbox", sandbox)
    assert said.code == 0, said.err
    run = said.run["id"]
    name = f"implementer-1.{run}"
    heard: Json = json.loads(user.git("show", f"{said.run['branch']}:heard.json"))
    assert heard["tools"] == [200, [it.name for it in calls_for(MemberRole.WORKER)]]
    assert heard["log"][1]["message"]["from"] == name
    for attempt in ("as_coordinator", "approve", "task_create", "run_list", "checkpoint", "clear"):
        assert heard[attempt][1]["error"]["kind"] == "denied", attempt
    for attempt in ("other", "nobody", "guess"):
        assert heard[attempt][0] == 401, attempt
    for attempt in ("huge", "path", "elsewhere"):
        assert heard[attempt][0] in (0, 403), attempt
    (message,) = session.bus.list()
    assert (message.sender, message.type, message.summary) == (name, "progress", "At work.")
    refused = [it.call for it in session.facts() if isinstance(it, CallRefused)]
    assert refused == [
        *("team_msg", "approve", "task_create", "run_list", "task_update", "team_msg"),
        "token",
    ]
    assert {it.member for it in session.facts() if isinstance(it, CallRefused)} == {name}
    told = {
        (it["payload"]["host"], it["payload"]["reason"])
        for it in user.events(run)
        if it["type"] == "EgressRefused"
    }
    assert ("members", "too-large") in told
    assert ("members", "path-not-listed") in told


def test_the_member_is_gone_when_its_attempt_is_over(user: User, session: OwnSession) -> None:
    said = user.run("--workflow", "quick", "--session", "S1")
    added = [it.member for it in session.facts() if isinstance(it, MemberAdded)]
    removed = [it.member for it in session.facts() if isinstance(it, MemberRemoved)]
    assert added == ["other-1.r0", f"implementer-1.{said.run['id']}"]
    assert removed == added[1:]
    assert [it.name for it in session.members.list()] == ["other-1.r0"]


def test_who_was_left_behind_by_a_dead_owner_is_removed(user: User, session: OwnSession) -> None:
    queued = user.run("--workflow", "quick", "--session", "S1", "--queue").run["id"]
    session.token(f"implementer-7.{queued}", MemberRole.WORKER)
    assert user.call("resume", queued, "--json").code == 0
    assert [it.name for it in session.members.list()] == ["other-1.r0"]


def test_forks_migrated_runs_and_tasks_stay_in_the_session(user: User, session: OwnSession) -> None:
    """Which session a run belongs to was said when it began; nothing that follows says it again."""
    run = user.run("--workflow", "quick", "--session", "S1").run["id"]
    other = ("--workflow", "quick", "--budget", "9 attempts", "--json")
    for changes in (("--json",), other):
        fork = user.call("fork", run, "--at", "implement", *changes)
        assert fork.code == 0, fork.err
        joined = [it.member for it in session.facts() if isinstance(it, MemberAdded)]
        assert joined[-1].endswith(f".{fork.run['id']}")
    task = user.call("start-task", "Do it", "--session", "S1", "--queue", "--yes", "--json")
    assert task.code == 0, task.err
    migration = plan_migration(session.project, task.run["id"])
    definition = session.project.world.documents.load(migration.definition, Definition)
    assert definition.session == "S1"


def test_a_door_ends_with_the_owner_of_its_run(user: User, session: OwnSession) -> None:
    user.commit({"tools/agent.py": "import time\nprint('at work', flush=True)\ntime.sleep(600)\n"})
    with user.start("run", "Do it", "--yes", "--workflow", "quick", "--session", "S1") as process:
        until(lambda: bool(doors(user)), "The door")
        (member,) = [it.name for it in session.members.list() if it.name != "other-1.r0"]
        process.kill()
    until(lambda: not doors(user), "The end of the door")
    run = member.rpartition(".")[2]
    assert rooms(run)
    assert user.call("cancel", run, "--json").code == 0
    assert [it.name for it in session.members.list()] == ["other-1.r0"]
    assert not rooms(run)


def rooms(run: str) -> list[Path]:
    """Find the directories that sockets of a run's workers lie in."""
    mark = sha256(run.encode()).hexdigest()[:12]
    return list(Path(tempfile.gettempdir()).glob(f"supervisor-door-{mark}-*"))


def doors(user: User) -> list[str]:
    """Find the processes that serve workers of this user."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = place.read_bytes().decode().split("\0")
            if "--door" in words and str(user.repository) in words:
                found.append(place.parent.name)
    return found


def test_a_session_that_is_not_there_starts_nothing(user: User) -> None:
    said = user.run("--workflow", "quick", "--session", "S9")
    assert said.code == 3
    assert said.error["message"] == "There is no session 'S9'."
    assert user.newest() is None


def test_without_a_sandbox_there_is_no_door(user: User) -> None:
    open_own(user)
    options = ("--workflow", "quick", "--session", "S1", "--sandbox", "none")
    said = user.run(*options, SUPERVISOR_ALLOW_UNSANDBOXED="1")
    assert said.code == 2
    assert "no door" in said.error["message"]
