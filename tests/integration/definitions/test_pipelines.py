"""Pipelines that are built in, and files of the user's with everything that can be wrong."""

from pathlib import Path

import pytest

from supervisor_ai.definitions.pipelines.files import FilePipelines
from supervisor_ai.domain.errors import InvalidInput, NotFound

SPEC = ["RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001"]
IMPL = ["PLAN-001", "IMPL-001", "TEST-001", "REVIEW-001"]
AFTER = {
    "CHECKPOINT-001": ["DRAFT-001", "DRAFT-002"],
    "CHECKPOINT-002": ["DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"],
    "CHECKPOINT-003": ["PLAN-001"],
}


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("name", "tasks", "checkpoints"),
    [
        ("spec-only", SPEC, ["CHECKPOINT-001", "CHECKPOINT-002"]),
        ("impl-only", IMPL, ["CHECKPOINT-003"]),
        ("full-lifecycle", SPEC + IMPL, ["CHECKPOINT-001", "CHECKPOINT-002", "CHECKPOINT-003"]),
    ],
)
def test_the_pipelines_are_those_that_teams_know(
    name: str, tasks: list[str], checkpoints: list[str]
) -> None:
    pipeline = FilePipelines().find(name)
    assert [it.task for it in pipeline.begun(supervision=False)] == tasks
    looks = {it.task: list(it.blocked_by) for it in pipeline.checkpoints}
    assert looks == {name: AFTER[name] for name in checkpoints}
    waits = {it.task: it.blocked_by for it in pipeline.tasks}
    # Nothing goes on past a checkpoint that has not spoken.
    follows = {"DRAFT-003": "CHECKPOINT-001", "QUALITY-001": "CHECKPOINT-002"}
    follows |= {"IMPL-001": "CHECKPOINT-003"}
    for task, checkpoint in follows.items():
        assert waits.get(task, (checkpoint,)) == (checkpoint,)


def test_the_built_in_ones_are_listed() -> None:
    found = FilePipelines().all()
    assert [it.name for it in found] == ["full-lifecycle", "impl-only", "spec-only"]
    assert all(it.description for it in found)


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    text = "supervision: false\ntasks:\n  - {id: A-1, subject: Do, owner: writer}\n"
    found = FilePipelines().find(write(tmp_path / "own.yaml", text))
    assert (found.name, found.supervision, len(found.tasks)) == ("own", False, 1)
    named = FilePipelines().find(write(tmp_path / "x.yml", f"name: other\n{text}"))
    assert named.name == "other"


def test_all_mistakes_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    text = """\
descriptions: x
tasks:
  - id: A-1
    subject: Do
    owner: writer
    blocked_by: [B-1, C-9]
  - id: B-1
    subject: Do
    owner: writer
    blocked_by: [A-1]
  - id: B-1
    subject: Do
    owner: supervisor
"""
    path = write(tmp_path / "own.yaml", text)
    with pytest.raises(InvalidInput) as caught:
        FilePipelines().find(path)
    lines = caught.value.message.replace(path, "own.yaml").splitlines()
    assert lines == [
        "The definitions have 5 mistakes:",
        "  own.yaml:1: descriptions: unknown key; did you mean 'description'?",
        "  own.yaml:6: tasks[0].blocked_by: waits for itself: A-1 → B-1 → A-1",
        "  own.yaml:6: tasks[0].blocked_by[1]: there is no task 'C-9'",
        "  own.yaml:11: tasks[2].id: 'B-1' is there twice, first as tasks[1]",
        "  own.yaml:13: tasks[2].owner: the supervisor does checkpoints, and nothing else",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "must be a mapping"),
        ("tasks: []", "at least 1 entry"),
        ("tasks:\n  - {id: a b, subject: Do, owner: w}", "tasks[0].id: must be a name"),
        ("tasks:\n  - {id: A, subject: ' ', owner: w}", "1 to 2000 characters"),
        ("tasks:\n  - {id: A, subject: Do}", "owner: is missing"),
        ("tasks: &a [*a]", "anchor"),
        ("tasks: [", "not valid YAML"),
        ("tasks:\n" + "  - {id: A, subject: Do, owner: w}\n" * 201, "at most 200 entries"),
    ],
)
def test_a_file_is_read_strictly(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        FilePipelines().find(write(tmp_path / "own.yaml", text))
    assert problem in caught.value.message


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        FilePipelines().find(str(tmp_path / "absent.yaml"))
    with pytest.raises(
        NotFound, match="built in are full-lifecycle, impl-only, spec-only"
    ) as caught:
        FilePipelines().find("specs-only")
    assert caught.value.hint == "Did you mean 'spec-only'?"
    with pytest.raises(InvalidInput, match="cannot be read"):
        FilePipelines().find(str(tmp_path) + "/")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="cannot be read"):
        FilePipelines().find(str(tmp_path / "bytes.yaml"))
