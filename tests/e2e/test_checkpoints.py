"""Checkpoints from the command line: a resident supervisor, a block, a person who overrides."""

import json
import signal

from tests.e2e.checkpoint_session import (
    CONFIG,
    FIRST,
    FOLDER,
    SESSION,
    STRICT,
    furnish_judged,
    open_drafted,
    told,
    until_told,
)
from tests.e2e.command import Json, User, until

READY = "[supervisor] Resident supervisor ready."


def test_a_request_is_answered_by_a_supervisor_that_is_served(user: User) -> None:
    furnish_judged(user)
    open_drafted(user)
    with user.start("checkpoint", "serve", SESSION, "--yes") as served:
        until_told(user, served, READY)
        said = user.call("checkpoint", "request", SESSION, *FIRST, "--wait", "--json")
        assert said.code == 0, said.out + said.err
        made = said.json["checkpoint"]
        assert (made["task_id"], made["verdict"], made["score"]) == ("CHECKPOINT-001", "pass", 1.0)
        assert made["status"] == "completed"
        assert made["report"] == f"{FOLDER}/artifacts/CHECKPOINT-001-report.md"
        assert (user.repository / made["report"]).read_text() == made["text"]
        bye = ("shutdown_request", "--data", '{"request_id": "r-1"}', "--session", SESSION)
        user.call("msg", "log", "Bye", "--to", "supervisor", "--type", *bye)
        assert served.wait() == 0
    assert told(user)[-1]["type"] == "shutdown_response"
    listed = user.call("checkpoint", "list", SESSION, "--json").json["checkpoints"]
    assert [(it["task_id"], it["status"]) for it in listed] == [
        ("CHECKPOINT-001", "completed"),
        ("CHECKPOINT-002", "pending"),
    ]
    shown = user.call("checkpoint", "show", SESSION, "CHECKPOINT-001")
    assert "CHECKPOINT-001: pass (score: 1.00)" in shown.out
    assert "## Verdict" in shown.out


def test_a_block_stops_the_pipeline_until_a_person_overrides_it(user: User) -> None:
    furnish_judged(user, STRICT)
    open_drafted(user)
    assert user.call("checkpoint", "serve", SESSION, "--queue", "--yes").code == 0
    assert user.call("checkpoint", "request", SESSION, *FIRST).code == 5
    assert user.call("serve", "--once").code == 0
    shown = user.call("checkpoint", "show", SESSION, "CHECKPOINT-001", "--json").json["checkpoint"]
    assert (shown["verdict"], shown["is_blocked"]) == ("block", True)
    update = ("session", "task", "update", SESSION, "DRAFT-003", "--status", "in_progress")
    assert user.call(*update).code == 4
    bare = user.call("checkpoint", "override", SESSION, "CHECKPOINT-001", "--json")
    assert (bare.code, bare.error["message"]) == (
        2,
        "A checkpoint that blocks is overridden with a reason.",
    )
    other = user.call("checkpoint", "override", SESSION, "CHECKPOINT-002", "--reason", "x")
    assert other.code == 4
    reason = ("--reason", "Poems come later.")
    said = user.call("checkpoint", "override", SESSION, "CHECKPOINT-001", *reason, "--json")
    assert (said.code, said.json["applied"]) == (0, True), said.err
    assert user.call("serve", "--once").code == 0
    content = told(user)[-1]["data"]["content"]
    assert content.startswith("[supervisor] CHECKPOINT-001 overridden.\nBy: ")
    assert content.endswith("Reason: Poems come later.")
    wisdom = (user.repository / FOLDER / "wisdom/decisions.md").read_text()
    assert "override: by " in wisdom
    assert "Poems come later." in wisdom
    assert user.call(*update).code == 0
    decided = user.call("checkpoint", "show", SESSION, "CHECKPOINT-001", "--json")
    assert decided.json["checkpoint"]["decision"] == "override"
    assert user.call("ledger", "verify").code == 0


BRIEF = """\
# Brief

## Goals

- G1: Customers order
- G2: Owners see every sale
- G3: Clerks print receipts

## Glossary

- **Customer** (not: client)

## Decisions

- D1: No accounts
"""
REQUIREMENTS = """\
# Requirements

- REQ-1: A client orders (G1)

## Decisions

- D2: Accounts are mandatory
"""


