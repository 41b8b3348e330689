"""Judging a process that has ended: structured fields first, words last.

It succeeded only if it exited with 0, and left a terminal record, and that record says so, and
there is an answer. What the answer and the work are worth is for others to say.
"""

from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.control.queries.complaints import telling_line
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import stripped
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.workers.output.causes import (
    CRASH,
    SETUP,
    UNKNOWN,
    UNREADABLE,
    AgentFault,
    Cause,
    Phrase,
    Table,
    Testimony,
)
from supervisor_ai.workers.output.evidence import AgentConclusion, ProcessEvidence
from supervisor_ai.workers.output.observations import one_line
from supervisor_ai.workers.output.resets import find_reset
from supervisor_ai.workers.output.tables import (
    ENDS,
    EXITS,
    KILLED,
    PHRASES,
    REFINEMENTS,
    SPEECHLESS,
    STATUSES,
)

_MESSAGE: Final = 600
_WORDS: Final = 16 << 10
_WORDLESS: Final = "It left no word."
_SHELL_OFFSET: Final = 128
_CLIENT_ERRORS: Final = range(400, 500)


class _Finding(Struct, frozen=True, kw_only=True):
    """What was decided, and by what."""

    message: str
    because: str
    cause: Cause | None = None
    hints: str = ""


def judge(testimony: Testimony, evidence: ProcessEvidence, table: Table) -> AgentConclusion:
    """Weigh what the records say against how the process ended."""
    plain = replace(evidence, stdout=stripped(evidence.stdout), stderr=stripped(evidence.stderr))
    finding = _find(testimony, plain, table)
    return AgentConclusion(
        diagnosis=_diagnosis(finding, testimony, evidence.now),
        text=testimony.text,
        usage=testimony.usage,
        num_turns=testimony.num_turns,
        because=finding.because,
    )


def _find(testimony: Testimony, evidence: ProcessEvidence, table: Table) -> _Finding:
    if evidence.end is not SandboxEnd.EXITED:
        return _by_end(testimony, evidence, table)
    if testimony.fault is not None:
        return _by_fault(testimony.fault, evidence, table)
    if testimony.ending is not None:
        return _by_ending(testimony, testimony.ending, evidence, table)
    if testimony.trouble is not None:
        return _by_fault(testimony.trouble, evidence, table)
    return _by_exit(evidence, table) or _by_words(testimony, evidence, table)


def _diagnosis(finding: _Finding, testimony: Testimony, now: datetime) -> Diagnosis:
    cause = finding.cause
    is_limit = cause is not None and cause.category is FailureCategory.LIMIT
    reset = find_reset(f"{finding.message}\n{finding.hints}", now) if is_limit else None
    action = cause.action if cause else None
    waits = reset is not None and action is Action.RETRY_SAME
    return Diagnosis(
        message=one_line(finding.message, _MESSAGE) or finding.because,
        category=cause.category if cause else None,
        action=Action.PARK if waits else action,
        reset_at=reset,
        session=testimony.session and one_line(testimony.session),
        model=testimony.model and one_line(testimony.model),
    )


def _by_end(testimony: Testimony, evidence: ProcessEvidence, table: Table) -> _Finding:
    how = evidence.end.replace("_", " ")
    trouble = testimony.fault or testimony.trouble
    if trouble is not None:
        found = _by_fault(trouble, evidence, table)
        if found.cause is not None and found.cause.category is FailureCategory.LIMIT:
            # It waited for the end of a usage limit by itself, and we did not.
            return found
    last = f" Its last complaint: {trouble.message}" if trouble else ""
    because = f"The sandbox says {evidence.end.value!r}."
    return _Finding(
        message=f"It was ended: {how}.{last}", because=because, cause=ENDS[evidence.end]
    )


def _by_fault(fault: AgentFault, evidence: ProcessEvidence, table: Table) -> _Finding:
    status = fault.status or table.exit_statuses.get(evidence.exit_code or 0)
    cause, by = _cause(fault, status, table)
    if cause is None:
        cause = table.exits.get(evidence.exit_code or 0, UNKNOWN)
        by = f"exit code {evidence.exit_code}"
    because = f"{_capitalised(fault.source)} says so: {by}."
    return _Finding(message=fault.message, because=because, cause=cause, hints=fault.hints)


