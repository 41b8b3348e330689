"""The variants that people and agents write, one by one."""

import pytest
from tests.unit.documents.kanban_files import (
    FILE,
    TASK,
    encoded,
    kanban_and_task,
    kanban_text,
    read,
    read_task,
    task_text,
)

from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Phase,
    PlanEntry,
    Priority,
    TaskKind,
    TaskState,
)


@pytest.mark.parametrize(
    ("written", "phase"),
    [
        ("implementation", Phase.EXECUTE),
        ("Implement", Phase.EXECUTE),
        ("verification", Phase.VALIDATE),
        ("finished", Phase.COMPLETE),
        ("execute", Phase.EXECUTE),
        ("'complete'", Phase.COMPLETE),
        ('"done"', Phase.COMPLETE),
        ("done", Phase.COMPLETE),
        ("Design", Phase.DESIGN),
        ("validation  # soon", Phase.VALIDATE),
    ],
)
def test_a_phase_is_understood(written: str, phase: Phase) -> None:
    assert read(encoded({FILE: kanban_text(phase=written)})).phase is phase


@pytest.mark.parametrize(
    ("header", "role"),
    [
        ("", None),
        ("role: Architect\n", Agent.ARCHITECT),
        ("role: 'architect'\n", Agent.ARCHITECT),
        ("ROLE: IMPLEMENTOR\n", Agent.IMPLEMENTOR),
        ("assignee: Manager\n", Agent.MANAGER),
        ("Assignee: implementer\n", Agent.IMPLEMENTOR),
        ("role: null\n", None),
        ("role:\n", None),
        ("role: Architect\nassignee: architect\n", Agent.ARCHITECT),
    ],
)
def test_a_role_is_understood(header: str, role: Agent | None) -> None:
    assert read_task(header).role is role


@pytest.mark.parametrize(
    ("header", "state"),
    [
        ("", TaskState.TODO),
        ("state:\n", TaskState.TODO),
        ("state: 'review'\n", TaskState.REVIEW),
        ("State: Done\n", TaskState.DONE),
        ("state: completed\n", TaskState.DONE),
        ("state: canceled\n", TaskState.CANCELLED),
        ("state: escalated\n", TaskState.ESCALATED),
    ],
)
def test_a_state_is_understood(header: str, state: TaskState) -> None:
    assert read_task(header).state is state


def test_implementation_is_another_word_for_implement_and_the_default() -> None:
    text = "---\ntype: implementation\npriority: 'Low'\n---\n"
    files = encoded({FILE: kanban_text(TASK, current=TASK), TASK: text})
    task = read(files).files[TASK]
    assert (task.kind, task.priority) == (TaskKind.IMPLEMENT, Priority.LOW)
    files[TASK] = b"---\nskills: []\n---\n"
    assert read(files).files[TASK].kind is TaskKind.IMPLEMENT


@pytest.mark.parametrize("current", ["null", "", "~", '"null"', "None", "''", "NULL"])
def test_nothing_is_current_in_many_words(current: str) -> None:
    text = f"---\nphase: execute\ncurrent: {current}\ntasks: [{TASK}]\n---\n"
    kanban = read(encoded({FILE: text, TASK: task_text("state: done\n")}))
    assert kanban.current is None
    assert kanban.is_complete


def test_a_missing_current_means_nothing_is_current() -> None:
    assert read(encoded({FILE: "---\nphase: plan\n---\n"})).current is None


@pytest.mark.parametrize("named", [TASK, "1-a.md", "./1-a.md", "../tasks/1-a.md", "tasks//1-a.md"])
def test_a_path_is_taken_from_the_root_or_from_the_folder(named: str) -> None:
    files = encoded({FILE: kanban_text(named, current=named), TASK: task_text()})
    kanban = read(files)
    assert (kanban.current, kanban.tasks) == (TASK, (TASK,))


def test_a_folder_may_be_deep() -> None:
    files = encoded(
        {"a/b/0-k.md": kanban_text("1.md", current="a/b/1.md"), "a/b/1.md": task_text()}
    )
    kanban = read(files, "a/b/0-k.md")
    assert (kanban.folder, kanban.current) == ("a/b", "a/b/1.md")


