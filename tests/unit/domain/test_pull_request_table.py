"""What follows from each standing of a pull request, early, late, and after its time."""

from datetime import timedelta
from typing import Final

import pytest
from tests.support.kernel import Kernel
from tests.unit.domain.pull_request_scene import builds, published

from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import FollowPolicy
from supervisor_ai.domain.run.effects import LookAtPullRequest, RequestApproval, SetTimer
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.moves.pull_request_record import PullRequestRecord
from supervisor_ai.drivers.moves.pull_requests import pause

S = e.PullRequestStanding
PUBLISH: Final = StepName("publish")
END: Final = TimerName("follow/publish/1/end")
TABLE: Final = {
    # standing: early, after three looks, when the time is over
    S.PENDING: ("waits", "waits", "asks"),
    S.SILENT: ("waits", "passes", "passes"),
    S.FOREIGN: ("waits", "asks", "asks"),
    S.AWAITED: ("waits", "waits", "asks"),
    S.RED: ("back", "back", "back"),
    S.OBJECTED: ("back", "back", "back"),
    S.GREEN: ("passes", "passes", "passes"),
    S.MERGED: ("completed", "completed", "completed"),
    S.CLOSED: ("failed", "failed", "failed"),
}
REPORT: Final = ArtifactHash("report")


def at_its_first_look() -> tuple[Kernel, RunId]:
    """Bring a run to where its pull request is open and the first look is due."""
    kernel = Kernel(None, builds)
    run = kernel.submit(published())
    kernel.drive(run)
    return kernel, run


def seen(standing: S) -> e.PullRequestSeen:
    return e.PullRequestSeen(step=PUBLISH, visit=1, standing=standing, report=REPORT)


def after(*facts: e.RunEvent, looks: int, is_over: bool) -> Decision:
    """Say what is decided after so many looks that saw nothing special, and then these facts."""
    kernel, run = at_its_first_look()
    playback = kernel.play(run)
    playback.apply(e.TimerFired(timer=TimerName("follow/publish/1/0")))
    playback.apply(e.RunContinued())
    for number in range(1, looks):
        playback.apply(seen(S.PENDING))
        timer, due = TimerName(f"follow/publish/1/{number}"), kernel.world.clock.now()
        playback.apply(e.TimerSet(timer=timer, due=due, parks=True))
        playback.apply(e.TimerFired(timer=timer))
    if is_over:
        playback.apply(e.TimerFired(timer=END))
    for fact in facts:
        playback.apply(fact)
    return playback.decide()


def name(decision: Decision) -> str:
    effects = [it for it in decision.effects if not isinstance(it, SetTimer)]
    if decision.ending is not None:
        return decision.ending.status.value
    if any(isinstance(it, RequestApproval) for it in effects):
        return "asks"
    if any(isinstance(it, LookAtPullRequest) for it in effects):
        return "looks"
    if any(isinstance(it, e.StepFailed) for it in decision.events):
        return "back"
    waits = any(isinstance(it, SetTimer) and it.parks for it in decision.effects)
    return "waits" if waits else "nothing"


def test_every_standing_has_a_row() -> None:
    assert set(TABLE) == set(S)


@pytest.mark.parametrize("standing", list(S))
def test_what_follows_from_a_standing(standing: S) -> None:
    cases = ((1, False), (3, False), (3, True))
    found = [name(after(seen(standing), looks=looks, is_over=over)) for looks, over in cases]
    # The step is the last one of its workflow, so that passing it completes the run.
    wanted = [RunStatus.COMPLETED.value if word == "passes" else word for word in TABLE[standing]]
    assert found == wanted


@pytest.mark.parametrize(
    ("is_passing", "failures", "is_over", "wanted"),
    [
        (True, 1, False, "waits"),
        (True, 9, False, "waits"),
        (True, 1, True, "asks"),
        (False, 2, False, "waits"),
        (False, 3, False, "asks"),
        (False, 1, True, "asks"),
    ],
)
def test_what_follows_where_nothing_is_seen(
    *, is_passing: bool, failures: int, is_over: bool, wanted: str
) -> None:
    unseen = e.PullRequestUnseen(
        step=PUBLISH, visit=1, reason="No.", detail=REPORT, is_passing=is_passing
    )
    decision = after(*[unseen] * failures, looks=1, is_over=is_over)
    assert name(decision) == wanted
    asked = [it.reason for it in decision.effects if isinstance(it, RequestApproval)]
    assert asked == [ApprovalReason.PULL_REQUEST_UNSEEN] * (wanted == "asks")


def test_a_lost_look_is_made_again() -> None:
    lost = e.PullRequestLookLost(step=PUBLISH, visit=1)
    assert name(after(lost, looks=1, is_over=False)) == "looks"


def test_while_it_waits_nothing_is_decided() -> None:
    kernel, run = at_its_first_look()
    assert kernel.play(run).decide().is_empty


def test_pauses_are_bounded_however_long_it_takes() -> None:
    quick, slow = FollowPolicy(), FollowPolicy(every=timedelta(hours=1))
    record = PullRequestRecord(still=10_000, failures=10_000)
    assert pause(quick, record) == timedelta(minutes=15)
    assert pause(slow, record) == timedelta(hours=1)
