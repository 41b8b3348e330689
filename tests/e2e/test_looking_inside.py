"""Status, events, logs, replay, fork, migrate: what the ledger can tell and what grows from it."""

import json
import subprocess

import pytest
from tests.e2e.command import CONFIG, QUICK, SUPERVISOR, Json, User, until
from tests.support.processes import PATIENCE

ENVELOPE = [
    *("seq", "stream", "version", "type", "payload", "recorded_at", "actor", "cause", "epoch"),
    "hash",
]
TWO_GATES = """\
name: two
description: Implement and look with two gates
initial_step: implement
steps:
  implement: {role: implementer, next: test}
  test: {gates: [lint, slow], on_fail: implement, max_retries: 1, next: commit}
  commit: {type: commit, terminal: true}
"""


def only_run(user: User) -> Json:
    """Return the run of a user who has one."""
    run = user.newest()
    assert run is not None
    return run


def test_a_project_without_runs(user: User) -> None:
    assert user.call("status", "--json").json == {"runs": []}
    said = user.call("status")
    assert (said.code, said.out) == (0, "")
    said = user.call("logs", "r1", "--json")
    assert (said.code, said.error["kind"]) == (3, "not_found")
    assert not (user.repository / ".supervisor/state.db").exists()


def test_runs_are_listed_newest_first_and_the_rest_is_counted(user: User) -> None:
    first = user.run("--workflow", "quick").run
    second = user.run("--workflow", "quick").run
    listed = user.call("status", "--json").json
    assert listed == {"runs": [second, first]}
    capped = user.call("status", "--json", "--limit", "1").json
    assert capped == {"runs": [second], "truncated": True, "total": 2}
    lines = user.call("status").out.splitlines()
    assert lines[0].split() == ["RUN", "STATUS", "STEP", "UPDATED", "TASK"]
    assert lines[1].startswith(f"{second['id']}  completed  done")
    assert user.call("status", second["id"], "--json").run == second
    said = user.call("status", "r", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")


def test_events_are_envelopes_one_per_line(reader: User) -> None:
    run = only_run(reader)
    events = reader.events(run["id"])
    assert all(list(event) == ENVELOPE for event in events)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[0]["type"] == "RunSubmitted"
    assert events[0]["stream"] == f"run:{run['id']}"
    assert events[0]["actor"]["kind"] == "user"
    assert events[-1]["type"] == "RunCompleted"
    after = reader.call("events", run["id"], "--json", "--after", str(len(events) - 1))
    assert json.loads(after.out) == events[-1]
    everything = reader.call("events", "--json").out.splitlines()
    assert len(everything) == len(events)
    text = reader.call("events", run["id"]).out.splitlines()
    assert len(text) == len(events)
    assert "RunCompleted" in text[-1]


def test_events_are_followed_to_the_end_of_the_run(user: User) -> None:
    run = user.run("--workflow", "careful").run
    with user.start("events", run["id"], "--follow", "--json") as follower:
        user.call("approve", run["id"], "--drive")
        out, _ = follower.communicate(timeout=PATIENCE)
    assert follower.returncode == 0
    assert [json.loads(line) for line in out.splitlines()] == user.events(run["id"])


def test_a_reader_that_goes_away_is_no_error(reader: User) -> None:
    with reader.start("events") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
    assert (process.returncode, err) == (0, "")


def test_logs_show_what_was_sent_and_what_came_back(reader: User) -> None:
    run = only_run(reader)
    text = reader.call("logs", run["id"]).out
    headings = [line for line in text.splitlines() if line.startswith("━━")]
    steps = dict.fromkeys(line.split()[1] for line in headings)
    assert list(steps) == ["plan", "implement", "implement-guard", "test", "review"]
    assert "Do it" in text
    assert '"status": "COMPLETE"' in text
    only = reader.call("logs", run["id"], "--step", "test", "--json").json["logs"]
    assert [(entry["kind"], entry["status"]) for entry in only] == [("gate", "passed")]
    said = reader.call("logs", run["id"], "--step", "tset", "--json")
    assert said.code == 3
    assert said.error["hint"] == "Did you mean 'test'?"


def test_a_replay_shows_what_was_decided(reader: User) -> None:
    run = only_run(reader)
    ended = [it for it in reader.events(run["id"]) if it["type"] == "GateEnded"]
    gate = next(it["seq"] for it in ended if it["payload"]["step"] == "test")
    played = reader.call("replay", run["id"], "--to", str(gate), "--json").json
    assert played["status"] == "running"
    assert played["events"][-1]["type"] == "GateEnded"
    decided = [(it["@type"], it["step"]) for it in played["decision"]["events"]]
    assert decided == [("StepPassed", "test"), ("StepEntered", "review")]
    text = reader.call("replay", run["id"]).out
    assert 'run.status: "running" → "completed"' in text
    assert reader.call("replay", run["id"], "--to", "0").code == 2


def test_a_fork_goes_on_from_a_step_of_another_run(user: User) -> None:
    user.script(review=["reject"])
    failed = user.run("--workflow", "reviewed").run
    assert (failed["status"], failed["outcome"]["kind"]) == ("failed", "rejected")
    before = user.events(failed["id"])
    said = user.call("fork", failed["id"], "--at", "review", "--json")
    assert said.code == 1
    fork = said.run
    assert fork["id"] != failed["id"]
    assert fork["branch"] == f"ai/{fork['id']}-do-it"
    assert fork["base"] == failed["base"]
    assert [(it["step"], it["status"]) for it in fork["steps"]] == [
        ("implement", "passed"),
        ("implement-guard", "passed"),
        ("review", "failed"),
    ]
    assert fork["steps"][-1]["attempts"] == 1
    assert user.events(failed["id"]) == before
    nested = user.call("fork", fork["id"], "--at", "implement", "--dry-run", "--json").json
    assert nested["detail"].startswith(f"Would fork {failed['id']} at version ")
    said = user.call("fork", failed["id"], "--at", "reviw", "--json")
    assert said.code == 3
    assert said.error == {
        "kind": "not_found",
        "message": f"Run '{failed['id']}' has not visited a step 'reviw'; "
        "visited steps: implement, implement-guard, review.",
        "hint": "Did you mean 'review'?",
    }


def test_a_fork_may_go_another_way(user: User) -> None:
    user.script(review=["reject"])
    failed = user.run("--workflow", "reviewed").run
    way = ("--workflow", "quick", "--note", "Mind the gap.", "--budget", "9 attempts", "--json")
    said = user.call("fork", failed["id"], "--at", "implement", *way)
    assert (said.code, said.run["status"], said.run["workflow"]) == (0, "completed", "quick")
    assert said.run["fork"]["run"] == failed["id"]
    assert "budget    run: at most 9 attempts" in said.err
    assert "changed   budgets" in said.err
    logs = user.call("logs", said.run["id"], "--step", "implement", "--json").json["logs"]
    assert "Mind the gap." in logs[0]["sent"]
    shown = user.call("status", said.run["id"]).out
    assert f"fork      of {failed['id']}, which it shares" in shown
    for wrong, code in (
        (("--at", "review", "--workflow", "quick"), 4),
        (("--at", "implement", "--cli", "nobody"), 3),
        (("--at", "implement", "--workflow", "nothing"), 3),
        (("--at", "implement", "--budget", "much"), 2),
    ):
        assert user.call("fork", failed["id"], *wrong, "--json").code == code


def test_a_fork_of_a_completed_run_has_a_commit_of_its_own(user: User) -> None:
    run = user.run("--workflow", "quick").run
    fork = user.call("fork", run["id"], "--at", "commit", "--json").run
    assert fork["status"] == "completed"
    assert fork["branch"] != run["branch"]
    trees = [user.git("rev-parse", f"{it['commit']}^{{tree}}") for it in (run, fork)]
    assert trees[0] == trees[1]


def test_a_fork_shows_the_verdict_of_the_run_that_it_comes_from(user: User) -> None:
    gates = "gates:\n  lint: {command: ['false']}\n  slow: {command: [sleep, '0.3']}\n"
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG.replace("gates:\n", gates),
            ".supervisor/workflows/two.yaml": TWO_GATES,
        }
    )
    run = user.run("--workflow", "two").run
    ended = [it["payload"] for it in user.events(run["id"]) if it["type"] == "GateEnded"]
    first = [it["gate"] for it in ended if (it["step"], it["visit"]) == ("test", 1)]
    assert first == ["lint", "slow"]
    fork = user.call("fork", run["id"], "--at", "test", "--queue", "--json").run
    told = [{it["step"]: it["last_verdict"] for it in view["steps"]} for view in (run, fork)]
    assert told[0] == told[1]
    assert told[0]["test"] == "failed"