@pytest.mark.parametrize(
    ("text", "request_text"),
    [
        ("---\nphase: plan\nrequest: Do it\n---\n", "Do it"),
        ("---\nphase: plan\nmeta: {request: Do it}\n---\n", "Do it"),
        ("---\nphase: plan\nrequest: no\n---\n## Request\n\nDo it\n\n", "Do it"),
        ("---\nphase: plan\n---\n## Request:\nDo it\n## Why\nso\n# Plan Adjustment Log\nx", None),
        ("---\nphase: plan\n---\n", ""),
        (
            "---\nphase: plan\n---\n## Request\na\n## Changelog\n### [1] b\n## Tasks\nc\n",
            "a\n## Changelog\n### [1] b\n## Tasks\nc",
        ),
    ],
)
def test_the_request_is_found(text: str, request_text: str | None) -> None:
    expected = "Do it\n## Why\nso" if request_text is None else request_text
    assert read(encoded({FILE: text})).request == expected


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\nphase: plan\ntitle: 2024\n---\n# Other\n", "2024"),
        ("---\nphase: plan\nmeta: {title: T}\n---\n", "T"),
        ("---\nphase: plan\n---\n# Kanban: T\n", "T"),
        ("---\nphase: plan\n---\n", "0-kanban-x"),
    ],
)
def test_the_title_is_found(text: str, title: str) -> None:
    assert read(encoded({FILE: text})).title == title


def test_the_header_may_have_the_log() -> None:
    text = "---\nphase: plan\nLog:\n- {at: 1, type: task_done, message: m}\n- x\n---\n"
    assert read(encoded({FILE: text})).log == (
        PlanEntry(at="1", event="task_done", details="m"),
        PlanEntry(at="", event=""),
    )


def test_a_plan_log_may_be_a_list() -> None:
    more = (
        "## Plan Adjustment Log\n\n"
        "- [2026-03-01T08:00Z] tasks_created: two\n  more\n"
        "- 2026-03-02 - `workflow_complete`\n\n"
        "### [t3] task_done\n- [2026-03-03] not: an entry\n"
    )
    assert read(encoded({FILE: kanban_text(more=more)})).log == (
        PlanEntry(at="2026-03-01T08:00Z", event="tasks_created", details="two\n  more"),
        PlanEntry(at="2026-03-02", event="workflow_complete"),
        PlanEntry(at="t3", event="task_done", details="- [2026-03-03] not: an entry"),
    )


LOG = "\n## Work Log\n\n### [2026-01-02 10:00] Did it\n"


@pytest.mark.parametrize(
    "entry",
    [
        "**Facts:** a\n\n**Analysis:** b\n\n**Conclusion:** ok\n",
        "**Facts**: a\n**Analysis**: b\n**Conclusion**: OK, all done\n",
        "**Facts**\n\na\n\n**Analysis**\n\nb\n\n**Conclusion**\n\nStatus: ok\n",
        "#### Facts\na\n#### Analysis\nb\n#### Conclusion\n- **Status**: ok\n",
        "### Facts:\na\n### Analysis\nb\n### Conclusion\n**Status:** `ok`\n",
        "- **Facts**: a\n- **Analysis**: b\n- **Conclusion**: ok - done\n",
        "Facts: a\nAnalysis: b\nConclusion: **ok**.\n",
        "__Facts__: a\n__Analysis__: b\n__Conclusion__: ok\n",
        "**FACTS:** a\n**ANALYSIS:** b\n**CONCLUSION:** status=ok\n",
        "1. **Facts**: a\n2. **Analysis**: b\n3. **Conclusion**: ok\n",
        "**Status:** ok\n**Findings:** a\n**Analysis:** b\n**Conclusion:** fine\n",
        "## Facts\na\n## Analysis\nb\n## Conclusion\nok\n",
    ],
)
def test_a_whole_log_entry_is_recognised(entry: str) -> None:
    (found,) = read_task(body=LOG + entry).log
    assert (found.at, found.title) == ("2026-01-02 10:00", "Did it")
    assert (found.facts, found.analysis, found.status) == ("a", "b", Conclusion.OK)
    assert found.is_whole


@pytest.mark.parametrize(
    ("conclusion", "status"),
    [
        ("blocked", Conclusion.BLOCKED),
        ("Escalate: too large", Conclusion.ESCALATE),
        ("Status: escalated", Conclusion.ESCALATE),
        ("It is ok", None),
        ("okay", None),
        ("", None),
        ("> ok", None),
        ("fine\n**Facts:** x\nStatus: ok", None),
        ("```\nstatus: ok\n```", None),
    ],
)
def test_the_word_of_a_conclusion(conclusion: str, status: Conclusion | None) -> None:
    body = f"{LOG}**Facts:** a\n**Analysis:** b\n**Conclusion:**\n{conclusion}\n"
    (found,) = read_task(body=body).log
    assert found.status is status


