"""Tests that nobody knows by name: the base's harness is heard as a whole."""

import re
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.engine.effects.gates.agreed_changes import Agreed
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.world import Operation

_LAST: Final = 3
_SHOWN: Final = 200
_CHANGING: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\d+(?:[.,:]\d+)*")
"""Colours and numbers: times, counts, seeds."""
_COMPLAINT: Final = re.compile(
    r"^\W*(?:not ok|fail|failed|failure|error)\b|[✗✖✘]"
    r"|\b[1-9]\d* (?:\w+ )?(?:failed|failures?|failing|errors?)\b",
    re.IGNORECASE,
)


def unnamed_tests(
    effect: RunGate, operation: Operation, ran: Ran, agreed: Agreed
) -> tuple[Finding, ...]:
    """Find what the base's own tests say about the head's product, by how they end."""
    opinion = judge(effect.gate, ran, least=effect.least_tests)
    if opinion.verdict is not Verdict.PASSED:
        message = "As they were before the change, the tests do not pass on it."
        return (_finding("old_tests_fail", f"{message} {_end_of(ran) or opinion.reason}", agreed),)
    before, now = _lines(_before(effect, operation)), _lines(ran.text)
    if complaint := _new_complaint(before, now):
        message = f"As they were before the change, the tests say {complaint!r} about it."
        return (_finding("old_tests_fail", message, agreed),)
    if end := _missing_end(before, now):
        message = f"Before the change the tests ended with {end!r}; now they say no such thing."
        return (_finding("tests_cut_short", message, agreed),)
    return ()


def _finding(rule: str, message: str, agreed: Agreed) -> Finding:
    # Nobody knows the tests by name, so one that is meant may be any of them.
    meant = [(agreed.is_accepted(it), it) for it in agreed.announced if agreed.is_meant(it)]
    return agreed.finding(max(meant)[1], message) if meant else Finding(rule=rule, message=message)


def _before(effect: RunGate, operation: Operation) -> str:
    kept = effect.baseline_output
    return "" if kept is None else operation.text_of(kept)


def _new_complaint(before: list[str], now: list[str]) -> str | None:
    """Return a line that tells of a failure and was not said before, whatever the exit code."""
    known = {_plain(line) for line in before if _COMPLAINT.search(line)}
    found = (line for line in now if _COMPLAINT.search(line) and _plain(line) not in known)
    return next((line[:_SHOWN] for line in found), None)


def _missing_end(before: list[str], now: list[str]) -> str | None:
    """Return how the tests ended before the change, if they do not end so any more."""
    last, said = before[-_LAST:], {_plain(line) for line in now}
    if not last or any(_plain(line) in said for line in last):
        return None
    return last[-1][:_SHOWN]


def _end_of(ran: Ran) -> str:
    lines = _lines(ran.text)[-_LAST:]
    return f"They say: {' / '.join(line[:_SHOWN] for line in lines)}" if lines else ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _plain(line: str) -> str:
    return _CHANGING.sub("#", line)
