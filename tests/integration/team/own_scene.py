"""A team for which runs of our own work, in a world of fakes."""

from typing import Final

from tests.integration.team.residence_scene import ADA, ResidenceScene
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.ids import RunId, StepName, StreamId
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.oversight import TeamOversight
from supervisor_ai.drivers.team.commands.send import acknowledge, hand_off
from supervisor_ai.drivers.team.machines.task import TeamTask
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import FakeScript
from supervisor_ai.testing.world import agrees

RED: Final = StreamId("team:red")
COMMIT: Final = stop("land", StepKind.COMMIT)
PLAN: Final = work("plan", AnswerKind.PLAN)
REVIEW: Final = work("review", AnswerKind.REVIEW)


def reviewed() -> Definition:
    """Make a workflow that plans, implements, lets it be reviewed and lands it."""
    whole = flow(PLAN, work("do"), REVIEW, COMMIT)
    steps = dict(whole.workflow.steps)
    steps[StepName("review")] = replace(
        steps[StepName("review")], on_reject=StepName("do"), max_retries=9
    )
    # The loops of a run are another matter than those of its team.
    patient = LoopPolicy(repeats=99, patience=99, rounds=99, review_rounds=99, churn_rounds=99)
    return replace(whole, workflow=replace(whole.workflow, steps=steps), loops=patient)


class OwnScene(ResidenceScene):
    """A team for which runs of our own work."""

    def __init__(self, agent: FakeScript = agrees, kernel: Kernel | None = None) -> None:
        super().__init__(kernel or Kernel(None, agent=agent))
        hand_off(self.teams, "red", 1, ADA)
        acknowledge(self.teams, "red", 1, ADA)
        self.kernel.world = self.overseen(self.kernel.world)

    def overseen(self, world: World) -> World:
        """Return a world in which the team watches over workers."""
        return replace(world, oversight=TeamOversight(self.desk()))

    def start(self, definition: Definition | None = None) -> RunId:
        """Submit a run under the team."""
        return self.kernel.submit(definition or reviewed(), overseer=RED)

    def ran(self, definition: Definition | None = None) -> RunId:
        """Submit a run under the team and drive it to its end."""
        run = self.start(definition)
        self.kernel.drive(run)
        return run

    def task(self, run: RunId) -> TeamTask:
        """Return the task that a run is."""
        found = self.state.task(run)
        assert found is not None
        return found

    def words(self) -> list[tuple[str, str]]:
        """Return what was recorded, with whom it is of."""
        hidden = {"SNAPSHOT", "MESSAGES_DELIVERED", "RUN_FOLLOWED", "ACTIVITY"}
        facts = (fact for _, fact in self.teams.facts("red"))
        return [(it.actor, it.word) for it in facts if it.word not in hidden][3:]

    async def driving(self, run: RunId) -> None:
        """Drive a run beside somebody else."""
        await Runtime(world=self.kernel.world, owner="test").drive(run)
