"""Every mistake, with its file and its line."""

import pytest
from tests.unit.documents.kanban_files import (
    FILE,
    TASK,
    encoded,
    kanban_and_task,
    kanban_text,
    read,
    task_text,
    wrong,
)

from supervisor_ai.drivers.kanban.board.kanban import TaskFile

PHASES = "exploration, design, plan, execute, validate, complete"
TASK_FILE = ": This is a task file; expected a kanban file, with a phase and a list of tasks."
ONE_FOLDER = "expected all files of a kanban in one folder."


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        (
            "# Kanban\n",
            [":1: There is no front matter; expected a line '---' at the beginning of the file."],
        ),
        (
            "",
            [":1: There is no front matter; expected a line '---' at the beginning of the file."],
        ),
        (
            "\n---\nphase: plan\n",
            [":2: The front matter that begins here has no end; expected a second line '---'."],
        ),
        (
            "---\nphase: plan\ntasks: [a\n---\n",
            [":3: This is not valid YAML: did not find expected ',' or ']'."],
        ),
        ("---\n- a\n---\n", [":2: The front matter is no mapping; expected keys with values."]),
        ("---\nnull\n---\n", [":2: The front matter is no mapping; expected keys with values."]),
        ("---\n---\n", [f":2: The phase is not given; expected one of {PHASES}."]),
        (
            "---\ntype: kanban\nphase: soon\n---\n",
            [f":3: The phase 'soon' is unknown; expected one of {PHASES}."],
        ),
        ("---\na: b\n---\n", [f":2: The phase is not given; expected one of {PHASES}."]),
        (
            "---\nphase: plan\ntype: implement\n---\n",
            [":3: The type is 'implement'; expected 'kanban'."],
        ),
        (
            "---\nphase: plan\nphase: design\n---\n",
            [":3: The key 'phase' is given twice, first in line 2."],
        ),
        (
            "---\nphase: plan\nPhase: design\n---\n",
            [":3: The keys 'phase' and 'Phase' are the same one; expected it once."],
        ),
        (
            "---\nphase: plan\ntasks:\n- 1-a.md\n---\n",
            [":4: The task '1-a.md' is not there; expected the file 'tasks/1-a.md'."],
        ),
        (
            "---\nphase: plan\ntasks:\n- tasks/1-a.md\n---\n",
            [":4: The task 'tasks/1-a.md' is not there."],
        ),
        (
            '---\nphase: plan\ntasks: ["1-\\e[31m.md", "\\u202e1.md"]\ncurrent: "\\0"\n---\n',
            [
                r":3: The path '1-\x1b[31m.md' has characters that cannot be printed.",
                r":3: The path '\u202e1.md' has characters that cannot be printed.",
                r":4: The path '\x00' has characters that cannot be printed.",
            ],
        ),
        (
            '---\nphase: plan\nsub_phase: "\\e[31mx"\n---\n',
            [r":3: The sub_phase '\x1b[31mx' has characters that cannot be printed."],
        ),
        ("---\ntype: implement\n---\n", [TASK_FILE]),
        ("---\nRole: Architect\nmine: 1\n---\n", [TASK_FILE]),
        ("---\nstate: x\nstate_of: y\n---\n", [TASK_FILE]),
        (
            "---\nphase: plan\ntasks: {a: b}\ntitle: [a]\n---\n",
            [
                ":3: The value of 'tasks' is a mapping; expected a list of texts.",
                ":4: The value of 'title' is no text; expected one text.",
            ],
        ),
        (
            "---\nphase: plan\ntasks:\n- [a]\n---\n",
            [":4: Entry 1 of 'tasks' is no text; expected a list of texts."],
        ),
        (
            "---\nphase: plan\ntasks: [0-kanban-x.md]\n---\n",
            [":3: The kanban lists itself, '0-kanban-x.md', as a task; expected task files."],
        ),
        (
            "---\nphase: plan\ncurrent: 5.md\n---\n",
            [":3: The current task '5.md' is none of the tasks that are listed."],
        ),
        (
            "---\nphase: plan\ncurrent: ../x.md\ntasks: [/etc/passwd]\n---\n",
            [
                f":4: The path '/etc/passwd' is not right in the folder 'tasks'; {ONE_FOLDER}",
                f":3: The path '../x.md' is not right in the folder 'tasks'; {ONE_FOLDER}",
            ],
        ),
    ],
)
def test_mistakes_in_a_kanban_file(text: str, mistakes: list[str]) -> None:
    assert wrong(encoded({FILE: text})) == [f"{FILE}{mistake}" for mistake in mistakes]


