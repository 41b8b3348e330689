"""Loops from the command line: real git, real sandboxes, an agent that comes as a command."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import Json, User, make_user
from tests.support.preloaded import Preloaded

from supervisor_ai.domain.structs import replace

AGENT: Final = Path(__file__).with_name("loop_agent.py")
CONFIG: Final = """\
cli: my_agent
clis:
  my_agent:
    adapter: command
    command: [python3, tools/agent.py]
gates:
  test:
    command: [sh, -c, "! grep --recursive --quiet broken app"]
loop:
  gates: [test]
"""
LONG: Final = 1800
"""So many seconds a loop of 25 tasks may take on a busy machine."""
FEW: Final = {"m1_1": ["gate"], "m2_1": ["abort"], "code_style": ["meddle"]}
MANY: Final = {
    "m1_2": ["gate", "qa"],
    "m1_4": ["empty"],
    "m1_6": ["missing"],
    "m2_1": ["abort"],
    "m2_3": ["blocked"],
    "m2_5": ["qa", "qa", "qa"],
    "m3_2": ["skip"],
    "m3_4": ["chatter"],
    "code_style": ["meddle"],
}


def furnish(
    user: User, milestones: Sequence[int], deeds: Mapping[str, Sequence[str]], config: str = CONFIG
) -> None:
    """Commit an agent that plays all roles, and what it is to do."""
    user.commit(
        {
            ".supervisor/config.yaml": config,
            "tools/agent.py": AGENT.read_text(),
            "tools/loop.json": json.dumps({"milestones": milestones, "deeds": deeds}),
            "app/README": "An app.\n",
        }
    )


def run_loop(user: User, *more: str) -> Json:
    said = user.call("loop", "run", "Build the app", "--yes", "--json", *more)
    assert said.code == 0, said.out + said.err
    return said.json


@pytest.fixture(scope="module")
def worked(
    tmp_path_factory: pytest.TempPathFactory, state: Path, preloaded: Preloaded
) -> tuple[User, Json]:
    """Work on a remit with three milestones, once for all tests that look at what came of it."""
    user = replace(make_user(tmp_path_factory.mktemp("loop"), state), preloaded=preloaded)
    furnish(user, [2, 1, 1], FEW)
    return user, run_loop(user)


def check_branch(user: User, run: Json, loop: Json) -> None:
    """Hold the commits of the branch against the tasks that are done."""
    done = [it for it in loop["done_list"] if it["outcome"] == "done"]
    subjects = user.git("log", "--format=%H %s", f"main..{run['branch']}").splitlines()
    made = dict(line.split(" ", 1) for line in subjects)
    assert {it["commit"]: it["description"] for it in done} == {
        sha: text for sha, text in made.items() if not text.startswith("knowledge: ")
    }
    assert len(made) == len(subjects)


def test_a_remit_is_worked_on_until_it_is_complete(worked: tuple[User, Json]) -> None:
    user, said = worked
    run = said["run"]
    assert (run["status"], run["driver"], said["loop"]["node"]) == ("completed", "loop", "report")
    loop = user.call("loop", "status", "--json").json["loop"]
    assert [it["status"] for it in loop["milestones"]] == ["reached"] * 3
    outcomes = [it["outcome"] for it in loop["done_list"]]
    assert outcomes[:4] == ["done", "done", "aborted", "done"]
    assert loop["done_list"][0]["qa_failures"] == 1
    check_branch(user, run, loop)
    assert user.call("ledger", "verify").code == 0


def test_the_json_of_a_loop_has_what_is_relied_on(worked: tuple[User, Json]) -> None:
    user, _ = worked
    loop = user.call("loop", "show", "--json").json["loop"]
    assert loop.keys() >= {
        *("run", "status", "node", "milestones", "done_list", "carry_forward"),
        *("pending_directives", "supervisor_urgency", "supervisor_run_log"),
    }
    assert loop["supervisor_urgency"] == 0.0


def test_supervisors_write_in_their_own_folders_alone(worked: tuple[User, Json]) -> None:
    user, said = worked
    branch = said["run"]["branch"]
    listed = user.git("ls-tree", "-r", "--name-only", branch, "docs/knowledge").splitlines()
    assert "docs/knowledge/conventions/files.md" in listed
    assert any(it.startswith("docs/knowledge/lessons/") for it in listed)
    assert not any(it.startswith("docs/knowledge/design/") for it in listed)
    told = user.call("events", said["run"]["id"]).out
    assert "may not write docs/knowledge/design" in told
    assert "Code Style Supervisor: laid the ground" in told
    text = user.git("show", f"{branch}:docs/knowledge/conventions/files.md")
    assert "Write one word per file" in text


def test_pages_tell_a_person_how_a_loop_stands(worked: tuple[User, Json]) -> None:
    user, said = worked
    run = said["run"]["id"]
    assert "3 of 3 reached" in user.call("loop", "status", run).out
    page = user.call("loop", "show", run).out
    assert "Build app/m1_1.txt" in page
    assert "planner, task 3: Leave app/m2_1.txt" in page
    report = user.call("loop", "report", run)
    assert "# Work report" in report.out
    assert "passed at once" in report.out
    assert user.call("loop", "directives", run).out == "No directive is pending.\n"


def test_the_json_of_a_report_says_whether_it_helps(worked: tuple[User, Json]) -> None:
    user, said = worked
    found = user.call("loop", "report", said["run"]["id"], "--json").json
    assert found.keys() == {"loop", "report", "benefit"}
    assert found["report"].startswith("# Work report")
    assert found["loop"] == user.call("loop", "show", "--json").json["loop"]
    benefit = found["benefit"]
    done = [it for it in found["loop"]["done_list"] if it["outcome"] == "done"]
    supervised, alone = benefit["supervised"], benefit["alone"]
    assert (supervised["tasks"], alone["tasks"]) == (len(done), 0)
    assert 0 < supervised["passed_at_once"] < len(done)
    assert supervised["setbacks"] >= 1
    told = {it["path"]: it for it in benefit["documents"]}
    convention = told["conventions/files.md"]
    assert convention["before"]["tasks"] + convention["told"]["tasks"] <= supervised["tasks"]
    assert {it["supervisor"] for it in benefit["supervisors"]} == {
        *("code_style", "design", "internaliser"),
    }


def test_rules_and_directives_that_a_worker_plants_wait_for_a_person_and_are_told_nobody(
    user: User,
) -> None:
    furnish(user, [1, 1], {"m1_1": ["plant"]})
    said = user.call("loop", "run", "Build the app", "--yes", "--json")
    run = said.json["run"]["id"]
    assert said.json["run"]["status"] == "waiting"
    assert "docs/knowledge/directives/planted.md" in user.call("status", run).out
    done = user.call("approve", run, "--drive", "--note", "Seen.", "--json")
    assert done.code == 0, done.out + done.err
    # The agent fails wherever its prompt holds what was planted.
    assert user.call("status", run, "--json").json["run"]["status"] == "completed"
    branch = said.json["run"]["branch"]
    assert "Planted" in user.git("show", f"{branch}:docs/knowledge/conventions/planted.md")


def test_a_loop_that_is_over_hears_nothing(worked: tuple[User, Json]) -> None:
    user, said = worked
    run = said["run"]["id"]
    for words in (("pause", run), ("directives", run, "--add", "More"), ("resume", run)):
        heard = user.call("loop", *words)
        assert (heard.code, "nobody would hear it" in heard.err) == (4, True)


def test_a_loop_rests_hears_a_wish_and_goes_on(user: User) -> None:
    furnish(user, [1], {}, config=f"{CONFIG}quality: false\n")
    said = user.call("loop", "run", "Build the app", "--yes", "--json", "--queue").json
    run = said["run"]["id"]
    assert user.call("loop", "pause", run).code == 0
    waits = user.call("resume", run, "--json")
    assert (waits.code, waits.json["run"]["status"]) == (5, "waiting")
    add = ("--add", "Mind the docs", "--type", "cleanup", "--why", "They are old")
    assert user.call("loop", "directives", run, *add, "--dry-run", "--json").json["dry_run"]
    assert user.call("loop", "directives", run, *add).code == 0
    assert user.call("resume", run).code == 5
    (wanted,) = user.call("loop", "directives", run, "--json").json["directives"]
    assert (wanted["source"], wanted["description"]) == ("person", "Mind the docs")
    assert user.call("loop", "directives", run, "--drop", "9").code == 3
    assert user.call("loop", "directives", run, "--drop", "1").code == 0
    done = user.call("loop", "resume", run, "--json")
    assert (done.code, done.json["run"]["status"]) == (0, "completed")
    loop = user.call("loop", "status", run, "--json").json["loop"]
    assert (loop["pending_directives"], loop["supervisor_run_log"]) == ([], [])


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("status",), 3, "This project has no runs yet."),
        (("directives", "--add", "A", "--drop", "1"), 2, "not both at once"),
        (("run", " "), 2, "task is empty"),
    ],
)
def test_a_mistake_is_told_with_what_to_do(
    user: User, words: tuple[str, ...], code: int, told: str
) -> None:
    furnish(user, [1], {})
    user.call("status")
    said = user.call("loop", *words)
    assert said.code == code, said.err
    assert told in said.err


@pytest.mark.long
def test_a_remit_of_twenty_five_tasks_over_three_milestones(user: User) -> None:
    furnish(user, [9, 8, 8], MANY)
    with user.start("loop", "run", "Build the app", "--yes", "--json") as process:
        out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0, err
    said = json.loads(out)
    loop = user.call("loop", "show", "--json").json["loop"]
    planned = [it for it in loop["done_list"] if "app/m" in it["description"]]
    # What was given up long ago is out of the planner's window, and may be planned once more.
    assert len({it["description"].split()[-1] for it in planned}) == 25
    outcomes = [it["outcome"] for it in planned]
    assert outcomes.count("done") == 22
    assert set(outcomes) == {"done", "aborted", "skipped", "failed"}
    assert [it["status"] for it in loop["milestones"]] == ["reached"] * 3
    check_branch(user, said["run"], loop)
    assert any(it["is_converging"] for it in loop["supervisor_run_log"])
    assert user.call("ledger", "verify").code == 0