def test_four_failing_checks_block_until_the_work_is_revised_and_looked_at_again(
    user: User,
) -> None:
    furnish_judged(user)
    judge = user.repository / "tools/judge.py"
    strict = 'verdict = "fail" if "mandatory" in prompt else "pass"\n'
    text = judge.read_text().replace("    checks = [", f"    {strict}    checks = [")
    user.commit({"tools/judge.py": text.replace('"verdict": "pass"', '"verdict": verdict')})
    open_drafted(user)
    for name, words in (("product-brief.md", BRIEF), ("requirements.md", REQUIREMENTS)):
        (user.repository / FOLDER / "spec" / name).write_text(words)
    assert user.call("checkpoint", "serve", SESSION, "--queue", "--yes").code == 0

    def ask() -> Json:
        assert user.call("checkpoint", "request", SESSION, *FIRST).code == 5
        assert user.call("serve", "--once").code == 0
        shown: Json = user.call("checkpoint", "show", SESSION, "CHECKPOINT-001", "--json").json
        made: Json = shown["checkpoint"]
        return made

    found = ask()
    assert (found["verdict"], found["score"], found["is_blocked"]) == ("block", 0.2, True)
    assert (found["decided"], found["checks"]) == (5, 5)
    assert found["text"].count("| fail") == 4
    run = user.call("status", "--json").json["runs"][0]["id"]
    assert user.call("reject", run, "--reason", "Agree first.").code == 0
    assert user.call("serve", "--once").code == 0
    good = f"{REQUIREMENTS.replace('client', 'customer').replace('mandatory', 'none')}"
    good = good.replace("(G1)", "(G1)\n- REQ-2: Sales (G2)\n- REQ-3: Receipts (G3)")
    (user.repository / FOLDER / "spec/requirements.md").write_text(good)
    again = ask()
    assert (again["verdict"], again["score"], again["trend"]) == ("pass", 1.0, "improving")
    # A checkpoint that is completed can be asked for again.
    assert ask()["trend"] == "stable"


def test_a_checkpoint_of_files_needs_no_session_and_no_agent(user: User) -> None:
    user.commit({"brief.md": BRIEF, "requirements.md": REQUIREMENTS})
    files = ("--files", "brief.md,requirements.md")
    said = user.call("checkpoint", "run", "CHECKPOINT-001", *files, "--json")
    assert said.code == 1
    found = said.json["checkpoint"]
    assert (found["verdict"], found["decided"], found["checks"]) == ("block", 3, 5)
    missing = user.call("checkpoint", "run", "CHECKPOINT-001", *files, "--files", "gone.md")
    assert (missing.code, "Missing: gone.md." in missing.out) == (1, True)
    fine = REQUIREMENTS.replace("client", "customer").replace("(G1)", "(G1, G2, G3)")
    (user.repository / "requirements.md").write_text(fine)
    assert user.call("checkpoint", "run", "CHECKPOINT-001", *files).code == 0
    assert user.call("checkpoint", "run", "CHECKPOINT-009", *files).code == 2
    assert user.call("status", "--json").json["runs"] == []


def test_who_answers_a_block_is_told_of_the_process_that_serves(user: User) -> None:
    furnish_judged(user, STRICT)
    open_drafted(user)
    with user.start("checkpoint", "serve", SESSION, "--yes") as served:
        until_told(user, served, READY)
        assert user.call("checkpoint", "request", SESSION, *FIRST, "--wait").code == 5
        said = user.call("approve", "last", "--note", "Poems come later.", SUPERVISOR_TRUST="1")
        assert said.code == 0, said.err
        assert "The process that serves the session goes on with the run." in said.err
        until_told(user, served, "[supervisor] CHECKPOINT-001 overridden.")
        served.send_signal(signal.SIGINT)
        served.wait()


def test_a_supervisor_that_is_killed_goes_on_where_it_was(user: User) -> None:
    furnish_judged(user)
    open_drafted(user)
    with user.start("checkpoint", "serve", SESSION, "--yes") as served:
        until_told(user, served, READY)
        served.send_signal(signal.SIGKILL)
        served.wait()
    verified = user.call("ledger", "verify")
    assert (verified.code, "Events were lost" in verified.out) == (0, False), verified.out
    assert user.call("checkpoint", "request", SESSION, *FIRST).code == 5
    assert user.call("serve", "--once").code == 0
    contents = [str((it["data"] or {}).get("content")) for it in told(user)]
    assert sum(it.startswith(READY) for it in contents) == 1
    assert contents[-1].startswith("[supervisor] CHECKPOINT-001 complete.")


