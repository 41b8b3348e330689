"""The step that makes a plan of what was answered, and sends back what makes none."""

from typing import Final

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind
from supervisor_ai.domain.run.values import Feedback, FeedbackKind
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.effects import DraftPlan
from supervisor_ai.drivers.feature.kinds import OF_COMPONENTS, OF_PHASES
from supervisor_ai.drivers.moves.attempts import answers_of
from supervisor_ai.drivers.moves.deciders import StepDecider, one_at_a_time
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import pass_step, perform, send_back


def _decide(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    match state.news:
        case f.PlanDrafted():
            return pass_step(run, state, at)
        case f.PlanRefused(findings=findings):
            told = Feedback(kind=FeedbackKind.REVIEW, source=at.name, artifact=findings)
            return send_back(state, at, at.on_reject, (told,), OutcomeKind.REJECTED)
        case _:
            return perform(run, state, _draft(run, state, at, visit))


DECIDER: Final[StepDecider] = one_at_a_time(_decide)


def _draft(run: Run, state: WorkflowState, at: Step, visit: Visit) -> DraftPlan:
    return DraftPlan(
        step=at.name,
        visit=visit.number,
        feature=at.particulars,
        task=run.birth.task,
        phases=_last(state, OF_PHASES),
        components=_last(state, OF_COMPONENTS),
    )


def _last(state: WorkflowState, kind: AnswerWord) -> ArtifactHash | None:
    found = answers_of(state, kind)
    return found[-1] if found else None
