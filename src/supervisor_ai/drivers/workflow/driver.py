"""The workflow driver: what happens next to one task."""

from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.moves import definition as definition_moves
from supervisor_ai.drivers.moves.crews import decide_crew
from supervisor_ai.drivers.moves.gates import decide_gates
from supervisor_ai.drivers.moves.landings import decide_commit, decide_pull_request
from supervisor_ai.drivers.moves.state import WorkflowState, current_visit, evolve
from supervisor_ai.drivers.moves.steps import (
    decide_frame,
    pass_step,
    perform,
    question,
    rejected_by_person,
)


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
        return decide_frame(run, state) or _decide(run, state)


def _decide(run: Run, state: WorkflowState) -> Decision:
    visit = current_visit(state)
    at = state.at(visit.step)
    match at.kind:
        case StepKind.ROLE:
            return decide_crew(run, state, at, visit)
        case StepKind.GATE:
            return decide_gates(run, state, at, visit)
        case _ if run.open:
            return Decision()
        case StepKind.HUMAN:
            return _decide_human(run, state, at)
        case StepKind.COMMIT:
            return decide_commit(run, state, at, visit)
        case StepKind.PULL_REQUEST:
            return decide_pull_request(run, state, at, visit)
        case _:
            raise InternalError(f"A workflow has no steps of kind {at.kind!r}.")


def _decide_human(run: Run, state: WorkflowState, at: Step) -> Decision:
    match state.news:
        case e.ApprovalGiven():
            return pass_step(run, state, at)
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _:
            return perform(run, state, question(state, at))
