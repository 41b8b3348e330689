"""A pull request: opened, followed as its step says, and mended until others are content."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final, TypeGuard

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import FollowPolicy, Step
from supervisor_ai.domain.run.effects import (
    CancelTimer,
    LookAtPullRequest,
    OpenPullRequest,
    SetTimer,
)
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason, Feedback, FeedbackKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.landings import commit_style
from supervisor_ai.drivers.moves.pull_request_record import LOOK_TIMER, PullRequestRecord, waited
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import (
    complete,
    enter,
    mender,
    needs_sign_off,
    pass_step,
    perform,
    question,
    rejected_by_person,
    stop,
    then,
)

_LONGEST_WAIT: Final = timedelta(minutes=15)
_GROWTH: Final = 1.5
_BACK_OFF: Final = 2.0
_MOST_GROWTH: Final = 20
_PATIENT_LOOKS: Final = 3
"""So many looks are allowed for a forge to notice a push, and for checks to begin."""
_WAITED_OUT: Final = frozenset({e.PullRequestStanding.PENDING, e.PullRequestStanding.AWAITED})
"""Standings that only others, or the end of the round, put an end to."""
_FAILURES: Final = 3
"""So many looks in a row may fail for a reason that does not go away by itself."""


class _Followed(Struct, frozen=True, kw_only=True):
    """A pull request in a visit to the step that follows it."""

    run: Run
    state: WorkflowState
    at: Step
    visit: Visit
    record: PullRequestRecord
    policy: FollowPolicy

    @property
    def timer(self) -> TimerName:
        """Name the timer for which the next look waits; each has its own."""
        return TimerName(f"{self._round}/{self.record.looks}")

    @property
    def end(self) -> TimerName:
        """Name the timer at which the round has taken too long."""
        return TimerName(f"{self._round}/end")

    @property
    def _round(self) -> str:
        return f"{LOOK_TIMER}{self.at.name}/{self.visit.number}"


def decide_pull_request(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Ask others to look at what has landed; where that fails, somebody does it by hand.

    Their yes is worth another try: what stood in the way may be gone, and theirs is found.
    """
    is_by_hand = ApprovalReason.PULL_REQUEST in visit.approved
    match state.news:
        case e.PullRequestRefused() if is_by_hand:
            return pass_step(run, state, at)
        case e.PullRequestRefused(detail=detail):
            return perform(run, state, question(state, at, ApprovalReason.PULL_REQUEST, detail))
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news, *_unheard(state, at, visit))
        case _ if state.landed is None:
            return pass_step(run, state, at)
        case _ if (followed := _followed(run, state, at, visit)) is not None:
            return _follow(followed)
        case e.PullRequestOpened():
            return pass_step(run, state, at)
        case _ if needs_sign_off(state, at):
            return perform(run, state, question(state, at))
        case _:
            opening = OpenPullRequest(
                step=at.name,
                visit=visit.number,
                branch=run.birth.branch or "",
                commit=state.landed,
                target=base_of(run.birth).ref,
                task=run.birth.task,
                base=base_of(run.birth).sha,
                style=commit_style(state),
                issue=run.birth.issue,
                forge=state.definition.forge,
            )
            return perform(run, state, opening)


def _unheard(state: WorkflowState, at: Step, visit: Visit) -> Iterator[Feedback]:
    """Hand on what a person was asked about instead of a worker: it is not told again."""
    report = state.pull_request.report
    if visit.question == ApprovalReason.PULL_REQUEST_ROUNDS and report is not None:
        yield Feedback(kind=FeedbackKind.PULL_REQUEST, source=at.name, artifact=report)


def _followed(run: Run, state: WorkflowState, at: Step, visit: Visit) -> _Followed | None:
    """Return what is followed, once it is open for what has landed last."""
    record = state.pull_request
    if at.follow is None or record.visit != visit.number:
        return None
    return _Followed(run=run, state=state, at=at, visit=visit, record=record, policy=at.follow)


def _follow(it: _Followed) -> Decision:
    """Act on what is known, or wait and look again."""
    if it.timer in it.run.timers:
        return Decision()
    if it.timer in it.run.fired:
        return _look(it)
    match it.state.news:
        case e.PullRequestSeen():
            return _follow_seen(it, it.state.news)
        case e.PullRequestUnseen():
            return _follow_unseen(it, it.state.news)
        case e.ApprovalGiven() if it.visit.question == ApprovalReason.PULL_REQUEST_ROUNDS:
            return pass_step(it.run, it.state, it.at)
        case e.ApprovalGiven():
            return _look(it)
        case _:
            return _wait(it)


