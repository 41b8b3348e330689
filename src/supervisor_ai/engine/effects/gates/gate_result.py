"""What a gate makes of a snapshot, before anybody acts on it."""

from collections import Counter
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run.gates import Complexity, Finding, Severity
from supervisor_ai.domain.run.status import FailureCategory, Verdict
from supervisor_ai.domain.run.values import Hardness

_NOTES: Final = 3
"""So many are named in one line; the report has all of them."""


class Opinion(Struct, frozen=True, kw_only=True):
    """A verdict and everything that it rests on."""

    verdict: Verdict
    reason: str
    output: ArtifactHash | None = None
    exit_code: int | None = None
    tests: int | None = None
    findings: tuple[Finding, ...] = ()
    told: str = ""
    """What a worker should know of it."""
    complexity: Complexity | None = None
    category: FailureCategory | None = None
    limits: Hardness = Hardness.NONE
    coverage: float | None = None
    mender: StepName | None = None
    """Who can mend it, where that is not the step to which its own step goes back."""
    needs_person: bool = False
    """Whether only a person can say what is right."""
    is_final: bool = False
    """Whether the same files would lead to the same verdict again."""


def of_findings(findings: tuple[Finding, ...], summary: str) -> Opinion:
    """Judge a change by what was found in it; what is only good to know fails nothing."""
    rules = Counter(found.rule for found in findings if found.severity is Severity.ERROR)
    if not rules:
        return Opinion(verdict=Verdict.PASSED, reason=summary, findings=findings)
    told = "\n".join(f"- {line(finding)}" for finding in findings)
    names = ", ".join(rule if times == 1 else f"{rule} ({times})" for rule, times in rules.items())
    reason = f"Found: {names}. {summary}".strip()
    return Opinion(verdict=Verdict.FAILED, reason=reason, findings=findings, told=told)


def with_notes(opinion: Opinion) -> str:
    """Say why a gate judges so; where it passes, also what it noted, which nobody asks about."""
    notes = opinion.findings if opinion.verdict is Verdict.PASSED else ()
    named = [f"{it.rule} ({it.file})" if it.file else it.rule for it in notes[:_NOTES]]
    if len(notes) > _NOTES:
        named.append(f"{len(notes) - _NOTES} more")
    return f"{opinion.reason} Noted: {', '.join(named)}.".strip() if named else opinion.reason


def weight(findings: tuple[Finding, ...]) -> int:
    """Count the findings that speak against a change."""
    return sum(found.severity is Severity.ERROR for found in findings)


def line(finding: Finding) -> str:
    """Write a finding as one line of text."""
    place = finding.file or ""
    if finding.file and finding.line is not None:
        place += f":{finding.line}"
    parts = (place, finding.rule, finding.subject)
    return f"{' '.join(part for part in parts if part)}: {finding.message}"
