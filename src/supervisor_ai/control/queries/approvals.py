"""What waits for people: every open question with its risk, its facts and what a yes takes."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.ports.queries import ApprovalRow, CommentRow, RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import is_attended
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run.approvals.facts import FactValue, values_of
from supervisor_ai.domain.run.approvals.policy import (
    RISKIEST_FIRST,
    ApprovalAction,
    RiskLevel,
)
from supervisor_ai.domain.run.approvals.shown_change import (
    ShownChange,
    ShownEvidence,
    ShownGate,
    ShownReview,
)
from supervisor_ai.domain.run.inbox_commands import Comment, InboxCommand
from supervisor_ai.domain.run.line_places import LinePlace, LineSide
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.json_value import parse_object
from supervisor_ai.tools.text import counted

_CHANGES: Final = ("files_created", "files_modified", "files_deleted")
_RANKS: Final = {level: rank for rank, level in enumerate(RISKIEST_FIRST)}


class CommentView(Struct, frozen=True, kw_only=True):
    """What a person said about a line, and what the implementer answered."""

    number: int
    file: str
    line: int
    text: str
    person: str
    made_at: datetime
    reply: str | None = None
    side: LineSide = LineSide.NEW
    quote: str = ""
    """What the line said."""

    @property
    def at(self) -> LinePlace:
        """Return the line that it is about."""
        return LinePlace(file=self.file, line=self.line, side=self.side)


class PendingApproval(Struct, frozen=True, kw_only=True):
    """A question that waits for people, with everything that led to it."""

    run: RunId
    task: str
    step: StepName
    visit: int
    reason: ReasonWord
    level: RiskLevel | None
    action: ApprovalAction | None
    because: tuple[str, ...]
    tree: TreeSha
    commit: CommitSha
    base: CommitSha | None
    since: datetime
    until: datetime | None
    """When it may land, where nobody has to agree."""
    needs: int
    """How many people have to agree."""
    votes: tuple[str, ...]
    """Those who have."""
    approvers: tuple[str, ...]
    waits_for: str
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    evidence: tuple[ShownEvidence, ...] = ()
    breaks: tuple[str, ...] = ()
    gates: tuple[ShownGate, ...] = ()
    reviews: tuple[ShownReview, ...] = ()
    comments: tuple[CommentView, ...] = ()
    plan: str | None = None
    """What workers have planned, where none has changed a file yet."""
    is_attended: bool = True
    """Whether a process lands it then."""


def pending_approvals(records: Records) -> tuple[PendingApproval, ...]:
    """Return what waits for people, the riskiest first and of equal ones the oldest."""
    return tuple(sorted(_pending(records), key=lambda it: (_rank(it.level), it.since)))


def find_approval(records: Records, row: RunRow) -> PendingApproval | None:
    """Return what a run waits for people with, if it does."""
    return next((it for it in _pending(records) if it.run == row.id), None)


def _rank(level: RiskLevel | None) -> int:
    """Place what nobody assessed before what is known to be a small risk."""
    return _RANKS[level or RiskLevel.UNKNOWN]


def _pending(records: Records) -> Iterator[PendingApproval]:
    for run in records.queries.waiting():
        row = records.queries.run(run)
        asked = [it for it in records.queries.approvals(run) if it.answered_at is None]
        if row is not None and asked:
            yield _view(records, row, asked[0])


def _view(records: Records, row: RunRow, asked: ApprovalRow) -> PendingApproval:
    shown = read_shown(records, asked)
    view = PendingApproval(
        run=row.id,
        task=records.text(row.task).strip(),
        step=asked.step,
        visit=asked.visit,
        reason=asked.reason,
        level=asked.level,
        action=asked.action,
        because=asked.because,
        tree=asked.tree,
        commit=asked.commit,
        base=row.base.sha if row.base else None,
        since=asked.asked_at,
        until=row.waits_until if asked.action is ApprovalAction.NOTIFY_AND_TIMEOUT else None,
        needs=asked.needs,
        votes=asked.votes,
        approvers=asked.approvers,
        waits_for=_waits_for(asked),
        comments=read_comments(records, row.id),
        is_attended=is_attended(records, row.id),
        plan=find_plan(records, row.id) if asked.reason == ApprovalReason.HUMAN_GATE else None,
    )
    if shown is None:
        return view
    return replace(
        view,
        base=shown.base,
        facts=values_of(shown.facts),
        evidence=shown.evidence,
        breaks=shown.breaks,
        gates=shown.gates,
        reviews=shown.reviews,
    )


def read_shown(records: Records, asked: ApprovalRow) -> ShownChange | None:
    """Return what the policy shows people about a change; None where it was not the policy."""
    if asked.level is None or asked.question is None:
        return None
    try:
        return records.documents.load(asked.question, ShownChange)
    except NotFound:
        # The text was erased from the ledger.
        return None


def _waits_for(asked: ApprovalRow) -> str:
    if asked.action is ApprovalAction.NOTIFY_AND_TIMEOUT:
        return "objections, until the time is over"
    left = asked.needs - len(asked.votes)
    who = f" of {', '.join(asked.approvers)}" if asked.approvers else ""
    return f"{counted(left, 'approval')}{who}"


def read_comments(records: Records, run: RunId) -> tuple[CommentView, ...]:
    """Return what people said about lines of a run's changes, and what was answered to each."""
    replies = dict(_replies(records, run))
    kept = [_comment(records, it, replies) for it in records.queries.comments(run)]
    commands = [(it, it.command) for it in records.queries.letters(run)]
    sent = [(it, said) for it, said in commands if isinstance(said, Comment)]
    waiting = (_sent(records, it, len(kept) + at) for at, it in enumerate(sent, start=1))
    return (*kept, *waiting)


