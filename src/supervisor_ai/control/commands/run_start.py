"""Start a run: everything it will need is looked up, checked and pinned."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from shlex import quote
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.run_execution import first_wake
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox, choose_usable
from supervisor_ai.control.commands.task_branches import Naming, choose_branch, naming
from supervisor_ai.control.commands.trust import keep_consent, require_trust
from supervisor_ai.control.ports.definitions import Loaded, Power
from supervisor_ai.control.ports.logins import Logins
from supervisor_ai.control.preflight import Preflight, require_agents
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.desk import open_desk, require_session
from supervisor_ai.control.settings import AUTO, BACKENDS, NO_SANDBOX, refuse_blank_cheques
from supervisor_ai.domain.envelope import Event, NewEvent
from supervisor_ai.domain.errors import Busy, Denied, InvalidInput, StaleVersion
from supervisor_ai.domain.git_flow.own_state import DIRECTORY, is_own_state
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, SessionId, StreamId, run_stream
from supervisor_ai.domain.issues import IssueLink, task_of
from supervisor_ai.domain.project.events import PermitTaken, TaskNumbered
from supervisor_ai.domain.project.project import Project
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.events import PermitGranted, RunSubmitted
from supervisor_ai.domain.run.gates import BaselinePolicy
from supervisor_ai.domain.run.spending.budget_words import parse_budget
from supervisor_ai.domain.run.spending.budgets import NOTHING, Amount, Scope
from supervisor_ai.domain.run.spending.prices import dearest
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.run.values import (
    Base,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend, Wake
from supervisor_ai.engine.ports.sandbox import Sandbox
from supervisor_ai.engine.streams.project_view import ProjectView

_EVERY_STEP: Final = "*"
_HEAD_START: Final = timedelta(seconds=30)
_RACES: Final = 20


WORKFLOW: Final = "workflow"
"""The driver of runs that are started with a task alone."""


class RunWishes(Struct, frozen=True, kw_only=True):
    """What a user can wish of any run, whatever drives it."""

    cli: str | None = None
    base: str | None = None
    sandbox: str | None = None
    budget: str | None = None
    """What the run may cost, as people write it: `5usd, 2h`."""
    is_fresh: bool = False
    """Whether nothing that is known from before may be used."""
    session: str | None = None
    """The session in which the run's workers are members."""

    def about(self, task: str) -> "StartRequest":
        """Ask for a run with this task."""
        return StartRequest(
            task=task,
            cli=self.cli,
            base=self.base,
            sandbox=self.sandbox,
            budget=self.budget,
            is_fresh=self.is_fresh,
            session=self.session,
        )


class StartRequest(RunWishes, frozen=True, kw_only=True):
    """What a user asks of a workflow."""

    task: str
    workflow: str | None = None
    roles: tuple[str, ...] = ()
    """Other roles than the workflow's: `STEP=ROLE`, or `ROLE` for every step that it fits."""
    issue: IssueLink | None = None
    """What the task was taken from."""


class PreparedRun(Struct, frozen=True, kw_only=True):
    """A run that could be submitted: nothing is written yet."""

    run: RunId
    task: str
    definition: Definition
    base: Base
    branch: str
    sandbox: str
    is_dirty: bool
    is_fresh: bool = False
    driver: str = WORKFLOW
    permit: str | None = None
    """What no other unfinished run may have; None: it may run beside any other."""
    cautions: tuple[str, ...] = ()
    """What the project's files say and nobody reads or applies."""
    powers: tuple[Power, ...] = ()
    """What the project asks the user to trust."""
    issue: IssueLink | None = None
    overseer: StreamId | None = None
    """Who watches over its workers; None: nobody does."""


async def take_issue(
    preflight: Preflight, reference: str, words: str = ""
) -> tuple[str, IssueLink]:
    """Read an issue and make a task of it; `words` are the user's own, and come first.

    A tracker that the project names is asked only where the user trusts the project.
    """
    commit = preflight.repository.resolve(None).sha
    choice = preflight.catalog.trackers(commit)
    meant = choice.meant(reference)
    if meant is not None and choice.commands[meant[0]].is_of_project:
        require_trust(preflight, preflight.catalog.powers(commit))
    issue = await preflight.trackers.read(reference, choice)
    return task_of(issue, words), issue.link


def prepare(preflight: Preflight, request: StartRequest) -> PreparedRun:
    """Look up and check what a run needs, without changing anything."""
    request = checked(preflight, request)
    base = find_base(preflight, request.base)
    loaded = preflight.catalog.load(
        base.sha,
        workflow=request.workflow,
        cli=request.cli,
        roles=assignments(request.roles),
    )
    return pin(preflight, request, base, loaded)


def checked(preflight: Preflight, request: StartRequest) -> StartRequest:
    """Refuse what cannot be meant; the task comes back without the secrets in it."""
    task = preflight.redactor.redact(_checked_task(request.task)).text
    if request.budget is not None:
        parse_budget(request.budget)
    preflight.policy.permit_sandbox(_known_sandbox(request.sandbox or AUTO))
    return replace(request, task=task)


