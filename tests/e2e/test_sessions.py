"""Sessions at the command line: every verb, its JSON, and what is refused."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.command import SUPERVISOR, User

Json = dict[str, Any]
PIPELINE = """\
tasks:
  - {id: A-1, subject: Do it, owner: writer}
  - {id: CHECKPOINT-001, subject: Look, owner: supervisor, blocked_by: [A-1]}
"""


@pytest.fixture
def team(newcomer: User) -> User:
    """Give the test a user with one open session."""
    newcomer.commit({"small.yaml": PIPELINE})
    begun = newcomer.call("session", "new", "S1", "--pipeline", "small.yaml", "--team", "blue")
    assert begun.code == 0, begun.err
    return newcomer


def ask(user: User, *words: str) -> Json:
    said = user.call(*words, "--json")
    assert said.code == 0, said.out + said.err
    return said.json


def folder(user: User) -> Path:
    return user.repository / ".supervisor/sessions/S1"


def test_a_session_goes_from_its_beginning_to_its_end(newcomer: User) -> None:
    newcomer.commit({"a": "a"})
    assert ask(newcomer, "session", "list") == {"sessions": []}
    planned = ask(newcomer, "session", "new", "S1", "--pipeline", "impl-only", "--dry-run")
    assert [it["id"] for it in planned["session"]["tasks"]][:2] == ["PLAN-001", "CHECKPOINT-003"]
    begun = ask(
        newcomer,
        *("session", "new", "--title", "A Login Page", "--pipeline", "full-lifecycle"),
    )["session"]
    assert (begun["id"], begun["requirement"]) == ("a-login-page", "A Login Page")
    assert (begun["status"], begun["tasks_total"], begun["supervision"]) == ("open", 13, True)
    bare = ask(
        newcomer,
        *("session", "new", "bare", "--pipeline", "full-lifecycle", "--no-supervision"),
    )["session"]
    assert (bare["tasks_total"], bare["supervision"]) == (10, False)
    assert [it["id"] for it in ask(newcomer, "session", "list")["sessions"]] == [
        "bare",
        "a-login-page",
    ]
    unclear = newcomer.call("session", "show", "--json")
    assert (unclear.code, "2 sessions are open" in unclear.error["message"]) == (2, True)
    closed = ask(newcomer, "session", "close", "bare")
    assert (closed["target"], closed["applied"]) == ("bare", True)
    assert ask(newcomer, "session", "show")["session"]["id"] == "a-login-page"
    refused = newcomer.call("msg", "log", "too late", "-s", "bare", "--json")
    assert (refused.code, refused.error["kind"]) == (4, "conflict")
    assert newcomer.git("status", "--porcelain") == ""


def test_messages_go_through_the_one_bus(team: User) -> None:
    said = ask(
        team,
        *("msg", "log", "so far", "--from", "writer", "--to", "tester", "--type", "state_update"),
        *("--data", '{"n": 1}'),
    )["message"]
    assert list(said) == ["id", "ts", "from", "to", "type", "summary", "data"]
    assert (said["id"], said["from"], said["to"]) == ("MSG-001", "writer", "tester")
    ask(team, "msg", "broadcast", "stop at noon")
    listed = ask(team, "msg", "list")["messages"]
    assert [(it["id"], it["to"]) for it in listed] == [("MSG-001", "tester"), ("MSG-002", "all")]
    assert ask(team, "msg", "list", "--last", "1", "--from", "writer")["messages"] == [said]
    assert ask(team, "msg", "read", "MSG-001") == {"message": said}
    assert ask(team, "msg", "state") == {"state": {"writer": {"n": 1}}}
    assert ask(team, "msg", "state", "writer") == {"state": {"n": 1}}
    status = ask(team, "msg", "status")["status"]
    assert (status["messages"], status["tasks"]) == (2, {"pending": 2})
    shown = team.call("msg", "list")
    assert "MSG-002" in shown.out
    assert "stop at noon" in team.call("msg", "read", "MSG-002").out


@pytest.mark.parametrize("words", [("delete",), ("delete", "MSG-001"), ("clear",)])
def test_nothing_is_unsaid(team: User, words: tuple[str, ...]) -> None:
    refused = team.call("msg", *words, "--json")
    assert (refused.code, refused.error["kind"]) == (7, "denied")
    assert "append-only" in refused.error["message"]


def test_refusals_are_recorded(team: User) -> None:
    for words in (
        ("msg", "log", "All is well", "--from", "supervisor"),
        ("session", "task", "update", "CHECKPOINT-001", "--status", "in_progress"),
        ("msg", "clear"),
    ):
        assert team.call(*words).code == 7
    lines = team.call("events", "--type", "CallRefused", "--json").out.splitlines()
    calls = [json.loads(it)["payload"]["call"] for it in lines]
    assert calls == ["team_msg", "task_update", "team_msg"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("msg", "read", "first"), 2),
        (("msg", "read", "MSG-404"), 3),
        (("msg", "log", "x", "--data", "[1]"), 2),
        (("msg", "log", "x", "--data", "{"), 2),
        (("msg", "log", "x", "--to", "two words"), 2),
        (("msg", "state", "nobody"), 3),
        (("session", "show", "S9"), 3),
        (("session", "new", "S1", "--pipeline", "spec-only"), 2),
        (("session", "new", "S2", "--pipeline", "specs-only"), 3),
        (("session", "new", "../S2", "--pipeline", "spec-only"), 2),
        (("session", "new", "S2", "--pipeline", "spec-only", "--dir", ".git/x"), 2),
        (("session", "task", "update", "A-9", "--status", "completed"), 3),
        (("session", "task", "update", "A-1", "--status", "completed"), 4),
        (("session", "task", "update"), 2),
        (("session", "remove-member", "nobody"), 3),
        (("session", "token", "--role", "worker", "--member", "supervisor"), 2),
    ],
)
def test_what_cannot_be_done_is_told(team: User, words: tuple[str, ...], code: int) -> None:
    said = team.call(*words, "--json")
    assert (said.code, said.err) == (code, "")
    assert said.error["message"]


def test_tasks_are_added_and_moved(team: User) -> None:
    added = ask(
        team,
        *("session", "task", "add", "S1", "B-1", "--subject", "More", "--owner", "writer"),
        *("--blocked-by", "A-1"),
    )["task"]
    assert (added["id"], added["blocked_by"]) == ("B-1", ["A-1"])
    blocked = team.call("session", "task", "update", "B-1", "--status", "in_progress", "--json")
    assert (blocked.code, "waits for A-1" in blocked.error["message"]) == (4, True)
    for status in ("in_progress", "completed"):
        ask(team, "session", "task", "update", "A-1", "--status", status)
    moved = ask(team, "session", "task", "update", "B-1", "--owner", "tester")["task"]
    assert moved["owner"] == "tester"
    listed = ask(team, "session", "task", "list")["tasks"]
    assert [(it["id"], it["status"]) for it in listed] == [
        ("A-1", "completed"),
        ("CHECKPOINT-001", "pending"),
        ("B-1", "pending"),
    ]
    assert "CHECKPOINT-001" in team.call("session", "task", "list").out


def test_a_token_is_shown_once_and_kept_nowhere(team: User) -> None:
    made = ask(team, "session", "token", "--role", "worker", "--member", "writer")
    assert (made["member"], made["role"], len(made["token"])) == ("writer", "worker", 64)
    assert ask(team, "session", "members")["members"] == [{"name": "writer", "role": "worker"}]
    kept = team.call("events", "--json").out
    assert "MemberAdded" in kept
    assert made["token"] not in kept
    twice = team.call("session", "token", "--role", "worker", "--member", "writer")
    assert twice.code == 4
    ask(team, "session", "remove-member", "writer")
    assert ask(team, "session", "members") == {"members": []}


def test_a_token_that_could_not_be_shown_is_made_again(team: User) -> None:
    words = ("session", "token", "--role", "worker", "--member", "writer")
    with Path("/dev/full").open("w") as full:
        lost = subprocess.run(
            [SUPERVISOR, *words],
            cwd=team.repository,
            env=team.environment,
            stdout=full,
            check=False,
        )
    assert lost.returncode != 0
    made = ask(team, *words)["token"]
    assert len(made) == 64
    assert team.call(*words).code == 4


def test_a_folder_and_the_ledger_say_the_same(team: User) -> None:
    ask(team, "msg", "log", "ours")
    messages = folder(team) / ".msg/messages.jsonl"
    done = ask(team, "session", "export")["exported"]
    assert (done["messages"], done["conflicts"]) == (1, [])
    with messages.open("a") as file:
        file.write('{"from": "writer", "summary": "theirs"}\n{broken\n')
        file.write('{"from": "supervisor", "summary": "All is well"}\n')
    (folder(team) / "artifacts/brief.md").write_text("# Brief\n")
    told = team.call("session", "sync", "--json")
    assert told.code == 0
    took = told.json["imported"]
    assert (took["messages"], took["files"]) == (1, ["artifacts/brief.md"])
    assert [note.partition(" is not")[0] for note in took["notes"]] == [
        ".msg/messages.jsonl:3",
        ".msg/messages.jsonl:4",
    ]
    again = ask(team, "session", "sync")
    assert (again["imported"]["messages"], again["exported"]["messages"]) == (0, 0)
    assert [it["summary"] for it in ask(team, "msg", "list")["messages"]] == ["ours", "theirs"]
    assert ask(team, "session", "show")["session"]["files"] == ["artifacts/brief.md"]
    assert team.call("ledger", "verify").code == 0
    assert team.call("ledger", "rebuild").code == 0
    assert [it["summary"] for it in ask(team, "msg", "list")["messages"]] == ["ours", "theirs"]


def test_a_conflict_is_told_and_nothing_is_lost(team: User) -> None:
    mine = '{"mine": 1}'
    (folder(team) / "team-session.json").write_text(mine)
    ask(team, "session", "task", "update", "A-1", "--status", "in_progress")
    said = team.call("session", "export")
    assert said.code == 4
    assert "team-session.json is left as it is" in said.err
    assert (folder(team) / "team-session.json").read_text() == mine
    assert ask(team, "session", "sync")["exported"]["conflicts"] == []
    merged = json.loads((folder(team) / "team-session.json").read_text())
    assert (merged["mine"], merged["tasks"][0]["status"]) == (1, "in_progress")


def test_a_team_points_us_at_its_own_folder(newcomer: User) -> None:
    newcomer.commit({"a": "a"})
    place = newcomer.repository.parent / "TLV4-shop"
    (place / ".msg").mkdir(parents=True)
    (place / "wisdom").mkdir()
    (place / "wisdom/learned.md").write_text("- a\n")
    told = {"team_name": "shop", "requirement": "A shop", "supervision": False}
    (place / "team-session.json").write_text(json.dumps(told))
    (place / ".msg/messages.jsonl").write_text('{"id": "MSG-001", "from": "writer", "to": "all"}\n')
    (place / ".msg/meta.json").write_text('{"role_state": {"tester": {"status": "ready"}}}')
    begun = ask(
        newcomer, "session", "new", "ours", "--pipeline", "spec-only", "--dir", "../TLV4-shop"
    )["session"]
    assert (begun["team"], begun["requirement"], begun["tasks_total"]) == ("shop", "A shop", 6)
    assert begun["place"] == str(place)
    assert begun["files"] == ["team-session.json", "wisdom/learned.md"]
    assert ask(newcomer, "msg", "state") == {"state": {"tester": {"status": "ready"}}}
    assert len((place / ".msg/messages.jsonl").read_text().splitlines()) == 2
    (place / "wisdom/learned.md").write_text("- b\n")
    changed = newcomer.call("session", "import")
    assert (changed.code, "append-only" in changed.err) == (4, True)
    elsewhere = ask(newcomer, "session", "export", "--dir", "../copy")["exported"]
    assert elsewhere["messages"] == 2
    assert (newcomer.repository.parent / "copy/wisdom/learned.md").read_text() == "- a\n"


def test_a_pipeline_with_mistakes_begins_nothing(team: User) -> None:
    (team.repository / "bad.yaml").write_text(
        "tasks:\n  - {id: A, subject: x, owner: w, blocked_by: [A, B]}\n"
    )
    said = team.call("session", "new", "S2", "--pipeline", "bad.yaml", "--json")
    assert said.code == 2
    assert said.error["message"].splitlines()[1:] == [
        "  bad.yaml:2: tasks[0].blocked_by: waits for itself: A → A",
        "  bad.yaml:2: tasks[0].blocked_by[1]: there is no task 'B'",
    ]
    assert len(ask(team, "session", "list")["sessions"]) == 1


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("session show ", {"S1"}),
        ("session new S2 --pipeline ", {"spec-only", "impl-only", "full-lifecycle"}),
        ("session task update S1 CH", {"CHECKPOINT-001"}),
        ("session task update ", {"S1", "A-1", "CHECKPOINT-001"}),
        ("session token --role ", {"coordinator", "supervisor", "worker", "observer"}),
        ("msg log x --from w", {"writer"}),
        ("msg list --session ", {"S1"}),
    ],
)
def test_names_are_completed(team: User, line: str, names: set[str]) -> None:
    said = team.call(_SUPERVISOR_COMPLETE="bash_complete", COMP_LINE=f"supervisor {line}")
    assert {it.partition(",")[2] for it in said.out.splitlines()} == names
