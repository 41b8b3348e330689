"""A run that goes on where one of the same feature has ended: with its plan, on its branch."""

from supervisor_ai.control.commands.run_execution import require_workers
from supervisor_ai.control.commands.run_start import append_birth
from supervisor_ai.control.commands.sandbox_choice import require_sandbox
from supervisor_ai.control.phrases import short
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import CommitSha, RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import submit
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.definition import permit_of
from supervisor_ai.drivers.feature.kinds import FEATURE
from supervisor_ai.drivers.feature.projects.landings import OPEN
from supervisor_ai.drivers.feature.projects.stream import LandingView
from supervisor_ai.drivers.feature.runs import FeatureRun, state_of
from supervisor_ai.engine.consent import require_consent

_ENDS = (e.RunCompleted, e.RunFailed, e.RunCancelled)


def require_reopenable(project: OpenProject, ended: FeatureRun) -> None:
    """Refuse to go on with a branch that is not where the run has left it."""
    state, name = state_of(project.records, ended), ended.row.branch or ""
    left = state.landed or state.left
    tip = project.repository.branch_tip(name)
    if tip != left:
        raise Conflict(
            f"The branch {name!r} is {_stands(tip)}; run {ended.row.id!r} left it at {_at(left)}.",
            hint=f"Put it back: git branch --force {name} {left}",
        )
    if LandingView(project.records.log, ended.row.id).refresh().status in OPEN:
        raise Conflict(
            f"The landing of run {ended.row.id!r} in several repositories is not finished.",
            hint=f"Finish or undo it first: supervisor feature land {ended.definition.feature.id}",
        )


def _stands(tip: CommitSha | None) -> str:
    return "gone" if tip is None else f"at {short(tip)}"


def _at(left: CommitSha | None) -> str:
    return "its base" if left is None else short(left)


async def submit_successor(project: OpenProject, ended: FeatureRun) -> RunId:
    """Write the first fact of a run that goes on where another one has ended."""
    source, run = project.birth(ended.row.id), project.world.ids.run_id()
    point = ForkPoint(run=ended.row.id, version=_last_version(project.records, ended.row.id))
    playback, _ = project.player.play(point.run, upto=point.version)
    birth = replace(source, definition=playback.run.definition, parent=None, root=run, fork=point)
    playback.fork(run, birth)
    require_consent(project.world, submit(run, birth))
    await require_sandbox(project, birth.sandbox)
    await require_workers(project, playback, birth)
    append_birth(project, run, birth, queued=False, permit=permit_of(ended.definition.feature.id))
    return run


def _last_version(records: Records, run: RunId) -> int:
    """Find the last fact before those that say how a run has ended."""
    last = 1
    for envelope in records.log.read(run_stream(run)):
        event = envelope.event
        is_over = isinstance(event, e.StepPassed | e.StepFailed) and event.step == FEATURE
        if is_over or isinstance(event, _ENDS):
            break
        last = envelope.version
    return last
