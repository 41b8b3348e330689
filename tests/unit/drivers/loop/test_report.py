"""The report of a loop: what was done, what is left, and what the numbers say."""

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.drivers.loop.book import DoneEntry, Escalation, LoopBook, SupervisorRun
from supervisor_ai.drivers.loop.events import TaskOutcome
from supervisor_ai.drivers.loop.report import write_report
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectivePriority,
    DirectiveType,
)

TEXT = ArtifactHash("text")


def done(task: int, failures: int, outcome: TaskOutcome = TaskOutcome.DONE) -> DoneEntry:
    return DoneEntry(
        task=task,
        outcome=outcome,
        milestone=0,
        text=TEXT,
        plan=TEXT,
        attempts=failures + 1,
        qa_failures=failures,
        qa=TEXT,
    )


def looked(after: int, *updated: str, reason: str = "") -> SupervisorRun:
    return SupervisorRun(
        supervisor="code_style",
        title="Code Style Supervisor",
        outcome="reviewed",
        task_count=after,
        commit=CommitSha("a"),
        directives=0,
        updated=updated,
        reason=reason,
    )


def test_numbers_are_told_before_and_after_each_document() -> None:
    book = LoopBook(
        done_list=(done(1, 2), done(2, 1), done(3, 0), done(4, 0), done(5, 3, TaskOutcome.FAILED)),
        supervisor_run_log=(looked(2, "a.md"), looked(3, "a.md"), looked(0, "b.md")),
    )
    told = write_report(book, lambda _: "Do it")
    assert "- all tasks: 2 of 5 passed at once, 6 setbacks" in told
    assert (
        "- before a.md: 0 of 2 passed at once, 3 setbacks; since then: 2 of 3 passed at once, "
        "3 setbacks" in told
    )
    assert "b.md:" not in told


def test_one_setback_is_one() -> None:
    told = write_report(LoopBook(done_list=(done(1, 1),)), lambda _: "Do it")
    assert "0 of 1 passed at once, 1 setback" in told
    assert "1 failed before" in told


def test_what_is_left_is_told() -> None:
    pending = Directive(
        number=4,
        type=DirectiveType.CLEANUP,
        priority=DirectivePriority.LOW,
        source="design",
        text=TEXT,
        since=0,
    )
    book = LoopBook(
        milestones=(TEXT,),
        pending_directives=(pending,),
        supervisor_run_log=(looked(0, reason="Its model cannot be had now."),),
        escalation_context=(
            Escalation(task=1, source="planner", text=TEXT),
            Escalation(task=2, source="directive 1", text=None),
        ),
    )
    told = write_report(book, lambda _: '{"description": "Tidy up", "outcome": "It works"}')
    assert "- [ ] It works" in told
    assert "- [4] cleanup, from design: Tidy up" in told
    assert "reviewed: Its model cannot be had now." in told
    assert "- directive 1, task_2: " in told
    assert "Does it help?" not in told


def test_a_milestone_that_was_erased_is_still_counted() -> None:
    told = write_report(LoopBook(milestones=(TEXT,), active_milestone_index=1), lambda _: "")
    assert "- [x] " in told
