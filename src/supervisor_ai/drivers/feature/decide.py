"""What happens next to a feature: components start, are merged one at a time, and are done."""

from collections.abc import Callable
from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import AwaitSignal
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import ENDED, Outcome, OutcomeKind, RunStatus
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.decisions import merges
from supervisor_ai.drivers.feature.decisions.entries import perform
from supervisor_ai.drivers.feature.decisions.plan_approval import approve_plan
from supervisor_ai.drivers.feature.decisions.starts import (
    assign_part,
    begin_run,
    enter_look,
    enter_preparation,
    start_component,
)
from supervisor_ai.drivers.feature.decisions.undo import prepare_revert, undo_phase
from supervisor_ai.drivers.feature.decisions.unlocks import decide_interfaces
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.parts import PartStage
from supervisor_ai.drivers.feature.plan.model import DONE, ComponentId, ComponentStatus, Feature
from supervisor_ai.drivers.feature.plan.rollup import status_of
from supervisor_ai.drivers.feature.state import FeatureState, step_of

SIGNAL: Final = "word"
"""What a feature waits for that cannot go on by itself."""


def decide(run: Run, state: FeatureState) -> Decision:
    """Say the first thing that is to be done now; the engine asks again until there is nothing."""
    before = (_come_home, approve_plan, _hear, undo_phase, _skip, decide_interfaces, _advance)
    rules = (*before, enter_preparation, enter_look, start_component, _end)
    return next((it for rule in rules if (it := rule(run, state)) is not None), Decision())


def _come_home(run: Run, state: FeatureState) -> Decision | None:
    del run
    if state.is_home:
        return None
    entered = e.StepEntered(step=FEATURE, visit=1, start=state.tip.commit)
    return Decision(events=(entered, _planned(state.definition.feature)))


def _planned(feature: Feature) -> f.FeaturePlanned:
    """State what a run builds, in which order."""
    return f.FeaturePlanned(
        step=FEATURE,
        visit=1,
        feature=feature.id,
        phases=tuple(f.PhasePlace(id=it.id, sequence=it.sequence) for it in feature.phases),
        components=tuple(
            f.ComponentPlace(id=it.id, phase=it.phase, role=it.role, depends_on=it.depends_on)
            for it in feature.components
        ),
    )


def _hear(run: Run, state: FeatureState) -> Decision | None:
    """Stop waiting when a person said something."""
    is_waiting = any(isinstance(it, e.SignalAwaited) for it in run.open.values())
    if not is_waiting:
        return None
    heard = e.SignalHeard(step=FEATURE, visit=1)
    return Decision(events=(heard,)) if state.is_called else Decision()


def _skip(run: Run, state: FeatureState) -> Decision | None:
    del run
    for name in state.skips:
        part = state.part(name)
        reason = "A person wants to do without it."
        step, visit = step_of(name), part.visit + 1
        entered = e.StepEntered(step=step, visit=visit, start=state.tip.commit)
        skipped = e.StepSkipped(step=step, visit=visit, reason=reason)
        return Decision(events=(entered, skipped))
    return None


def _advance(run: Run, state: FeatureState) -> Decision | None:
    """Take each component that has begun a step further; only the first of the queue is merged."""
    busy = {it.step for it in run.open.values() if isinstance(it, e.Intent)}
    for name, part in state.parts.items():
        if step_of(name) in busy:
            continue
        rule = _RULES.get(part.stage)
        decision = None if rule is None else rule(run, state, name)
        if decision is not None:
            return decision
    return None


_Rule = Callable[[Run, FeatureState, ComponentId], Decision | None]


_RULES: Final[dict[PartStage, _Rule]] = {
    PartStage.ASSIGN: assign_part,
    PartStage.START: begin_run,
    PartStage.QUEUE: merges.merge_part,
    PartStage.UNDO: prepare_revert,
    PartStage.GATES: merges.test_merge,
    PartStage.SEARCH: merges.search_partner,
    PartStage.NEEDLESS: merges.need_no_merge,
    PartStage.BACK: merges.send_back,
    PartStage.DONE: merges.finish_part,
    PartStage.STOP: merges.stop_part,
}


def _end(run: Run, state: FeatureState) -> Decision | None:
    """End when everything is done; wait for a person when nothing goes on by itself."""
    if run.open or state.undoing or any(status not in ENDED for status in run.children.values()):
        return None
    components = state.definition.feature.components
    statuses = [status_of(state.statuses, it.id) for it in components]
    if all(it in DONE for it in statuses) and not state.book.unlocks:
        passed = e.StepPassed(step=FEATURE, visit=1)
        skipped = statuses.count(ComponentStatus.SKIPPED)
        reason = f"{len(components) - skipped} components are on {run.birth.branch}."
        if skipped:
            reason = f"{reason} {skipped} {'was' if skipped == 1 else 'were'} skipped."
        outcome = Outcome(kind=OutcomeKind.DONE, reason=reason)
        ending = Ending(status=RunStatus.COMPLETED, outcome=outcome, degraded=bool(skipped))
        return Decision(events=(passed,), ending=ending)
    return perform(AwaitSignal(step=StepName(FEATURE), visit=1, signal=SIGNAL))
