"""An effect that nobody can do is a bug that says so."""

import pytest
from tests.support.kernel import Kernel
from tests.support.scripted_driver import Nothing, ScriptedDriver

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.domain.run.effects import Effect, OpenPullRequest
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import opener

PULL = OpenPullRequest(
    step=StepName("pull"),
    visit=1,
    branch="ai/r1",
    commit=CommitSha("c"),
    target="main",
    task=ArtifactHash("t"),
)


def ask_for(effect: Effect) -> None:
    """Drive a run that asks for an effect where no performer is registered at all."""

    def once(run: Run) -> Decision:
        return Decision() if run.open else Decision(effects=(effect,))

    kernel = Kernel(None)
    drivers = {ScriptedDriver.name: opener(ScriptedDriver(once))}
    run = kernel.submit(Nothing(), driver=ScriptedDriver.name)
    kernel.drive(run, world=replace(kernel.world, drivers=drivers, performers={}))


def test_an_effect_without_a_performer_is_named() -> None:
    with pytest.raises(InternalError, match="Nobody is registered who performs OpenPullRequest"):
        ask_for(PULL)


def test_what_takes_no_time_and_is_not_the_engines_own_is_named() -> None:
    with pytest.raises(InternalError, match="The engine cannot do Effect"):
        ask_for(Effect())
