"""What a document says about itself: scores, size, and questions that it leaves open."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from supervisor_ai.drivers.checkpoint.facts.markdown import EntryForm, MarkdownEntry, bare
from supervisor_ai.drivers.checkpoint.facts.model import (
    LONGEST_QUOTE,
    ComplexityLabel,
    OpenQuestion,
    PlanComplexity,
    SelfScore,
)
from supervisor_ai.drivers.checkpoint.facts.statements import is_nothing
from supervisor_ai.drivers.checkpoint.facts.topics import Topic

MOST_REMARKS: Final = 200
_LONGEST_TEXT: Final = 200
_WHOLE: Final = 100
_SCORE: Final = re.compile(
    r"\b(?:self|quality|overall|readiness|final)[- _]?(?:score|assessment|rating)\b[^0-9\n]{0,20}"
    r"([0-9]{1,3}(?:\.[0-9]{1,3})?) ?(?:(%)|/ ?([0-9]{1,3}))?",
    re.IGNORECASE,
)
_COMPLEXITY: Final = re.compile(r"\bcomplexity\b\W{1,6}(low|medium|high)\b", re.IGNORECASE)
_MODULES: Final = re.compile(
    r"\bmodules?\b(?: count)?\W{1,4}([0-9]{1,4})\b|\b([0-9]{1,4}) modules\b", re.IGNORECASE
)
_RESOLVED: Final = re.compile(r"\[x\]|~~|\b(?:resolved|answered|closed|decided)\b", re.IGNORECASE)
_MINOR: Final = re.compile(
    r"\b(?:non[- ](?:critical|blocking|blocker)|minor|low|medium|nice to (?:have|know)|p[1-9])\b",
    re.IGNORECASE,
)
_CRITICAL: Final = re.compile(
    r"\b(?:critical|blockers?|blocking|blocks|p0|must be (?:answered|resolved|decided))\b",
    re.IGNORECASE,
)


def self_scores(lines: Iterable[tuple[int, str]]) -> tuple[SelfScore, ...]:
    """Find the scores that an author gives the own work: `Self-score: 85`, `8.5/10`, `0.85`."""
    found = (_self_score(number, line) for number, line in lines)
    return tuple(it for it in found if it is not None)[:MOST_REMARKS]


def _self_score(number: int, line: str) -> SelfScore | None:
    match = _SCORE.search(bare(line))
    if match is None:
        return None
    thousandths = score_in_thousandths(match[1], match[3] or (str(_WHOLE) if match[2] else ""))
    if thousandths is None:
        return None
    return SelfScore(thousandths=thousandths, line=number, quote=quote(line))


def score_in_thousandths(value: str, of: str = "") -> int | None:
    """Bring a score to the scale from 0 to 100; one with a point and at most 1 is a part of 1."""
    whole = Fraction(of) if of else Fraction(1 if _is_part(value) else _WHOLE)
    if not whole or not 0 <= Fraction(value) <= whole:
        return None
    return int(Fraction(value) / whole * _WHOLE * 1000)


def _is_part(value: str) -> bool:
    return "." in value and Fraction(value) <= 1


def complexity(lines: Iterable[tuple[int, str]]) -> ComplexityLabel | None:
    """Find what a plan says about its complexity: `Complexity: low`."""
    for number, line in lines:
        if match := _COMPLEXITY.search(bare(line)):
            label = PlanComplexity(match[1].lower())
            return ComplexityLabel(complexity=label, line=number, quote=quote(line))
    return None


def module_count(lines: Iterable[tuple[int, str]]) -> int | None:
    """Find how many modules a plan says that there are: `Modules: 5`, `5 modules`."""
    for _, line in lines:
        if match := _MODULES.search(bare(line)):
            return int(match[1] or match[2])
    return None


def open_questions(entries: Iterable[MarkdownEntry]) -> tuple[OpenQuestion, ...]:
    """Find the questions below "Open Questions" that are not ticked off, struck or answered."""
    return tuple(_questions(entries))[:MOST_REMARKS]


def _questions(entries: Iterable[MarkdownEntry]) -> Iterator[OpenQuestion]:
    for entry in entries:
        is_entry = entry.form is not EntryForm.HEADING and entry.depth == 0
        if not is_entry or entry.topic is not Topic.QUESTIONS:
            continue
        told = " ".join((entry.raw, *entry.below))
        if is_nothing(entry.text) or _RESOLVED.search(told):
            continue
        yield OpenQuestion(
            text=entry.text[:_LONGEST_TEXT],
            line=entry.line,
            quote=quote(entry.raw),
            is_critical=_is_critical(told),
        )


def _is_critical(text: str) -> bool | None:
    if _MINOR.search(text):
        return False
    return True if _CRITICAL.search(text) else None


def quote(line: str) -> str:
    """Quote a line as it stands there, as far as it is needed."""
    return line.strip()[:LONGEST_QUOTE].strip()