def test_no_fork_begins_with_a_snapshot_that_is_gone(user: User) -> None:
    run = user.run("--workflow", "quick").run["id"]
    assert user.call("workspace", "clean", "--refs", "--yes").code == 0
    user.git("gc", "--quiet", "--prune=now")
    for more in ([], ["--dry-run"], ["--queue"]):
        said = user.call("fork", run, "--at", "commit", *more, "--json")
        assert (said.code, said.error["kind"]) == (3, "not_found"), more
        assert said.error["message"].startswith("The snapshot '")
        assert said.error["message"].endswith(f"' of run '{run}' does not exist any more.")
        assert "fork at an earlier step" in said.error["hint"]
    assert [it["id"] for it in user.call("status", "--json").json["runs"]] == [run]
    said = user.call("fork", run, "--at", "implement", "--json")
    assert (said.code, said.run["status"]) == (0, "completed")


def test_a_queued_run_waits_for_whoever_serves(user: User) -> None:
    said = user.run("--workflow", "quick", "--queue")
    assert (said.code, said.run["status"]) == (0, "queued")
    served = user.call("serve", "--once", "--json")
    assert served.code == 0
    [line] = served.out.splitlines()
    assert json.loads(line)["run"]["status"] == "completed"
    assert user.call("serve", "--once", "--json").out == ""


