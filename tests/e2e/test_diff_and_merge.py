"""Seeing what a run made, and taking it."""

import json

from tests.e2e.command import User
from tests.e2e.terminal import Terminal
from tests.support.processes import PATIENCE


def test_a_runs_work_is_seen_and_taken(user: User) -> None:
    run = user.run().run
    base, short = user.git("rev-parse", "HEAD"), run["id"][:5]

    said = user.call("diff", short)
    assert said.code == 0
    assert "+++ b/done.txt" in said.out
    assert f"Run {run['id']} against {base[:12]}, committed as {run['commit'][:12]}." in said.err
    assert user.call("diff", run["id"][-6:], "--name-only").out == "done.txt\n"
    [file] = user.call("diff", run["id"], "--json").json["diff"]["files"]
    assert file["path"] == "done.txt"

    (user.repository / "done.txt").write_text("mine\n")
    refused = user.call("merge", run["id"], "--json")
    assert (refused.code, refused.error["kind"]) == (4, "conflict")
    assert "'done.txt'" in refused.error["message"]
    (user.repository / "done.txt").unlink()

    tried = user.call("merge", run["id"], "--dry-run", "--json").json
    assert (tried["applied"], tried["kind"], user.git("rev-parse", "HEAD")) == (
        False,
        "fast_forward",
        base,
    )
    merged = user.call("merge", short)
    assert (merged.code, user.git("rev-parse", "HEAD")) == (0, run["commit"])
    assert user.git("status", "--porcelain", "done.txt") == ""
    assert user.call("merge", short, "--json").json["kind"] == "nothing"


def test_a_failed_runs_work_is_seen_and_not_taken(user: User) -> None:
    user.script(review=["reject"])
    run = user.run("--workflow", "reviewed").run
    assert run["status"] == "failed"
    assert "+++ b/done.txt" in user.call("diff", run["id"]).out
    refused = user.call("merge", run["id"], "--json")
    assert (refused.code, refused.error["kind"]) == (4, "conflict")
    shown = user.call("status", run["id"])
    assert "reviewer with my_agent answered CHANGES_REQUESTED" in shown.out


def test_a_long_change_on_a_terminal_is_paged(user: User) -> None:
    run = user.run().run
    terminal = Terminal(user, "diff", run["id"], PAGER="sed s/^/paged:/", LINES="3")
    assert terminal.wait() == 0
    assert "paged:" in terminal.seen


def test_of_merges_at_once_one_run_is_taken_and_the_checkout_stays_clean(user: User) -> None:
    one = user.run().run
    other = user.run().run
    user.git("checkout", "-q", "-b", "mine")
    started = [user.start("merge", it["id"], "--json") for it in (one, other, one, one)]
    ended = []
    for process in started:
        with process:
            out, _ = process.communicate(timeout=PATIENCE)
            ended.append((process.returncode, json.loads(out)))
    assert [code for code, _ in ended] == [0, 0, 0, 0]
    assert sum(said["applied"] for _, said in ended) == 1
    assert user.git("status", "--porcelain") == ""
    assert (user.repository / "done.txt").exists()
    assert [user.call("merge", it["id"], "--json").json["kind"] for it in (one, other)] == [
        "nothing",
        "nothing",
    ]


def test_gates_can_run_on_what_a_merge_makes(user: User) -> None:
    config = (user.repository / ".supervisor/config.yaml").read_text()
    command = '[sh, -c, "test -f done.txt && ! test -f other.txt"]'
    config = config.replace("[test, -f, done.txt]", command)
    user.commit({".supervisor/config.yaml": f"{config}git: {{merge_gates: true}}\n"})
    run = user.run().run["id"]
    before = user.commit({"other.txt": "Somebody else was here.\n"})
    refused = user.call("merge", run, "--json")
    assert (refused.code, refused.error["kind"]) == (4, "conflict")
    assert "Gate 'test' does not pass on what branch 'main' would take" in refused.error["message"]
    assert user.git("rev-parse", "HEAD") == before
    assert user.call("merge", run, "--no-gates", "--json").json["kind"] == "merge"
