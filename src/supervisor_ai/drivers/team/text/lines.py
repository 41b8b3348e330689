"""Lines of members that only send text, read strictly: an event in its exact form, or none.

The first line of a message is the event; what follows are notes. A message in which a later line
has the form of an event as well says nothing for sure, and is no event.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final, Literal

from msgspec import Struct

LONGEST_LINE: Final = 2_000
MOST_LINES: Final = 200
MOST_FILES: Final = 200
_LONGEST_FILE: Final = 400
_QUOTES: Final = "`'\""
_TASK: Final = r"task #?([A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?)"
_END: Final = r"(?=[.,:\s]|$)"
_REST: Final = r"(?:[.,:]?\s+(.*))?[.]?"


class InReviewLine(Struct, frozen=True, kw_only=True, tag="IN_REVIEW"):
    """`IN_REVIEW: task N. Files: [a.py, b.py]`."""

    task: str
    files: tuple[str, ...]


class DoneLine(Struct, frozen=True, kw_only=True, tag="DONE"):
    """`DONE: task N`, `DONE: task N, claiming task M`, `DONE: task N. ALL MY TASKS COMPLETE`."""

    task: str | None
    """None where a coder only says that all of its tasks are complete."""
    claims: str | None = None
    is_last: bool = False


class StuckLine(Struct, frozen=True, kw_only=True, tag="STUCK"):
    """`STUCK: task N. Why`."""

    task: str
    reason: str


class ReviewLoopLine(Struct, frozen=True, kw_only=True, tag="REVIEW_LOOP"):
    """`REVIEW_LOOP: task N. What keeps repeating`."""

    task: str
    reason: str


class EscalationLine(Struct, frozen=True, kw_only=True, tag="ESCALATE TO MEDIUM"):
    """`ESCALATE TO MEDIUM: task N touches …`."""

    task: str
    reason: str


class ImpossibleWaitLine(Struct, frozen=True, kw_only=True, tag="IMPOSSIBLE_WAIT"):
    """`IMPOSSIBLE_WAIT: task N. Who is missing`."""

    task: str
    reason: str


class ToolLine(Struct, frozen=True, kw_only=True, tag="TOOL_UNAVAILABLE"):
    """`TOOL_UNAVAILABLE: WebSearch, task N. Why`."""

    tool: str
    task: str
    reason: str


class FindingSeverity(StrEnum):
    """How bad a reviewer finds something, the worst first."""

    CRITICAL = "CRITICAL"
    MAJOR = "MAJOR"
    MINOR = "MINOR"


class FindingLine(Struct, frozen=True, kw_only=True, tag="FINDING"):
    """`MAJOR (80%): task N. What. Scenario: when it happens`."""

    task: str
    said: FindingSeverity
    severity: FindingSeverity
    """What counts: without a concrete scenario one less than what was said."""
    confidence: int | None
    text: str
    scenario: str | None


class ClaimLine(Struct, frozen=True, kw_only=True, tag="CLAIM"):
    """`CLAIM: task N`, `CLAIM: task N. Files: [a.py, b.py]`."""

    task: str
    files: tuple[str, ...] = ()


class ShutdownAckLine(Struct, frozen=True, kw_only=True, tag="SHUTDOWN_ACK"):
    """`SHUTDOWN_ACK:`: a member stops."""


class ApprovedLine(Struct, frozen=True, kw_only=True, tag="APPROVED"):
    """`APPROVED: task N`."""

    task: str


LineEvent = (
    InReviewLine
    | DoneLine
    | StuckLine
    | ReviewLoopLine
    | EscalationLine
    | ImpossibleWaitLine
    | ToolLine
    | FindingLine
    | ApprovedLine
    | ClaimLine
    | ShutdownAckLine
)


class RoutedLine(Struct, frozen=True, kw_only=True):
    """A line for somebody else: the supervisor passes it on and reads nothing in it."""

    to: Literal["reviewers", "tech-lead", "lead"]
    text: str


class NoEvent(Struct, frozen=True, kw_only=True):
    """Why a text is no event."""

    reason: str


_IN_REVIEW: Final = re.compile(rf"{_TASK}\. Files: \[(.*)\]\.?")
_DONE: Final = re.compile(rf"{_TASK}(?:, claiming {_TASK}|[.,]? ALL MY TASKS COMPLETE)?[.!]?")
_ALL_DONE: Final = re.compile(r"ALL MY TASKS COMPLETE[.!]?")
_ABOUT: Final = re.compile(rf"{_TASK}{_END}{_REST}")
_TOOL: Final = re.compile(rf"([A-Za-z0-9][\w .:/+-]{{0,79}}), {_ABOUT.pattern}", re.ASCII)
_FINDING: Final = re.compile(
    r"(CRITICAL|MAJOR|MINOR)(?: \((?:confidence:? )?([0-9]{1,3})%\))?: "
    rf"{_TASK}{_END}[.,:]?\s+(.*)"
)
_SCENARIO: Final = re.compile(r"(.*?)[\s.;]*\bScenario: (.+)")
_HEAD: Final = re.compile(r"([A-Z][A-Z_]*(?: TO MEDIUM)?)(?: \([^()]{0,30}\))?:")
_ROUTES: Final[Mapping[str, Literal["reviewers", "tech-lead", "lead"]]] = {
    "REVIEW": "reviewers",
    "ESCALATION": "tech-lead",
    "QUESTION": "lead",
}


def read_line(message: str) -> LineEvent | RoutedLine | NoEvent:
    """Read what a member says; nothing is guessed."""
    problem = _problem(message)
    if problem is not None:
        return NoEvent(reason=problem)
    first, *later = message.strip().split("\n")
    found = _read(first.rstrip())
    if isinstance(found, NoEvent | RoutedLine):
        return found
    again = next((it for it in map(str.strip, later) if _is_event(it)), None)
    if again is None:
        return found
    return NoEvent(reason=f"It says two things: {first[:60]!r} and {again[:60]!r}.")


def _problem(message: str) -> str | None:
    lines = message.strip().split("\n")
    if not message.strip():
        return "It is empty."
    if len(lines) > MOST_LINES or len(lines[0]) > LONGEST_LINE:
        return f"It is longer than {MOST_LINES} lines, or its first line than {LONGEST_LINE}."
    if not lines[0].rstrip("\r").isprintable():
        return "Its first line has characters that cannot be printed."
    return None


def _is_event(line: str) -> bool:
    return not isinstance(_read(line), NoEvent | RoutedLine)


def _read(line: str) -> LineEvent | RoutedLine | NoEvent:
    match = _HEAD.match(line)
    if match is None:
        return NoEvent(reason="It begins with no word of an event.")
    word, rest = match[1], line[match.end() :].strip()
    if word in _ROUTES:
        return RoutedLine(to=_ROUTES[word], text=rest)
    if word in set(FindingSeverity):
        return _finding(line)
    reader = _READERS.get(word)
    if reader is None:
        return NoEvent(reason=f"{word!r} is no word of an event.")
    return reader(rest)


def _in_review(rest: str) -> InReviewLine | NoEvent:
    match = _IN_REVIEW.fullmatch(rest)
    if match is None:
        return _expected("IN_REVIEW: task N. Files: [a.py, b.py]")
    files = tuple(it for part in match[2].split(",") if (it := part.strip().strip(_QUOTES)))
    problem = next(filter(None, map(_file_problem, files)), None)
    if not files or len(files) > MOST_FILES:
        problem = f"It names {len(files)} files; expected 1 to {MOST_FILES}."
    if problem is not None:
        return NoEvent(reason=problem)
    return InReviewLine(task=match[1], files=tuple(dict.fromkeys(files)))


def _claim(rest: str) -> LineEvent | NoEvent:
    if _IN_REVIEW.fullmatch(rest) is None:
        match = _ABOUT.fullmatch(rest)
        bare = match is not None and not match[2]
        expected = _expected("CLAIM: task N, or CLAIM: task N. Files: [a.py, b.py]")
        return ClaimLine(task=match[1]) if match is not None and bare else expected
    found = _in_review(rest)
    return found if isinstance(found, NoEvent) else ClaimLine(task=found.task, files=found.files)


def _file_problem(path: str) -> str | None:
    parts = path.split("/")
    is_inside = not {"", ".", ".."}.intersection(parts) and "\\" not in path
    if is_inside and len(path) <= _LONGEST_FILE:
        return None
    return f"{path[:80]!r} is no path of a file in the project."


def _done(rest: str) -> LineEvent | NoEvent:
    if _ALL_DONE.fullmatch(rest):
        return DoneLine(task=None, is_last=True)
    match = _DONE.fullmatch(rest)
    if match is None:
        return _expected("DONE: task N, or DONE: task N, claiming task M")
    if match[1] == match[2]:
        return NoEvent(reason=f"Task {match[1]!r} cannot be done and claimed at once.")
    return DoneLine(task=match[1], claims=match[2], is_last="ALL MY TASKS COMPLETE" in rest)


_Reported = type[StuckLine] | type[ReviewLoopLine] | type[EscalationLine] | type[ImpossibleWaitLine]


def _about(kind: _Reported, form: str) -> Callable[[str], LineEvent | NoEvent]:
    def read(rest: str) -> LineEvent | NoEvent:
        match = _ABOUT.fullmatch(rest)
        if match is None:
            return _expected(form)
        return kind(task=match[1], reason=(match[2] or "").strip())

    return read


def _tool(rest: str) -> LineEvent | NoEvent:
    match = _TOOL.fullmatch(rest)
    if match is None:
        return _expected("TOOL_UNAVAILABLE: WebSearch, task N. Why")
    return ToolLine(tool=match[1], task=match[2], reason=(match[3] or "").strip())


def _approved(rest: str) -> LineEvent | NoEvent:
    match = _ABOUT.fullmatch(rest)
    if match is None or match[2]:
        return _expected("APPROVED: task N")
    return ApprovedLine(task=match[1])


_LEAST: Final = {
    FindingSeverity.CRITICAL: FindingSeverity.MAJOR,
    FindingSeverity.MAJOR: FindingSeverity.MINOR,
    FindingSeverity.MINOR: FindingSeverity.MINOR,
}
_CERTAIN: Final = 100


def _finding(line: str) -> LineEvent | NoEvent:
    match = _FINDING.fullmatch(line)
    confidence = None if match is None or match[2] is None else int(match[2])
    if match is None or (confidence or 0) > _CERTAIN:
        return _expected("MAJOR (80%): task N. What. Scenario: when it happens")
    parts = _SCENARIO.fullmatch(match[4])
    said = FindingSeverity(match[1])
    return FindingLine(
        task=match[3],
        said=said,
        severity=said if parts else _LEAST[said],
        confidence=confidence,
        text=parts[1] if parts else match[4],
        scenario=parts[2] if parts else None,
    )


def _expected(form: str) -> NoEvent:
    return NoEvent(reason=f"It is not in its form; expected {form!r}.")


_READERS: Final[Mapping[str, Callable[[str], LineEvent | NoEvent]]] = {
    "IN_REVIEW": _in_review,
    "CLAIM": _claim,
    "SHUTDOWN_ACK": lambda rest: _expected("SHUTDOWN_ACK:") if rest else ShutdownAckLine(),
    "DONE": _done,
    "STUCK": _about(StuckLine, "STUCK: task N. Why"),
    "REVIEW_LOOP": _about(ReviewLoopLine, "REVIEW_LOOP: task N. What keeps repeating"),
    "ESCALATE TO MEDIUM": _about(EscalationLine, "ESCALATE TO MEDIUM: task N touches …"),
    "IMPOSSIBLE_WAIT": _about(ImpossibleWaitLine, "IMPOSSIBLE_WAIT: task N. Who is missing"),
    "TOOL_UNAVAILABLE": _tool,
    "APPROVED": _approved,
}