@pytest.mark.parametrize(
    "heading",
    ["### [t] One", "## [t] One", "#### [t] One", "### 2026-01-02T10:00Z - One", "### [] One"],
)
def test_headings_that_begin_an_entry(heading: str) -> None:
    body = f"\n## Work Log\n{heading}\n**Facts:** a\n### Aside\nmore\n{heading}\n"
    entries = read_task(body=body).log
    assert [entry.title for entry in entries] == ["One", "One"]
    assert entries[0].facts == "a\n### Aside\nmore"


def test_entries_after_another_section_belong_to_the_work_log() -> None:
    body = (
        "\n## Work Log\n### [1] a\n## Work Items\nnone\n### [2] b\n## Supervisor Log\n### [3] c\n"
    )
    assert [entry.at for entry in read_task(body=body).log] == ["1", "2"]


def test_sections_of_the_first_level_are_sections_and_comments_are_not() -> None:
    body = "\n# Description\nx\n# a comment\n# Context\ny\n# Work Log\n### [1] a\n"
    task = read_task(body=body)
    assert (task.title, task.description, task.context) == ("A", "x\n# a comment", "y")
    assert len(task.log) == 1


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    body = "\n## Description\n```\nx\n## Work Log\n### [1] a\n"
    assert len(read_task(body=body).log) == 1


@pytest.mark.parametrize(
    "body",
    [
        "\n## Suggested Work Items (for Manager)\n\nwork_items:\n- description: x\n\nThat is it.\n",
        "\n## Work Items\nwork_items:\n# first\n  - description: x\n",
        "\n## Suggested Work Items\n```yaml\nwork_items:\n  - description: x\n```\n",
        "\n## Work Items\n~~~\n- description: x\n~~~\n```python\n- y\n```\n",
        "\n## Work Items\n<!-- start workitems -->\n```yml\n- description: x\n```\n"
        "<!-- end workitems -->\n",
        "\n<!--start workitems-->\nwork_items: [{description: x}]\n<!-- END workitems -->\n",
        "\n## Work Items\n- a list\n  ```yaml\n  work_items:\n    - description: x\n  ```\n",
    ],
)
def test_work_items_are_found(body: str) -> None:
    (item,) = read_task(body=body).work_items
    assert item.description == "x"
    assert not item.is_adequate


@pytest.mark.parametrize(
    "body",
    [
        "\n## Work Items\nNone.\n",
        "\n## Work Items\n<!-- start workitems -->\n<!-- end workitems -->\n",
        "\n## Work Items\n<!-- start workitems -->\nwork_items:\n<!-- end workitems -->\n",
        "\n## Work Items\n```json\n[1]\n```\n",
        "\n## Work Items\n```\nwork to do\n```\n",
        "\n```\n<!-- start workitems -->\n```\n",
    ],
)
def test_there_may_be_no_work_items(body: str) -> None:
    assert read_task(body=body).work_items == ()


def test_two_lists_of_work_items_become_one() -> None:
    block = "<!-- start workitems -->\n- {}\n- dependencies: [0]\n<!-- end workitems -->\n"
    items = read_task(body=f"\n{block}\n{block}").work_items
    assert [item.dependencies for item in items] == [(), (0,), (), (0,)]


def test_an_item_may_wait_for_one_of_an_earlier_list() -> None:
    first = "<!-- start workitems -->\n- {}\n- {}\n<!-- end workitems -->\n"
    second = "<!-- start workitems -->\n- dependencies: [1]\n<!-- end workitems -->\n"
    items = read_task(body=f"\n{first}\n{second}").work_items
    assert [item.dependencies for item in items] == [(), (), (1,)]


def test_unknown_keys_are_no_mistake_and_a_text_is_a_list_of_one() -> None:
    task = read_task("estimate: 3\nskills: python\nexpertise: null\nrefers: none\nfiles: [a]\n")
    assert (task.skills, task.expertise, task.refers, task.files) == (("python",), (), (), ("a",))


def test_a_dependency_is_counted_once() -> None:
    files = kanban_and_task("dependencies: [2.md, tasks/2.md]\n")
    files["tasks/2.md"] = task_text().encode()
    assert read(files).files[TASK].dependencies == ("tasks/2.md",)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("- `a b.py`: x", ("a b.py",)),
        ('- "a\\nb"', ("a\nb",)),
        ('- "a', ('"a',)),
        ("- [ ] a.py (new)", ("a.py",)),
        ("1. a.py", ("a.py",)),
        ("- New files:", ()),
        ("- `a.py`:", ("a.py",)),
        ("- a\vb", ()),
        ("a.py", ()),
        ("-", ()),
    ],
)
def test_files_are_listed(line: str, names: tuple[str, ...]) -> None:
    assert read_task(body=f"\n## Files\n{line}\n").files == names
