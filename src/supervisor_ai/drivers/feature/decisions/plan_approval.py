"""A plan is judged by the files that it names before anybody builds it."""

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import AssessChange, Effect, RequestApproval
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.kinds import FEATURE, PLAN_RISK
from supervisor_ai.drivers.feature.plan.interfaces import locked_files
from supervisor_ai.drivers.feature.plan.model import Feature
from supervisor_ai.drivers.feature.state import FeatureState
from supervisor_ai.drivers.moves.approvals import clear_landing, decide_objections
from supervisor_ai.drivers.moves.state import Visit, WorkflowState


def approve_plan(run: Run, state: FeatureState) -> Decision | None:
    """Say what the policy demands before the first component begins; None: nothing any more."""
    if state.definition.approvals is None or state.parts:
        return None
    if state.tip.tree in state.clearance.objected:
        return _rejected()
    waited = decide_objections(run)
    if waited is not None:
        return waited
    found = _cleared(run, state)
    if found is None:
        return None
    if run.open:
        return Decision()
    effects = (_about_plan(it, state.definition.feature) for it in found.effects)
    return replace(found, effects=tuple(effects))


def _cleared(run: Run, state: FeatureState) -> Decision | None:
    """Ask as for a change that is about to land, of which nothing but its files is known."""
    definition = state.definition
    at = definition.workflow.steps[FEATURE]
    visit = Visit(step=FEATURE, number=1, start=state.tip.commit)
    unhurried = replace(definition, limits=replace(definition.limits, workflow_timeout=None))
    as_change = WorkflowState(
        definition=unhurried, head=state.tip, visit=visit, clearance=state.clearance
    )
    return clear_landing(run, as_change, at, visit, state.tip.commit)


def _about_plan(effect: Effect, feature: Feature) -> Effect:
    match effect:
        case AssessChange():
            return replace(effect, declared=declared_files(feature))
        case RequestApproval():
            return replace(effect, reason=PLAN_RISK)
        case _:
            return effect


def declared_files(feature: Feature) -> tuple[str, ...]:
    """Name all that a plan says it will write."""
    named = (file for it in feature.components for file in it.files)
    return tuple(dict.fromkeys((*named, *locked_files(feature))))


def _rejected() -> Decision:
    reason = "The plan was not approved."
    outcome = Outcome(kind=OutcomeKind.REJECTED, reason=reason)
    failed = e.StepFailed(step=FEATURE, visit=1, reason=reason)
    return Decision(events=(failed,), ending=Ending(status=RunStatus.FAILED, outcome=outcome))