def test_a_resident_process_drives_what_comes_and_stops_when_told(user: User) -> None:
    with user.start("serve", "--limit", "2") as process:
        # Whoever runs a task in the foreground is not robbed of it.
        assert user.run("--workflow", "quick").code == 0
        runs = [user.run("--workflow", "quick", "--queue").run["id"] for _ in range(2)]
        until(lambda: all(it["status"] == "completed" for it in statuses(user, runs)), "both ends")
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Stopped." in err
    assert "Traceback" not in err


def statuses(user: User, runs: list[str]) -> list[dict[str, object]]:
    return [it for it in user.call("status", "--json").json["runs"] if it["id"] in runs]


def test_a_run_is_moved_to_todays_definition(user: User) -> None:
    run = user.run("--workflow", "careful").run
    careful = (user.repository / ".supervisor/workflows/careful.yaml").read_text()
    user.commit({".supervisor/workflows/careful.yaml": careful.replace("max_retries: 2", "")})
    refused = user.call("workflow", "migrate", run["id"], "--json")
    assert refused.code == 2
    assert refused.err == "step approve: max_retries: 2 -> null\n"
    said = user.call("workflow", "migrate", run["id"], "--yes", "--json")
    assert said.json["applied"] is True
    assert user.call("approve", run["id"], "--drive", "--json").run["status"] == "completed"
    assert "DefinitionMigrated" in user.types(run["id"])


def test_a_run_cannot_lose_a_step_that_it_visited(user: User) -> None:
    run = user.run("--workflow", "careful").run
    user.commit({".supervisor/workflows/careful.yaml": QUICK.replace("quick", "careful")})
    said = user.call("workflow", "migrate", run["id"], "--yes", "--json")
    assert said.code == 4
    assert said.error["message"] == (
        f"Run '{run['id']}' cannot be migrated: Step 'approve' has been visited, "
        "but the new definition has no such step."
    )