def _cause(fault: AgentFault, status: int | None, table: Table) -> tuple[Cause | None, str]:
    for code in fault.codes:
        if code in table.codes:
            return table.codes[code], f"{code!r}"
    if status is not None and (cause := _by_status(status, fault, table)) is not None:
        return cause, f"HTTP status {status}"
    for phrase in (*table.phrases, *PHRASES):
        if phrase.is_in(_plain_quotes(fault.message)):
            return phrase.cause, "its words"
    return None, ""


def _by_status(status: int, fault: AgentFault, table: Table) -> Cause | None:
    words = _plain_quotes(f"{fault.message} {fault.hints}")
    for phrase in REFINEMENTS.get(status, ()):
        if phrase.is_in(words):
            return phrase.cause
    known = table.statuses.get(status) or STATUSES.get(status)
    return SETUP if known is None and status in _CLIENT_ERRORS else known


def _by_ending(
    testimony: Testimony, ending: str, evidence: ProcessEvidence, table: Table
) -> _Finding:
    if evidence.exit_code != 0:
        because = f"{_capitalised(ending)} says that it succeeded, its exit code says otherwise."
        message = f"It exited with {evidence.exit_code} after it had said that all is well."
        found = _by_exit(evidence, table)
        return _Finding(message=message, because=because, cause=found.cause if found else CRASH)
    if not testimony.text.strip():
        because = f"{_capitalised(ending)} says that it succeeded, but there is no answer."
        return _Finding(message="It ended without an answer.", because=because, cause=SPEECHLESS)
    because = f"It exited with 0, {ending} says that it succeeded, and there is an answer."
    return _Finding(message="It did what it was asked.", because=because)


def _by_exit(evidence: ProcessEvidence, table: Table) -> _Finding | None:
    """Judge by the exit code alone, where there is no record that says more."""
    code = evidence.exit_code
    if code is None:
        return None
    status = table.exit_statuses.get(code)
    known = table.exits.get(code) or EXITS.get(code)
    cause = STATUSES[status] if status else known
    if cause is None and _is_signal(code):
        cause = CRASH
    if cause is None:
        return None
    because = f"There is no terminal record, and its exit code is {code}."
    return _Finding(
        message=_killed(code, status) or _telling_line(evidence.stderr, table) or _WORDLESS,
        because=because,
        cause=cause,
        hints=evidence.stderr[-_WORDS:],
    )


def _killed(code: int, status: int | None) -> str:
    """Name the signal that an exit code stands for."""
    signal = -code if code < 0 else code - _SHELL_OFFSET
    return f"It was killed by signal {signal}." if _is_signal(code) and not status else ""


def _is_signal(code: int) -> bool:
    return code < 0 or code in KILLED


def _by_words(testimony: Testimony, evidence: ProcessEvidence, table: Table) -> _Finding:
    if evidence.exit_code == 0:
        return _unfinished(testimony, evidence)
    spoken = evidence.stderr if testimony.has_records else f"{evidence.stdout}\n{evidence.stderr}"
    heard = spoken[-_WORDS:]
    for phrase in (*table.phrases, *PHRASES):
        if (line := _line_with(phrase, _lines(heard))) is not None:
            because = "There is no terminal record; these words decided."
            return _Finding(message=line, because=because, cause=phrase.cause, hints=heard)
    said = telling_line(heard) or f"It exited with {evidence.exit_code} and left no word."
    because = "There is no terminal record, and nothing known in its words."
    return _Finding(message=said, because=because, cause=UNKNOWN)


def _unfinished(testimony: Testimony, evidence: ProcessEvidence) -> _Finding:
    if testimony.has_records or not evidence.stdout.strip():
        message = "It exited with 0, but left no terminal record: something ended it halfway."
        return _Finding(message=message, because="There is no terminal record.", cause=CRASH)
    message = "It exited with 0 and printed words, but no record: is its output format right?"
    return _Finding(message=message, because="There is no record at all.", cause=UNREADABLE)


def _line_with(phrase: Phrase, lines: list[str]) -> str | None:
    found = [line for line in lines if phrase.is_in(_plain_quotes(line))]
    return (telling_line("\n".join(found)) or found[-1]) if found else None


def _telling_line(text: str, table: Table) -> str:
    """Find the line that says most."""
    lines = _lines(text[-_WORDS:])
    known = (_line_with(phrase, lines) for phrase in (*table.phrases, *PHRASES))
    return next(filter(None, known), telling_line(text))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _plain_quotes(text: str) -> str:
    return text[-_WORDS:].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