def find_base(preflight: Preflight, ref: str | None) -> Base:
    """Find the commit that a run starts from."""
    base = preflight.repository.resolve(ref)
    _refuse_foreign_ledger(preflight, base)
    return base


def pin(preflight: Preflight, request: StartRequest, base: Base, loaded: Loaded) -> PreparedRun:
    """Put together a run that could be submitted, if the user trusts what it would do."""
    require_trust(preflight, loaded.powers)
    sandbox = request.sandbox or loaded.definition.sandbox.backend
    refuse_blank_cheques(loaded.definition, sandbox)
    budget = NOTHING if request.budget is None else parse_budget(request.budget)
    run, pattern = preflight.ids.run_id(), loaded.definition.git.branch_pattern
    return PreparedRun(
        run=run,
        task=request.task,
        definition=remembering(
            within(_in_session(loaded.definition, request.session, sandbox), budget),
            is_fresh=request.is_fresh,
        ),
        is_fresh=request.is_fresh,
        base=base,
        branch=choose_branch(preflight.repository, pattern, run, request.task, preflight.last_task),
        sandbox=sandbox,
        is_dirty=preflight.repository.is_dirty(),
        cautions=(*loaded.cautions, *preflight.repository.cautions(base.sha)),
        powers=loaded.powers,
        issue=request.issue,
    )


def overseen(project: OpenProject, prepared: PreparedRun, overseer: StreamId) -> PreparedRun:
    """Let somebody watch over the workers of a run; refused where they could never take part."""
    steps = prepared.definition.workflow.steps.values()
    crew = dict.fromkeys(name for step in steps for name in step.crew)
    roles = prepared.definition.roles
    cautions = project.world.oversight.require(
        overseer, tuple(roles[name] for name in crew if name in roles)
    )
    return replace(prepared, overseer=overseer, cautions=(*prepared.cautions, *cautions))


def unattended(prepared: PreparedRun) -> PreparedRun:
    """Let a run that nobody watches note what it would have asked about its baseline."""
    definition = prepared.definition
    if definition.baseline is not BaselinePolicy.ASK:
        return prepared
    return replace(prepared, definition=replace(definition, baseline=BaselinePolicy.NOTE))


def assignments(words: Sequence[str]) -> dict[str, str]:
    """Read which step is to have which role; `*` stands for every step that a role fits."""
    found: dict[str, str] = {}
    for word in words:
        left, equals, right = word.partition("=")
        step, role = (left, right) if equals else (_EVERY_STEP, left)
        if not step or not role:
            raise InvalidInput(f"{word!r} is no STEP=ROLE.", hint="Example: --role review=auditor")
        if step in found:
            raise InvalidInput(f"Two roles are asked for {step!r}: {found[step]!r} and {role!r}.")
        found[step] = role
    return found


def within(definition: Definition, budget: Amount) -> Definition:
    """Hold a run to a budget; where the configuration sets one too, the smaller one counts."""
    if not budget.figures:
        return definition
    least = budget.least(definition.budgets.get(Scope.RUN, NOTHING))
    return replace(definition, budgets={**definition.budgets, Scope.RUN: least})


def remembering(definition: Definition, *, is_fresh: bool) -> Definition:
    """Let every gate run and every set-up be made, where a user wants nothing from before."""
    if not is_fresh:
        return definition
    gates = {name: replace(gate, is_fresh=True) for name, gate in definition.gates.items()}
    workspace = replace(definition.workspace, cache_paths=())
    return replace(definition, gates=gates, workspace=workspace)


def _in_session(definition: Definition, session: str | None, sandbox: str) -> Definition:
    """Let the workers of a run be members of a session."""
    if session is None:
        return definition
    if sandbox == NO_SANDBOX:
        raise InvalidInput(
            "Without a sandbox a worker has no door to a session.",
            hint="Leave `--sandbox none` or --session out.",
        )
    return replace(definition, session=SessionId(session))


def unpriced(definition: Definition) -> tuple[str, ...]:
    """Name the agents for which a budget of money cannot hold, because nobody knows their price."""
    if not any(limit.money is not None for limit in definition.budgets.values()):
        return ()
    return tuple(
        cli.name
        for cli in definition.clis.values()
        if dearest(definition.prices, cli.known_models, cli.adapter) is None
    )


def _refuse_foreign_ledger(preflight: Preflight, base: Base) -> None:
    """Refuse a ledger that came with the commit: its branch would put it in the place of yours."""
    found = filter(is_own_state, preflight.repository.list(base.sha, DIRECTORY))
    path = next(found, None)
    if path is not None:
        raise Denied(
            f"The commit {base.sha[:12]} holds a ledger, {path!r}, which is never committed.",
            hint=f"Take it out: git rm --cached {quote(path)}, and commit; then remove the file.",
        )


async def require_startable(
    prepared: PreparedRun, sandboxes: Callable[[str], Sandbox], logins: Logins
) -> None:
    """Refuse a first run that no sandbox or no agent is there for, before a ledger is made."""
    sandbox = await choose_usable(sandboxes, prepared.sandbox)
    await require_agents(logins, prepared.definition, sandbox=sandbox)


