"""The lines of members that only send text: exactly these, and nothing that looks like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.drivers.team.text.lines import (
    MOST_FILES,
    ApprovedLine,
    DoneLine,
    EscalationLine,
    FindingLine,
    FindingSeverity,
    ImpossibleWaitLine,
    InReviewLine,
    LineEvent,
    NoEvent,
    ReviewLoopLine,
    RoutedLine,
    StuckLine,
    ToolLine,
    read_line,
)

EVENTS: list[tuple[str, LineEvent]] = [
    (
        "IN_REVIEW: task 3. Files: [src/a.py, src/b.py]",
        InReviewLine(task="3", files=("src/a.py", "src/b.py")),
    ),
    (
        'IN_REVIEW: task #3. Files: ["a.py", `b.py`].',
        InReviewLine(task="3", files=("a.py", "b.py")),
    ),
    ("DONE: task 3", DoneLine(task="3")),
    ("DONE: task #T-3.", DoneLine(task="T-3")),
    ("DONE: task 3, claiming task 4", DoneLine(task="3", claims="4")),
    ("DONE: task 3. ALL MY TASKS COMPLETE", DoneLine(task="3", is_last=True)),
    ("DONE: task 3, ALL MY TASKS COMPLETE.", DoneLine(task="3", is_last=True)),
    ("DONE: ALL MY TASKS COMPLETE", DoneLine(task=None, is_last=True)),
    ("STUCK: task 3. The tests need a key", StuckLine(task="3", reason="The tests need a key")),
    ("STUCK: task 3", StuckLine(task="3", reason="")),
    (
        "REVIEW_LOOP: task #7. Same issue keeps repeating",
        ReviewLoopLine(task="7", reason="Same issue keeps repeating"),
    ),
    (
        "ESCALATE TO MEDIUM: task #4 touches auth middleware",
        EscalationLine(task="4", reason="touches auth middleware"),
    ),
    (
        "IMPOSSIBLE_WAIT: task 5. No logic reviewer",
        ImpossibleWaitLine(task="5", reason="No logic reviewer"),
    ),
    (
        "TOOL_UNAVAILABLE: WebSearch, task 5. Not found",
        ToolLine(tool="WebSearch", task="5", reason="Not found"),
    ),
    (
        "TOOL_UNAVAILABLE: mcp: context7, task 5",
        ToolLine(tool="mcp: context7", task="5", reason=""),
    ),
    ("APPROVED: task 5", ApprovedLine(task="5")),
]


@pytest.mark.parametrize(("line", "event"), EVENTS)
def test_a_line_in_its_form_is_an_event(line: str, event: LineEvent) -> None:
    assert read_line(line) == event
    assert read_line(f"{line}\r\n\nAnd a note that follows.") == event


@pytest.mark.parametrize(
    ("line", "said", "severity", "confidence", "scenario"),
    [
        (
            "CRITICAL (90%): task 2. Tokens leak. Scenario: log in twice",
            *("CRITICAL", "CRITICAL", 90, "log in twice"),
        ),
        ("CRITICAL: task 2. Tokens leak", *("CRITICAL", "MAJOR", None, None)),
        ("MAJOR (confidence: 50%): task 2. Slow", *("MAJOR", "MINOR", 50, None)),
        ("MINOR: task 2. A typo", *("MINOR", "MINOR", None, None)),
    ],
)
def test_a_finding_without_a_concrete_scenario_counts_one_less(
    line: str, said: str, severity: str, confidence: int | None, scenario: str | None
) -> None:
    found = read_line(line)
    assert isinstance(found, FindingLine)
    assert (found.said, found.severity) == (FindingSeverity(said), FindingSeverity(severity))
    assert (found.confidence, found.scenario) == (confidence, scenario)
    assert found.text in line


@pytest.mark.parametrize(
    ("line", "to"),
    [
        ("REVIEW: task 3", "reviewers"),
        ("ESCALATION: which database?", "tech-lead"),
        ("QUESTION: is it in scope?", "lead"),
    ],
)
def test_what_is_for_somebody_else_is_passed_on(line: str, to: str) -> None:
    found = read_line(line)
    assert isinstance(found, RoutedLine)
    assert found.to == to


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("done: task 3", "no word of an event"),
        ("I am DONE: task 3", "no word of an event"),
        ("> DONE: task 3", "no word of an event"),
        ("FINISHED: task 3", "'FINISHED' is no word"),
        ("DONE: 3", "not in its form"),
        ("DONE: task 3 and task 4", "not in its form"),
        ("DONE: task 3, claiming task 3", "done and claimed at once"),
        ("DONE: task", "not in its form"),
        ("IN_REVIEW: task 3", "not in its form"),
        ("IN_REVIEW: task 3. Files: []", "names 0 files"),
        ("IN_REVIEW: task 3. Files: [../etc/passwd]", "no path of a file"),
        ("IN_REVIEW: task 3. Files: [/etc/passwd]", "no path of a file"),
        ("IN_REVIEW: task 3. Files: [a\\b]", "no path of a file"),
        (f"IN_REVIEW: task 3. Files: [{'a' * 401}]", "no path of a file"),
        (
            "IN_REVIEW: task 3. Files: [" + ", ".join(f"f{n}" for n in range(201)) + "]",
            f"1 to {MOST_FILES}",
        ),
        ("STUCK: somewhere", "not in its form"),
        ("STUCK: task -3", "not in its form"),
        ("APPROVED: task 3. But fix it", "not in its form"),
        ("APPROVED: it all", "not in its form"),
        ("TOOL_UNAVAILABLE: task 3", "not in its form"),
        ("MAJOR: it is slow", "not in its form"),
        ("MAJOR (900%): task 2. Slow", "not in its form"),
        ("ESCALATE TO COMPLEX: task 4", "no word of an event"),
        ("DONE: task 3\nDONE: task 4", "two things"),
        ("DONE: task 3\x1b[2K", "cannot be printed"),
        ("DONE: task 3\u202e", "cannot be printed"),
        ("x" * 2001, "longer"),
        ("DONE: task 3" + "\n" * 300 + "x", "longer"),
    ],
)
def test_everything_else_is_no_event_and_says_why(line: str, reason: str) -> None:
    found = read_line(line)
    assert isinstance(found, NoEvent)
    assert reason in found.reason


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert isinstance(read_line(text), LineEvent | RoutedLine | NoEvent)


@given(st.sampled_from([line for line, _ in EVENTS]), st.text(min_size=1, max_size=20))
def test_what_stands_before_an_event_makes_it_none(line: str, before: str) -> None:
    found = read_line(f"{before}{line}")
    assert isinstance(found, NoEvent | RoutedLine) or not before.strip() or "\n" in before
