"""The checkpoint driver: the resident supervisor of one session."""

from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.decisions.definition import ResidentDefinition
from supervisor_ai.drivers.checkpoint.decisions.stages import decide_stage, enter
from supervisor_ai.drivers.checkpoint.decisions.state import ResidentState, evolve
from supervisor_ai.drivers.checkpoint.kinds import SESSION
from supervisor_ai.drivers.moves import definition as steps


class CheckpointDriver:
    """Waits for requests, makes checkpoints, and ends when the coordinator asks for it."""

    name: Final = "checkpoint"
    state_type: Final = ResidentState
    definition_type: Final = ResidentDefinition

    def begin(self, birth: RunSubmitted, definition: ResidentDefinition) -> ResidentState:
        """Return the state before anything happened."""
        flow = steps.begin(birth, definition)
        return ResidentState(flow=flow, residence=definition.residence)

    def evolve(self, state: ResidentState, event: Event) -> ResidentState:
        """Fold one recorded fact into the state."""
        return evolve(state, event)

    def fork(self, state: ResidentState) -> ResidentState:
        """Return the state that a fork begins with: it has to become the supervisor first."""
        residence = replace(state.residence, recovery=True)
        return ResidentState(flow=steps.fork(state.flow), residence=residence)

    def migrate(self, state: ResidentState, definition: ResidentDefinition) -> ResidentState:
        """Go on under another definition."""
        flow = steps.migrate(state.flow, definition)
        return replace(state, flow=flow, residence=definition.residence)

    def migration_problems(
        self, state: ResidentState, definition: ResidentDefinition
    ) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        problems = steps.migration_problems(state.flow, definition)
        if definition.residence.session == state.residence.session:
            return problems
        return (*problems, "A supervisor stays with its session.")

    def decide(self, run: Run, state: ResidentState) -> Decision:
        """Say what happens next."""
        return enter(state, SESSION) if state.flow.visit is None else decide_stage(run, state)
