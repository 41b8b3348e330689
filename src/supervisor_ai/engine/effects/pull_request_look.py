"""Performing a look at a pull request: what others say becomes one fact and one report."""

from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.definition import FollowPolicy
from supervisor_ai.domain.run.effects import LookAtPullRequest
from supervisor_ai.domain.run.events import PullRequestSeen, PullRequestStanding, PullRequestUnseen
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.forge import (
    CheckState,
    CiCheck,
    NotSeen,
    PullRequestState,
    PullRequestView,
    Remark,
)
from supervisor_ai.engine.world import Operation

_MOST_REMARKS: Final = 40
_NAMED: Final = 30
_LOGS: Final = 9_000
_SHORTEST_LOG: Final = 900
_REMARKS: Final = 6_000
_NAME: Final = 60
"""A worker is shown 20,000 characters of a feedback, so that the report has to stay below that."""
_ENDED: Final = {
    PullRequestState.MERGED: PullRequestStanding.MERGED,
    PullRequestState.CLOSED: PullRequestStanding.CLOSED,
}
_TOLD: Final = frozenset({PullRequestStanding.RED, PullRequestStanding.OBJECTED})
_SAID: Final = {
    CheckState.PENDING: "are under way",
    CheckState.PASSED: "passed",
    CheckState.FAILED: "failed",
}


async def perform_look(
    effect: LookAtPullRequest, operation: Operation
) -> PullRequestSeen | PullRequestUnseen:
    """Look once, and say how it stands."""
    policy = effect.policy
    found = await operation.world.forge.look(effect.url, ci=policy.ci, reviews=policy.reviews)
    if isinstance(found, NotSeen):
        return _unseen(effect, operation, found)
    view = within(found, policy)
    fresh = tuple(it for it in view.remarks if it.counts and it.key not in effect.handled)
    standing = standing_of(effect, view, fresh)
    told = fresh[:_MOST_REMARKS] if standing in _TOLD else ()
    report, _ = operation.keep(plain(report_of(effect, view, standing, told)))
    return PullRequestSeen(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        standing=standing,
        report=report,
        passed=_count(view.checks, CheckState.PASSED),
        failed=_count(view.checks, CheckState.FAILED),
        pending=_count(view.checks, CheckState.PENDING),
        remarks=tuple(it.key for it in told),
        noted=sum(not it.counts for it in view.remarks),
    )


def within(view: PullRequestView, policy: FollowPolicy) -> PullRequestView:
    """Leave out what is not followed."""
    if not policy.ci:
        view = replace(view, checks=())
    return view if policy.reviews else replace(view, remarks=(), open_demands=0)


def standing_of(
    effect: LookAtPullRequest, view: PullRequestView, fresh: Sequence[Remark]
) -> PullRequestStanding:
    """Say in a word how a pull request stands; what is under way is waited for first."""
    states = {check.state for check in view.checks}
    if view.state in _ENDED:
        return _ENDED[view.state]
    rules = (
        (view.head != effect.commit, PullRequestStanding.FOREIGN),
        (CheckState.PENDING in states, PullRequestStanding.PENDING),
        (CheckState.FAILED in states, PullRequestStanding.RED),
        (bool(fresh), PullRequestStanding.OBJECTED),
        (view.open_demands > 0, PullRequestStanding.AWAITED),
        (effect.policy.ci and not states, PullRequestStanding.SILENT),
    )
    return next((standing for holds, standing in rules if holds), PullRequestStanding.GREEN)


def report_of(
    effect: LookAtPullRequest,
    view: PullRequestView,
    standing: PullRequestStanding,
    told: Sequence[Remark],
) -> str:
    """Write down what was seen, so that a worker or a person can act on it."""
    lines = [f"Pull request {effect.url} is {standing.value}.", ""]
    if standing is PullRequestStanding.FOREIGN:
        lines += [f"Its branch ends with {view.head}, not with {effect.commit}.", ""]
    lines += _of_checks(view.checks)
    if view.open_demands:
        lines += [f"Reviewers who still ask for changes: {view.open_demands}", ""]
    lines += _of_remarks(told)
    return "\n".join(lines).rstrip() + "\n"


def _of_checks(checks: Sequence[CiCheck]) -> Iterator[str]:
    failed = [check for check in checks if check.state is CheckState.FAILED]
    for state in CheckState:
        names = [_short(it.name) for it in checks if it.state is state]
        if names:
            more = f" and {len(names) - _NAMED} more" * (len(names) > _NAMED)
            yield f"Checks that {_SAID[state]}: {', '.join(names[:_NAMED])}{more}"
    share = max(_SHORTEST_LOG, _LOGS // max(1, len(failed)))
    for check in failed[: _LOGS // _SHORTEST_LOG]:
        if check.log:
            end = _tail(_quoted(check.log), share)
            yield f"\nThe end of the log of {_short(check.name)}:\n{end}"
    if checks:
        yield ""


def _of_remarks(told: Sequence[Remark]) -> Iterator[str]:
    share = _REMARKS // max(1, len(told))
    for number, remark in enumerate(told, start=1):
        demand = ", asks for changes" if remark.is_demand else ""
        place = "" if remark.file is None else f" at {_short(remark.file)}:{remark.line or '?'}"
        text = _quoted(remark.text.strip())[:share]
        yield f"Comment {number}{place}, by {_short(remark.author)}{demand}:\n{text}\n"


def _quoted(text: str) -> str:
    """Mark every line, so that no text can pose as another comment or as words of ours."""
    return "\n".join(f"> {line}" for line in plain(text).strip("\n").splitlines()) or "> (nothing)"


def _tail(quoted: str, length: int) -> str:
    """Leave the end of a quotation, in whole lines."""
    if len(quoted) <= length:
        return quoted
    _, _, lines = quoted[-length:].partition("\n")
    return f"> …\n{lines}" if lines else f"> …{quoted[-length:]}"


def _short(name: str) -> str:
    return " ".join(name.split())[:_NAME]


def _count(checks: Sequence[CiCheck], state: CheckState) -> int:
    return sum(check.state is state for check in checks)


def _unseen(effect: LookAtPullRequest, operation: Operation, found: NotSeen) -> PullRequestUnseen:
    detail, _ = operation.keep(plain(f"{found.reason}\n{found.detail}".strip()))
    return PullRequestUnseen(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        reason=found.reason,
        detail=detail,
        is_passing=found.is_passing,
    )
