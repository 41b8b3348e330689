"""What is written can be read back, and what others wrote stays as it is."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.documents.kanban_files import (
    FILE,
    TASK,
    encoded,
    kanban_text,
    read,
    samples,
    task_text,
)

from supervisor_ai.documents.kanban_writer import (
    render_kanban,
    render_task,
    revise_kanban,
    revise_task,
)
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Effort,
    Kanban,
    LogEntry,
    Phase,
    PlanEntry,
    Priority,
    TaskFile,
    TaskKind,
    TaskState,
    WorkItem,
)

NASTY = st.sampled_from(
    [
        "---",
        "# x",
        "## Work Log",
        "### [t] x",
        "<!-- start workitems -->",
        "<!-- end workitems -->",
        "```",
        "~~~~ yaml",
        "> q",
        "**Facts:** x",
        "Status: ok",
        "ok",
        "  1. Conclusion: blocked",
        "work_items:",
        "- [x] a",
        "",
        "   ",
        "\t",
        "é\u2028 \x00\x1b[31m",
        "a: b # c",
    ]
)
PIECE = NASTY | st.text(
    st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=8
)
TEXT = st.lists(PIECE, max_size=3).map("\n".join)
LINE = PIECE.map(lambda text: " ".join(text.split()))
TIME = LINE.map(lambda text: text.replace("]", "")[:40].strip())
TEXTS = st.lists(TEXT, max_size=2).map(tuple)
NAME = st.text(string.ascii_lowercase, min_size=1, max_size=5)
ENTRY = st.builds(PlanEntry, at=TIME, event=LINE, details=TEXT)


@st.composite
def log_entries(draw: st.DrawFn) -> LogEntry:
    status = draw(st.none() | st.sampled_from(Conclusion))
    # A word alone is the whole conclusion, so that there is none without a text.
    conclusion = draw(TEXT.filter(bool) if status else TEXT)
    return LogEntry(
        at=draw(TIME),
        title=draw(LINE),
        facts=draw(TEXT),
        analysis=draw(TEXT),
        conclusion=conclusion,
        status=status,
    )


@st.composite
def work_items(draw: st.DrawFn) -> tuple[WorkItem, ...]:
    count = draw(st.integers(0, 2))
    return tuple(
        WorkItem(
            description=draw(TEXT),
            files=draw(TEXTS),
            related_domains=draw(TEXTS),
            expertise_required=draw(TEXTS),
            dependencies=tuple(range(draw(st.integers(0, number)))),
            priority=draw(st.sampled_from(Priority)),
            estimated_effort=draw(st.none() | st.sampled_from(Effort)),
            notes=draw(TEXT),
        )
        for number in range(count)
    )


@st.composite
def kanbans(draw: st.DrawFn) -> Kanban:
    names = draw(st.lists(NAME, unique=True, max_size=2))
    paths = tuple(f"tasks/{number + 1}-{name}.md" for number, name in enumerate(names))
    files = {path: draw(tasks(path, paths[:number])) for number, path in enumerate(paths)}
    return Kanban(
        path=FILE,
        title=draw(TEXT),
        phase=draw(st.sampled_from(Phase)),
        sub_phase=draw(st.none() | st.just("review")),
        current=draw(st.sampled_from(paths)) if paths else None,
        tasks=paths,
        created=draw(st.none() | TEXT.filter(bool)),
        request=draw(TEXT),
        log=tuple(draw(st.lists(ENTRY, max_size=2))),
        files=files,
    )


def tasks(path: str, before: tuple[str, ...]) -> st.SearchStrategy[TaskFile]:
    return st.builds(
        TaskFile,
        path=st.just(path),
        title=LINE,
        role=st.none() | st.sampled_from(Agent),
        kind=st.sampled_from(TaskKind),
        state=st.sampled_from(TaskState),
        priority=st.sampled_from(Priority),
        dependencies=st.just(before),
        refers=TEXTS,
        skills=TEXTS,
        expertise=TEXTS,
        kanban=st.none() | st.just(FILE),
        created=st.none() | TEXT,
        context=TEXT,
        files=TEXTS,
        description=TEXT,
        work_items=work_items(),
        log=st.lists(log_entries(), max_size=2).map(tuple),
    )


def written(kanban: Kanban) -> dict[str, str]:
    return {
        kanban.path: render_kanban(kanban),
        **{path: render_task(task) for path, task in kanban.files.items()},
    }


@settings(max_examples=40)
@given(kanbans())
def test_what_is_written_is_read_back_as_it_was(kanban: Kanban) -> None:
    assert read(encoded(written(kanban))) == kanban


@settings(max_examples=25)
@given(kanbans(), st.lists(ENTRY, max_size=2), TEXT)
def test_a_revised_kanban_keeps_its_body(
    kanban: Kanban, entries: list[PlanEntry], body: str
) -> None:
    files = written(kanban)
    header = f"---\nOwner: me\nphase: plan\n# why\nTasks: []\nmore:\n  - a\n---\n{body}"
    revised = revise_kanban(header, kanban, entries)
    assert body.rstrip("\n") in revised
    assert "\nOwner: me\n" in revised
    assert "\n# why\nmore:\n  - a\n---\n" in revised
    found = read(encoded({**files, FILE: revised}))
    assert (found.phase, found.current, found.tasks) == (
        kanban.phase,
        kanban.current,
        kanban.tasks,
    )
    assert found.log[len(found.log) - len(entries) :] == tuple(entries)


@settings(max_examples=20)
@given(kanbans(), st.lists(ENTRY, min_size=1, max_size=3))
def test_entries_are_added_after_those_that_are_there(
    kanban: Kanban, entries: list[PlanEntry]
) -> None:
    files = written(kanban)
    files[FILE] = revise_kanban(files[FILE], kanban, entries)
    found = read(encoded(files))
    assert found.log == (*kanban.log, *entries)
    assert found.request == kanban.request


@settings(max_examples=25)
@given(tasks(TASK, ()), TEXT)
def test_a_revised_task_keeps_its_body_byte_for_byte(task: TaskFile, body: str) -> None:
    text = f"---\nassignee: Manager\ntype: review\nSTATE: done\nx: y\n---\n{body}"
    revised = revise_task(text, task)
    assert revised.endswith(f"\n---\n{body}")
    header = revised.removesuffix(f"---\n{body}")
    expected = ["---"]
    expected += [f"assignee: {task.role}"] if task.role else []
    expected += ["type: review", f"STATE: {task.state}", "x: y", f"priority: {task.priority}"]
    assert header.splitlines() == [*expected, "dependencies: []"]


def test_a_request_that_looks_like_structure_comes_back() -> None:
    request = "---\n# x\n<!-- end workitems -->\n```\n## Plan Adjustment Log\n### [t] x\n"
    kanban = Kanban(path=FILE, title="T", phase=Phase.PLAN, request=request)
    assert read(encoded(written(kanban))) == kanban


def test_what_a_file_cannot_hold_is_replaced() -> None:
    kanban = Kanban(path=FILE, title="a\ud800", phase=Phase.PLAN, request="a\r\nb\rc\udfff")
    found = read(encoded(written(kanban)))
    assert (found.title, found.request) == ("a\ufffd", "a\nb\nc\ufffd")


def test_a_time_and_a_title_stay_in_their_line() -> None:
    entry = PlanEntry(at="1] \n# x" + "9" * 100, event="a\nb", details="")
    kanban = Kanban(path=FILE, title="T", phase=Phase.PLAN, log=(entry,))
    (found,) = read(encoded(written(kanban))).log
    assert (found.at[:5], len(found.at), found.event) == ("1 # x", 80, "a b")


@pytest.mark.parametrize("conclusion", ["ok then", "Blocked.", "Status: ok"])
def test_a_conclusion_without_its_word_does_not_get_one(conclusion: str) -> None:
    entry = LogEntry(at="t", title="T", facts="f", analysis="a", conclusion=conclusion)
    task = TaskFile(path=TASK, title="A", log=(entry,))
    files = encoded({FILE: kanban_text(TASK, current=TASK), TASK: render_task(task)})
    assert read(files).files[TASK] == task


def test_the_canonical_kanban() -> None:
    kanban = Kanban(
        path=FILE,
        title="A title",
        phase=Phase.EXECUTE,
        sub_phase="review",
        current=TASK,
        tasks=(TASK,),
        created="2026-01-01T00:00:00Z",
        request="Do it.",
        log=(PlanEntry(at="t", event="kanban_created", details="One task."),),
    )
    assert render_kanban(kanban) == (
        "---\ntype: kanban\ntitle: A title\n"
        'created: "2026-01-01T00:00:00Z"\n'
        "phase: execute\nsub_phase: review\ncurrent: tasks/1-a.md\n"
        "tasks:\n  - tasks/1-a.md\n---\n\n"
        "## Request\n\nDo it.\n\n"
        "## Plan Adjustment Log\n\n### [t] kanban_created\n\nOne task.\n"
    )


def test_the_canonical_task() -> None:
    task = TaskFile(
        path=TASK,
        title="A",
        role=Agent.ARCHITECT,
        kind=TaskKind.DESIGN,
        dependencies=("tasks/2.md",),
        kanban=FILE,
        created="today",
        files=("a.py",),
        work_items=(WorkItem(description="x", estimated_effort=Effort.SMALL, notes="no more"),),
        log=(
            LogEntry(
                at="t", title="T", facts="f", analysis="a", conclusion="c", status=Conclusion.OK
            ),
        ),
    )
    assert render_task(task) == (
        "---\nrole: Architect\ntype: design\nstate: todo\npriority: medium\n"
        "dependencies: [tasks/2.md]\nrefers: []\nskills: []\nexpertise: []\n"
        "kanban: tasks/0-kanban-x.md\ncreated: today\n---\n\n"
        "# Task: A\n\n## Context\n\n## Files\n\n- `a.py`\n\n## Description\n\n## Work Items\n\n"
        "<!-- start workitems -->\n```yaml\nwork_items:\n  - description: x\n    files: []\n"
        "    related_domains: []\n    expertise_required: []\n    dependencies: []\n"
        "    priority: medium\n    estimated_effort: small\n    notes: no more\n```\n"
        "<!-- end workitems -->\n\n## Work Log\n\n"
        "### [t] T\n\n**Facts:**\n\nf\n\n**Analysis:**\n\na\n\n**Conclusion:** ok\n\nc\n"
    )


@pytest.mark.parametrize("folder", ["first", "later"])
def test_a_revised_sample_says_the_same_and_the_new(folder: str) -> None:
    files = samples(folder)
    (file,) = (path for path in files if "-kanban-" in path)
    kanban = read(files, file)
    entry = PlanEntry(at="now", event="task_done", details="tasks/9-x.md")
    files[file] = revise_kanban(files[file].decode(), kanban, [entry]).encode()
    found = read(files, file)
    assert found.log == (*kanban.log, entry)
    assert (found.request, found.tasks, found.title) == (
        kanban.request,
        kanban.tasks,
        kanban.title,
    )


def test_the_log_is_extended_before_the_section_that_follows_it() -> None:
    more = "\n## Plan Adjustment Log\n\n### [1] a\n## Notes\n\nmine"
    kanban = Kanban(path=FILE, title="T", phase=Phase.PLAN)
    text = revise_kanban(kanban_text(more=more), kanban, [PlanEntry(at="2", event="b")])
    assert text.endswith("### [1] a\n\n### [2] b\n\n## Notes\n\nmine")


def test_lines_end_as_they_did() -> None:
    kanban = Kanban(path=FILE, title="T", phase=Phase.PLAN, tasks=(TASK,))
    text = "\ufeff---\r\nphase: plan\r\nx: y\r\n---\r\nbody\r\n"
    revised = revise_kanban(text, kanban, [PlanEntry(at="1", event="a", details="b\nc")])
    assert revised.startswith("\ufeff---\r\ntype: kanban\r\n")
    assert "\n" not in revised.replace("\r\n", "")
    assert revised.endswith(
        "\r\nx: y\r\n---\r\nbody\r\n\r\n## Plan Adjustment Log\r\n\r\n### [1] a\r\n\r\nb\r\nc\r\n"
    )


def test_a_header_in_flow_style_is_written_anew() -> None:
    kanban = Kanban(path=FILE, title="T", phase=Phase.COMPLETE, tasks=())
    text = "---\n{phase: plan, sub_phase: a, meta: {id: '1: 2', list: [a, ~]}}\n---\n"
    assert revise_kanban(text, kanban, []) == (
        "---\ntype: kanban\ntitle: T\nphase: complete\ncurrent: null\ntasks: []\n"
        'meta: {id: "1: 2", list: [a, null]}\n---\n'
    )


def test_comments_in_a_header_are_kept() -> None:
    task = TaskFile(path=TASK, title="A", state=TaskState.DONE, priority=Priority.LOW)
    text = "---\n# first\nstate: todo # now\n# second\n\nrole: Manager\nassignee: Manager\n---\n"
    assert revise_task(text, task) == (
        "---\n# first\nstate: done\n# second\n\npriority: low\ndependencies: []\n---\n"
    )


@pytest.mark.parametrize("text", ["", "# x", "---\na: [\n---\n", "---\n- a\n---\n"])
def test_what_has_no_header_cannot_be_revised(text: str) -> None:
    with pytest.raises(InvalidInput, match="front matter"):
        revise_task(text, TaskFile(path=TASK, title="A"))


def test_a_revised_task_is_read_as_it_was_meant() -> None:
    task = TaskFile(path=TASK, title="A", role=Agent.ARCHITECT, state=TaskState.REVIEW)
    text = revise_task(task_text("dependencies: [x]\n"), task)
    files = encoded({FILE: kanban_text(TASK, current=TASK), TASK: text})
    assert read(files).files[TASK] == task
