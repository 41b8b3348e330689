"""Findings of gates, read back from the artifacts."""

import json

from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.gates import Finding, Severity


def read_findings(records: Records, report: ArtifactHash | None) -> tuple[Finding, ...]:
    """Return the findings of a report; none where there is no report or it was erased."""
    if report is None:
        return ()
    try:
        kept = json.loads(records.text(report))
    except (ValueError, RecursionError):
        return ()
    rows = kept if isinstance(kept, list) else []
    return tuple(_finding(row) for row in rows if isinstance(row, dict))


def _finding(kept: dict[str, object]) -> Finding:
    line = kept.get("line")
    is_note = kept.get("severity") == Severity.NOTE.value
    return Finding(
        rule=str(kept.get("rule", "")),
        message=str(kept.get("message", "")),
        file=_text(kept.get("file")),
        line=line if isinstance(line, int) else None,
        subject=_text(kept.get("subject")),
        severity=Severity.NOTE if is_note else Severity.ERROR,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
