"""Phrases for people: one line, counts, short hashes and findings."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.terminal import plain

_LISTED: Final = 8
_SHORT: Final = 12


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
