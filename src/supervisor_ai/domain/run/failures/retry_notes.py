"""What is written about a retry: the log for people, and the words for the worker."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.failures.retries import MoveKind
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.terminal import plain

_SHOWN: Final = 4000
_SHORT: Final = 200
_TICKS: Final = re.compile(r"`+")
_ACTIONS: Final[Mapping[MoveKind, str]] = {
    MoveKind.RETRY_SAME: "Rescheduling with exact same parameters",
    MoveKind.RETRY_WITH_FEEDBACK: "Rescheduling with feedback",
    MoveKind.PARK: "Waiting until the usage limit ends",
    MoveKind.FAIL_OVER: "Rescheduling with the next agent",
    MoveKind.DEGRADE: "Rescheduling in a simpler way",
    MoveKind.SKIP: "Going on without an answer",
    MoveKind.ESCALATE: "Asking a person",
    MoveKind.GIVE_UP: "Giving up",
}
_ISSUES: Final[Mapping[FailureCategory, str]] = {
    FailureCategory.VALIDATION: "Invalid output format",
    FailureCategory.PARSING: "Invalid output format",
}
FEEDBACK: Final[Mapping[FailureCategory, str]] = {
    FailureCategory.VALIDATION: (
        "Your previous output failed schema validation:\n{error}\n\n"
        "Please ensure your response ends with a valid JSON block matching this schema:\n{wanted}"
    ),
    FailureCategory.PARSING: (
        "Could not extract structured output from your response.\n{error}\n\n"
        "REQUIRED: End your response with a JSON code block:\n{wanted}"
    ),
    FailureCategory.LOGIC: (
        "Your implementation has issues:\n{error}\n\n"
        "Please fix and try again. If you cannot proceed, answer with the status BLOCKED and say "
        "why in `blockers`.\n{wanted}"
    ),
}
"""What goes back to a worker that can mend its answer."""


class RetryEntry(Struct, frozen=True, kw_only=True):
    """One failed attempt, as the log tells it; what was received is anything but trusted."""

    at: datetime
    role: str
    task: str
    attempt: int
    max_retries: int
    category: FailureCategory
    move: MoveKind | None
    """What was done about it; None where the run went no further."""
    expected: str
    received: str
    reason: str = ""
    step: str = ""
    visit: int = 1
    cli: str = ""

    @property
    def action(self) -> str:
        """Say in words what was done about it."""
        return "None: the run went no further" if self.move is None else _ACTIONS[self.move]


def retry_log(entries: Iterable[RetryEntry]) -> str:
    """Write the log in markdown: what was expected, what was received and what is done."""
    return "\n".join(("## Supervisor Log\n", *(retry_event(entry) for entry in entries)))


def feedback_words(category: FailureCategory, error: str, wanted: str = "") -> str:
    """Say to a worker what was wrong and what is wanted: a schema, an example, a test's output."""
    template = FEEDBACK.get(category, "Error: {error}\n{wanted}")
    # One replacement after the other would let the error's words ask for the other one.
    before, _, rest = template.partition("{error}")
    between, _, after = rest.partition("{wanted}")
    return f"{before}{error}{between}{wanted}{after}".rstrip()


def retry_event(entry: RetryEntry) -> str:
    """Write one entry of the log."""
    return f"""\
### [{entry.at.astimezone(UTC).isoformat(timespec="seconds")}] Retry Event

**Agent:** {_line(entry.role)}  
**Task:** {_line(entry.task)}  
**Attempt:** {_count(entry)}  
**Issue:** {_issue(entry)}

**Expected:**
{_fenced(entry.expected)}

**Received:**
{_fenced(entry.received)}

**Action:** {entry.action}
"""  # noqa: W291 - two blanks end a line in markdown


def _count(entry: RetryEntry) -> str:
    """Count as long as there is a retry to count; waits and other agents add attempts to them."""
    if entry.attempt <= entry.max_retries:
        return f"{entry.attempt}/{entry.max_retries}"
    retries = "1 retry" if entry.max_retries == 1 else f"{entry.max_retries} retries"
    return f"{entry.attempt} (at most {retries})"


def _issue(entry: RetryEntry) -> str:
    issue = _ISSUES.get(entry.category, f"The attempt failed ({entry.category.value})")
    return f"{issue}: {_line(entry.reason)}" if entry.reason else issue


def _line(text: str) -> str:
    """Keep text from outside in its line, and its marks from meaning anything."""
    flat = " ".join(plain(text).split())
    shown = flat if len(flat) <= _SHORT else f"{flat[:_SHORT]}…"
    return re.sub(r"([\\`*_<>\[\]#])", r"\\\1", shown)


def _fenced(text: str) -> str:
    """Fence text with more ticks than it holds itself."""
    shown = plain(text)
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}\n[… {len(shown) - _SHOWN} characters left out …]"
    longest = max((len(ticks) for ticks in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}json\n{shown}\n{fence}"
