"""How a kanban stands, and whether its files could be worked on."""

import json
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from tests.unit.control.kanban_facts import reading
from tests.unit.control.kanban_office import (
    FILE,
    FILES,
    FIRST,
    ITEMS,
    LOG_ENTRY,
    MAIN,
    PLACE,
    SECOND,
    KanbanScene,
    kanban_text,
    task_text,
)

from supervisor_ai.cli.output import encode
from supervisor_ai.control.ports.queries import OwnerRow
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.commands.check import InadequateItem, check_kanban
from supervisor_ai.drivers.kanban.places import find_any_place
from supervisor_ai.drivers.kanban.queries.status import described, show_kanban


@pytest.fixture
def scene(tmp_path: Path) -> KanbanScene:
    return KanbanScene(tmp_path)


NOTHING = json.loads(encode(NO_USAGE))


def on_disk(scene: KanbanScene, **changes: str) -> Path:
    folder = scene.preflight.checkout / "tasks"
    folder.mkdir()
    for path, text in {**FILES, **changes}.items():
        (folder / Path(path).name).write_text(text)
    return folder


def test_a_kanban_has_exactly_the_fields_of_the_contract(scene: KanbanScene) -> None:
    scene.repository.commits[MAIN] = {**FILES, SECOND: task_text("state: done\n", LOG_ENTRY)}
    view = show_kanban(scene.office, PLACE, ref=None)
    assert msgspec.json.decode(encode(view)) == snapshot(
        {
            "file": "tasks/0-kanban-login.md",
            "title": "Login page",
            "phase": "execute",
            "sub_phase": None,
            "current": "tasks/1-form.md",
            "role": "Implementor",
            "is_complete": False,
            "tasks": [
                {
                    "file": "tasks/1-form.md",
                    "number": 1,
                    "title": "The form",
                    "state": "todo",
                    "role": "Implementor",
                    "type": "implement",
                    "priority": "medium",
                    "conclusion": None,
                    "usage": NOTHING,
                },
                {
                    "file": "tasks/2-check.md",
                    "number": 2,
                    "title": "The form",
                    "state": "done",
                    "role": "Implementor",
                    "type": "implement",
                    "priority": "medium",
                    "conclusion": "blocked",
                    "usage": NOTHING,
                },
            ],
            "counts": {"todo": 1, "done": 1},
            "open": 1,
            "source": {
                "branch": "main",
                "commit": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "directory": None,
            },
            "run": None,
        }
    )


def test_what_was_spent_on_a_task_is_told_with_the_answers_about_it(scene: KanbanScene) -> None:
    scene.repository.commits[MAIN] = dict(FILES)
    run, step = RunId("r1"), StepName("implementor")
    scene.submit(run)
    spent = Usage(tokens_in=10, cost=Decimal("0.25"))
    failed = e.AttemptFailed(
        step=step,
        visit=1,
        attempt=1,
        category=FailureCategory.LOGIC,
        reason="No.",
        feedback=ArtifactHash("f"),
        transcript=ArtifactHash("t"),
        usage=spent,
    )
    scene.add(run, reading(1, FIRST, "a", "b", "c"), failed, replace(failed, attempt=2))
    first, second = show_kanban(scene.office, PLACE, ref="main").tasks
    assert (first.usage.cost, first.usage.tokens_in) == (Decimal("0.5"), 20)
    assert second.usage == NO_USAGE


def test_the_newest_run_says_where_the_files_are(scene: KanbanScene) -> None:
    scene.submit("r1", status=RunStatus.WAITING)
    scene.queries.rows[0] = replace(scene.queries.rows[0], waits_for="a person")
    scene.queries.driven[RunId("r1")] = OwnerRow(owner="bob", epoch=1, is_alive=True)
    before = show_kanban(scene.office, PLACE, ref=None)
    assert before.source.branch == "main"
    scene.repository.branch("ai/r1", {**FILES, FIRST: task_text("state: review\n")})
    view = show_kanban(scene.office, PLACE, ref=None)
    assert view.source.branch == "ai/r1"
    assert described(PLACE, view.source) == f"ai/r1 at {(view.source.commit or '')[:12]}"
    assert view.counts == {"review": 1, "done": 1}
    assert view.run is not None
    assert (view.run.status, view.run.waits_for, view.run.owner) == ("waiting", "a person", "bob")
    assert show_kanban(scene.office, PLACE, ref="main").source.branch == "main"


