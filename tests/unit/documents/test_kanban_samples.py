"""Whole kanbans, as two generations of agents have written them."""

from tests.unit.documents.kanban_files import read, samples

from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Effort,
    LogEntry,
    Phase,
    PlanEntry,
    Priority,
    TaskKind,
    TaskState,
    WorkItem,
)


def test_the_first_form_keeps_its_request_and_its_log_in_the_header() -> None:
    kanban = read(samples("first"), "tasks/0-kanban-rate-limit.md")
    assert (kanban.title, kanban.phase) == ("Rate limit", Phase.DESIGN)
    assert kanban.request.startswith("Limit the number of requests per client.\nKeep")
    assert kanban.created == "2026-02-20T09:00:00"
    assert kanban.current == "tasks/2-design-limiter.md"
    assert kanban.tasks == ("tasks/1-explore-middleware.md", "tasks/2-design-limiter.md")
    assert kanban.log == (
        PlanEntry(
            at="2026-02-20T09:00:00",
            event="kanban_created",
            details="Created kanban with initial exploration task",
        ),
    )
    assert kanban.open == ("tasks/2-design-limiter.md",)


def test_a_task_of_the_first_form_is_read() -> None:
    kanban = read(samples("first"), "tasks/0-kanban-rate-limit.md")
    task = kanban.files["tasks/1-explore-middleware.md"]
    assert (task.title, task.role, task.kind, task.state, task.priority) == (
        "Explore the middleware chain",
        Agent.ARCHITECT,
        TaskKind.EXPLORATION,
        TaskState.DONE,
        Priority.HIGH,
    )
    assert task.files == (
        "src/server/middleware.py",
        "src/server/app.py",
        "settings",
        "tests/test_middleware.py",
    )
    assert task.context == "Nobody knows where a limiter would sit."
    assert task.description.endswith("## Work Log\n```")
    assert (task.skills, task.expertise) == (("code-reading",), ("HTTP middleware",))


def test_what_is_fenced_in_a_work_log_is_neither_a_heading_nor_a_label() -> None:
    kanban = read(samples("first"), "tasks/0-kanban-rate-limit.md")
    (entry,) = kanban.files["tasks/1-explore-middleware.md"].log
    assert entry == LogEntry(
        at="2026-02-20T10:15:00",
        title="Middleware explored",
        facts=(
            "- The chain is built in `app.py`.\n\n```text\n"
            "### [2026-02-20T10:00:00] not an entry\n**Conclusion:** blocked\n```"
        ),
        analysis="A limiter belongs before authentication.",
        conclusion="- **Status**: ok\n- Two pieces of work follow.",
        status=Conclusion.OK,
    )
    assert entry.is_whole


def test_work_items_below_their_heading_are_read() -> None:
    kanban = read(samples("first"), "tasks/0-kanban-rate-limit.md")
    first, second = kanban.files["tasks/1-explore-middleware.md"].work_items
    assert first == WorkItem(
        description="Add a token bucket",
        files=("src/server/limiter.py",),
        related_domains=("http",),
        expertise_required=("concurrency",),
        priority=Priority.HIGH,
        estimated_effort=Effort.MEDIUM,
    )
    assert (second.dependencies, second.notes) == ((0,), "after the bucket")
    assert second.priority is Priority.MEDIUM


def test_a_task_without_state_and_sections_is_open() -> None:
    kanban = read(samples("first"), "tasks/0-kanban-rate-limit.md")
    task = kanban.files["tasks/2-design-limiter.md"]
    assert (task.role, task.kind, task.state) == (Agent.ARCHITECT, TaskKind.DESIGN, TaskState.TODO)
    assert task.dependencies == ("tasks/1-explore-middleware.md",)
    assert (task.title, task.description) == ("Design the limiter", "Decide on an algorithm.")
    assert (task.log, task.work_items, task.context, task.files) == ((), (), "", ())


def test_the_later_form_has_a_title_a_request_and_a_log_in_sections() -> None:
    kanban = read(samples("later"), "tasks/7-kanban-export.md")
    assert (kanban.title, kanban.phase, kanban.sub_phase) == (
        "Export: reports as CSV",
        Phase.EXECUTE,
        "review",
    )
    assert kanban.request == "Export reports as CSV.\n\n### Not in this version\n\nNo Excel."
    assert kanban.current == "tasks/9-write-export.md"
    assert kanban.tasks[-1] == "tasks/10-review-export.md"
    assert [entry.event for entry in kanban.log] == ["kanban_created", "tasks_created"]
    assert kanban.log[1].details == "- tasks/9-write-export.md\n- tasks/10-review-export.md"


def test_tasks_of_the_later_form_are_read() -> None:
    files = read(samples("later"), "tasks/7-kanban-export.md").files
    design, write, review = files.values()
    assert [task.role for task in files.values()] == [
        Agent.ARCHITECT,
        Agent.IMPLEMENTOR,
        Agent.ARCHITECT,
    ]
    assert (design.state, design.kanban, write.kanban) == (
        TaskState.DONE,
        "tasks/7-kanban-export.md",
        None,
    )
    assert write.kind is TaskKind.IMPLEMENT
    assert review.dependencies == ("tasks/9-write-export.md",)
    (entry,) = design.log
    assert (entry.facts, entry.status, entry.is_whole) == (
        "Reports can be large.",
        Conclusion.OK,
        True,
    )


def test_marked_work_items_are_read_and_poor_ones_are_inadequate() -> None:
    kanban = read(samples("later"), "tasks/7-kanban-export.md")
    rich, poor = kanban.files["tasks/8-design-export.md"].work_items
    assert rich.is_adequate
    assert not poor.is_adequate
    assert poor.priority is Priority.LOW


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    plain = samples("later")
    dressed = {
        path: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") for path, content in plain.items()
    }
    file = "tasks/7-kanban-export.md"
    assert read(dressed, file) == read(plain, file)
