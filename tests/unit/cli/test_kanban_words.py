"""What a person is told about a kanban while and after a run works on it."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.unit.cli.board_facts import RUN, told
from tests.unit.control.kanban_facts import FILES_AT, reading
from tests.unit.control.kanban_office import FILE, FIRST, PLACE, KanbanScene

from supervisor_ai.cli.commands.kanban_words import counts_line
from supervisor_ai.control.dashboard.board import Board
from supervisor_ai.control.run_views import show_run
from supervisor_ai.control.sentences import describe
from supervisor_ai.control.slices import Standpoint
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.domain.project.events import PermitFreed, PermitTaken
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.queries.about import about_run
from supervisor_ai.testing.ledger_harness import BEGIN

if TYPE_CHECKING:
    pass

KANBAN, LANDING = StepName("kanban"), StepName("land-task")
REPORT = ArtifactHash("r")
UNREADABLE = k.KanbanUnreadable(
    step=KANBAN, visit=1, reason=f"{FILE}:3: \x1b[31mOdd.", report=REPORT
)
REFUSED = k.KanbanSaveRefused(step=LANDING, visit=1, reason="Changed.", detail=REPORT)
WRITES = e.WriteRefused(
    step=StepName("implementor"), visit=1, attempt=1, paths=tuple(f"f{n}" for n in range(10))
)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (k.KanbanReadStarted(step=KANBAN, visit=1, file=FILE), f"reads {FILE}"),
        (
            reading(1, FIRST, "a", "b", "c"),
            f"execute, 1 of 2 tasks open, next {FIRST} (Implementer)",
        ),
        (
            reading(2, None, "a", "b", "c"),
            "execute (review), 1 of 2 tasks open, nothing is next",
        ),
        (UNREADABLE, f"cannot be read: {FILE}:3: Odd."),
        (
            k.KanbanReadLost(step=KANBAN, visit=1),
            "had not read the kanban when its owner died",
        ),
        (
            k.KanbanSaveStarted(
                step=LANDING, visit=1, start=CommitSha("a" * 40), snapshot=CommitSha("b" * 40)
            ),
            "the files of bbbbbbbbbbbb are to be written into their directory",
        ),
        (k.KanbanSaved(step=LANDING, visit=1, rest=FILES_AT), "the directory has the files"),
        (REFUSED, "the directory does not have the files: Changed."),
        (
            k.KanbanSaveLost(step=LANDING, visit=1),
            "nobody knows whether the directory has the files; its owner died",
        ),
        (PermitTaken(permit="kanban:x", run=RUN), "r1 has kanban:x for itself"),
        (PermitFreed(permit="kanban:x", run=RUN), "r1 has given kanban:x back"),
        (WRITES, "may not write f0, f1, f2, f3, f4, f5, f6, f7 and 2 more"),
    ],
)
def test_facts_of_a_kanban_in_words(event: Event, words: str) -> None:
    assert describe(event) == words


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (reading(1, FIRST, "a", "b", "c"), "1 of 2 open, 1-form.md"),
        (UNREADABLE, "unreadable"),
        (REFUSED, "could not be put there"),
        (
            e.IntegrationRefused(step=LANDING, visit=1, reason="Moved."),
            "could not be put there",
        ),
        (WRITES, "a write was refused"),
    ],
)
def test_the_board_shows_how_the_kanban_stands(event: e.PlacedEvent, word: str) -> None:
    board = Board(run=RUN, title="Do it", started=BEGIN)
    board.see(told(event))
    assert board.words[event.step] == word


def test_states_are_counted_in_the_order_of_their_lives() -> None:
    assert counts_line({"done": 1, "todo": 2}) == "3 tasks (2 todo, 1 done)"
    assert counts_line({}) == "0 tasks"


class Person:
    """As much of an invocation as the last words need."""

    command = "supervisor"

    def __init__(self, directory: Path) -> None:
        self.directory = directory


@pytest.mark.parametrize(
    ("policy", "status", "commit", "following"),
    [
        (
            KanbanPolicy(place=PLACE, instruction="Add it."),
            RunStatus.COMPLETED,
            "c",
            f"kanban run {FILE} --base ai/r1",
        ),
        (KanbanPolicy(place=PLACE, instruction="Add it."), RunStatus.FAILED, None, "logs r1"),
        (KanbanPolicy(place=PLACE), RunStatus.COMPLETED, "c", f"kanban status {FILE}"),
        (
            KanbanPolicy(place=PLACE),
            RunStatus.FAILED,
            "c",
            f"kanban run {FILE} --base ai/r1",
        ),
        (
            KanbanPolicy(place=PLACE),
            RunStatus.CANCELLED,
            None,
            f"kanban run {FILE} --base main",
        ),
        (
            KanbanPolicy(place=KanbanPlace(file="kanban/0-x.md", directory="/my plans")),
            RunStatus.FAILED,
            None,
            "kanban run 0-x.md --dir '/my plans'",
        ),
    ],
)
def test_the_last_words_are_the_next_command(
    tmp_path: Path,
    policy: KanbanPolicy,
    status: RunStatus,
    commit: str | None,
    following: str,
) -> None:
    scene = KanbanScene(tmp_path)
    scene.submit("r1", policy, status=status, commit=commit)
    rows = _rows(scene)
    assert rows[-1] == ("go on", f"supervisor {following}")
    assert rows[1][1].startswith("supervisor kanban log ")
    assert rows[0][0] == "kanban"


def test_a_run_that_waits_is_told_how_to_go_on_elsewhere(tmp_path: Path) -> None:
    scene = KanbanScene(tmp_path)
    scene.submit("r1", status=RunStatus.WAITING)
    assert [label for label, _ in _rows(scene)] == ["kanban", "log"]


def _rows(scene: KanbanScene) -> list[tuple[str, str]]:
    checkout = scene.preflight.checkout
    at = Standpoint(records=scene.records, checkout=checkout, start=checkout, command="supervisor")
    about = about_run(at, show_run(scene.records, "r1"))
    return [] if about is None else list(about.rows)
