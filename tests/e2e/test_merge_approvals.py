"""Merges under an approval policy: what was agreed to is merged, what became other files is not."""

from tests.e2e.command import User

POLICY = ".supervisor/approval_policy.yaml"
SMALL = """\
approval_gates:
  low_risk: {conditions: [file_count < 3], action: auto_approve}
"""
CAREFUL = """\
approval_gates:
  high_risk: {conditions: [file_count > 0], action: require_approval}
"""
MEASURED = """\
approval_gates:
  low_risk: {conditions: [file_count < 3, test_coverage > 80], action: auto_approve}
"""


def approved(user: User, policy: str) -> str:
    """Let a run be approved and come to its end."""
    user.commit({POLICY: policy})
    said = user.run("--workflow", "quick")
    run: str = said.run["id"]
    if said.code == 5:
        assert user.call("approve", run, "--drive").code == 0
    assert user.call("status", run, "--json").run["status"] == "completed"
    return run


def move_on(user: User, files: dict[str, str] | None = None) -> str:
    return user.commit(files or {"other.txt": "Somebody else was here.\n"})


def message(user: User) -> str:
    return user.git("log", "-1", "--format=%B")


def test_what_was_agreed_to_is_merged_as_it_is(user: User) -> None:
    run = approved(user, CAREFUL)
    assert user.call("merge", run, "--dry-run").code == 0
    merged = user.call("merge", run, "--json")
    assert (merged.code, merged.json["kind"]) == (0, "fast_forward")
    assert "Supervisor-Approval" not in message(user)


def test_a_squash_of_what_was_agreed_to_needs_nobody_again(user: User) -> None:
    run = approved(user, CAREFUL)
    assert user.call("merge", run, "--squash").code == 0
    assert "Supervisor-Approval" not in message(user)


def test_other_files_than_were_agreed_to_need_people_again(user: User) -> None:
    run = approved(user, CAREFUL)
    before = move_on(user)
    for option in ("--dry-run", "--merge", "--squash"):
        refused = user.call("merge", run, option, "--json")
        assert (refused.code, refused.error["kind"]) == (7, "denied"), option
        assert "high_risk require_approval (file_count > 0)" in refused.error["message"]
        assert "--base main" in refused.error["hint"]
    assert user.git("rev-parse", "main") == before
    assert user.git("status", "--porcelain", "--untracked-files=no") == ""
    again = user.run("--workflow", "quick", "--base", "main").run["id"]
    assert user.call("approve", again, "--drive").code == 0
    assert user.call("merge", again).code == 0
    assert (user.repository / "done.txt").exists()


def test_other_files_that_need_nobody_are_merged_and_the_commit_says_why(user: User) -> None:
    run = approved(user, SMALL)
    move_on(user)
    tried = user.call("merge", run, "--dry-run")
    assert (tried.code, "low_risk auto_approve (file_count < 3)" in tried.out) == (0, True)
    assert user.call("merge", run).code == 0
    assert "Supervisor-Approval: low_risk auto_approve (file_count < 3)" in message(user)
    assert f"Supervisor-Run: {run}" in message(user)
    assert user.call("merge", run, "--json").json["kind"] == "nothing"


def test_the_branch_is_judged_by_what_it_takes_and_not_by_what_it_has(user: User) -> None:
    run = approved(user, SMALL)
    move_on(user, {f"other{number}.txt": "Many were here.\n" for number in range(9)})
    assert user.call("merge", run).code == 0


def test_what_others_added_to_the_tasks_branch_is_looked_at_and_said(user: User) -> None:
    user.commit({POLICY: SMALL})
    started = user.call("start-task", "Add it", "--workflow", "quick", "--yes", "--json")
    branch = started.run["branch"]
    user.git("switch", "--quiet", branch)
    user.commit({"added.txt": "On the branch of the task.\n"})
    user.git("switch", "--quiet", "main")
    done = user.call("complete-task", "--ff", "--yes", "--json")
    assert (done.code, done.error["kind"]) == (4, "conflict")
    done = user.call("complete-task", "--yes", "--json")
    assert (done.code, done.json["merge"]["kind"]) == (0, "merge"), done
    assert "Supervisor-Approval: low_risk auto_approve (file_count < 3)" in message(user)
    assert (user.repository / "added.txt").exists()


def test_a_task_is_completed_only_with_what_its_target_takes(user: User) -> None:
    user.commit({POLICY: CAREFUL})
    started = user.call("start-task", "Add it", "--workflow", "quick", "--yes", "--json")
    run = started.run["id"]
    assert user.call("approve", run, "--drive").code == 5
    moved = move_on(user)
    preview = user.call("complete-task", "--dry-run")
    assert "the approval policy wants people for that" in " ".join(preview.out.split())
    refused = user.call("complete-task", "--yes", "--json")
    assert (refused.code, refused.error["kind"]) == (7, "denied")
    assert "The work is committed as" in refused.err
    assert user.git("rev-parse", "main") == moved
    assert user.call("status", run, "--json").run["status"] == "completed"


def test_a_task_that_was_approved_is_completed(user: User) -> None:
    user.commit({POLICY: CAREFUL})
    started = user.call("start-task", "Add it", "--workflow", "quick", "--yes", "--json")
    run = started.run["id"]
    assert user.call("approve", run, "--drive").code == 5
    done = user.call("complete-task", "--yes", "--json")
    assert (done.code, done.json["merge"]["applied"]) == (0, True)
    assert (user.repository / "done.txt").exists()
    assert user.types(run).count("ApprovalGiven") == 2


def test_what_only_a_gate_knows_nobody_knows_of_other_files(user: User) -> None:
    run = approved(user, MEASURED)
    move_on(user)
    refused = user.call("merge", run, "--json")
    assert (refused.code, refused.error["kind"]) == (7, "denied")
    assert "no level of the policy fits" in refused.error["message"]
