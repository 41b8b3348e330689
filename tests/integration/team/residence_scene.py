"""A team with its resident run, in a world of fakes whose clock only the test moves."""

from datetime import timedelta
from typing import Final

from tests.support.kernel import Kernel
from tests.unit.drivers.team.control_scene import ADA, ControlScene

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.definition import Limits, Step, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.driver import TeamDriver
from supervisor_ai.drivers.team.performers import team_performers
from supervisor_ai.drivers.team.residence.definition import TEAM_STEP, WATCH, TeamDefinition
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.world import World

_FOR_EVER: Final = 10**9


def watch(team: str = "red") -> TeamDefinition:
    """Make what the run of a team pins."""
    home = Step(name=TEAM_STEP, kind=WATCH, terminal=True)
    workflow = Workflow(
        name="team", description="", initial_step=TEAM_STEP, steps={TEAM_STEP: home}
    )
    return TeamDefinition(
        workflow=workflow,
        roles={},
        clis={},
        gates={},
        limits=Limits(workflow_max_steps=_FOR_EVER),
        team=team,
    )


class ResidenceScene(ControlScene):
    """The team, and the run that watches over it."""

    def __init__(self, kernel: Kernel | None = None) -> None:
        self.kernel = kernel or Kernel(None)
        super().__init__(self.kernel.world)
        self.kernel.world = self.resident()
        self.run: RunId = self.kernel.submit(watch(), driver=TeamDriver.name)

    def resident(self, world: World | None = None) -> World:
        """Return a world in which runs of teams are driven."""
        world = world or self.kernel.world
        return replace(
            world,
            drivers={**world.drivers, TeamDriver.name: opener(TeamDriver())},
            performers={**world.performers, **team_performers(self.folders)},
        )

    def drive(self, world: World | None = None) -> None:
        """Drive the run as far as it goes now."""
        self.kernel.drive(self.run, world=self.resident(world))

    def pass_minutes(self, minutes: int) -> None:
        """Let the run look each minute."""
        for _ in range(minutes):
            self.wait(1)
            self.drive()

    def advance(self, by: timedelta) -> None:
        """Let time pass without a look."""
        self.wait(seconds=by.total_seconds())


__all__ = ["ADA", "ResidenceScene", "watch"]