@pytest.mark.parametrize(
    "path",
    ["../../1-a.md", "sub/1-a.md", "tasks/..", ".", "tasks/", "/tasks/1-a.md", '""'],
)
def test_a_path_that_leaves_the_folder(path: str) -> None:
    (mistake,) = wrong(encoded({FILE: kanban_text(path)}))
    assert mistake.startswith(f"{FILE}:5: The path ")
    assert mistake.endswith(ONE_FOLDER)


ROLES = "Manager, Architect, Implementer"
KINDS = "exploration, design, review, implement, redesign"
STATES = "todo, review, done, escalated, cancelled"


@pytest.mark.parametrize(
    ("header", "mistakes"),
    [
        ("role: Boss\n", [f"3: The role 'Boss' is unknown; expected one of {ROLES}."]),
        ("assignee: me\n", [f"3: The assignee 'me' is unknown; expected one of {ROLES}."]),
        (
            "role: Manager\nassignee: Architect\n",
            ["4: The assignee is Architect and the role is Manager; expected one of the two."],
        ),
        ("state: doing\n", [f"3: The state 'doing' is unknown; expected one of {STATES}."]),
        (
            "priority: p1\nTYPE: x\n",
            [
                "4: The keys 'type' and 'TYPE' are the same one; expected it once.",
                f"4: The TYPE 'x' is unknown; expected one of {KINDS}.",
                "3: The priority 'p1' is unknown; expected one of critical, high, medium, low.",
            ],
        ),
        (
            "dependencies: [2-b.md]\n",
            ["3: The dependency '2-b.md' is not there; expected the file 'tasks/2-b.md'."],
        ),
        (
            "dependencies: [tasks/2-b.md]\n",
            ["3: The dependency 'tasks/2-b.md' is not there."],
        ),
        (
            'dependencies: ["2\\e.md"]\n',
            [r"3: The dependency '2\x1b.md' has characters that cannot be printed."],
        ),
        (
            "dependencies:\n- ../b.md\n",
            ["4: The dependency '../b.md' is no file in the folder 'tasks'."],
        ),
        (
            "dependencies: [1-a.md]\n",
            [f"3: Tasks depend on each other in a circle: {TASK} → {TASK}."],
        ),
        ("a: &x b\n", ["3: The key 'a' has an anchor; write the value out instead."]),
        ("a: *x\n", ["3: The key 'a' is an alias; write the value out instead."]),
        (
            "a: !!python/name:os.system\n",
            ["3: The key 'a' has a tag; write the plain value instead."],
        ),
        ("? [a]\n: b\n", ["3: This has a key that is not plain text."]),
        ("a: b\x07\n", ["3: This is not valid YAML: it contains control characters."]),
    ],
)
def test_mistakes_in_the_header_of_a_task(header: str, mistakes: list[str]) -> None:
    expected = [f"{TASK}:{mistake}" for mistake in mistakes]
    assert wrong(kanban_and_task(header)) == [
        text.replace("TYPE 'x'", "type 'x'") for text in expected
    ]


@pytest.mark.parametrize(
    ("items", "line", "problem"),
    [
        ("- description: [a]", 6, "The value of 'description' is no text; expected one text."),
        ("- files: {a: b}", 6, "The value of 'files' is a mapping; expected a list of texts."),
        ("- files:\n  - - a", 7, "Entry 1 of 'files' is no text; expected a list of texts."),
        (
            "- priority: urgent",
            6,
            "The priority 'urgent' is unknown; expected one of critical, high, medium, low.",
        ),
        (
            "- estimated_effort: tiny",
            6,
            "The estimated_effort 'tiny' is unknown; expected one of small, medium, large.",
        ),
        ("- a text", 6, "Work item 0 is no mapping; expected description, files and more."),
        (
            "- {}\n- dependencies: [2]",
            7,
            "Work item 1 depends on '2'; expected the index of an item of this file, from 0 to 1.",
        ),
        (
            "- dependencies: [-1]",
            6,
            "Work item 0 depends on '-1'; expected the index of an item of this file, from 0 to 0.",
        ),
        ("- dependencies: [0]", 6, "Work items depend on each other in a circle: 0 → 0."),
        ("todo: x", 6, "There is no list 'work_items'; expected one."),
        ("work_items: x", 6, "There is no list 'work_items'; expected one."),
        ("just text", 6, "There is no list 'work_items'; expected one."),
        ("- a\n- [", 7, "This is not valid YAML: did not find expected node content."),
        ("--- a\n--- b", 7, "This has a second document; expected one."),
    ],
)
def test_mistakes_in_work_items(items: str, line: int, problem: str) -> None:
    body = f"<!-- start workitems -->\n{items}\n<!-- end workitems -->\n"
    assert wrong(kanban_and_task(body=body)) == [f"{TASK}:{line}: {problem}"]


