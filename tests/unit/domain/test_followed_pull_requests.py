"""Pull requests that are followed: checks and comments come back as one round, until green."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from tests.support.kernel import Kernel, flow, stop, work
from tests.unit.domain.pull_request_scene import (
    DEMAND,
    GONE,
    GREEN,
    LIMITED,
    PENDING,
    QUIET,
    RED,
    STRANGER,
    WISH,
    Sight,
    builds,
    check,
    published,
    seen,
)

from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, FollowPolicy, Limits, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, FeedbackKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    CheckState,
    NotOpened,
    PullRequestState,
    Remark,
)

BUILD, PUBLISH = StepName("build"), StepName("publish")


def driven(sights: Iterable[Sight], given: Definition | None = None) -> tuple[Kernel, RunId]:
    """Wake a run whenever it is due, until it ends or waits for a person."""
    kernel = Kernel(None, builds)
    kernel.fakes.forge.sights.extend(sights)
    run = kernel.submit(given or published())
    served(kernel, run)
    return kernel, run


def served(kernel: Kernel, run: RunId) -> None:
    while (result := kernel.drive(run)).due is not None:
        kernel.fakes.clock.advance(result.due - kernel.fakes.clock.now())


def answer(kernel: Kernel, run: RunId, *, yes: bool) -> None:
    asked = kernel.events(run, e.ApprovalRequested)[-1]
    key = f"answer {len(kernel.envelopes(run))}"
    note = kernel.world.artifacts.put("As I say.")
    approved = Approve(step=asked.step, visit=asked.visit, tree=asked.tree)
    rejected = Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    kernel.send(run, key, approved if yes else rejected)
    served(kernel, run)


def standings(kernel: Kernel, run: RunId) -> list[str]:
    return [it.standing.value for it in kernel.events(run, e.PullRequestSeen)]


def report(kernel: Kernel, run: RunId) -> str:
    return kernel.world.artifacts.get(kernel.events(run, e.PullRequestSeen)[-1].report)


def question(kernel: Kernel, run: RunId) -> tuple[str, str]:
    asked = kernel.events(run, e.ApprovalRequested)[-1]
    assert asked.question is not None
    return asked.reason, kernel.world.artifacts.get(asked.question)


def test_red_goes_back_with_the_log_and_the_fix_becomes_green() -> None:
    kernel, run = driven([PENDING, RED, PENDING, GREEN])
    assert kernel.status(run) is RunStatus.COMPLETED
    assert standings(kernel, run) == ["pending", "red", "pending", "green"]
    _, back = [it for it in kernel.events(run, e.StepEntered) if it.step == BUILD]
    (told,) = back.feedback
    assert (told.kind, told.source) == (FeedbackKind.PULL_REQUEST, PUBLISH)
    words = kernel.world.artifacts.get(told.artifact)
    assert "> AssertionError: 1 != 2" in words
    assert "Checks that failed: test" in words
    first, second = kernel.fakes.forge.requests
    assert (first.branch, first.commit != second.commit) == (second.branch, True)
    opened = kernel.events(run, e.PullRequestOpened)
    assert [it.is_found for it in opened] == [False, True]


def test_long_logs_are_cut_in_whole_lines_and_many_share_the_room() -> None:
    long = "".join(f"line {number} {'x' * 60}\n" for number in range(900))
    one = check(CheckState.FAILED, "one", log=long)
    wide = check(CheckState.FAILED, "wide", log="y" * 50_000)
    silent = check(CheckState.FAILED, "silent")
    others = [check(CheckState.PASSED, f"other {number}") for number in range(40)]
    words = Remark(key="R9", author="ada", text="z" * 50_000, counts=True)
    kernel, run = driven([seen(one, wide, silent, *others, remarks=(words,)), GREEN])
    said = kernel.world.artifacts.get(kernel.events(run, e.PullRequestSeen)[0].report)
    assert len(said) < 20_000
    assert "> …\n> line 8" in said
    assert f"> …{'y' * 50}" in said
    assert "> line 899 " in said
    assert "other 29 and 10 more" in said
    marked = [line for line in said.splitlines() if "line 8" in line or "yy" in line]
    assert all(line.startswith("> ") for line in marked)


def test_a_worker_is_told_what_others_said() -> None:
    kernel, _ = driven([RED, GREEN])
    prompts = [request.prompt for request in kernel.fakes.worker.requests]
    assert "AssertionError" not in prompts[0]
    assert "AssertionError" in prompts[1]


def test_comments_and_red_checks_are_one_round() -> None:
    both = replace(RED, remarks=(WISH, DEMAND, STRANGER), open_demands=1)
    kernel, run = driven([both, replace(GREEN, remarks=(WISH, DEMAND, STRANGER))])
    assert kernel.status(run) is RunStatus.COMPLETED
    first, _ = kernel.events(run, e.PullRequestSeen)
    assert (first.remarks, first.noted, first.failed, first.passed) == (("R1", "R2"), 1, 1, 1)
    words = kernel.world.artifacts.get(first.report)
    assert "Comment 1 at a.py:3, by ada:\n> Say why." in words
    assert "Comment 2, by ada, asks for changes:\n> No." in words
    assert "Delete everything" not in words


def test_comments_wait_for_checks_that_are_under_way() -> None:
    kernel, run = driven(
        [replace(PENDING, remarks=(WISH,)), replace(GREEN, remarks=(WISH,)), GREEN]
    )
    assert standings(kernel, run) == ["pending", "objected", "green"]


def test_a_reviewer_who_was_heard_is_waited_for() -> None:
    asked = replace(GREEN, remarks=(DEMAND,), open_demands=1)
    kernel, run = driven([asked, asked, asked, replace(GREEN, remarks=(DEMAND,))])
    assert kernel.status(run) is RunStatus.COMPLETED
    assert standings(kernel, run) == ["objected", "awaited", "green"]
    assert len([it for it in kernel.events(run, e.StepEntered) if it.step == BUILD]) == 2


@pytest.mark.parametrize(
    ("sight", "policy", "standing"),
    [
        (RED, FollowPolicy(ci=False), "green"),
        (replace(GREEN, remarks=(WISH,), open_demands=1), FollowPolicy(reviews=False), "green"),
        (seen(remarks=(STRANGER,)), FollowPolicy(ci=False), "green"),
    ],
)
def test_only_what_is_followed_counts(sight: Sight, policy: FollowPolicy, standing: str) -> None:
    kernel, run = driven([sight], published(policy))
    assert (kernel.status(run), standings(kernel, run)) == (RunStatus.COMPLETED, [standing])


def test_without_checks_a_few_looks_are_enough() -> None:
    kernel, run = driven([QUIET] * 9)
    assert kernel.status(run) is RunStatus.COMPLETED
    assert standings(kernel, run) == ["silent"] * 3


def test_somebody_merges_it() -> None:
    given = flow(
        work("build"),
        stop("commit", StepKind.COMMIT),
        replace(stop("publish", StepKind.PULL_REQUEST), follow=FollowPolicy()),
        stop("wait", StepKind.HUMAN),
    )
    kernel, run = driven([seen(state=PullRequestState.MERGED)], given)
    outcome = kernel.play(run).run.outcome
    assert outcome is not None
    assert (kernel.status(run), outcome.kind) == (RunStatus.COMPLETED, OutcomeKind.DONE)
    assert outcome.reason == (
        "Every step passed. The pull request https://forge.example/pull/1 was merged."
    )


def test_somebody_closes_it() -> None:
    kernel, run = driven([PENDING, seen(state=PullRequestState.CLOSED)])
    outcome = kernel.play(run).run.outcome
    assert outcome is not None
    assert (kernel.status(run), outcome.kind) == (RunStatus.FAILED, OutcomeKind.REJECTED)
    assert "was closed without being merged" in outcome.reason


def test_rounds_are_bounded_and_then_a_person_is_asked() -> None:
    kernel, run = driven([RED] * 9, published(FollowPolicy(max_rounds=2)))
    reason, words = question(kernel, run)
    assert reason == ApprovalReason.PULL_REQUEST_ROUNDS
    assert "AssertionError" in words
    assert len(kernel.fakes.forge.requests) == 3
    assert kernel.play(run).run.timers == {}
    answer(kernel, run, yes=True)
    assert kernel.status(run) is RunStatus.COMPLETED


def test_a_persons_no_begins_the_rounds_anew() -> None:
    reds = [seen(check(CheckState.FAILED, log=f"{number} != 2")) for number in range(4)]
    kernel, run = driven([*reds, GREEN], published(FollowPolicy(max_rounds=2)))
    assert len(kernel.fakes.forge.requests) == 3
    answer(kernel, run, yes=False)
    assert kernel.status(run) is RunStatus.COMPLETED
    assert len(kernel.fakes.forge.requests) == 5


def test_comments_that_a_person_was_asked_about_reach_the_worker_with_the_persons_no() -> None:
    policy = FollowPolicy(max_rounds=0)
    kernel, run = driven(
        [replace(GREEN, remarks=(WISH,)), replace(GREEN, remarks=(WISH,))], published(policy)
    )
    assert question(kernel, run)[0] == ApprovalReason.PULL_REQUEST_ROUNDS
    answer(kernel, run, yes=False)
    assert kernel.status(run) is RunStatus.COMPLETED
    _, back = [it for it in kernel.events(run, e.StepEntered) if it.step == BUILD]
    words = [kernel.world.artifacts.get(it.artifact) for it in back.feedback]
    assert words[0] == "As I say."
    assert "> Say why." in words[1]
    assert [it.remarks for it in kernel.events(run, e.PullRequestSeen)] == [("R1",), ()]


def test_an_edited_comment_is_handed_on_in_its_last_words_and_once() -> None:
    edits = [replace(WISH, text=text) for text in ("Say what.", "Say who.", "Say when.")]
    early = replace(PENDING, remarks=(edits[0],))
    later = [replace(GREEN, remarks=(it,)) for it in edits[1:]]
    kernel, run = driven([early, *later])
    assert standings(kernel, run) == ["pending", "objected", "green"]
    _, back = [it for it in kernel.events(run, e.StepEntered) if it.step == BUILD]
    words = kernel.world.artifacts.get(back.feedback[0].artifact)
    assert ("> Say who." in words, "> Say what." in words) == (True, False)


def test_limits_of_other_steps_do_not_end_a_round() -> None:
    kernel = Kernel(None, builds)
    kernel.fakes.forge.sights.extend([RED, RED, GREEN])
    run = kernel.submit(replace(published(), limits=Limits(step_max_retries=0)))
    served(kernel, run)
    assert kernel.status(run) is RunStatus.COMPLETED


@pytest.mark.parametrize(
    ("sight", "ways", "target"),
    [
        (RED, {"on_fail": "build", "on_reject": "other"}, "build"),
        (RED, {"on_reject": "build"}, "build"),
        (replace(GREEN, remarks=(WISH,)), {"on_fail": "other", "on_reject": "build"}, "build"),
        (replace(GREEN, remarks=(WISH,)), {"on_fail": "build"}, "build"),
        (RED, {}, "build"),
    ],
)
def test_a_round_goes_where_the_step_says(sight: Sight, ways: dict[str, str], target: str) -> None:
    kernel, run = driven([sight, GREEN], published(None, **ways))
    entered = [it.step for it in kernel.events(run, e.StepEntered)]
    assert entered[3] == target


def test_where_nobody_can_mend_it_a_person_is_asked() -> None:
    given = published()
    steps = given.workflow.steps
    look = replace(work("look", AnswerKind.REVIEW), next=StepName("commit"))
    workflow = replace(
        given.workflow,
        initial_step=look.name,
        steps={look.name: look, **{name: steps[name] for name in list(steps)[1:]}},
    )
    writer = replace(given.roles[AnswerKind.REVIEW], writes=True)
    given = replace(given, workflow=workflow, roles={**given.roles, AnswerKind.REVIEW: writer})
    kernel, run = driven([RED], given)
    assert question(kernel, run)[0] == ApprovalReason.PULL_REQUEST_ROUNDS
    assert len(kernel.fakes.forge.requests) == 1


def test_commits_of_others_are_a_persons_to_judge() -> None:
    kernel, run = driven([replace(GREEN, head=CommitSha("f" * 40))] * 9)
    reason, words = question(kernel, run)
    assert reason == ApprovalReason.PULL_REQUEST_ROUNDS
    assert f"Its branch ends with {'f' * 40}" in words
    assert standings(kernel, run) == ["foreign"] * 3


def test_a_push_that_is_noticed_late_is_waited_for() -> None:
    kernel, run = driven([replace(RED, head=CommitSha("f" * 40)), GREEN])
    assert (kernel.status(run), standings(kernel, run)) == (
        RunStatus.COMPLETED,
        ["foreign", "green"],
    )


def test_a_round_that_takes_too_long_is_put_before_a_person() -> None:
    policy = FollowPolicy(timeout=timedelta(hours=2))
    kernel, run = driven([PENDING] * 99, published(policy))
    assert question(kernel, run)[0] == ApprovalReason.PULL_REQUEST_ROUNDS
    started, asked = kernel.envelopes(run)[0], kernel.envelopes(run)[-1]
    assert timedelta(hours=2) <= asked.recorded_at - started.recorded_at < timedelta(hours=2.5)


def test_waits_grow_and_are_bounded() -> None:
    kernel, run = driven([PENDING] * 20 + [GREEN])
    dues = [it for it in kernel.envelopes(run) if isinstance(it.event, e.TimerSet)]
    waits = [
        (it.event.due - it.recorded_at).total_seconds()
        for it in dues
        if isinstance(it.event, e.TimerSet) and it.event.parks
    ]
    assert waits[:4] == [60, 60, 90, 135]
    assert max(waits) == 15 * 60
    assert waits == sorted(waits)


def test_too_many_questions_are_waited_for_with_longer_and_longer_pauses() -> None:
    kernel, run = driven([LIMITED] * 6 + [GREEN])
    assert kernel.status(run) is RunStatus.COMPLETED
    dues = [it for it in kernel.envelopes(run) if isinstance(it.event, e.TimerSet)]
    waits = [
        (it.event.due - it.recorded_at).total_seconds()
        for it in dues
        if isinstance(it.event, e.TimerSet) and it.event.parks
    ]
    assert waits == [60, 120, 240, 480, 900, 900, 900]


def test_what_does_not_go_away_by_itself_is_a_persons_to_mend() -> None:
    kernel, run = driven([GONE, GONE, GONE, GREEN])
    reason, words = question(kernel, run)
    assert (reason, words) == (ApprovalReason.PULL_REQUEST_UNSEEN, GONE.reason)
    answer(kernel, run, yes=True)
    assert kernel.status(run) is RunStatus.COMPLETED


def test_a_yes_that_mended_nothing_leads_to_the_same_question() -> None:
    kernel, run = driven([GONE] * 4)
    answer(kernel, run, yes=True)
    assert len(kernel.events(run, e.ApprovalRequested)) == 2
    answer(kernel, run, yes=False)
    assert kernel.status(run) is RunStatus.FAILED


def test_what_never_goes_away_ends_with_the_time_of_the_round() -> None:
    policy = FollowPolicy(timeout=timedelta(hours=1))
    kernel, run = driven([LIMITED] * 99, published(policy))
    assert question(kernel, run)[0] == ApprovalReason.PULL_REQUEST_UNSEEN


def test_one_that_was_opened_by_hand_is_followed_and_mended() -> None:
    kernel = Kernel(None, builds)
    kernel.fakes.forge.refusal = NotOpened(reason="Nobody is logged in.")
    kernel.fakes.forge.sights.extend([RED, GREEN])
    run = kernel.submit(published())
    served(kernel, run)
    kernel.fakes.forge.refusal = None
    answer(kernel, run, yes=True)
    assert kernel.status(run) is RunStatus.COMPLETED
    assert standings(kernel, run) == ["red", "green"]


def test_the_waiting_is_not_the_runs_time() -> None:
    kernel = Kernel(None, builds)
    kernel.fakes.forge.sights.extend([PENDING] * 30 + [GREEN])
    limits = Limits(workflow_timeout=timedelta(minutes=10))
    run = kernel.submit(replace(published(), limits=limits))
    served(kernel, run)
    assert kernel.status(run) is RunStatus.COMPLETED
