"""One task from the command line to a commit."""

import json

import pytest
from tests.e2e.command import User
from tests.support.processes import PATIENCE

RUN_FIELDS = [
    *("id", "task", "driver", "workflow", "status", "outcome", "degraded", "parent", "base"),
    *("branch", "commit", "created_at", "updated_at", "active_steps", "steps", "usage"),
]


def test_a_task_ends_as_a_commit_on_its_branch(user: User) -> None:
    base = user.git("rev-parse", "HEAD")
    said = user.call("run", "Add a /health endpoint", "--workflow", "standard", "--yes", "--json")
    assert said.code == 0, said.err
    run = said.run
    assert list(run) == RUN_FIELDS
    assert run["status"] == "completed"
    assert run["outcome"] == {"kind": "done", "reason": "Every step passed."}
    assert run["task"] == "Add a /health endpoint"
    assert (run["driver"], run["workflow"], run["parent"]) == ("workflow", "standard", None)
    assert run["base"] == {"ref": "main", "sha": base}
    assert run["branch"] == f"ai/{run['id']}-add-a-health-endpoint"
    assert run["commit"] == user.git("rev-parse", run["branch"])
    assert user.git("show", f"{run['branch']}:done.txt") == "implement 0 well"
    assert user.git("log", "-1", "--format=%s|%an|%P", run["branch"]) == (
        f"Add a /health endpoint|Ada|{base}"
    )
    assert run["usage"] == {"tokens_in": 0, "tokens_out": 0, "cost": 0, "estimated": False}
    assert run["steps"] == [
        step("plan", "planner", attempts=1, verdict="COMPLETE"),
        step("implement", "implementer", attempts=1, verdict="SUCCESS"),
        step("implement-guard", None, attempts=0, verdict="passed"),
        step("test", None, attempts=0, verdict="passed"),
        step("review", "reviewer", attempts=1, verdict="APPROVED"),
        step("commit", None, attempts=0, verdict=None),
    ]
    assert run["active_steps"] == []


def step(name: str, role: str | None, *, attempts: int, verdict: str | None) -> dict[str, object]:
    return {
        "step": name,
        "role": role,
        "status": "passed",
        "visits": 1,
        "attempts": attempts,
        "last_verdict": verdict,
    }


def test_the_checkout_the_index_and_the_branch_are_untouched(user: User) -> None:
    user.write({"README.md": "Changed.\n", "staged.txt": "Staged.\n", "loose.txt": "Loose.\n"})
    user.git("add", "staged.txt")
    before = checkout(user)
    said = user.run("--workflow", "quick")
    assert said.code == 0
    assert "your checkout has changes that no commit holds" in said.err
    assert checkout(user) == before
    assert "done.txt" not in user.git("ls-files")


def checkout(user: User) -> tuple[str, ...]:
    """Take down what a user sees of their checkout."""
    return (
        user.git("status", "--porcelain"),
        user.git("symbolic-ref", "HEAD"),
        user.git("rev-parse", "HEAD"),
        user.git("diff"),
        user.git("diff", "--cached"),
        user.git("stash", "list"),
    )


def test_a_failed_gate_goes_back_with_its_output(user: User) -> None:
    gate = "import pathlib, sys; text = pathlib.Path('done.txt').read_text(); print(text); "
    gate += "sys.exit(text.count('implement') < 2)"
    config = (user.repository / ".supervisor/config.yaml").read_text()
    config = config.replace("[test, -f, done.txt]", json.dumps(["python3", "-c", gate]))
    user.write({".supervisor/config.yaml": config})
    user.script(implement=["well", "echo"])
    run = user.run().run
    assert run["status"] == "completed"
    steps = {it["step"]: it for it in run["steps"]}
    assert (steps["implement"]["visits"], steps["implement"]["attempts"]) == (2, 2)
    assert steps["test"]["visits"] == 2
    assert user.git("show", f"{run['commit']}:done.txt") == "implement 0 well\nimplement 1 echo"
    [second] = user.call("logs", run["id"], "--step", "implement", "--visit", "2", "--json").json[
        "logs"
    ]
    assert "implement 0 well" in second["sent"]
    assert "'SUPERVISOR_STEP': 'implement'" in second["came_back"]
    assert f"'SUPERVISOR_RUN': '{run['id']}'" in second["came_back"]
    assert "Do it" in second["came_back"]