async def submit(project: OpenProject, prepared: PreparedRun, *, queued: bool) -> RunId:
    """Write a run's first fact; a queued one waits for whoever serves the project."""
    if prepared.definition.session is not None:
        require_session(open_desk(project), prepared.definition.session)
    policy = prepared.definition.sandbox
    sandbox = await choose_sandbox(
        project, prepared.sandbox, needs_hard_limits=policy.require_hard_limits
    )
    await require_agents(project.preflight.logins, prepared.definition, sandbox=sandbox)
    world = project.runtimes(sandbox).world
    document = world.documents.encode(prepared.definition).decode()
    keep_consent(project.preflight, pinned_powers(document, sandbox=sandbox), prepared.powers)
    birth = RunSubmitted(
        task=world.artifacts.put(prepared.task),
        driver=prepared.driver,
        workflow=prepared.definition.workflow.name,
        definition=world.documents.save(prepared.definition),
        base=prepared.base,
        branch=prepared.branch,
        identity=project.repository.identity(),
        parent=None,
        root=prepared.run,
        sandbox=sandbox,
        is_fresh=prepared.is_fresh,
        issue=prepared.issue,
        overseer=prepared.overseer,
    )
    pattern = prepared.definition.git.branch_pattern
    append_birth(
        *(project, prepared.run, birth),
        queued=queued,
        permit=prepared.permit,
        name=naming(project.repository, pattern, prepared.run, prepared.task),
    )
    return prepared.run


def append_birth(
    project: OpenProject,
    run: RunId,
    birth: RunSubmitted,
    *,
    queued: bool,
    permit: str | None = None,
    name: Naming | None = None,
) -> None:
    """Begin a run's stream, with a wake that gives the submitter a head start unless queued.

    With a permit, the run is there only if no other unfinished run holds it; with a name that has
    a number, no other run has the same: all is written in one transaction. Raises Busy, naming the
    run that holds the permit.
    """
    due = None if queued else project.world.clock.now() + _HEAD_START
    wakes = (Wake(run=run, number=first_wake(run).number, not_before=due),)
    granted = () if permit is None else (PermitGranted(permit=permit),)
    if permit is None and name is None:
        own = _append(project, run, (birth,))
        project.world.log.append(Batch(appends=(own,), wakes=wakes))
        return
    view = ProjectView(project.world.log, project.world.cache, project.world.documents)
    for _ in range(_RACES):
        born, shared = _named(birth, run, view.refresh(), name)
        if permit is not None:
            shared = (_taking(project, view.project, permit, run), *shared)
        own, taking = _append(project, run, (born, *granted)), _shared(project, view, shared)
        try:
            project.world.log.append(Batch(appends=(own, taking), wakes=wakes))
        except StaleVersion:
            continue
        return
    raise StaleVersion("The project's stream grew faster than it could be written.")


def _named(
    birth: RunSubmitted, run: RunId, shared: Project, name: Naming | None
) -> tuple[RunSubmitted, tuple[Event, ...]]:
    """Give the run's branch the next number, where it has one in its name."""
    chosen = None if name is None else name(shared.tasks)
    if chosen is None or chosen.number is None:
        return birth, ()
    return replace(birth, branch=chosen.name), (TaskNumbered(run=run, number=chosen.number),)


def _append(project: OpenProject, run: RunId, events: Sequence[Event]) -> StreamAppend:
    new = tuple(NewEvent(event=event, actor=project.actor) for event in events)
    return StreamAppend(stream=run_stream(run), expected=0, events=new)


def _taking(project: OpenProject, shared: Project, permit: str, run: RunId) -> Event:
    """Say that the permit is taken, unless an unfinished run holds it."""
    for holder in sorted(shared.holders.get(permit, ())):
        row = project.records.queries.run(holder)
        if row is None or row.status not in ENDED:
            raise held_by(project, holder)
    return PermitTaken(permit=permit, run=run)


def _shared(project: OpenProject, view: ProjectView, events: Sequence[Event]) -> StreamAppend:
    """Write what all runs see, as long as the project's stream is as it was read."""
    new = tuple(NewEvent(event=event, actor=project.actor) for event in events)
    return StreamAppend(stream=PROJECT_STREAM, expected=view.version, events=new)


def held_by(project: OpenProject, run: RunId) -> Busy:
    """Say that another run has what only one can have, and who drives it."""
    owner = project.records.queries.owner(run)
    driven = f", driven by {owner.owner}" if owner and owner.is_alive else ""
    return Busy(
        f"Run {run!r} works on it already{driven}.",
        hint=f"See what it does: supervisor status {run}; stop it: supervisor cancel {run}",
    )


def _checked_task(task: str) -> str:
    if not task.strip():
        raise InvalidInput("The task is empty.", hint="Say what should be done in a sentence.")
    try:
        task.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("The task is not valid UTF-8.") from error
    return task


def _known_sandbox(name: str) -> str:
    known = (AUTO, *BACKENDS, NO_SANDBOX)
    if name not in known:
        raise InvalidInput(f"There is no sandbox {name!r}; there are {', '.join(known)}.")
    return name
