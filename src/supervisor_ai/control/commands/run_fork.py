"""Fork a run: try another way from a step that it has been at."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from supervisor_ai.control.commands.run_start import append_birth, branch_name
from supervisor_ai.control.commands.sandbox_choice import require_sandbox
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import unvisited_step
from supervisor_ai.control.slices import find_slice
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import RunId, StepName, run_stream
from supervisor_ai.domain.run.effects import Effect
from supervisor_ai.domain.run.events import RunSubmitted, StepEntered
from supervisor_ai.domain.run.run import submit
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.engine.consent import require_consent


class PreparedFork(Struct, frozen=True, kw_only=True):
    """A fork that could be submitted: nothing is written yet."""

    run: RunId
    birth: RunSubmitted
    permit: str | None = None
    """What no other unfinished run may have, where the run that is forked had such a thing."""


def prepare_fork(project: OpenProject, name: str, *, step: str) -> PreparedFork:
    """Find the last visit to the step, and what a run that goes on from there would be."""
    row = project.records.find(name)
    source = project.birth(row.id)
    point = _fork_point(project, row.id, step)
    before, _ = project.player.play(point.run, upto=point.version)
    run = project.world.ids.run_id()
    birth = RunSubmitted(
        task=source.task,
        driver=source.driver,
        workflow=source.workflow,
        definition=before.run.definition,
        base=source.base,
        branch=branch_name(run, project.records.text(source.task)),
        identity=source.identity,
        parent=None,
        root=run,
        fork=point,
        sandbox=source.sandbox,
        is_fresh=source.is_fresh,
    )
    before.fork(run, birth)
    _require_commits(project, point.run, before.decide().effects)
    return PreparedFork(run=run, birth=birth, permit=_permit(project, source))


def _permit(project: OpenProject, source: RunSubmitted) -> str | None:
    found = find_slice(source.driver)
    if found is None or found.definition is None:
        return None
    return found.permit(project.records.documents.load(source.definition, found.definition))


async def submit_fork(project: OpenProject, fork: PreparedFork, *, queued: bool) -> RunId:
    """Write the fork's first fact; nothing of the other run is copied or changed."""
    require_consent(project.world, submit(fork.run, fork.birth))
    await require_sandbox(project, fork.birth.sandbox)
    append_birth(project, fork.run, fork.birth, queued=queued, permit=fork.permit)
    return fork.run


def _require_commits(project: OpenProject, run: RunId, effects: Iterable[Effect]) -> None:
    """Refuse to go on from a commit that is gone: such a run could never end."""
    for sha in dict.fromkeys(sha for effect in effects for sha in effect.commits):
        if not project.repository.has_commit(sha):
            raise NotFound(
                f"The snapshot {sha!r} of run {run!r} does not exist any more.",
                hint="`supervisor workspace clean --refs` removed it; fork at an earlier step.",
            )


def _fork_point(project: OpenProject, run: RunId, step: str) -> ForkPoint:
    """Find the last entry into the step, in the run's own past or in what it was forked from."""
    visited: dict[StepName, None] = {}
    at, upto = run, None
    while True:
        entries = list(_entries(project, at, upto))
        versions = [version for version, entered in entries if entered == step]
        if versions:
            return ForkPoint(run=at, version=versions[-1])
        visited |= dict.fromkeys(entered for _, entered in entries)
        origin = project.birth(at).fork
        if origin is None:
            raise unvisited_step(run, step, tuple(visited))
        at, upto = origin.run, origin.version


def _entries(project: OpenProject, run: RunId, upto: int | None) -> Iterator[tuple[int, StepName]]:
    for envelope in project.records.log.read(run_stream(run), upto=upto):
        if isinstance(envelope.event, StepEntered):
            yield envelope.version, envelope.event.step
