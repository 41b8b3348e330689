"""Asking a worker what text alone does not decide; without one, the checkpoint goes on."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, RequestApproval, RunWorker, SetTimer
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.slot_moves import Result, decide_slot
from supervisor_ai.drivers.moves.state import Visit, WorkflowState

NOT_CONFIGURED: Final = "No worker is configured that judges."
_NOT_NOW: Final = "The worker that judges cannot be had now."


class Judged(Struct, frozen=True, kw_only=True):
    """What came of asking: an answer, or why there is none."""

    answer: ArtifactHash | None = None
    reason: str = ""


def ask_judge(
    run: Run, flow: WorkflowState, at: Step, visit: Visit, brief: ArtifactHash | None
) -> Judged | tuple[Effect, ...]:
    """Say what is done to get an answer; nothing while somebody is at it."""
    if brief is None:
        return Judged()
    if not at.crew:
        return Judged(reason=NOT_CONFIGURED)
    slot = visit.slot(1)
    found = decide_slot(run, flow, at, slot)
    if isinstance(found, Result):
        if isinstance(slot.news, e.AttemptSucceeded):
            return Judged(answer=slot.news.answer)
        return Judged(reason=found.reason)
    if any(map(_takes_too_long, found)):
        return Judged(reason=_NOT_NOW)
    return tuple(_briefed(effect, brief) for effect in found)


def _takes_too_long(effect: Effect) -> bool:
    """Tell whether a person or the end of a usage limit would have to be waited for."""
    return isinstance(effect, RequestApproval) or (isinstance(effect, SetTimer) and effect.parks)


def _briefed(effect: Effect, brief: ArtifactHash) -> Effect:
    """Show the worker what the checkpoint is about, and nothing of what others answered."""
    if not isinstance(effect, RunWorker):
        return effect
    return replace(effect, task=brief, context=(), plans=())