def test_a_run_that_has_put_nothing_anywhere_is_shown_with_its_own_base(
    scene: KanbanScene,
) -> None:
    scene.submit("r1")
    scene.repository.branch("ai/r1", {**FILES, FIRST: task_text("state: review\n")})
    scene.submit("r2", status=RunStatus.RUNNING)
    base = scene.repository.resolve("main")
    scene.queries.rows[0] = replace(scene.queries.rows[0], branch="ai/r2", base=base)
    view = show_kanban(scene.office, PLACE, ref=None)
    assert view.run is not None
    assert (view.run.id, view.source.branch, view.source.commit) == ("r2", "main", base.sha)
    assert "review" not in view.counts
    ended = replace(scene.queries.rows[0], status=RunStatus.CANCELLED)
    scene.queries.rows[0] = ended
    assert show_kanban(scene.office, PLACE, ref=None).source.branch == "main"


def test_a_plain_directory_is_read_as_it_is(scene: KanbanScene) -> None:
    folder = on_disk(scene)
    place = KanbanPlace(file=FILE, directory=str(folder))
    view = show_kanban(scene.office, place, ref=None)
    assert described(place, view.source) == f"0-kanban-login.md in {folder}"


def test_what_is_not_there_or_broken_has_no_status(scene: KanbanScene) -> None:
    with pytest.raises(NotFound, match="no file 'tasks/9"):
        show_kanban(scene.office, KanbanPlace(file="tasks/9-kanban-x.md"), ref=None)
    scene.repository.commits[MAIN] = {FILE: "nothing"}
    with pytest.raises(InvalidInput, match="cannot be read"):
        show_kanban(scene.office, PLACE, ref=None)


def test_a_check_reads_the_files_as_a_person_edits_them(scene: KanbanScene) -> None:
    on_disk(scene, **{SECOND: task_text("state: done\n", ITEMS)})
    found = check_kanban(scene.office, PLACE)
    assert found.is_valid
    assert (found.phase, found.current) == ("execute", FIRST)
    assert found.counts == {"todo": 1, "done": 1}
    lacks = ("a description", "files", "a related domain")
    assert found.inadequate == (InadequateItem(file=SECOND, item=2, lacks=lacks),)


def test_a_check_finds_every_mistake(scene: KanbanScene) -> None:
    on_disk(scene, **{FILE: kanban_text(phase="someday"), FIRST: task_text("state: odd\n")})
    found = check_kanban(scene.office, PLACE)
    assert not found.is_valid
    assert found.counts is None
    assert {(it.file, it.line) for it in found.mistakes} == {(FILE, 4), (FIRST, 3)}


def test_a_check_of_what_is_not_there(scene: KanbanScene) -> None:
    with pytest.raises(NotFound, match=r"no file '0-kanban-login\.md' in"):
        check_kanban(scene.office, PLACE)


def test_a_check_does_not_follow_a_folder_out_of_the_project(
    scene: KanbanScene, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "0-kanban-login.md").write_text("secret")
    (scene.preflight.checkout / "tasks").symlink_to(outside)
    with pytest.raises(InvalidInput, match="leads out of the project"):
        check_kanban(scene.office, PLACE)
    place = find_any_place(scene.office.desk, str(outside / "0-kanban-login.md"))
    assert not check_kanban(scene.office, place).is_valid


def test_a_check_of_a_branch_reads_what_is_committed(scene: KanbanScene) -> None:
    on_disk(scene, **{FIRST: task_text("state: odd\n")})
    scene.repository.commits[MAIN] = dict(FILES)
    assert not check_kanban(scene.office, PLACE).is_valid
    assert check_kanban(scene.office, PLACE, ref="main").is_valid
    elsewhere = KanbanPlace(file="tasks/9-kanban-none.md")
    with pytest.raises(NotFound, match="9-kanban-none"):
        check_kanban(scene.office, elsewhere, ref="main")
