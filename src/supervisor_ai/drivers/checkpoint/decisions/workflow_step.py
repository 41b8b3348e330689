"""A checkpoint as a step of a workflow: it looks at what the run itself has recorded."""

from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import ContextItem
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.checks.model import CheckSpec
from supervisor_ai.drivers.checkpoint.decisions.cycle import do
from supervisor_ai.drivers.checkpoint.decisions.judge import Judged, ask_judge
from supervisor_ai.drivers.checkpoint.decisions.state import given
from supervisor_ai.drivers.checkpoint.kinds import BLOCK
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.deciders import StepDecider, one_at_a_time
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import (
    go_on,
    pass_step,
    perform,
    question,
    rejected_by_person,
)


class CheckpointStep(Struct, frozen=True, kw_only=True):
    """What a step of a workflow says about its checkpoint."""

    checkpoint: str
    checks: tuple[CheckSpec, ...]
    scope: tuple[str, ...] = ()
    """The steps that it is about; nothing: all that have answered so far."""
    off: str = ""
    """Why it is not made; nothing: it is."""
    judge: bool = True
    """Whether a worker is asked what text does not decide."""


def encode(step: CheckpointStep) -> str:
    """Write down what a step pins."""
    return msgspec.json.encode(step).decode()


def particulars_of(at: Step) -> CheckpointStep:
    """Read what a step has pinned."""
    return msgspec.json.decode(at.particulars, type=CheckpointStep)


def _decide(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    own = particulars_of(at)
    if own.off:
        skipped = e.StepSkipped(step=at.name, visit=visit.number, reason=own.off)
        return go_on(state, at, skipped)
    match state.news:
        case k.ContextLoaded(context=context):
            checks = d.RunChecks(
                step=at.name, visit=visit.number, context=context, checks=own.checks
            )
            return perform(run, state, checks)
        case k.ChecksJudged():
            return _judge(run, state, at, visit, state.news)
        case k.JudgementsWeighed(results=results, context=context):
            return perform(run, state, _report(state, at, visit, results, given(context)))
        case k.ReportWritten(verdict=CheckpointVerdict.BLOCK, report=report):
            asked = question(state, at, BLOCK, report)
            return perform(run, state, replace(asked, needs_reason=True))
        case k.ReportWritten() | e.ApprovalGiven():
            return pass_step(run, state, at)
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _:
            return perform(run, state, _load(run, state, at, visit))


DECIDER: Final[StepDecider] = one_at_a_time(_decide)


def _scope(state: WorkflowState, at: Step) -> tuple[str, ...]:
    named = particulars_of(at).scope
    steps = (name.partition("/")[0] for name in state.answers)
    return named or tuple(dict.fromkeys(it for it in steps if it != at.name)) or ("run",)


def _load(run: Run, state: WorkflowState, at: Step, visit: Visit) -> d.LoadRecord:
    answers = (
        ContextItem(title=name, artifact=answer)
        for name, answer in state.answers.items()
        if name.partition("/")[0] != at.name
    )
    others = ((name, it) for name, it in state.steps.items() if name != at.name)
    verdicts = {str(name): it.verdict for name, it in others if it.verdict is not None}
    return d.LoadRecord(
        step=at.name,
        visit=visit.number,
        task=particulars_of(at).checkpoint,
        scope=_scope(state, at),
        words=run.birth.task,
        answers=tuple(answers),
        verdicts=verdicts,
        base=base_of(run.birth).sha,
        head=state.head.commit,
    )


def _judge(
    run: Run, state: WorkflowState, at: Step, visit: Visit, made: k.ChecksJudged
) -> Decision:
    crew = at if particulars_of(at).judge else replace(at, role=None)
    found = ask_judge(run, state, crew, visit, made.brief)
    if not isinstance(found, Judged):
        return perform(run, state, *found)
    return do(
        d.WeighJudgement(
            step=at.name,
            visit=visit.number,
            context=given(made.context),
            round=made.results,
            answer=found.answer,
            reason=found.reason,
        )
    )


def _report(
    state: WorkflowState, at: Step, visit: Visit, results: ArtifactHash, context: ArtifactHash
) -> d.WriteReport:
    return d.WriteReport(
        step=at.name,
        visit=visit.number,
        session=None,
        task=particulars_of(at).checkpoint,
        progress=None,
        context=context,
        results=results,
        accumulator=None,
    )