def test_a_leaked_text_is_erased_and_the_erasure_recorded(user: User) -> None:
    run = user.run("--workflow", "quick").run
    task = user.events(run["id"])[0]["payload"]["task"]
    assert user.call("ledger", "erase", task, "--json").code == 2
    said = user.call("ledger", "erase", task, "--reason", "A name.", "--yes", "--json")
    assert said.json["applied"] is True
    assert user.call("status", run["id"], "--json").run["task"] == "[erased]"
    last = json.loads(user.call("events", "--json").out.splitlines()[-1])
    assert (last["type"], last["stream"]) == ("ArtifactErased", "project")
    assert last["payload"]["artifact"] == task
    assert user.call("ledger", "verify").code == 0
    assert user.call("ledger", "rebuild", "--json").json["applied"] is True
    said = user.call("ledger", "erase", "0" * 64, "--yes", "--json")
    assert (said.code, said.error["kind"]) == (3, "not_found")


def test_completion_scripts_and_offers(reader: User) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_SUPERVISOR_COMPLETE" in reader.call("completion", shell).out
    script = reader.home / "completion.bash"
    script.write_text(reader.call("completion", "bash").out)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    run = only_run(reader)["id"]
    offered = reader.call(
        _SUPERVISOR_COMPLETE="bash_complete", COMP_WORDS="supervisor logs r", COMP_CWORD="2"
    )
    assert offered.out == f"plain,{run}\n"


def test_a_run_is_shown_to_people(user: User) -> None:
    user.script(review=["reject"])
    said = user.call("run", "Do it", "--workflow", "reviewed")
    assert said.code == 1
    run = only_run(user)
    assert said.out.startswith("failed  Do it\n")
    assert "outcome   reviewer with my_agent answered CHANGES_REQUESTED" in said.out
    assert "         rejected: Step 'review' did not pass." in said.out
    assert f"logs {run['id']} --step review" in said.out
    assert f"fork {run['id']} --at review" in said.out
    shown = user.call("status", "last").out
    rows = [line.split() for line in shown.splitlines()]
    assert ["STEP", "STATUS", "VISITS", "ATTEMPTS", "ROLE", "LAST", "VERDICT"] in rows
    assert ["review", "failed", "1", "1", "reviewer", "CHANGES_REQUESTED"] in rows
    queued = user.call("fork", "last", "--at", "review", "--queue", "--json")
    assert (queued.code, queued.run["status"]) == (0, "queued")
    assert "owner     none" in user.call("status", queued.run["id"]).out
    would = user.call("cancel", queued.run["id"], "--dry-run", "--json").json
    assert would["detail"] == "Would stop the run, which is queued."
    stopped = user.call("cancel", queued.run["id"])
    assert stopped.out.startswith("cancelled  Do it\n")


def test_workflows_are_listed_shown_and_validated(user: User) -> None:
    listed = user.call("workflow", "list", "--json").json["workflows"]
    assert {(it["name"], it["origin"]) for it in listed} == {
        ("careful", "project"),
        ("double_review", "built-in"),
        ("enterprise", "built-in"),
        ("mvp", "built-in"),
        ("open_source", "built-in"),
        ("quick", "project"),
        ("reviewed", "project"),
        ("security_critical", "built-in"),
        ("standard", "built-in"),
        ("with_test_engineer", "built-in"),
    }
    assert "standard            built-in" in user.call("workflow", "list").out
    shown = " ".join(user.call("workflow", "show", "careful").out.split())
    assert "implement implementer with my_agent" in shown
    assert "implement-guard gate: claims, auto_run_files, test_integrity" in shown
    assert "approve a person approves" in shown
    assert "commit commit on the run's branch" in shown
    assert "gate: test -f done.txt" in user.call("workflow", "show").out
    definition = user.call("workflow", "show", "quick", "--json").json["definition"]
    assert definition["workflow"]["initial_step"] == "implement"
    said = user.call("workflow", "validate", "quick")
    assert (said.code, said.out) == (0, "No mistakes in quick.\n")
    assert "standard" in user.call("workflow", "validate", "--json").json["valid"]
    assert user.call("workflow", "show", "quik").code == 3


