"""A team in the terminal UI while a run works for it, driven by keys in front of a real ledger."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from tests.integration.team.own_scene import COMMIT, OwnScene
from tests.integration.team.residence_scene import ADA
from tests.integration.tui.scene import LARGE, TuiScene, press, view_text
from tests.support.kernel import flow, stop, work
from textual.pilot import Pilot

from supervisor_ai.control.dashboard.task_lists import read_tasks
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.slices import TaskDesk, TaskList
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import SentWord as W


class LiveTeam(TuiScene):
    """The screen in front of a team, which it reads from the ledger."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.team = OwnScene(kernel=self.kernel)

    def tasks(self, run: RunId) -> TaskList:  # type: ignore[explicit-override]
        """Read the list as the product does."""
        nobody = cast("Preflight", None)
        desk = TaskDesk(records=self.records, preflight=nobody, start=Path())
        return read_tasks(desk, run, lambda driver, port: pytest.fail(f"{driver}: {port}"))


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveTeam]:
    made = LiveTeam(tmp_path)
    yield made
    made.kernel.close()


def shown(pilot: Pilot[None]) -> str:
    return "\n".join(" ".join(line.split()) for line in view_text(pilot, "tasks"))


def test_a_team_is_shown_while_runs_work_for_it(live: LiveTeam) -> None:
    team = live.team
    team.join("rev", TeamRole.UNIFIED_REVIEWER)
    run = team.ran(flow(work("do"), stop("ask", StepKind.HUMAN), COMMIT))
    team.join("ada", TeamRole.CODER)
    team.send("lead", W.TASK_ADDED, task_id="7", subject="The form")
    team.send("ada", W.CLAIM, task_id="7", files=("src/form.py",))
    team.drive()

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "t")
        page = shown(pilot)
        for words in ("Ownership", "supervisor@1 1 OPEN", "Roster"):
            assert words in page
        assert f"coder.{run}" in page
        assert f"#{run}" in page
        assert "#7" in page
        # Somebody is silent, and somebody is stuck: the next look at the screen shows it.
        team.wait(16)
        tend(team.teams, "red", ADA)
        team.send("ada", W.STUCK, task_id="7")
        await press(pilot, "escape")
        await press(pilot, "t")
        page = shown(pilot)
        assert "Alerts" in page
        assert "STUCK" in page
        assert "task #7 is stuck" in page

    live.play(story, size=LARGE, first=team.run)
