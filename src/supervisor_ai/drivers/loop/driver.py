"""The loop driver: what happens next to a remit."""

from collections.abc import Callable
from typing import Final, cast

from supervisor_ai.control.slice_names import registered_decider
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step, StepKind
from supervisor_ai.domain.run.effects import AwaitSignal
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.book import LoopBook
from supervisor_ai.drivers.loop.decisions.gates import decide_checks
from supervisor_ai.drivers.loop.decisions.marks import (
    decide_completion,
    decide_failure,
    decide_polish,
    decide_report,
)
from supervisor_ai.drivers.loop.decisions.roles import decide_role
from supervisor_ai.drivers.loop.decisions.supervision import decide_absences, decide_supervision
from supervisor_ai.drivers.loop.decisions.ways import go_on_after_milestone
from supervisor_ai.drivers.loop.decisions.wishes import decide_wishes
from supervisor_ai.drivers.loop.definition import LoopDefinition
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.loop.signals import Pause
from supervisor_ai.drivers.loop.state import LoopState, evolve
from supervisor_ai.drivers.moves import definition as steps
from supervisor_ai.drivers.moves.baseline import decide_baseline
from supervisor_ai.drivers.moves.deciders import StepDecider
from supervisor_ai.drivers.moves.frame import decide_frame
from supervisor_ai.drivers.moves.state import Visit, current_visit
from supervisor_ai.drivers.moves.steps import enter, then

Decide = Callable[[Run, LoopState, Step, Visit], Decision]
RESUME: Final = Pause.OFF.value
"""For what a loop that rests waits."""


class LoopDriver:
    """Takes a remit from task to task until its milestones are reached."""

    name: Final = "loop"
    state_type: Final = LoopState
    definition_type: Final = LoopDefinition

    def begin(self, birth: e.RunSubmitted, definition: LoopDefinition) -> LoopState:
        """Return the state before anything happened."""
        flow = steps.begin(birth, definition)
        book = _under(LoopBook(), definition.rules)
        return LoopState(flow=flow, rules=definition.rules, book=book, kept=flow.head)

    def evolve(self, state: LoopState, event: Event) -> LoopState:
        """Fold one recorded fact into the state."""
        return evolve(state, event)

    def fork(self, state: LoopState) -> LoopState:
        """Return the state that a fork of the run begins with: its branch is its own."""
        return replace(state, flow=steps.fork(state.flow), pause=Pause.OFF)

    def migrate(self, state: LoopState, definition: LoopDefinition) -> LoopState:
        """Go on under another definition."""
        rules = definition.rules
        flow = steps.migrate(state.flow, definition)
        return replace(state, flow=flow, rules=rules, book=_under(state.book, rules))

    def migration_problems(self, state: LoopState, definition: LoopDefinition) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        return steps.migration_problems(state.flow, definition)

    def decide(self, run: Run, state: LoopState) -> Decision:
        """Say what happens next."""
        if state.flow.visit is None:
            return decide_frame(run, state.flow) or Decision()
        if (heard := decide_wishes(state, run)) is not None:
            return heard
        if (absences := decide_absences(state)) is not None:
            return absences
        if isinstance(state.flow.news, e.ChangeEdited):
            return _look_again(state)
        framed = decide_frame(run, state.flow) or decide_baseline(run, state.flow)
        return framed or _paused(run, state) or _decide(run, state)


def _under(book: LoopBook, rules: LoopRules) -> LoopBook:
    """Let those look, and answer questions, whom the rules name."""
    return replace(
        book,
        roster=replace(book.roster, specs=rules.supervisors),
        research=replace(book.research, is_offered=rules.is_research_offered),
    )


def _paused(run: Run, state: LoopState) -> Decision | None:
    """Rest where nothing is under way, until a person says so."""
    visit = current_visit(state.flow)
    is_waiting = any(isinstance(it, e.SignalAwaited) for it in run.open.values())
    if is_waiting:
        heard = e.SignalHeard(step=visit.step, visit=visit.number)
        return Decision(events=(heard,)) if state.pause is Pause.OFF else Decision()
    if state.pause is Pause.OFF or run.open:
        return None
    waiting = AwaitSignal(step=visit.step, visit=visit.number, signal=RESUME)
    return Decision(effects=(waiting,))


def _look_again(state: LoopState) -> Decision:
    """Let gates and QA see what a person has made of the files."""
    visit, behind = current_visit(state.flow), state.flow.at(StepName(LoopNode.IMPLEMENTOR)).next
    reason = "A person has changed the files; what looks at them looks again."
    left = e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
    return then(left, enter(state.flow, behind or StepName(LoopNode.QA), ()))


def _decide(run: Run, state: LoopState) -> Decision:
    visit = current_visit(state.flow)
    at = state.flow.at(visit.step)
    if at.kind == StepKind.GATE:
        return decide_checks(run, state, at, visit)
    if run.open:
        return Decision()
    if visit.step in state.rules.milestone_steps:
        return _after_milestone(run, state, at, visit)
    return _DECIDERS.get(state.node, decide_role)(run, state, at, visit)


def _after_milestone(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Let another slice decide about the milestone; then go on as the table says."""
    decide = cast("StepDecider", registered_decider(at.kind))
    decision = decide(run, state.flow, at, visit)
    return go_on_after_milestone(state, decision) if decision.events else decision


_DECIDERS: Final[dict[LoopNode, Decide]] = {
    LoopNode.MARK_COMPLETE: decide_completion,
    LoopNode.MARK_FAILED: decide_failure,
    LoopNode.RUN_SUPERVISORS: decide_supervision,
    LoopNode.POLISH: decide_polish,
    LoopNode.REPORT: decide_report,
}
"""Who decides at which node; at the others a role is asked."""