def _replies(records: Records, run: RunId) -> Iterator[tuple[int, str]]:
    """Read the implementer's answers by the numbers of the comments; the last one counts."""
    for attempt in records.queries.attempts(run):
        said = parse_object(records.text(attempt.answer)) if attempt.answer else None
        answers = (said or {}).get("answers")
        for it in answers if isinstance(answers, list) else ():
            if isinstance(it, dict) and isinstance(it.get("comment"), int):
                yield it["comment"], str(it.get("reply") or "")


def _comment(records: Records, row: CommentRow, replies: Mapping[int, str]) -> CommentView:
    return CommentView(
        number=row.number,
        file=row.file,
        line=row.line,
        text=records.text(row.text),
        person=row.person,
        made_at=row.made_at,
        reply=replies.get(row.number),
        side=row.side,
        quote="" if row.quote is None else records.text(row.quote),
    )


def _sent(records: Records, sent: tuple[InboxCommand, Comment], number: int) -> CommentView:
    """Show what the run's owner has not taken in yet."""
    letter, command = sent
    return CommentView(
        number=number,
        file=command.file,
        line=command.line,
        text=records.text(command.text),
        person=letter.actor.id,
        made_at=letter.sent_at,
        side=command.side,
        quote="" if command.quote is None else records.text(command.quote),
    )


def find_plan(records: Records, run: RunId) -> str | None:
    """Return the last answer of each step, where none of them has changed a file yet."""
    found: dict[tuple[str, str], Mapping[str, object]] = {}
    for it in records.queries.attempts(run):
        if it.answer is not None and it.said is not None:
            found[it.step, it.role] = parse_object(records.text(it.answer)) or {}
    if any(answer.get(key) for answer in found.values() for key in _CHANGES):
        return None
    parts = (f"{step} ({role}):\n{_outlined(answer)}" for (step, role), answer in found.items())
    return "\n".join(parts) or None


def _outlined(answer: Mapping[str, object]) -> str:
    return "\n".join(f"  {line}" for line in _lines(answer))


def _lines(value: object) -> Iterator[str]:
    """Write a value as an outline: a line for each text, and what belongs to it further right."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from (f"{key}:", *(f"  {line}" for line in _lines(inner))) if inner else ()
            elif inner is not None:
                first, *more = str(inner).strip().split("\n")
                yield from (f"{key}: {first}", *(f"  {line}" for line in more))
    elif isinstance(value, list):
        for item in value:
            first, *more = (*_lines(item), "")
            yield from (f"- {first}", *(f"  {line}" for line in more if line))
    else:
        yield str(value)
