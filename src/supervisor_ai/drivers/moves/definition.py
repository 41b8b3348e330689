"""The life of a state of steps under its definition: how it begins, is forked and is migrated."""

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.knowledge.provenance import KnowledgeOrigin
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.clearance import Clearance
from supervisor_ai.drivers.moves.slots import under
from supervisor_ai.drivers.moves.state import WorkflowState


def begin(birth: RunSubmitted, definition: Definition) -> WorkflowState:
    """Return the state before anything happened."""
    base = base_of(birth)
    head = Snapshot(commit=base.sha, tree=base.tree)
    known = base.knowledge or KnowledgeOrigin(base=base.sha)
    return WorkflowState(definition=definition, head=head, knowledge=known)


def fork(state: WorkflowState) -> WorkflowState:
    """Return the state that a fork of the run begins with: its branch is its own.

    So is what people have to agree to: they said yes to another run.
    """
    return replace(state, landed=None, clearance=state.clearance.voided())


def migrate(state: WorkflowState, definition: Definition) -> WorkflowState:
    """Go on under another definition."""
    visit = state.visit
    if visit is not None:
        slots = tuple(under(slot, definition.clis) for slot in visit.slots)
        visit = replace(visit, slots=slots)
    return replace(state, definition=definition, visit=visit, clearance=_kept(state, definition))


def _kept(state: WorkflowState, definition: Definition) -> Clearance:
    """Forget what the policy said about a change where it is another policy now."""
    if definition.approvals == state.definition.approvals:
        return state.clearance
    return state.clearance.voided()


def migration_problems(state: WorkflowState, definition: Definition) -> tuple[str, ...]:
    """List why the run cannot go on under another definition."""
    steps = definition.workflow.steps
    missing = (
        f"Step {name!r} has been visited, but the new definition has no such step."
        for name, record in state.steps.items()
        if record.visits and name not in steps and _is_missed(state, name)
    )
    return (*missing, *_changed_kind(state, definition))


def _is_missed(state: WorkflowState, name: StepName) -> bool:
    """Tell whether a step must still be there; a gate that has spoken need not be."""
    is_here = state.visit is not None and state.visit.step == name
    return is_here or state.at(name).kind != StepKind.GATE


def _changed_kind(state: WorkflowState, definition: Definition) -> tuple[str, ...]:
    """Say so when what the run does now would be something else under the definition."""
    step = definition.workflow.steps.get(state.visit.step) if state.visit else None
    if step is None:
        return ()
    now = state.at(step.name)
    if step.kind != now.kind:
        return (
            f"The run is at step {step.name!r}, which is of kind {now.kind!r} and would be "
            f"of kind {step.kind!r}.",
        )
    if len(step.crew) != len(now.crew):
        return (f"The run is at step {step.name!r}, which other roles would do.",)
    if step.checks != now.checks:
        return (f"The run is at step {step.name!r}, which would run other gates.",)
    return ()
