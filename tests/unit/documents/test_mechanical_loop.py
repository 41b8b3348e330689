"""Whatever agents say, the Manager's rules come to an end, and his files can be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supervisor_ai.documents.kanban_parser import read_kanban
from supervisor_ai.documents.kanban_writer import (
    render_kanban,
    render_task,
    revise_kanban,
    revise_task,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.item_order import untangled
from supervisor_ai.drivers.kanban.board.kanban import (
    Conclusion,
    Kanban,
    LogEntry,
    Phase,
    Priority,
    TaskFile,
    WorkItem,
)
from supervisor_ai.drivers.kanban.board.new_kanban import create
from supervisor_ai.drivers.kanban.board.next_task import is_ready
from supervisor_ai.drivers.kanban.board.numbers import next_number, number_of
from supervisor_ai.drivers.kanban.board.plan import MAX_TASKS, Plan, PlanRefusal
from supervisor_ai.drivers.kanban.board.reconciliation import reconcile

FILE = "tasks/0-kanban-x.md"
AT = "2030-01-02T03:04:05+00:00"
SMALL = 8
"""How many tasks a kanban may have to be read again after every step."""

WORDS = st.sampled_from(
    [
        "Sell shoes",
        "Rename the core types",
        "## Work Log\n\n### [T] Fake\n\n**Facts:** f\n\n**Analysis:** a\n\n**Conclusion:** ok",
        "---\nstate: done\n---",
        "<!-- start workitems -->",
        "```\n: - [x] {y} & *z 'q' \"r\" \x07",
        "",
    ]
)
TEXTS = WORDS | st.text(max_size=20)
ITEMS = st.builds(
    WorkItem,
    description=TEXTS,
    files=st.lists(TEXTS, max_size=2).map(tuple),
    related_domains=st.lists(TEXTS, max_size=2).map(tuple),
    expertise_required=st.lists(TEXTS, max_size=1).map(tuple),
    dependencies=st.lists(st.integers(-1, 4), max_size=3).map(tuple),
    priority=st.sampled_from(Priority),
    notes=TEXTS,
)
PLAIN = st.builds(
    WorkItem,
    description=st.just("Sell shoes"),
    files=st.just(("shop.py",)),
    related_domains=st.just(("shop",)),
    dependencies=st.lists(st.integers(0, 3), max_size=2).map(tuple),
)
SAID = [*[Conclusion.OK] * 6, *[Conclusion.BLOCKED] * 2, *[Conclusion.ESCALATE] * 2, None]


@dataclass(frozen=True)
class Turn:
    """What an agent does with its task; no conclusion: it leaves no log."""

    said: Conclusion | None
    items: tuple[WorkItem, ...]


TURNS = st.builds(
    Turn, said=st.sampled_from(SAID), items=st.lists(ITEMS | PLAIN, max_size=3).map(tuple)
)


@dataclass
class Loop:
    """A kanban as its supervisor drives it: decisions by the rules, files by the writer."""

    kanban: Kanban
    files: dict[str, str]
    steps: int = 0

    def play(self, turns: Iterator[Turn]) -> PlanRefusal | None:
        """Go on until nothing is left or the Manager refuses."""
        while not self.kanban.is_complete:
            self.steps += 1
            assert self.steps <= 2 * MAX_TASKS
            done = self.work(next(turns))
            number = next_number(self.files)
            decided = reconcile(self.kanban, done, number=number, at=AT)
            if isinstance(decided, PlanRefusal):
                return decided
            self.write(decided)
        return None

    def work(self, turn: Turn) -> str:
        """Let an agent write into its task file."""
        task = self.kanban.files[str(self.kanban.current)]
        if turn.said is not None:
            entry = LogEntry(
                at=AT, title="Work", facts="f", analysis="a", conclusion="So.", status=turn.said
            )
            task = replace(task, log=(*task.log, entry), work_items=turn.items)
        self.kanban = replace(self.kanban, files={**self.kanban.files, task.path: task})
        # A file with items that wait for each other is refused before the Manager sees it.
        order = untangled(task.work_items)
        items = [replace(item, dependencies=order[n]) for n, item in enumerate(task.work_items)]
        self.files[task.path] = render_task(replace(task, work_items=tuple(items)))
        return task.path

    def write(self, plan: Plan) -> None:
        """Write what the Manager decided."""
        for made in plan.created:
            assert made.path not in self.files
            self.files[made.path] = render_task(made)
        for revised in plan.revised:
            self.files[revised.path] = revise_task(self.files[revised.path], revised)
        before = self.files[FILE]
        self.files[FILE] = revise_kanban(before, plan.kanban, plan.entries)
        self.kanban = plan.kanban
        self.check(plan)
        if len(plan.tasks) <= SMALL:
            self.check_files()

    def check(self, plan: Plan) -> None:
        """Hold the plan against what every plan has to be."""
        kanban = plan.kanban
        numbers = [number_of(path) for path in (FILE, *plan.tasks)]
        assert len(set(numbers)) == len(numbers)
        assert None not in numbers
        assert plan.entries
        assert len(plan.tasks) <= MAX_TASKS
        assert (plan.next_task, plan.tasks) == (kanban.current, kanban.tasks)
        assert set(plan.tasks) == set(kanban.files)
        if plan.next_task is None:
            assert not kanban.open
        else:
            assert is_ready(kanban, kanban.files[plan.next_task])

    def check_files(self) -> None:
        """Read the files again: they say what the Manager decided."""
        read = read_kanban(FILE, {path: text.encode() for path, text in self.files.items()})
        assert isinstance(read, Kanban), read
        assert _decided(read) == _decided(self.kanban)
        assert [_headed(read.files[path]) for path in read.tasks] == [
            _headed(self.kanban.files[path]) for path in self.kanban.tasks
        ]
        assert len(read.log) == len(self.kanban.log)


def _decided(kanban: Kanban) -> tuple[object, ...]:
    return kanban.phase, kanban.sub_phase, kanban.current, kanban.tasks, kanban.title


def _headed(task: TaskFile) -> tuple[object, ...]:
    by_hand = task.path, task.role, task.kind, task.state, task.priority, task.dependencies
    return *by_hand, task.refers, len(task.log), len(task.work_items)


def begun(request: str) -> Loop:
    plan = create(request, file=FILE, number=1, at=AT)
    [task] = plan.created
    loop = Loop(plan.kanban, {FILE: render_kanban(plan.kanban), task.path: render_task(task)})
    loop.check(plan)
    loop.check_files()
    return loop


@settings(max_examples=10)
@given(request=TEXTS, turns=st.lists(TURNS, max_size=12), last=TURNS)
def test_every_loop_ends_with_readable_files(request: str, turns: list[Turn], last: Turn) -> None:
    loop = begun(request)
    refusal = loop.play(chain(turns, repeat(last)))
    loop.check_files()
    if refusal is None:
        assert loop.kanban.phase is Phase.COMPLETE
        assert loop.kanban.open == ()
        assert loop.kanban.log[-1].event == "workflow_complete"
    else:
        assert refusal.status in {"error", "escalate"}
        assert loop.kanban.current in loop.kanban.open


@pytest.mark.parametrize("said", [Conclusion.BLOCKED, Conclusion.ESCALATE])
def test_a_loop_that_never_gets_anywhere_is_given_to_a_person(said: Conclusion) -> None:
    loop = begun("Sell shoes")
    refusal = loop.play(repeat(Turn(said, ())))
    assert refusal is not None
    assert refusal.status == "escalate"
    assert loop.steps == 4


def test_a_loop_that_only_grows_is_given_to_a_person() -> None:
    loop = begun("Sell shoes")
    item = WorkItem(description="More", files=("a.py",), related_domains=("shop",))
    refusal = loop.play(repeat(Turn(Conclusion.OK, (item, item))))
    assert refusal is not None
    assert f"without a person there may be {MAX_TASKS}" in refusal.why
    loop.check_files()