PROMPT = """\
role: supervisor
role_spec: roles/supervisor/role.md
session: .supervisor/sessions/shop
session_id: shop
team_name: team
requirement: A small shop.
"""


def test_a_coordinators_prompt_starts_the_supervisor_that_it_asks_for(user: User) -> None:
    furnish_judged(user)
    user.commit({"roles/supervisor/role.md": STRICT})
    open_drafted(user)
    prompt = user.home / "prompt.md"
    serve = ("checkpoint", "serve", "--prompt", str(prompt), "--queue", "--yes", "--json")
    wrong = {
        PROMPT.replace("team_name: team\n", ""): (2, "The prompt has no 'team_name'."),
        PROMPT.replace("team_name: team", "team_name: red"): (2, "its team_name is 'team'"),
        PROMPT.replace("sessions/shop", "sessions/other"): (2, "its session is "),
        PROMPT.replace("session_id: shop", "session_id: shp"): (3, "There is no session 'shp'"),
        PROMPT.replace("role.md", "gone.md"): (3, "There is no file 'roles/supervisor/gone.md'"),
    }
    for text, (code, problem) in wrong.items():
        prompt.write_text(text)
        said = user.call(*serve)
        assert said.code == code, said.out
        assert problem in said.error["message"]
    prompt.write_text(PROMPT)
    assert user.call(*serve).code == 0
    assert user.call("checkpoint", "request", SESSION, *FIRST).code == 5
    assert user.call("serve", "--once").code == 0
    shown = user.call("checkpoint", "show", SESSION, "CHECKPOINT-001", "--json").json["checkpoint"]
    assert shown["verdict"] == "block"


def test_a_team_that_only_writes_files_is_answered_in_its_files(user: User) -> None:
    furnish_judged(user)
    open_drafted(user)
    messages = user.repository / FOLDER / ".msg/messages.jsonl"
    content = "## Checkpoint Request\ntask_id: CHECKPOINT-001\nscope: [DRAFT-001, DRAFT-002]"
    asked = {"from": "coordinator", "to": "supervisor", "type": "message", "summary": content}
    with user.start("checkpoint", "serve", SESSION, "--yes") as served:
        until_told(user, served, READY)
        messages.parent.mkdir(exist_ok=True)
        with messages.open("a") as file:
            file.write(json.dumps(asked) + "\n")
        until(lambda: "CHECKPOINT-001 complete." in messages.read_text(), "the answer in the file")
        served.send_signal(signal.SIGTERM)
        served.wait()
    [answer] = [it for it in messages.read_text().splitlines() if " complete." in it]
    assert json.loads(answer)["from"] == "supervisor"


def test_a_second_one_who_serves_is_told_who_does(user: User) -> None:
    furnish_judged(user)
    open_drafted(user)
    with user.start("checkpoint", "serve", SESSION, "--yes") as served:
        until_told(user, served, READY)
        again = user.call("checkpoint", "serve", SESSION, "--yes", "--json")
        assert (again.code, again.error["kind"]) == (4, "busy")
        owner = f"(process {served.pid})"
        assert again.error["message"].startswith(f"Session {SESSION!r} is served already, by ")
        assert owner in again.error["message"]
        served.send_signal(signal.SIGKILL)
        served.wait()
    with user.start("checkpoint", "serve", SESSION, "--yes") as served:
        bye = ("shutdown_request", "--data", '{"request_id": "r-1"}', "--session", SESSION)
        user.call("msg", "log", "Bye", "--to", "supervisor", "--type", *bye)
        assert served.wait() == 0


def test_nobody_waits_for_a_supervisor_that_is_not_there(user: User) -> None:
    furnish_judged(user)
    open_drafted(user)
    said = user.call("checkpoint", "request", SESSION, *FIRST, "--wait", "--json")
    assert said.code == 6
    assert "Nobody watches over session" in said.error["message"]
    unknown = user.call("checkpoint", "show", SESSION, "CHECKPOINT-009", "--json")
    assert unknown.code == 3
    nobody = user.call("checkpoint", "override", SESSION, "CHECKPOINT-001", "--reason", "x")
    assert nobody.code == 4


def test_supervision_that_is_switched_off_is_not_served(user: User) -> None:
    furnish_judged(user)
    user.commit({".supervisor/config.yaml": f"{CONFIG}supervision: false\n"})
    open_drafted(user)
    said = user.call("checkpoint", "serve", SESSION, "--yes", "--json")
    assert said.code == 4
    assert "switched off in the config" in said.error["message"]
