"""Fork a run: try another way from a step that it has been at."""

from collections.abc import Iterable, Iterator
from functools import partial

from msgspec import Struct

from supervisor_ai.control.commands.run_execution import require_workers
from supervisor_ai.control.commands.run_migration import difference_of, load_today, only_cli
from supervisor_ai.control.commands.run_start import (
    WORKFLOW,
    append_birth,
    remembering,
    within,
)
from supervisor_ai.control.commands.sandbox_choice import require_sandbox
from supervisor_ai.control.commands.task_branches import choose_branch, last_task, naming
from supervisor_ai.control.commands.trust import keep_consent, require_trust
from supervisor_ai.control.ports.definitions import Loaded, Power
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import unvisited_step
from supervisor_ai.control.settings import refuse_blank_cheques
from supervisor_ai.control.slices import definition_of, find_slice
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import RunId, StepName, run_stream
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.effects import Effect
from supervisor_ai.domain.run.events import RunSubmitted, StepEntered
from supervisor_ai.domain.run.run import submit
from supervisor_ai.domain.run.spending.budget_words import parse_budget
from supervisor_ai.domain.run.spending.budgets import NOTHING, Scope
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.consent import require_consent
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.playback import Playback


class ForkRequest(Struct, frozen=True, kw_only=True):
    """Where a fork begins, and what is to be another way than before."""

    run: str
    step: str
    cli: str | None = None
    workflow: str | None = None
    budget: str | None = None
    note: str | None = None
    """Words for the next worker."""

    @property
    def changes_definition(self) -> bool:
        """Tell whether the fork goes on under another definition."""
        return any((self.cli, self.workflow, self.budget))


class PreparedFork(Struct, frozen=True, kw_only=True):
    """A fork that could be submitted: nothing is written yet but texts that nobody names."""

    run: RunId
    birth: RunSubmitted
    definition: Definition
    playback: Playback
    """The run as it would begin."""
    is_changed: bool = False
    """Whether that is another definition than the other run's."""
    difference: str = ""
    """What is different under it."""
    powers: tuple[Power, ...] = ()
    """What the project asks the user to trust."""
    permit: str | None = None
    """What no other unfinished run may have, where the run that is forked had such a thing."""


def prepare_fork(project: OpenProject, request: ForkRequest) -> PreparedFork:
    """Find the last visit to the step, and what a run that goes on from there would be."""
    row = project.records.find(request.run)
    source = project.birth(row.id)
    point = _fork_point(project, row.id, request.step)
    before, _ = project.player.play(point.run, upto=point.version)
    definition = previous = before.run.definition
    pinned = project.world.documents.load(previous, definition_of(source.driver))
    loaded = _definition(project, source, pinned, request)
    if loaded.definition != pinned:
        definition = project.world.documents.save(loaded.definition)
        _require_fit(before.migration_problems(definition), row.id, loaded.definition)
    note = project.keep(request.note) if request.note and request.note.strip() else None
    run = project.world.ids.run_id()
    birth = RunSubmitted(
        task=source.task,
        driver=source.driver,
        workflow=loaded.definition.workflow.name,
        definition=definition,
        base=source.base,
        branch=_branch(project, run, source, loaded.definition),
        identity=source.identity,
        parent=None,
        root=run,
        fork=replace(point, note=note),
        sandbox=source.sandbox,
        is_fresh=source.is_fresh,
        overseer=source.overseer,
    )
    before.fork(run, birth)
    _require_commits(project, point.run, before.decide().effects)
    return PreparedFork(
        run=run,
        birth=birth,
        playback=before,
        definition=loaded.definition,
        is_changed=definition != previous,
        difference=difference_of(project, pinned, loaded.definition),
        powers=loaded.powers,
        permit=_permit(project, source),
    )


def _branch(project: OpenProject, run: RunId, source: RunSubmitted, definition: Definition) -> str:
    task, pattern = project.records.text(source.task), definition.git.branch_pattern
    last = partial(last_task, project.records)
    return choose_branch(project.repository, pattern, run, task, last)


def _definition(
    project: OpenProject, source: RunSubmitted, pinned: Definition, request: ForkRequest
) -> Loaded:
    """Load what the fork goes on under: as the base's files say, but for what is asked."""
    if not request.changes_definition or source.base is None:
        return Loaded(definition=pinned, powers=())
    budget = pinned.budgets.get(Scope.RUN, NOTHING)
    if request.budget is not None:
        budget = parse_budget(request.budget)
    if request.workflow is None:
        cli = request.cli
        loaded = load_today(project, source.driver, pinned, source.base.sha, cli)
    elif source.driver == WORKFLOW:
        cli = request.cli or only_cli(pinned)
        catalog = project.preflight.catalog
        loaded = catalog.load(source.base.sha, workflow=request.workflow, cli=cli)
    else:
        raise InvalidInput(f"A run of the driver {source.driver!r} has no other workflow.")
    require_trust(project.preflight, loaded.powers)
    refuse_blank_cheques(loaded.definition, source.sandbox)
    kept = remembering(within(loaded.definition, budget), is_fresh=source.is_fresh)
    return replace(loaded, definition=replace(kept, session=pinned.session))


def _require_fit(problems: tuple[str, ...], run: RunId, definition: Definition) -> None:
    if problems:
        name = definition.workflow.name
        raise Conflict(
            f"Run {run!r} cannot be forked there under workflow {name!r}: {' '.join(problems)}",
            hint="Fork at an earlier step, or start a new run.",
        )


def _permit(project: OpenProject, source: RunSubmitted) -> str | None:
    found = find_slice(source.driver)
    if found is None or found.definition is None:
        return None
    return found.permit(project.records.documents.load(source.definition, found.definition))


async def submit_fork(project: OpenProject, fork: PreparedFork, *, queued: bool) -> RunId:
    """Write the fork's first fact; nothing of the other run is copied or changed."""
    if fork.is_changed:
        document = project.world.documents.encode(fork.definition).decode()
        pinned = pinned_powers(document, sandbox=fork.birth.sandbox)
        keep_consent(project.preflight, pinned, fork.powers)
    require_consent(project.world, submit(fork.run, fork.birth))
    await require_sandbox(project, fork.birth.sandbox)
    await require_workers(project, fork.playback, fork.birth)
    pattern, task = fork.definition.git.branch_pattern, project.records.text(fork.birth.task)
    append_birth(
        *(project, fork.run, fork.birth),
        queued=queued,
        permit=fork.permit,
        name=naming(project.repository, pattern, fork.run, task),
    )
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