def test_a_summary_for_people_says_where_everything_is(user: User) -> None:
    said = user.call("run", "Do it", "--workflow", "quick")
    assert said.code == 0
    run = user.newest()
    assert run is not None
    assert said.out.startswith("completed  Do it\n")
    for words in (
        run["id"],
        run["branch"],
        run["commit"][:12],
        "1 file changed, 1 insertion(+)",
        str(user.repository / ".supervisor/state.db"),
        f"logs {run['id']}",
    ):
        assert words in said.out
    assert "implementer works with my_agent" in said.err


def test_a_dry_run_shows_everything_and_writes_nothing(user: User) -> None:
    said = user.call("run", "Do it", "--dry-run")
    assert said.code == 0
    for words in ("Do it", "standard", "python3 tools/agent.py", "test -f done.txt", "main at"):
        assert words in said.out
    assert not (user.repository / ".supervisor/state.db").exists()
    said = user.call("run", "Do it", "--dry-run", "--json")
    assert (said.json["applied"], said.json["dry_run"]) == (False, True)


def test_a_task_may_come_from_stdin_and_loses_its_secrets(user: User) -> None:
    with user.start("run", "-", "--workflow", "quick", "--json") as process:
        out, _ = process.communicate(timeout=PATIENCE)
    assert json.loads(out)["error"]["message"] == "The task is empty."
    secret = "sk-ant-api03-" + "A" * 40
    run = user.call("run", f"Use {secret}", "--workflow", "quick", "--json").run
    assert secret not in run["task"]
    assert "aaaa" not in run["branch"]
    assert secret not in user.git("log", "-1", "--format=%B", run["branch"])


@pytest.mark.parametrize("task", ["", "  \n"])
def test_an_empty_task_is_refused(user: User, task: str) -> None:
    said = user.call("run", task)
    assert (said.code, said.err) == (
        2,
        "error: The task is empty.\nhint: Say what should be done in a sentence.\n",
    )


def test_a_linked_work_tree_shares_the_ledger(user: User) -> None:
    user.git("worktree", "add", "--quiet", "-b", "other", "../other")
    said = user.call("-C", "../other", "run", "Do it", "--workflow", "quick", "--json")
    assert said.run["base"]["ref"] == "other"
    assert user.newest() == said.run


def test_a_detached_head_is_a_fine_base(user: User) -> None:
    user.git("checkout", "--quiet", "--detach")
    assert user.run("--workflow", "quick").run["base"]["ref"] == "HEAD"


def test_a_run_without_a_sandbox_needs_permission_and_is_recorded(user: User) -> None:
    denied = user.run("--workflow", "quick", "--sandbox", "none")
    assert (denied.code, denied.error["kind"]) == (7, "denied")
    assert denied.error["message"] == "Workers and gates may not run without a sandbox here."
    said = user.run("--workflow", "quick", "--sandbox", "none", SUPERVISOR_ALLOW_UNSANDBOXED="1")
    assert said.code == 0, said.out
    assert "warning: workers and gates run without a sandbox" in said.err
    assert user.events(said.run["id"])[0]["payload"]["sandbox"] == "none"


def test_a_waiting_run_without_a_sandbox_can_be_stopped_but_not_driven(user: User) -> None:
    allowed = {"SUPERVISOR_ALLOW_UNSANDBOXED": "1"}
    run = user.run("--workflow", "careful", "--sandbox", "none", **allowed).run["id"]
    assert user.call("resume", run).code == 7
    assert user.call("approve", run, "--drive").code == 7
    assert user.call("serve", "--once").out == ""
    assert user.call("cancel", run, "--json").run["status"] == "cancelled"
