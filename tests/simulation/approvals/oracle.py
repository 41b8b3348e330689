"""What must be true of every change that has landed, worked out from the event log alone.

Nothing of the product's own code for approvals is used: what a change needs stands in a table,
who has said what is known from the letters, and the time that counts is added up by the minute.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from tests.simulation.approvals.desk import PROVEN, Desk, Sent
from tests.simulation.approvals.policies import (
    LEADS,
    QUIET_FROM,
    QUIET_TO,
    WAIT,
    Need,
    Rules,
    Setting,
    need,
)

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.values import ApprovalReason

_VOTES = (e.ApprovalGiven, e.ApprovalCounted)


def broken_rules(desk: Desk) -> list[str]:
    """Return a sentence for every landing that lacks what its level demands."""
    return [rule for run in desk.runs for rule in _of_run(desk, run)]


def _of_run(desk: Desk, run: RunId) -> Iterator[str]:
    envelopes = desk.envelopes(run)
    for at, envelope in enumerate(envelopes):
        if isinstance(envelope.event, e.IntegrationLanded):
            yield from Landing(desk, run, envelopes[: at + 1]).flaws()


class Landing:
    """One change that has landed, and all that happened before."""

    def __init__(self, desk: Desk, run: RunId, envelopes: list[Envelope]) -> None:
        self._desk = desk
        self._run = run
        begun = [at for at in envelopes if isinstance(at.event, e.IntegrationStarted)][-1]
        assert isinstance(begun.event, e.IntegrationStarted)
        self._past = envelopes[: envelopes.index(begun)]
        self._risk = desk.risk_of(begun.event.snapshot)
        self._tree: TreeSha = desk.tree_of(begun.event.snapshot)
        self._setting, self._since = self._pinned()

    def flaws(self) -> Iterator[str]:
        """Say what the change lacked."""
        if self._setting.rules is Rules.NONE:
            return
        demand = need(self._setting.rules, self._risk)
        words = f"Run {self._run!r} landed a change ({self._risk}) under {self._setting.rules}"
        assessed = self._assessed()
        if assessed is None:
            yield f"{words} that was not assessed since."
            return
        after = self._past[assessed:]
        if not self._has(demand, after):
            yield f"{words} without {demand}."

    def _pinned(self) -> tuple[Setting, int]:
        """Return what the run was under, and since which of its facts the policy is this one."""
        found = [
            (at, self._desk.settings[envelope.event.definition])
            for at, envelope in enumerate(self._past)
            if isinstance(envelope.event, e.RunSubmitted | e.DefinitionMigrated)
        ]
        last = found[-1][1]
        since = 0
        for at, setting in reversed(found):
            if setting.rules is not last.rules:
                break
            since = at
        return last, since

    def _assessed(self) -> int | None:
        """Find the last assessment of this tree that began under this policy."""
        begun = None
        found = None
        for at, envelope in enumerate(self._past):
            if isinstance(envelope.event, e.AssessmentStarted):
                begun = at
            if isinstance(envelope.event, e.ChangeAssessed) and envelope.event.tree == self._tree:
                found = at if begun is not None and begun >= self._since else found
        return found

    def _has(self, demand: Need, after: list[Envelope]) -> bool:
        if demand is Need.NOTHING:
            return True
        votes = list(self._votes(after))
        people = {name for vote in votes if (name := PROVEN.get(vote.who)) is not None}
        match demand:
            case Need.TWO_LEADS:
                return len(people & LEADS) > 1
            case Need.A_LEAD:
                return bool(people & LEADS)
            case Need.SOMEBODY:
                return bool(votes)
            case Need.SILENCE:
                return bool(votes) or self._is_lapsed(after)

    def _votes(self, after: list[Envelope]) -> Iterator[Sent]:
        """Find who has really said yes to the last question about the risk of this tree."""
        asked = self._last_question(after)
        if asked is None:
            return
        for envelope in after[asked:]:
            event = envelope.event
            if not isinstance(event, _VOTES) or event.tree != self._tree:
                continue
            letter = self._letter(envelope)
            if letter is not None and letter.is_sound and letter.is_yes:
                yield letter

    def _last_question(self, after: list[Envelope]) -> int | None:
        found = [
            at
            for at, it in enumerate(after)
            if isinstance(it.event, e.ApprovalRequested)
            and (it.event.reason, it.event.tree) == (ApprovalReason.RISK, self._tree)
        ]
        return found[-1] if found else None

    def _letter(self, envelope: Envelope) -> Sent | None:
        cause = (envelope.cause or "").removeprefix("letter:")
        return self._desk.letters.get(cause)

    def _is_lapsed(self, after: list[Envelope]) -> bool:
        """Tell whether people were told, had the time to object, and nobody did."""
        lapses = [it for it in after if isinstance(it.event, e.ApprovalLapsed)]
        asked = self._last_question(after)
        if not lapses or asked is None:
            return False
        lapsed, question = lapses[-1], after[asked]
        told = [
            at
            for run, at in self._desk.notifier.delivered
            if run == self._run and after[0].recorded_at <= at <= question.recorded_at
        ]
        if not told or free_time(told[-1], lapsed.recorded_at, self._setting) < WAIT:
            return False
        return not self._is_objected(lapsed, question)

    def _is_objected(self, lapsed: Envelope, question: Envelope) -> bool:
        """Tell whether somebody said no in time, or has ever said no to these files."""
        refused = any(
            isinstance(it.event, e.ApprovalRefused) and it.event.tree == self._tree
            for it in self._past
        )
        in_time = any(
            letter.is_sound
            and not letter.is_yes
            and letter.run == self._run
            and letter.asked == question.event
            and question.seq <= letter.seq < lapsed.seq
            for letter in self._desk.letters.values()
        )
        return refused or in_time


def free_time(start: datetime, end: datetime, setting: Setting) -> timedelta:
    """Add up the time that is not quiet."""
    passed = end - start
    if not setting.is_quiet:
        return passed
    day = start.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    while day < end:
        quiet_from = day + timedelta(hours=QUIET_FROM.hour, minutes=QUIET_FROM.minute)
        quiet_to = day + timedelta(hours=QUIET_TO.hour, minutes=QUIET_TO.minute)
        passed -= max(timedelta(), min(quiet_to, end) - max(quiet_from, start))
        day += timedelta(days=1)
    return passed
