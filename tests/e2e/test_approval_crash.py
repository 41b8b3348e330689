"""Kill -9 in every state that waits for people: what waits afterwards is what waited before."""

import json
from typing import Any, Final

import pytest
from tests.e2e.command import Said, User

POLICY: Final = ".supervisor/approval_policy.yaml"
TOLD: Final = """\
approval_gates:
  medium_risk:
    conditions: [file_count < 10]
    action: notify_and_timeout
    timeout_minutes: 30
    notification: tui
"""
ASKED: Final = """\
approval_gates:
  high_risk: {conditions: [file_count > 0], action: require_approval}
"""
LATER: Final = "git: {auto_commit: false}\n"
STARTS: Final = {
    "assessment under way": (ASKED, "before facts"),
    "assessment not told": (ASKED, "after facts"),
    "waits for approval": (ASKED, "after commit of ChangeAssessed+ApprovalRequested"),
    "notice not begun": (TOLD, "before notice"),
    "notice not told": (TOLD, "after notice"),
    "waits for objections": (TOLD, "after commit of NotificationDelivered+ApprovalRequested"),
}
ANSWERS: Final = {
    "yes not taken": (ASKED, "before commit of ApprovalGiven"),
    "yes taken, lands": (ASKED, "before land"),
    "landed, not told": (ASKED, "after land"),
    "no objection any more": (TOLD, "after commit of ApprovalGiven"),
}


def die(user: User, name: str, *run: str) -> Said:
    return user.play("tests.e2e.crash_approval", str(user.repository), name, *run)


def newest(user: User) -> str:
    run = user.newest()
    assert run is not None
    return str(run["id"])


def waiting(user: User, run: str) -> dict[str, Any]:
    """Tell what is asked, without what is another one in every run."""
    (found,) = user.call("approvals", run, "--json").json["approvals"]
    own = ("run", "since", "until", "commit", "shown", "question", "base")
    return {name: value for name, value in found.items() if name not in own}


def uncrashed(user: User, policy: str) -> dict[str, Any]:
    user.commit({POLICY: policy})
    said = user.run("--workflow", "quick")
    assert said.code == 5, said
    return waiting(user, said.run["id"])


def lands_once(user: User, run: str) -> None:
    types = user.types(run)
    assert types.count("IntegrationLanded") == 1
    assert types.count("RunCompleted") == 1
    trailer = "--format=%(trailers:key=Supervisor-Op,valueonly,separator=)"
    branch = user.call("status", run, "--json").run["branch"]
    assert len(user.git("log", trailer, f"main..{branch}").split()) == 1


@pytest.mark.parametrize("policy", [ASKED, TOLD], ids=["asked", "told"])
def test_a_run_that_is_killed_on_its_way_to_people_waits_for_the_same(
    user: User, policy: str
) -> None:
    expected = uncrashed(user, policy)
    for state, (wanted, name) in STARTS.items():
        if wanted != policy:
            continue
        killed = die(user, name)
        assert killed.code == -9, (state, killed)
        run = newest(user)
        assert user.call("resume", run).code == 5, state
        assert waiting(user, run) == expected, state
        assert "IntegrationStarted" not in user.types(run), state
        assert user.call("approve", run, "--drive").code == 0, state
        lands_once(user, run)


@pytest.mark.parametrize("moment", ANSWERS)
def test_an_answer_is_taken_in_once_whoever_dies_over_it(user: User, moment: str) -> None:
    policy, name = ANSWERS[moment]
    user.commit({POLICY: policy})
    run = user.run("--workflow", "quick").run["id"]
    assert user.call("approve", run, "--no-drive").code == 0
    killed = die(user, name, run)
    assert killed.code == -9, killed
    assert user.call("resume", run).code == 0
    assert user.types(run).count("ApprovalGiven") == 1
    lands_once(user, run)


def test_a_task_that_waits_to_be_completed_waits_for_that_after_a_kill(user: User) -> None:
    config = ".supervisor/config.yaml"
    user.commit({POLICY: ASKED, config: (user.repository / config).read_text() + LATER})
    run = user.run("--workflow", "quick").run["id"]
    assert user.call("approve", run, "--no-drive").code == 0
    killed = die(user, "after commit of ApprovalGiven+RunContinued+ApprovalRequested", run)
    assert killed.code == -9, killed
    assert user.call("resume", run).code == 5
    assert waiting(user, run)["reason"] == "completion"
    assert user.call("complete-task", run, "--yes").code == 0
    lands_once_on_main(user, run)


def lands_once_on_main(user: User, run: str) -> None:
    assert user.types(run).count("IntegrationLanded") == 1
    assert (user.repository / "done.txt").exists()


def test_every_boundary_is_one_that_is_passed(user: User) -> None:
    for policy in (ASKED, TOLD):
        user.commit({POLICY: policy})
        done = die(user, "no such boundary")
        assert done.code == 0, done
        started = json.loads(done.out)
        run = newest(user)
        assert user.call("approve", run, "--no-drive").code == 0
        answered = json.loads(die(user, "no such boundary", run).out)
        for points, passed in ((STARTS, started), (ANSWERS, answered)):
            for wanted, name in points.values():
                assert wanted != policy or any(it.startswith(name) for it in passed), passed
