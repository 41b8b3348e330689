"""Tests that nobody knows by name: the base's harness is heard as a whole."""

import re
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.engine.effects.gates.agreed_changes import Agreed
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.world import Operation

_LAST: Final = 3
_SHOWN: Final = 200
_CHANGING: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\d+(?:[.,:]\d+)*")
"""Colours and numbers: times, counts, seeds."""


def unnamed_tests(
    effect: RunGate, operation: Operation, ran: Ran, agreed: Agreed
) -> tuple[Finding, ...]:
    """Find what the base's own tests say about the head's product, by how they end."""
    opinion = judge(effect.gate, ran, least=effect.least_tests)
    if opinion.verdict is not Verdict.PASSED:
        message = "As they were before the change, the tests do not pass on it."
        return (_finding("old_tests_fail", f"{message} {_end_of(ran) or opinion.reason}", agreed),)
    missing = _missing_end(effect, operation, ran)
    if missing is None:
        return ()
    message = f"Before the change the tests ended with {missing!r}; now they say no such thing."
    return (_finding("tests_cut_short", message, agreed),)


def _finding(rule: str, message: str, agreed: Agreed) -> Finding:
    if agreed.allows_some:
        return Finding(rule="agreed_change", message=message, severity=Severity.NOTE)
    return Finding(rule=rule, message=message)


def _missing_end(effect: RunGate, operation: Operation, ran: Ran) -> str | None:
    """Return how the tests ended before the change, if they do not end so any more."""
    kept = effect.baseline_output
    before = _lines(operation.text_of(kept))[-_LAST:] if kept is not None else []
    now = {_plain(line) for line in _lines(ran.text)}
    if not before or any(_plain(line) in now for line in before):
        return None
    return before[-1][:_SHOWN]


def _end_of(ran: Ran) -> str:
    lines = _lines(ran.text)[-_LAST:]
    return f"They say: {' / '.join(line[:_SHOWN] for line in lines)}" if lines else ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _plain(line: str) -> str:
    return _CHANGING.sub("#", line)
