"""Approval panels: what a person is asked, with everything that speaks for and against it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.control.dashboard.change_views import LineNote, comment_notes, notes_of
from supervisor_ai.control.dashboard.run_lines import RunLine, phrases_of, read_line
from supervisor_ai.control.dashboard.run_pages import GateLine, read_gate
from supervisor_ai.control.ports.queries import AttemptRow, RunRow
from supervisor_ai.control.queries.approvals import PendingApproval, find_approval
from supervisor_ai.control.queries.causes import latest
from supervisor_ai.control.questions import QuestionView, find_question
from supervisor_ai.control.records import Records
from supervisor_ai.control.registered_kinds import approval_phrases
from supervisor_ai.control.run_views import view_run
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, Meaning
from supervisor_ai.domain.run.approvals.policy import RiskLevel
from supervisor_ai.tools.json_value import parse_object
from supervisor_ai.tools.text import counted

_REVIEWS: Final = MEANINGS[AnswerKind.REVIEW]


class ReviewLine(Struct, frozen=True, kw_only=True):
    """What a reviewer said last."""

    by: str
    said: str
    is_good: bool
    remark: str = ""


class RiskView(Struct, frozen=True, kw_only=True):
    """How risky the change is, why, and what that demands."""

    level: RiskLevel
    because: tuple[str, ...]
    """What led to the level, in words."""
    demands: str
    votes: tuple[str, ...] = ()
    """Who has agreed, where one is not enough."""
    until: datetime | None = None
    """When it goes on by itself, unless somebody objects."""
    evidence: tuple[str, ...] = ()
    """Where the facts can be seen."""
    breaks: tuple[str, ...] = ()
    """What of the public interface is gone or narrower."""


class ApprovalPanel(Struct, frozen=True, kw_only=True):
    """One question with all that is known about it, but for the change itself."""

    line: RunLine
    question: QuestionView
    why: str
    yes: str
    """What a yes means."""
    no: str
    risk: RiskView | None
    reviews: tuple[ReviewLine, ...]
    gates: tuple[GateLine, ...]
    comments: tuple[LineNote, ...] = ()

    @property
    def needs_note(self) -> bool:
        """Tell whether a yes has to say why."""
        return approval_phrases(self.question.reason).explained is not None

    @property
    def notes(self) -> tuple[LineNote, ...]:
        """Return what gates found and people said about lines."""
        findings = tuple(it for gate in self.gates for it in gate.findings)
        return (*notes_of(findings), *self.comments)


def read_panel(records: Records, run: RunId) -> ApprovalPanel | None:
    """Return the question of a run; None where it asks nothing."""
    row = records.queries.run(run)
    asked = None if row is None else find_question(records, view_run(records, row))
    if row is None or asked is None:
        return None
    phrases, pending = phrases_of(asked.reason), find_approval(records, row)
    return ApprovalPanel(
        line=read_line(records, row),
        question=asked,
        why=phrases.why,
        yes=phrases.yes,
        no=phrases.no,
        risk=_risk(pending),
        reviews=_summaries(pending) or tuple(_reviews(records, row)),
        gates=tuple(read_gate(records, it) for it in latest(records.queries.gates(run))),
        comments=comment_notes(records, run),
    )


def _risk(pending: PendingApproval | None) -> RiskView | None:
    """Say how risky the change is; None where it was not a policy that asks."""
    if pending is None or pending.level is None:
        return None
    return RiskView(
        level=pending.level,
        because=tuple(map(_words, pending.because)),
        demands=pending.waits_for,
        votes=pending.votes,
        until=pending.until,
        evidence=tuple(f"{_words(it.fact)}: {it.file} {it.detail}" for it in pending.evidence),
        breaks=pending.breaks,
    )


def _words(fact: str) -> str:
    """Write a fact as people do: `changes auth code`."""
    return fact.replace("_", " ")


def _summaries(pending: PendingApproval | None) -> tuple[ReviewLine, ...]:
    """Tell what reviewers said, as it is part of what the decision is about."""
    shown = () if pending is None else pending.reviews
    return tuple(
        ReviewLine(
            by=it.by,
            said=it.said,
            is_good=_REVIEWS.get(it.said) is Meaning.PASS,
            remark=it.summary,
        )
        for it in shown
    )


def _reviews(records: Records, row: RunRow) -> Iterator[ReviewLine]:
    """Tell what each reviewer said last, in the order in which they were first asked."""
    said: dict[tuple[str, str], AttemptRow] = {}
    for it in records.queries.attempts(row.id):
        if it.said in _REVIEWS:
            said[it.step, it.role] = it
    for it in said.values():
        yield ReviewLine(
            by=it.role,
            said=it.said or "",
            is_good=_REVIEWS[it.said or ""] is Meaning.PASS,
            remark=_remark(records, it),
        )


def _remark(records: Records, attempt: AttemptRow) -> str:
    """Count a reviewer's issues."""
    answer = None if attempt.answer is None else parse_object(records.text(attempt.answer))
    issues = answer.get("issues") if answer else None
    return counted(len(issues), "issue") if isinstance(issues, list) and issues else ""