@pytest.mark.parametrize("state", ["done", "escalated", "cancelled", "closed"])
def test_nobody_minds_what_a_closed_task_says_wrongly(state: str) -> None:
    items = "- dependencies: [7]\n  priority: urgent\n- a text"
    body = f"<!-- start workitems -->\n{items}\n<!-- end workitems -->\n"
    header = f"state: {state}\npriority: urgent\ndependencies: [9-gone.md]\n"
    read(kanban_and_task(header, body=body))


def test_a_block_of_work_items_that_never_ends() -> None:
    assert wrong(kanban_and_task(body="<!-- start workitems -->\n")) == [
        f"{TASK}:5: The block of work items that begins here never ends; "
        "expected <!-- end workitems -->."
    ]


def test_a_task_that_is_listed_twice() -> None:
    files = encoded({FILE: kanban_text(TASK, "1-a.md", current=TASK), TASK: task_text()})
    assert wrong(files) == [f"{FILE}:6: The task '1-a.md' is listed twice, first in line 5."]


def test_open_tasks_need_a_current_one_unless_all_is_complete() -> None:
    files = encoded({FILE: kanban_text(TASK), TASK: task_text("state: review\n")})
    assert wrong(files) == [f"{FILE}:3: There is no current task, but tasks are open: {TASK}."]


def test_a_circle_of_tasks_names_its_members_and_a_line() -> None:
    names = ("tasks/1.md", "tasks/2.md", "tasks/3.md")
    files = encoded({FILE: kanban_text(*names, current="1.md")})
    for name, other in zip(names, ("2.md", "3.md", "1.md"), strict=True):
        files[name] = task_text(f"dependencies:\n- {other}\n").encode()
    (mistake,) = wrong(files)
    place, _, circle = mistake.partition(": Tasks depend on each other in a circle: ")
    path = circle.removesuffix(".").split(" → ")
    assert place == f"{path[0]}:4"
    assert path[0] == path[-1]
    assert set(path) == set(names)
    assert names.index(path[1]) == (names.index(path[0]) + 1) % 3


def test_an_empty_task_file_is_a_mistake() -> None:
    files = {**kanban_and_task(), TASK: b""}
    assert wrong(files) == [
        f"{TASK}:1: There is no front matter; expected a line '---' at the beginning of the file."
    ]


@pytest.mark.parametrize("header", ["", "\n \n", "# Later.\r\n"])
def test_an_empty_header_of_a_task_is_no_mistake(header: str) -> None:
    text = f"---\n{header}---\n# Task: Sell shoes\n"
    files = {**kanban_and_task(), TASK: text.encode()}
    assert read(files).files[TASK] == TaskFile(path=TASK, title="Sell shoes")


def test_every_mistake_of_every_file_comes_at_once() -> None:
    files = encoded(
        {
            FILE: kanban_text("1-a.md", "2-b.md", "3-c.md", phase="x", current="4.md"),
            TASK: task_text("role: x\nstate: y\n"),
            "tasks/2-b.md": "nothing",
        }
    )
    places = [mistake.split(": ")[0] for mistake in wrong(files)]
    assert places == [
        f"{FILE}:7",
        f"{TASK}:3",
        f"{TASK}:4",
        "tasks/2-b.md:1",
        f"{FILE}:2",
        f"{FILE}:3",
    ]


def test_a_kanban_in_the_root_of_the_project() -> None:
    files = encoded({"0-k.md": kanban_text("1.md", current="1.md"), "1.md": task_text()})
    assert wrong(files, "0-k.md") == [
        "0-k.md: The kanban is in the root of the project; expected it in a folder of its own."
    ]


def test_a_kanban_file_that_is_not_there() -> None:
    assert wrong({}) == [f"{FILE}: The kanban file is not there."]


def test_a_file_that_is_not_utf_8() -> None:
    files = {**kanban_and_task(), TASK: b"---\ntype: design\n---\n\xff\n"}
    assert wrong(files) == [f"{TASK}:4: The byte 0xff is not UTF-8 text."]
    assert wrong({FILE: b"\xfe"}) == [f"{FILE}:1: The byte 0xfe is not UTF-8 text."]
