"""The kanban driver: a loop that follows files and never reads what an answer means."""

from typing import Final, cast

from supervisor_ai.control.slice_names import registered_decider
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban import kinds
from supervisor_ai.drivers.kanban.decide import (
    decide_agent,
    decide_checks,
    decide_landing,
    decide_reading,
)
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.state import KanbanState, evolve
from supervisor_ai.drivers.moves import definition as steps
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.baseline import decide_baseline
from supervisor_ai.drivers.moves.deciders import StepDecider
from supervisor_ai.drivers.moves.frame import decide_frame
from supervisor_ai.drivers.moves.state import current_visit

_SHOWN: Final = 20


class KanbanDriver:
    """Takes a kanban from task to task, as its Manager says, until it is complete."""

    name: Final = "kanban"
    state_type: Final = KanbanState
    definition_type: Final = KanbanDefinition

    def begin(self, birth: e.RunSubmitted, definition: KanbanDefinition) -> KanbanState:
        """Return the state before anything happened."""
        flow = steps.begin(birth, definition)
        tree = base_of(birth).tree
        return KanbanState(
            flow=flow, policy=definition.kanban, kept=flow.head, origin=tree, rest=tree
        )

    def evolve(self, state: KanbanState, event: Event) -> KanbanState:
        """Fold one recorded fact into the state."""
        return evolve(state, event)

    def fork(self, state: KanbanState) -> KanbanState:
        """Return the state that a fork of the run begins with: its branch is its own."""
        return replace(state, flow=steps.fork(state.flow), rest=state.origin)

    def migrate(self, state: KanbanState, definition: KanbanDefinition) -> KanbanState:
        """Go on under another definition."""
        flow = steps.migrate(state.flow, definition)
        return replace(state, flow=flow, policy=definition.kanban)

    def migration_problems(
        self, state: KanbanState, definition: KanbanDefinition
    ) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        return steps.migration_problems(state.flow, definition)

    def decide(self, run: Run, state: KanbanState) -> Decision:
        """Say what happens next; a run that fails says what it leaves undone."""
        return _listing_open(state, _framed(run, state) or _decide(run, state))


def _framed(run: Run, state: KanbanState) -> Decision | None:
    return decide_frame(run, state.flow) or decide_baseline(run, state.flow)


def _decide(run: Run, state: KanbanState) -> Decision:
    visit = current_visit(state.flow)
    at = state.flow.at(visit.step)
    match at.kind:
        case StepKind.ROLE:
            return decide_agent(run, state, at, visit)
        case StepKind.GATE:
            return decide_checks(run, state, at, visit)
        case _ if run.open:
            return Decision()
        case kinds.READ_FILES:
            return decide_reading(run, state, at, visit)
        case StepKind.COMMIT:
            return decide_landing(run, state, at, visit)
        case _:
            decide = cast("StepDecider", registered_decider(at.kind))
            return decide(run, state.flow, at, visit)


def _listing_open(state: KanbanState, decision: Decision) -> Decision:
    ending, read = decision.ending, state.reading
    if ending is None or read is None or ending.status is not RunStatus.FAILED or not read.open:
        return decision
    shown = ", ".join(read.open[:_SHOWN])
    more = f" and {len(read.open) - _SHOWN} more" if len(read.open) > _SHOWN else ""
    reason = f"{ending.outcome.reason} Open: {shown}{more}."
    return replace(decision, ending=replace(ending, outcome=replace(ending.outcome, reason=reason)))