def test_a_run_at_todays_definition_needs_no_migration(user: User) -> None:
    run = user.run("--workflow", "careful").run["id"]
    said = user.call("workflow", "migrate", run, "--json")
    assert said.json == {
        "target": run,
        "applied": False,
        "dry_run": False,
        "detail": "The run is at today's definition already.",
    }
    user.call("cancel", run)
    assert user.call("workflow", "migrate", run).code == 4


def test_the_doctor_works_without_a_project(newcomer: User) -> None:
    said = newcomer.call("-C", str(newcomer.home), "doctor")
    assert said.code == 0
    assert "is not inside a git repository." in said.out
    assert "hint: Run `git init`" in said.out
    assert said.out.splitlines()[-1].startswith("This machine is ready; next, for 'project': Run")


def test_the_doctor_names_what_imports_could_find_in_place_of_the_checkout(user: User) -> None:
    user.commit({"pyproject.toml": '[project]\nname = "Shop"\n', ".gitignore": ".venv\n"})
    site = ".venv/lib/python3.11/site-packages"
    moved = json.dumps({"url": "file:///old/shop", "dir_info": {"editable": True}})
    files = {f"{site}/shop-2.dist-info/direct_url.json": moved, ".venv/pyvenv.cfg": ""}
    user.write(files)
    found = [it for it in user.call("doctor", "--json").json["findings"] if "copies" in it["name"]]
    assert [(it["name"], it["holds"], it["is_needed"]) for it in found] == [
        ("installed copies", False, False)
    ]
    assert "is an editable install of '/old/shop', a directory that is not" in found[0]["detail"]
    assert "pip install -e ." in found[0]["hint"]


def test_the_doctor_says_what_holds(user: User) -> None:
    said = user.call("doctor", "--json")
    assert said.code == 0, said.out
    findings = {it["name"]: it for it in said.json["findings"]}
    assert {"python", "git", "sandbox", "state directory", "project", "trust"} <= set(findings)
    assert all(it["holds"] for it in findings.values() if it["is_needed"])
    assert {"workflow", "agent my_agent"} <= set(findings)
    assert said.json["conclusion"].startswith("All is well; ")
    assert not (user.repository / ".supervisor/state.db").exists()


@pytest.mark.parametrize(
    ("broken", "row"),
    [
        ("gates: [", "NO    definitions "),
        ("cli: x\nclis: {x: {adapter: command, command: [nosuch]}}", "NO    agent x "),
    ],
)
def test_the_doctor_never_says_ok_for_what_is_not(user: User, broken: str, row: str) -> None:
    user.commit({".supervisor/config.yaml": broken})
    said = user.call("doctor", SUPERVISOR_STATE="/proc/nothing")
    assert (said.code, said.err) == (6, "")
    assert row in said.out
    assert "NO    state directory " in said.out
    assert "in the way of a run; next, for 'state directory': " in said.out.splitlines()[-1]


def test_the_doctor_finds_a_ledger_that_is_none(user: User) -> None:
    user.write({".supervisor/state.db": "garbage"})
    said = user.call("doctor")
    assert (said.code, said.err) == (6, "")
    assert "NO    ledger " in said.out


def test_a_directory_that_is_gone_is_named(user: User) -> None:
    user.repository = user.home / "gone"
    gone = f"mkdir {user.repository}; cd {user.repository}; rmdir {user.repository}; exec "
    for verb, code in (("doctor", 6), ("status", 3)):
        done = subprocess.run(
            ["sh", "-c", f"{gone} {SUPERVISOR} {verb}"],
            env=user.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert (
            "The directory in which you stand is not there any more." in done.stdout + done.stderr
        )


def test_events_are_chosen_by_their_type(reader: User) -> None:
    newest = reader.newest()
    assert newest is not None
    chosen = ("--type", "StepEntered", "--type", "RunCompleted")
    said = reader.call("events", newest["id"], "--json", *chosen)
    types = [json.loads(line)["type"] for line in said.out.splitlines()]
    assert types == [it for it in reader.types(newest["id"]) if it in chosen]
    assert {"StepEntered", "RunCompleted"} == set(types)
    wrong = reader.call("events", "--type", "StepsEntered", "--json")
    assert (wrong.code, wrong.error["hint"]) == (2, "Did you mean 'StepEntered'?")
