"""What all messages share: the tag, names, and text from outside that stays on its line."""

import re
from collections.abc import Iterable
from typing import Final

from supervisor_ai.tools.text import escaped, one_line

TAG: Final = "[supervisor]"
SUPERVISOR: Final = "supervisor"
COORDINATOR: Final = "coordinator"
MOST_FINDINGS: Final = 5
LONGEST_FINDING: Final = 99
"""Findings have under 100 characters."""
LONGEST_LINE: Final = 2_000
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_CHECKPOINT: Final = re.compile(r"CHECKPOINT-(?!000)[0-9]{3}")
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}")


def is_word(text: str) -> bool:
    """Tell whether a text can name a role, a member or a task."""
    return _WORD.fullmatch(text) is not None


def is_checkpoint(text: str) -> bool:
    """Tell whether a text names the task of a checkpoint."""
    return _CHECKPOINT.fullmatch(text) is not None


def is_request_id(text: str) -> bool:
    """Tell whether a text can name a request."""
    return _REQUEST_ID.fullmatch(text) is not None


def plain(text: str, longest: int = LONGEST_LINE) -> str:
    """Put text from outside on one line on which nothing tricks a reader or a terminal."""
    return one_line(escaped(one_line(text, longest)), longest)


def key_findings(findings: Iterable[str]) -> tuple[str, ...]:
    """Keep the first few findings, each of them short."""
    short = (plain(finding, LONGEST_FINDING) for finding in findings)
    return tuple(finding for finding in short if finding)[:MOST_FINDINGS]


def output_lines(content: str) -> tuple[str, ...]:
    """Write a message as lines of output, each of them with the tag and without control codes."""
    lines = (escaped(line) for line in content.split("\n"))
    return tuple(line if line.startswith(TAG) else f"{TAG} {line}".rstrip() for line in lines)


def report_file(task: str) -> str:
    """Name the file of a checkpoint's report inside its session."""
    return f"artifacts/{task}-report.md"


def report_path(session: str, task: str) -> str:
    """Name the file of a checkpoint's report."""
    return f"{session}/{report_file(task)}"