def _follow_seen(it: _Followed, seen: e.PullRequestSeen) -> Decision:
    is_patient = it.record.looks >= _PATIENT_LOOKS
    match seen.standing:
        case e.PullRequestStanding.MERGED:
            passed = e.StepPassed(step=it.at.name, visit=it.visit.number)
            return complete(it.state, passed, f"The pull request {it.record.url} was merged.")
        case e.PullRequestStanding.CLOSED:
            reason = f"The pull request {it.record.url} was closed without being merged."
            return stop(it.at, it.visit, OutcomeKind.REJECTED, reason)
        case e.PullRequestStanding.GREEN:
            return _leaving(it, pass_step(it.run, it.state, it.at))
        case e.PullRequestStanding.SILENT if is_patient:
            return _leaving(it, pass_step(it.run, it.state, it.at))
        case e.PullRequestStanding.RED | e.PullRequestStanding.OBJECTED:
            return _send_back(it, seen)
        case e.PullRequestStanding.FOREIGN if is_patient:
            return _ask(it, seen.report)
        case _ if it.end in it.run.fired:
            return _ask(it, seen.report)
        case _:
            return _wait(it)


def _follow_unseen(it: _Followed, unseen: e.PullRequestUnseen) -> Decision:
    """Wait for what may go away by itself; a person is asked about the rest."""
    is_stuck = not unseen.is_passing and it.record.failures >= _FAILURES
    if not is_stuck and it.end not in it.run.fired:
        return _wait(it)
    asked = question(it.state, it.at, ApprovalReason.PULL_REQUEST_UNSEEN, unseen.detail)
    return perform(it.run, it.state, asked)


def _send_back(it: _Followed, seen: e.PullRequestSeen) -> Decision:
    """Let whoever can mend it hear all that was said, in one round, as long as rounds are left."""
    target, rounds = _target(it, seen), it.state.record(it.at.name).setbacks
    if target is None or rounds >= it.policy.max_rounds:
        return _ask(it, seen.report)
    told = Feedback(kind=FeedbackKind.PULL_REQUEST, source=it.at.name, artifact=seen.report)
    reason = f"The pull request {it.record.url} is {seen.standing.value}."
    failed = e.StepFailed(step=it.at.name, visit=it.visit.number, reason=reason)
    return _leaving(it, then(failed, enter(it.state, target, (told,))))


def _target(it: _Followed, seen: e.PullRequestSeen) -> StepName | None:
    ways = (it.at.on_fail, it.at.on_reject)
    first, second = ways if seen.standing is e.PullRequestStanding.RED else ways[::-1]
    return first or second or mender(it.state, it.at)


def _ask(it: _Followed, report: ArtifactHash) -> Decision:
    asked = question(it.state, it.at, ApprovalReason.PULL_REQUEST_ROUNDS, report)
    return _leaving(it, perform(it.run, it.state, asked))


def _look(it: _Followed) -> Decision:
    """Look once; that is no work of the run, so its deadline does not begin."""
    look = LookAtPullRequest(
        step=it.at.name,
        visit=it.visit.number,
        url=it.record.url,
        commit=it.record.commit,
        policy=it.policy,
        handled=it.record.handled,
    )
    known = it.state.news
    if _is_waited_out(known) and it.end not in it.run.fired:
        look = replace(look, known=known, again=pause(it.policy, waited(it.record)))
    return Decision(effects=(look,))


def _is_waited_out(
    known: e.PlacedEvent | None,
) -> TypeGuard[e.PullRequestSeen | e.PullRequestUnseen]:
    """Tell whether seeing the same again changes nothing, however often it is seen."""
    match known:
        case e.PullRequestSeen(standing=standing):
            return standing in _WAITED_OUT
        case e.PullRequestUnseen(is_passing=is_passing):
            return is_passing
        case _:
            return False


def _wait(it: _Followed) -> Decision:
    """Park until the next look; the time of a whole round is taken once."""
    again = SetTimer(timer=it.timer, after=pause(it.policy, it.record), parks=True)
    if it.end in it.run.timers or it.end in it.run.fired:
        return perform(it.run, it.state, again)
    end = SetTimer(timer=it.end, after=it.policy.timeout)
    return perform(it.run, it.state, end, again)


def pause(policy: FollowPolicy, record: PullRequestRecord) -> timedelta:
    """Say how long to wait: longer where nothing moves, and longer still where nobody answers."""
    growth = _GROWTH ** min(record.still, _MOST_GROWTH)
    growth *= _BACK_OFF ** min(record.failures, _MOST_GROWTH)
    return max(policy.every, min(policy.every * growth, _LONGEST_WAIT))


def _leaving(it: _Followed, decision: Decision) -> Decision:
    """Forget the time of the round together with the round."""
    if it.end not in it.run.timers:
        return decision
    return replace(decision, effects=(CancelTimer(timer=it.end), *decision.effects))
