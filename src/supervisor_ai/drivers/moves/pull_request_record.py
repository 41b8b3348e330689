"""What a run remembers of its pull request while it is followed."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.structs import replace

_REMEMBERED: Final = 500
LOOK_TIMER: Final = "follow/"
"""How the names of timers begin for which looks wait."""

PullRequestFact = (
    e.PullRequestStarted | e.PullRequestOpened | e.PullRequestSeen | e.PullRequestUnseen
)


class PullRequestRecord(Struct, frozen=True, kw_only=True):
    """Where a pull request is, and how the looks at it went since its branch was pushed last."""

    url: str = ""
    commit: CommitSha = CommitSha("")
    """What it shows."""
    visit: int = 0
    """The visit in which that was pushed; 0: there is none yet."""
    handled: tuple[str, ...] = ()
    """The comments that were handed on, the oldest first."""
    looks: int = 0
    still: int = 0
    """How many looks in a row brought nothing new."""
    failures: int = 0
    """How many looks in a row saw nothing."""
    report: ArtifactHash | None = None
    """What was seen last."""
    timer: TimerName | None = None
    """The timer for which the next look waits."""


def evolve(record: PullRequestRecord, event: PullRequestFact) -> PullRequestRecord:
    """Fold one recorded fact into what is known; what was handed on stays handed on."""
    match event:
        case e.PullRequestStarted(commit=commit):
            return PullRequestRecord(url=record.url, commit=commit, handled=record.handled)
        case e.PullRequestOpened(url=url, visit=visit):
            return replace(record, url=url, visit=visit)
        case e.PullRequestUnseen():
            return replace(record, looks=record.looks + 1, failures=record.failures + 1)
        case _:
            return replace(
                record,
                looks=record.looks + 1,
                failures=0,
                still=record.still + 1 if event.report == record.report else 0,
                report=event.report,
                handled=(*record.handled, *event.remarks)[-_REMEMBERED:],
            )


def is_for_a_look(event: e.TimerSet) -> bool:
    """Tell whether a look waits for a timer; the time of a whole round parks nobody."""
    return event.parks and event.timer.startswith(LOOK_TIMER)


def evolve_timer(record: PullRequestRecord, event: e.TimerSet) -> PullRequestRecord:
    """Count a look that brought nothing new: its timer is set anew, and that is all."""
    if event.timer != record.timer:
        return replace(record, timer=event.timer)
    return waited(record)


def waited(record: PullRequestRecord) -> PullRequestRecord:
    """Count one more look that brought what the one before it did."""
    if record.failures:
        return replace(record, failures=record.failures + 1)
    return replace(record, still=record.still + 1)
