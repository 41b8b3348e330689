"""The workflow driver: what happens next to one task."""

from typing import Final, cast

from supervisor_ai.control.slice_names import registered_decider
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, StepWord
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.moves import definition as definition_moves
from supervisor_ai.drivers.moves.baseline import decide_baseline
from supervisor_ai.drivers.moves.deciders import DECIDERS, StepDecider
from supervisor_ai.drivers.moves.frame import decide_frame
from supervisor_ai.drivers.moves.state import WorkflowState, current_visit, evolve


class WorkflowDriver:
    """Takes one task through a state machine of steps."""

    name: Final = "workflow"
    state_type: Final = WorkflowState
    definition_type: Final = Definition

    def begin(self, birth: e.RunSubmitted, definition: Definition) -> WorkflowState:
        """Return the state before anything happened."""
        return definition_moves.begin(birth, definition)

    def evolve(self, state: WorkflowState, event: Event) -> WorkflowState:
        """Fold one recorded fact into the state."""
        return evolve(state, event)

    def fork(self, state: WorkflowState) -> WorkflowState:
        """Return the state that a fork of the run begins with: its branch is its own."""
        return definition_moves.fork(state)

    def migrate(self, state: WorkflowState, definition: Definition) -> WorkflowState:
        """Go on under another definition."""
        return definition_moves.migrate(state, definition)

    def migration_problems(self, state: WorkflowState, definition: Definition) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        return definition_moves.migration_problems(state, definition)

    def decide(self, run: Run, state: WorkflowState) -> Decision:
        """Say what happens next."""
        return decide_frame(run, state) or decide_baseline(run, state) or _decide(run, state)


def _decide(run: Run, state: WorkflowState) -> Decision:
    visit = current_visit(state)
    at = state.at(visit.step)
    decide = DECIDERS.get(at.kind) or find_decider(at.kind)
    return decide(run, state, at, visit)


def find_decider(kind: StepWord) -> StepDecider:
    """Find who decides at a kind of step that another slice has registered for workflows."""
    return cast("StepDecider", registered_decider(kind))
