"""What roles are told: within budgets, and without what was erased."""

import json

import pytest
from tests.support.loop_scene import loop_definition

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.drivers.loop.answers import PlanAnswer, read_answer
from supervisor_ai.drivers.loop.book import CarriedTask, CurrentTask, LoopBook, planned
from supervisor_ai.drivers.loop.briefs import (
    BriefWriter,
    Section,
    bounded,
    directive_text,
    fitted,
)
from supervisor_ai.drivers.loop.definition import expect_loop
from supervisor_ai.drivers.loop.events import DirectiveAnswer, TaskPlanned, WorkReportStarted
from supervisor_ai.drivers.loop.kinds import PlannerAction
from supervisor_ai.drivers.loop.performers.takers import plan_problems
from supervisor_ai.drivers.loop.signals import LoopWish, Pause, read_wish, write_wish
from supervisor_ai.drivers.loop.window import DETAILED, DoneText, cut, done_lines
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectivePriority,
    DirectiveResponse,
    DirectiveType,
    NewDirective,
)

TEXT = ArtifactHash("text")
KEPT = {
    "text": "Do it",
    "plan": json.dumps({"status": "implement", "task": "Do it", "plan": "", "files": []}),
    "whole": json.dumps({"task": "Do it", "plan": "Like so.", "files": ["a.py", "b.py"]}),
    "milestone": json.dumps({"outcome": "It works", "areas": ["src"]}),
}


def writer(book: LoopBook) -> BriefWriter:
    return BriefWriter(book=book, read=lambda kept: KEPT.get(kept, "[erased]"))


def test_nothing_is_told_where_nothing_is_known() -> None:
    empty = writer(LoopBook())
    assert (empty.context(), empty.task(), empty.reported(), empty.log()) == ("", "", "", "")
    assert empty.sections("PROJECT CONTEXT", "TASK", "COMPLETED WORK") == ()


def test_a_milestone_that_was_erased_is_left_out() -> None:
    book = LoopBook(milestones=(ArtifactHash("gone"), ArtifactHash("milestone")))
    assert writer(book).milestone() == "Milestone 2 of 2 (later): It works"


def test_a_task_without_a_plan_is_told_in_a_line() -> None:
    current = CurrentTask(number=3, text=TEXT, plan=ArtifactHash("plan"))
    assert writer(LoopBook(current=current)).task() == "task_3: Do it"
    erased = CurrentTask(number=3, text=TEXT, plan=ArtifactHash("gone"), work=ArtifactHash("gone"))
    assert writer(LoopBook(current=erased)).task() == "task_3: Do it"
    assert writer(LoopBook(current=erased)).reported() == ""


def test_a_task_is_told_with_its_plan_and_its_files() -> None:
    current = CurrentTask(number=3, text=TEXT, plan=ArtifactHash("whole"))
    assert writer(LoopBook(current=current)).task() == (
        "task_3: Do it\n\nHow:\nLike so.\n\nFiles: a.py, b.py"
    )


@pytest.mark.parametrize("task", ["", "  "])
def test_a_plan_without_a_task_does_not_count(task: str) -> None:
    (problem,) = plan_problems(PlanAnswer(task=task), LoopBook())
    assert problem.startswith("`task` is empty")


def test_a_directive_that_was_erased_says_nothing() -> None:
    item = CarriedTask(text=ArtifactHash("gone"), directive=1)
    assert writer(LoopBook()).carried(item) == "[1] "
    assert directive_text("[erased]").description == ""


@pytest.mark.parametrize(("keeps", "pending"), [(None, 0), ((), 1)])
def test_a_promise_settled_a_directive_where_nobody_kept_account(
    keeps: tuple[int, ...] | None, pending: int
) -> None:
    wanted = Directive(
        number=1,
        type=DirectiveType.CLEANUP,
        priority=DirectivePriority.LOW,
        source="design",
        text=TEXT,
        since=0,
    )
    taken = TaskPlanned(
        step=StepName("task_planner"),
        visit=1,
        attempt=1,
        action=PlannerAction.IMPLEMENT,
        task=TEXT,
        answers=(DirectiveAnswer(number=1, response=DirectiveResponse.ADDRESSED),),
        keeps=keeps,
    )
    book = planned(LoopBook(pending_directives=(wanted,)), taken, TEXT)
    assert len(book.pending_directives) == pending
    assert book.carry_forward == (CarriedTask(text=TEXT, directive=1),)


def test_an_answer_of_another_form_is_none() -> None:
    assert read_answer("[erased]", PlanAnswer) is None


def test_a_book_without_a_task_has_none() -> None:
    with pytest.raises(InternalError, match="before one was planned"):
        _ = LoopBook().task
    assert not LoopBook().is_complete


def test_the_longest_section_gives_way_first() -> None:
    sections = (Section(title="A", text="a" * 100), Section(title="B", text="b" * 3000))
    kept = fitted(sections, 300)
    assert sum(len(it.text) for it in kept) <= 1200
    assert kept[0] == sections[0]
    assert kept[1].text.endswith("[what follows was left out]")
    assert fitted(sections, 10_000) == sections


def test_a_budget_that_is_too_small_for_anything_ends() -> None:
    kept = fitted(tuple(Section(title=name, text=name * 900) for name in "ABC"), 1)
    assert all(len(it.text) < 60 for it in kept)


def test_texts_are_cut_where_they_are_too_long() -> None:
    assert bounded("abc", 3) == "abc"
    assert cut("a  b\n c", 10) == "a b c"
    assert cut("a" * 11, 10) == "a" * 9 + "…"


def test_only_the_last_tasks_are_told_in_detail() -> None:
    done = [DoneText(task=at, outcome="done", text=f"Part {at}", said="x" * 400) for at in range(9)]
    older, *newest = done_lines(done)
    assert older == "Earlier, task_0 to task_2 (3 done): Part 0; Part 1; Part 2"
    assert len(newest) == DETAILED
    assert all(len(line) <= 300 for line in newest)
    assert done_lines(done[:2])[0].startswith("task_0 (done): Part 0 - x")


@pytest.mark.parametrize(
    ("signal", "wish"),
    [
        ("pause", Pause.ON),
        ("resume", Pause.OFF),
        ("directive-drop 3", LoopWish(drop=3)),
        ("directive-drop three", None),
        ("directive-add cleanup loud text", None),
        ("directive-add cleanup low", None),
        ("message", None),
    ],
)
def test_signals_are_read_strictly(signal: str, wish: Pause | LoopWish | None) -> None:
    assert read_wish(signal) == wish


def test_a_wish_is_read_as_it_was_written() -> None:
    add = NewDirective(type=DirectiveType.CLEANUP, priority=DirectivePriority.LOW, text=TEXT)
    for wish in (LoopWish(add=add), LoopWish(drop=7)):
        assert read_wish(write_wish(wish)) == wish


def test_a_lost_report_says_so() -> None:
    begun = WorkReportStarted(step="report", visit=2)  # type: ignore[arg-type]
    assert (begun.lost().step, begun.lost().visit) == ("report", 2)


def test_a_definition_of_another_driver_is_refused() -> None:
    pinned = loop_definition()
    assert expect_loop(pinned) is pinned
    with pytest.raises(InternalError, match="nothing about a loop"):
        expect_loop(None)  # type: ignore[arg-type]
