"""How much scrutiny a change needs."""

import json

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import Complexity
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.complexity import examine_complexity
from supervisor_ai.gates.change.touched_areas import parse

Files = dict[str, str | bytes]


def examine(before: Files, after: Files, *plans: str) -> Examination:
    case = ChangeCase(base=BASE, head=HEAD, plans=plans)
    return examine_complexity(case, MemoryCommits(base=before, head=after))


def plan(*components: dict[str, object], **more: object) -> str:
    parts = [{"id": f"c{number}", **part} for number, part in enumerate(components)]
    return json.dumps({"status": "COMPLETE", "phases": [{"id": "p", "components": parts}], **more})


def files(*paths: str) -> Files:
    return dict.fromkeys(paths, "x = 1\n")


def test_a_small_change_is_simple() -> None:
    found = examine({"src/a.py": "a = 1\n"}, {"src/a.py": "a = 2\n"})
    assert found.complexity is Complexity.SIMPLE
    assert found.summary == "The change is simple: existing behaviour changes."
    assert found.findings == ()


def test_nothing_is_simple() -> None:
    assert examine({}, {}).summary == "The change is simple: no sign of more."


@pytest.mark.parametrize(
    ("before", "after", "plans", "sign"),
    [
        ({}, files("src/api/a.py", "src/db/b.py"), (), "2 layers (api, storage)"),
        ({}, files("x/one.py", "src/y/two.py"), (), "2 layers (x, y)"),
        ({}, files("a.css", "src/x/two.py"), (), "2 layers (interface, x)"),
        ({"a.py": "x\ny\n"}, {"a.py": "x\n"}, (), "existing behaviour changes"),
        ({}, {"a.py": "def f(userPassword): ...\n"}, (), "near a sensitive area (password)"),
        ({}, {}, (plan({}, {}, {}),), "3 tasks"),
        ({}, {}, (json.dumps({"phases": [{}, {}, {}]}),), "3 tasks"),
        ({}, {}, (plan({"depends_on": ["c1"]}, {}),), "tasks that wait for others"),
        ({}, {}, (plan({}, dependencies=[{"from": "a", "to": "b"}]),), "tasks that wait"),
        ({}, files("a.py", "b.py", "c.py", "d.py", "e.py"), (), "5 files"),
    ],
)
def test_one_sign_leaves_a_change_simple(
    before: Files, after: Files, plans: tuple[str, ...], sign: str
) -> None:
    found = examine(before, after, *plans)
    assert found.complexity is Complexity.SIMPLE
    assert sign in found.summary


@pytest.mark.parametrize(
    ("before", "after", "plans", "sign"),
    [
        ({}, files("api/a.py", "db/b.py", "ui/c.py"), (), "3 layers (api, interface, storage)"),
        (files("src/shared/a.py"), {"src/shared/a.py": "new"}, (), "shared behaviour"),
        (files("src/utils.py"), {}, (), "shared behaviour changes (src/utils.py)"),
        ({}, files("src/auth/a.py"), (), "access or money (src/auth/a.py)"),
        ({}, files("src/PaymentService.java"), (), "access or money"),
        ({}, {}, (plan({}, {}, {}, {}, {}),), "5 tasks"),
        ({}, {}, (plan({"depends_on": ["c1"]}, {"depends_on": ["c2"]}, {}),), "chain of three"),
        ({}, files(*(f"f{number}.py" for number in range(10))), (), "10 files"),
    ],
)
def test_one_strong_sign_makes_a_change_complex(
    before: Files, after: Files, plans: tuple[str, ...], sign: str
) -> None:
    found = examine(before, after, *plans)
    assert found.complexity is Complexity.COMPLEX
    assert sign in found.summary


def test_two_signs_are_medium_and_four_are_complex() -> None:
    two = examine({}, files("api/a.py", "db/b.py"), plan({}, {}, {}))
    assert two.complexity is Complexity.MEDIUM
    four = examine(
        {"api/a.py": "old"},
        {"api/a.py": "new secret", "db/b.py": "x"},
        plan({}, {}, {}),
    )
    assert four.complexity is Complexity.COMPLEX


@pytest.mark.parametrize(
    "after",
    [
        files("docs/auth.md", "docs/api/a.md", "docs/db/b.md", "README.md", "docs/x", "docs/y"),
        files(*(f"tests/test_auth_{number}.py" for number in range(20))),
        files("src/authors.py"),
        files("src/shared/new.py"),
    ],
)
def test_documents_tests_and_likenesses_count_for_nothing(after: Files) -> None:
    assert examine({}, after).summary == "The change is simple: no sign of more."


def test_the_whole_run_counts() -> None:
    commits = MemoryCommits(origin={}, base=files("api/a.py"), head=files("api/a.py", "db/b.py"))
    case = ChangeCase(base=BASE, head=HEAD, origin=CommitSha("origin"))
    assert "2 layers" in examine_complexity(case, commits).summary


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        "[" * 100_000,
        json.dumps({"phases": "many", "dependencies": 5}),
        json.dumps({"phases": [{"components": [5, None, {"depends_on": "c1"}]}]}),
        plan({"depends_on": ["c0"]}),
        json.dumps({"dependencies": ["a"]}),
    ],
)
def test_plans_that_say_nothing_count_for_nothing(text: str) -> None:
    assert examine({}, {}, text).summary == "The change is simple: no sign of more."


def test_tasks_that_wait_for_each_other_are_no_chain_of_three() -> None:
    found = examine({}, {}, plan({"depends_on": ["c1"]}, {"depends_on": ["c0"]}))
    assert found.complexity is Complexity.SIMPLE


def test_huge_files_are_not_read() -> None:
    assert examine({}, {"a.csv": b"password\n" * 200_000}).complexity is Complexity.SIMPLE


def test_a_long_change_is_more_than_simple() -> None:
    def lines(count: int) -> str:
        return "".join(f"a{number} = {number}\n" for number in range(count))

    assert "200 statements" in examine({}, {"src/a.py": lines(200)}).summary
    assert examine({}, {"src/a.py": lines(200)}).complexity is Complexity.SIMPLE
    assert examine({}, {"src/a.py": lines(400)}).complexity is Complexity.MEDIUM
    assert examine({}, {"src/a.py": lines(1000)}).complexity is Complexity.COMPLEX


@pytest.mark.parametrize("text", ["[]", "{}", "layers: {a: b}", "layers: {}\nroots: 5"])
def test_a_broken_table_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse(text)
