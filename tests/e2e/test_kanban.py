"""Kanbans from the command line: real git, real sandboxes, agents that come as commands."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.e2e.command import Json, User, make_user, until
from tests.e2e.kanban_project import FILE, furnish, kanban_files
from tests.support.preloaded import Preloaded

from supervisor_ai.domain.structs import replace

TASKS = 30
MADE = 4
"""So many of them come out of the others: two work items, an exploration, a redesign."""
ODD = {
    "look": ("Architect", ["suggest"]),
    "bad-format": ("Architect", ["chatter", "chatter", "well"]),
    "no-log": ("Architect", ["no log", "well"]),
    "blocked": ("Architect", ["blocked", "well"]),
    "escalating": ("Implementor", ["escalate"]),
    "crashing": ("Architect", ["crash", "well"]),
    "gated": ("Implementor", ["fail the gate", "well"]),
    "meddling": ("Implementor", ["meddle"]),
}
PAIR = {"look": "Architect", "build": "Implementor"}


@pytest.fixture(scope="module")
def worked(
    tmp_path_factory: pytest.TempPathFactory, state: Path, preloaded: Preloaded
) -> tuple[User, Json]:
    """Work through a kanban of 30 tasks, once for all tests that look at what came of it."""
    user = replace(make_user(tmp_path_factory.mktemp("kanban"), state), preloaded=preloaded)
    plain = {f"task-{number}": "Architect" for number in range(TASKS - MADE - len(ODD))}
    roles = {**{name: role for name, (role, _) in ODD.items()}, **plain}
    furnish(user, kanban_files(roles), **{name: deeds for name, (_, deeds) in ODD.items()})
    said = user.call("kanban", "run", FILE, "--yes", "--json")
    assert said.code == 0, said.out + said.err
    return user, said.run


def test_a_kanban_of_thirty_tasks_is_worked_through(worked: tuple[User, Json]) -> None:
    user, run = worked
    assert (run["status"], run["driver"]) == ("completed", "kanban")
    said = user.call("kanban", "status", FILE, "--json").json["kanban"]
    states = [task["state"] for task in said["tasks"]]
    assert len(states) == TASKS
    assert states.count("escalated") == 1
    assert states.count("done") == TASKS - 1
    text = user.git("show", f"{run['branch']}:{FILE}")
    assert "phase: complete" in text
    for word in ("blocker_detected", "escalation_received", "inadequate_information"):
        assert word in text
    assert user.call("ledger", "verify").code == 0


def test_an_answer_may_say_more_than_was_asked_for(user: User) -> None:
    furnish(user, kanban_files({"look": "Architect"}), look=["chat"])
    said = user.call("kanban", "run", FILE, "--yes", "--json")
    assert (said.code, said.run["status"]) == (0, "completed"), said.out + said.err
    assert "AttemptFailed" not in user.types(said.run["id"])


def test_the_log_of_a_kanban_tells_of_every_retry(worked: tuple[User, Json]) -> None:
    user, _ = worked
    log = user.call("kanban", "log", FILE).out
    assert log.startswith("## Supervisor Log\n")
    retries = re.findall(
        r"### \[[^]]+\] Retry Event\n\n\*\*Agent:\*\* (\w+)  \n\*\*Task:\*\* (\S+)  \n"
        r"\*\*Attempt:\*\* (\d)/3  \n\*\*Issue:\*\* ",
        log,
    )
    assert retries == [
        ("Architect", "tasks/2-bad-format.md", "1"),
        ("Architect", "tasks/2-bad-format.md", "2"),
        ("Architect", "tasks/3-no-log.md", "1"),
        ("Architect", "tasks/6-crashing.md", "1"),
    ]
    assert '"status": "ok | blocked | error | escalate",\n  "message": "string"' in log
    assert "additionalProperties" not in log
    for part in ("**Expected:**\n```json\n", "**Received:**\n```", "**Action:** Rescheduling"):
        assert log.count(part) == len(retries)


def test_only_what_is_done_and_has_passed_lands(worked: tuple[User, Json]) -> None:
    user, run = worked
    files = user.git("ls-tree", "-r", "--name-only", run["branch"]).splitlines()
    assert "app/7-gated.txt" in files
    assert user.git("show", f"{run['branch']}:app/7-gated.txt") == "built"
    assert "app/5-escalating.txt" not in files, "its code does not count"
    assert "**Conclusion:** escalate" in user.git("show", f"{run['branch']}:tasks/5-escalating.md")
    subjects = user.git("log", "--format=%s", run["branch"]).splitlines()
    assert "Reconcile tasks/1-look.md" in subjects
    assert subjects.count("Work on tasks/4-blocked.md") == 2


def test_an_agent_cannot_write_the_kanban_and_that_is_told(worked: tuple[User, Json]) -> None:
    user, run = worked
    [refused] = [at for at in user.events(run["id"]) if at["type"] == "WriteRefused"]
    assert refused["payload"]["paths"] == [FILE]
    assert "Mine." not in user.git("show", f"{run['branch']}:{FILE}")


def test_a_kanban_is_made_from_a_request_and_then_worked_on(newcomer: User) -> None:
    furnish(newcomer, {})
    made = newcomer.call("kanban", "new", "Greet people", "--yes", "--json")
    assert made.code == 0, made.err
    branch = made.run["branch"]
    file = "tasks/0-kanban-greet-people.md"
    assert "Greet people" in newcomer.git("show", f"{branch}:{file}")
    assert newcomer.call("kanban", "run", file, "--yes").code == 3, "the checkout has none"
    said = newcomer.call("kanban", "run", file, "--base", branch, "--yes", "--json")
    assert (said.code, said.run["status"]) == (0, "completed"), said.err
    assert newcomer.call("kanban", "run", file, "--base", said.run["branch"], "--yes").code == 0
    both = newcomer.call("kanban", "new", "Part from people", "--run", "--yes", "--json")
    assert (both.code, both.run["status"]) == (0, "completed"), both.err
    files = newcomer.git("ls-tree", "-r", "--name-only", both.run["branch"]).split()
    [file] = [it for it in files if it.endswith("-kanban-part-from-people.md")]
    stands = newcomer.call("kanban", "status", file, "--json")
    assert (stands.json["kanban"]["is_complete"], stands.json["kanban"]["open"]) == (True, 0)
    refused = newcomer.call("kanban", "new", "More", "--run", "--queue", "--yes", "--json")
    assert refused.code == 2


def test_a_kanban_that_cannot_be_read_is_not_started(newcomer: User) -> None:
    files = kanban_files(PAIR)
    files["tasks/2-build.md"] = files["tasks/2-build.md"].replace("state: todo", "state: asleep")
    furnish(newcomer, files)
    said = newcomer.call("kanban", "run", FILE, "--yes", "--json")
    assert said.code == 2
    assert "tasks/2-build.md:4: " in said.error["message"]
    assert newcomer.newest() is None


@contextmanager
def begun(user: User) -> Iterator[str]:
    """Let a run come to its second task, at which its agent waits for ever; in the end, kill it."""
    tasks = {"look": "Architect", "slow": "Architect", "last": "Architect"}
    furnish(user, kanban_files(tasks), slow=["wait", "well"])
    with user.start("kanban", "run", FILE, "--yes", "--json") as process:
        try:
            until(lambda: user.newest() is not None, "the run")
            run = str((user.newest() or {})["id"])
            until(lambda: user.types(run).count("PromptSent") == 3, "the second task")
            yield run
        finally:
            process.kill()


def edit(user: User, branch: str, path: str, old: str, new: str) -> None:
    """Commit a change to a branch, as a person with a second checkout does."""
    place = user.home / "second"
    user.git("worktree", "add", "--quiet", "--force", str(place), branch)
    (place / path).write_text((place / path).read_text().replace(old, new))
    user.git("-C", str(place), "commit", "--quiet", "--all", "--message", "edit")
    user.git("worktree", "remove", "--force", str(place))


def test_a_second_supervisor_is_refused_and_a_killed_one_is_succeeded(newcomer: User) -> None:
    with begun(newcomer) as run:
        said = newcomer.call("kanban", "run", FILE, "--yes", "--json")
    assert said.code == 4, said.err
    assert run in said.error["message"]
    branch = str((newcomer.newest() or {})["branch"])
    edit(newcomer, branch, "tasks/3-last.md", "Do it.", "Do it well.")
    said = newcomer.call("kanban", "run", FILE, "--yes", "--json")
    assert (said.code, said.run["id"], said.run["status"]) == (0, run, "completed"), said.err
    assert newcomer.types(run).count("AttemptLost") == 1
    assert "Do it well." in newcomer.git("show", f"{branch}:tasks/3-last.md"), "it was read"


def test_what_people_break_and_what_cannot_land_is_put_before_them(newcomer: User) -> None:
    with begun(newcomer) as run:
        pass
    branch = str((newcomer.newest() or {})["branch"])
    edit(newcomer, branch, "tasks/2-slow.md", "## Work Log\n", "## Work Log\n\nMine.\n")
    said = newcomer.call("kanban", "run", FILE, "--yes", "--json")
    assert (said.code, said.run["status"]) == (5, "waiting"), said.err
    edit(newcomer, branch, "tasks/3-last.md", "state: todo", "state: asleep")
    said = newcomer.call("reject", run, "--reason", "Do it again.", "--drive", "--json")
    assert (said.code, said.run["status"]) == (5, "waiting"), said.err
    assert "tasks/3-last.md:4: " in newcomer.call("kanban", "log", FILE).out
    edit(newcomer, branch, "tasks/3-last.md", "state: asleep", "state: todo")
    said = newcomer.call("approve", run, "--drive", "--json")
    assert (said.code, said.run["status"]) == (0, "completed"), said.err
    text = newcomer.git("show", f"{branch}:tasks/2-slow.md")
    assert "Mine." in text
    assert text.count("**Conclusion:** ok") == 1


def test_a_manager_that_fails_ends_the_run_with_its_log(newcomer: User) -> None:
    furnish(newcomer, kanban_files(PAIR))
    said = newcomer.call("kanban", "run", FILE, "--manager", "model", "--yes", "--json")
    assert said.code == 1
    reason = said.run["outcome"]["reason"]
    assert reason.endswith("Open: tasks/1-look.md, tasks/2-build.md.")
    log = newcomer.call("kanban", "log", FILE).out
    assert log.count("**Agent:** Manager  \n**Task:** tasks/0-kanban-demo.md  \n") == 4
    assert "I would rather not." in log


def test_a_plain_directory_is_worked_on_in_place(newcomer: User, tmp_path: Path) -> None:
    furnish(newcomer, {})
    place = tmp_path / "plans"
    place.mkdir()
    for path, text in kanban_files(PAIR, folder="supervisor-kanban").items():
        (place / Path(path).name).write_text(text)
    said = newcomer.call(
        "kanban", "run", "0-kanban-demo.md", "--dir", str(place), "--yes", "--json"
    )
    assert (said.code, said.run["status"]) == (0, "completed"), said.err
    assert "phase: complete" in (place / "0-kanban-demo.md").read_text()
    assert "**Conclusion:** ok" in (place / "1-look.md").read_text()
    files = newcomer.git("ls-tree", "-r", "--name-only", said.run["branch"]).splitlines()
    assert "app/2-build.txt" in files
    assert not [path for path in files if path.startswith("supervisor-kanban/")]
