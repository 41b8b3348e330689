"""What the supervisor notes in DECISIONS.md, and what follows where it cannot."""

import pytest
from tests.unit.drivers.team.control_scene import ADA, ControlScene

from supervisor_ai.drivers.team.commands.decision_notes import note_decisions
from supervisor_ai.drivers.team.commands.upkeep import is_due, tend
from supervisor_ai.drivers.team.event_kinds.decisions import DecisionsMarkerMissed
from supervisor_ai.drivers.team.text.report import AlertType
from supervisor_ai.drivers.team.words import SentWord

FILE = "DECISIONS.md"


@pytest.fixture
def scene() -> ControlScene:
    found = ControlScene().staffed()
    found.send("lead", SentWord.TASK_ADDED, task_id="1", subject="Task 1")
    found.send("coder-1", SentWord.CLAIM, task_id="1")
    return found


def notes(scene: ControlScene, marker: str) -> list[str]:
    section = scene.files[FILE].decode().split(f"## {marker}\n")[1].split("\n## ")[0]
    return [line for line in section.split("\n") if line.startswith("- ")]


def test_a_new_team_has_its_decisions_and_is_hidden_from_git(scene: ControlScene) -> None:
    assert scene.files[".gitignore"] == b"*\n"
    assert b"## Feature Definition of Done" in scene.files[FILE]


def test_trouble_and_decisions_are_noted_once_in_their_sections(scene: ControlScene) -> None:
    scene.send("coder-1", SentWord.STUCK, task_id="1")
    (noted,) = notes(scene, "Operational Escalations")
    assert "STUCK task #1: coder-1 attempt=1" in noted
    scene.send("lead", SentWord.TASK_RELEASED, task_id="1")
    assert "TASK_RELEASED task #1: lead" in notes(scene, "Orchestration Notes")[0]
    note_decisions(scene.teams, "red", ADA)
    tend(scene.teams, "red", ADA)
    assert len(notes(scene, "Operational Escalations")) == 1


def test_a_marker_that_is_gone_blocks_and_is_told_once_until_it_is_back(
    scene: ControlScene,
) -> None:
    whole = scene.files[FILE]
    scene.files[FILE] = whole.replace(b"## Orchestration Notes", b"## Notes")
    scene.send("coder-1", SentWord.STUCK, task_id="1")
    scene.send("lead", SentWord.TASK_RELEASED, task_id="1")
    assert b"STUCK" not in scene.files[FILE]
    told = [it for _, it in scene.teams.facts("red") if isinstance(it, DecisionsMarkerMissed)]
    assert len(told) == 1
    assert AlertType.DECISIONS_MARKER_MISSING in {it.type for it in scene.state.alerts.values()}
    assert is_due(scene.teams, "red")
    scene.files[FILE] = whole
    tend(scene.teams, "red", ADA)
    assert len(notes(scene, "Operational Escalations")) == 1
    assert len(notes(scene, "Orchestration Notes")) == 1
    assert AlertType.DECISIONS_MARKER_MISSING not in {it.type for it in scene.state.alerts.values()}


def test_what_is_no_text_is_left_alone_and_told(scene: ControlScene) -> None:
    scene.files[FILE] = b"\xff\xfe"
    scene.send("coder-1", SentWord.STUCK, task_id="1")
    assert scene.files[FILE] == b"\xff\xfe"
    assert AlertType.DECISIONS_SCOPE_VIOLATION in {it.type for it in scene.state.alerts.values()}


def test_nothing_is_noted_while_the_state_is_locked(scene: ControlScene) -> None:
    tend(scene.teams, "red", ADA)
    scene.files["state.md"] = scene.files["state.md"].replace(b"IN_PROGRESS", b"DONE")
    tend(scene.teams, "red", ADA)
    assert not scene.state.reconcile.is_open
    assert notes(scene, "Operational Escalations") == []
    scene.send("lead", SentWord.RECONCILE_ACK)
    tend(scene.teams, "red", ADA)
    assert any("STATE_DIVERGENCE" in it for it in notes(scene, "Operational Escalations"))
    assert any("RECONCILE_LOCK_EXIT" in it for it in notes(scene, "Orchestration Notes"))
