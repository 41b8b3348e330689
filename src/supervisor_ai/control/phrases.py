"""Phrases for people: one line, counts, short hashes, findings, why a person is asked."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.terminal import plain

_LISTED: Final = 8
_SHORT: Final = 12
_BEFORE_ASKING: Final = {
    ApprovalReason.HUMAN_GATE: "",
    ApprovalReason.BLOCKED: "is blocked and ",
    ApprovalReason.FINDINGS: "has findings that only a person may accept and ",
    ApprovalReason.REVIEW_LOOP: "goes round in circles with its reviewers and ",
    ApprovalReason.IMPOSSIBLE_WAIT: "waits for approvals that cannot come and ",
    ApprovalReason.PULL_REQUEST: "could not open a pull request and ",
    ApprovalReason.KANBAN: "cannot read the kanban and ",
    ApprovalReason.LANDING: "could not put the work where it belongs and ",
}
WHY_ASKED: Final = {
    ApprovalReason.HUMAN_GATE: "the workflow asks a person here",
    ApprovalReason.BLOCKED: "the worker cannot go on by itself",
    ApprovalReason.FINDINGS: "a gate found what only a person may accept",
    ApprovalReason.REVIEW_LOOP: "reviewers and implementer go round in circles",
    ApprovalReason.IMPOSSIBLE_WAIT: "those who have to agree cannot be had",
    ApprovalReason.PULL_REQUEST: "no pull request could be opened",
    ApprovalReason.KANBAN: "the kanban's files cannot be read as they are",
    ApprovalReason.LANDING: "the work could not be put where it belongs",
}
YES_MEANS: Final = {
    ApprovalReason.HUMAN_GATE: "the run goes on",
    ApprovalReason.BLOCKED: "the worker tries again, and is told your note",
    ApprovalReason.FINDINGS: "the findings are accepted as they are, for the reason you give",
    ApprovalReason.REVIEW_LOOP: "you overrule the reviewers, and the step passes",
    ApprovalReason.IMPOSSIBLE_WAIT: "the step passes without them",
    ApprovalReason.PULL_REQUEST: "you opened it yourself",
    ApprovalReason.KANBAN: "you mended the files, and they are read again",
    ApprovalReason.LANDING: "it is tried again",
}
NO_MEANS: Final = {
    ApprovalReason.HUMAN_GATE: "back, where the workflow names a way; else the run ends",
    ApprovalReason.BLOCKED: "the run ends",
    ApprovalReason.FINDINGS: "back to the worker with your words",
    ApprovalReason.REVIEW_LOOP: "back to the worker with your words; rounds are counted anew",
    ApprovalReason.IMPOSSIBLE_WAIT: "back to the worker with your words",
    ApprovalReason.PULL_REQUEST: "the run ends",
    ApprovalReason.KANBAN: "the run ends",
    ApprovalReason.LANDING: "it is done again, from the files as they are now",
}


def one_line(text: str) -> str:
    """Make a text from outside harmless and put it on one line."""
    return " ".join(plain(text).split())


def short(name: str) -> str:
    """Shorten a hash to what people compare."""
    return name[:_SHORT]


def listed(paths: Sequence[str]) -> str:
    """Name the first of many files."""
    shown = ", ".join(paths[:_LISTED])
    return f"{shown} and {len(paths) - _LISTED} more" if len(paths) > _LISTED else shown


def asks(reason: ApprovalReason) -> str:
    """Say why a person is asked, so that the question can follow."""
    return f"{_BEFORE_ASKING[reason]}asks a person"


def where(finding: Finding) -> str:
    """Say in which file and line something was found."""
    if finding.file is None:
        return ""
    return f"{finding.file}:{finding.line}" if finding.line is not None else finding.file


def finding_line(finding: Finding) -> str:
    """Show a finding in one line."""
    note = "note, " if finding.severity is Severity.NOTE else ""
    about = " ".join(filter(None, (where(finding), finding.subject)))
    place = f"{about}: " if about else ""
    return f"{place}{finding.message} ({note}{finding.rule})"
