"""The workflow driver: what happens next to one task."""

from dataclasses import replace
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.facts import Snapshot
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.moves import state
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.crews import decide_crew
from supervisor_ai.drivers.moves.gates import decide_gates
from supervisor_ai.drivers.moves.landings import decide_commit, decide_pull_request
from supervisor_ai.drivers.moves.slots import under
from supervisor_ai.drivers.moves.state import WorkflowState, current_visit
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
        base = base_of(birth)
        head = Snapshot(commit=base.sha, tree=base.tree)
        return WorkflowState(definition=definition, head=head)

    def evolve(self, state: WorkflowState, event: Event) -> WorkflowState:
        """Fold one recorded fact into the state."""
        return state.evolve(state, event)

    def fork(self, state: WorkflowState) -> WorkflowState:
        """Return the state that a fork of the run begins with: its branch is its own."""
        return replace(state, landed=None)

    def migrate(self, state: WorkflowState, definition: Definition) -> WorkflowState:
        """Go on under another definition."""
        visit = state.visit
        if visit is not None:
            slots = tuple(under(slot, definition.clis) for slot in visit.slots)
            visit = replace(visit, slots=slots)
        return replace(state, definition=definition, visit=visit)

    def migration_problems(self, state: WorkflowState, definition: Definition) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        steps = definition.workflow.steps
        missing = (
            f"Step {name!r} has been visited, but the new definition has no such step."
            for name, record in state.steps.items()
            if record.visits and name not in steps and _is_missed(state, name)
        )
        return (*missing, *_changed_kind(state, definition))

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
            raise InternalError(f"A workflow has no steps of kind {at.kind.value!r}.")


def _is_missed(state: WorkflowState, name: StepName) -> bool:
    """Tell whether a step must still be there; a gate that has spoken need not be."""
    is_here = state.visit is not None and state.visit.step == name
    return is_here or state.at(name).kind is not StepKind.GATE


def _changed_kind(state: WorkflowState, definition: Definition) -> tuple[str, ...]:
    """Say so when what the run does now would be something else under the definition."""
    step = definition.workflow.steps.get(state.visit.step) if state.visit else None
    if step is None:
        return ()
    now = state.at(step.name)
    if step.kind is not now.kind:
        return (
            f"The run is at step {step.name!r}, which is of kind {now.kind.value!r} and would be "
            f"of kind {step.kind.value!r}.",
        )
    if len(step.crew) != len(now.crew):
        return (f"The run is at step {step.name!r}, which other roles would do.",)
    if step.checks != now.checks:
        return (f"The run is at step {step.name!r}, which would run other gates.",)
    return ()


def _decide_human(run: Run, state: WorkflowState, at: Step) -> Decision:
    match state.news:
        case e.ApprovalGiven():
            return pass_step(run, state, at)
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _:
            return perform(run, state, question(state, at))
