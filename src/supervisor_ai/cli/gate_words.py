"""What gates and questions are about, in a person's words."""

from typing import Final

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.facts import ApprovalReason
from supervisor_ai.domain.run.gates import Finding, Severity

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


def counted(number: int, noun: str) -> str:
    """Say how many there are."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def gate_ended(event: e.GateEnded) -> str:
    """Say what a gate said, how many tests ran, and whether that was known from before."""
    remarks = [event.verdict.value.replace("_", " ")]
    # A runner's count is part of the reason where a command was judged by it.
    if event.tests is not None and f"{event.tests} tests" not in event.reason:
        remarks.append(counted(event.tests, "test"))
    if event.findings:
        remarks.append(counted(event.findings, "finding"))
    if event.is_reused:
        remarks.append("known from before")
    return f"gate {event.gate} {', '.join(remarks)}: {event.reason}"


def claims_refuted(event: e.ClaimsRefuted) -> str:
    """Say what a worker reported that is not so."""
    amounts = ((event.files, "file"), (event.tests, "test"), (event.commits, "commit"))
    parts = [counted(number, noun) for number, noun in amounts if number]
    told = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    return f"{event.role} with {event.cli} reported {told or 'things'} that git does not bear out"


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
