"""Starting the resident supervisor of a session."""

from typing import cast

from msgspec import Struct

from supervisor_ai.control.commands.run_start import (
    PreparedRun,
    StartRequest,
    checked,
    find_base,
    pin,
)
from supervisor_ai.control.ports.definitions import Loaded
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.sessions.desk import SessionDesk, require_session
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, SessionId
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.commands.wishes import SpecFile, WantedSupervisor
from supervisor_ai.drivers.checkpoint.decisions.definition import permit_of
from supervisor_ai.drivers.checkpoint.decisions.settings import SPEC_FILE, SupervisionSettings
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver
from supervisor_ai.drivers.checkpoint.protocol.prompt import PromptProblems, read_prompt


class SupervisorRequest(Struct, frozen=True, kw_only=True):
    """How a session is to be watched over."""

    session: str
    recovery: bool = False
    base: str | None = None
    cli: str | None = None
    sandbox: str | None = None
    budget: str | None = None
    is_alone: bool = False
    """Whether nobody judges, and what text does not decide is noted."""
    role_spec: str | None = None
    """The file of the project that says what is checked; None: the usual one, if it is there."""


def prompted(desk: SessionDesk, text: str) -> SupervisorRequest:
    """Ask for the supervisor that a coordinator's prompt asks for; every field has to fit."""
    prompt = read_prompt(text)
    if isinstance(prompt, PromptProblems):
        fields = "role, role_spec, session, session_id, team_name, requirement, recovery"
        raise InvalidInput(prompt.text, hint=f"A field is a line `name: value`: {fields}.")
    session = require_session(desk, prompt.session_id)
    opened = desk.view(session).refresh().opened
    folder, team = (None, None) if opened is None else (opened.folder, opened.team)
    for name, known, asked in (
        ("session", folder, prompt.session.rstrip("/")),
        ("team_name", team, prompt.team_name),
    ):
        # A folder of the team's own is known by its whole path, and is named as the team does.
        if known is not None and not f"/{known}".endswith(f"/{asked.removeprefix('./')}"):
            found = f"its {name} is {known!r}, not {asked[:200]!r}"
            raise InvalidInput(f"The prompt is not about session {session!r}: {found}.")
    return SupervisorRequest(session=session, recovery=prompt.recovery, role_spec=prompt.role_spec)


def prepare_supervisor(
    preflight: Preflight, desk: SessionDesk, request: SupervisorRequest
) -> PreparedRun:
    """Look up what a supervisor of a session needs, without changing anything."""
    session = open_for_supervision(desk, request.session)
    requirement = desk.view(session).refresh().opened
    words = "" if requirement is None else desk.text(requirement.requirement)
    asked = checked(preflight, _about(session, words, request))
    base = find_base(preflight, request.base)
    settings = cast("SupervisionSettings", preflight.catalog.section(base.sha, "supervision"))
    if not settings.enabled:
        raise Conflict(
            "Supervision is switched off in the config.", hint="Write `supervision: true`."
        )
    wanted = WantedSupervisor(
        session=session,
        recovery=request.recovery,
        cli=request.cli,
        is_alone=request.is_alone,
    )
    loaded = load_supervisor(preflight, wanted, base, request.role_spec)
    prepared = pin(preflight, asked, base, loaded)
    return replace(prepared, driver=CheckpointDriver.name, permit=permit_of(session))


def load_supervisor(
    preflight: Preflight, wanted: WantedSupervisor, base: Base | None, named: str | None = None
) -> Loaded:
    """Resolve what a supervisor would pin; without a base, as the newest commit has it."""
    commit = (base or find_base(preflight, None)).sha
    spec = replace(wanted, spec=_spec(preflight, commit, named))
    return preflight.catalog.resolve_for(CheckpointDriver.name, commit, spec)


def open_for_supervision(desk: SessionDesk, name: str) -> SessionId:
    """Find a session that is open and wants checkpoints."""
    session = require_session(desk, name)
    found = desk.view(session).refresh()
    if found.is_closed:
        raise Conflict(f"Session {session!r} is closed.", hint="Open a new one.")
    if found.opened is not None and not found.opened.supervision:
        raise Conflict(
            f"Session {session!r} has no checkpoints: it was opened with `supervision: false`."
        )
    return session


def _about(session: SessionId, requirement: str, request: SupervisorRequest) -> StartRequest:
    return StartRequest(
        task=f"Watch over session {session}: {requirement}".strip(),
        cli=request.cli,
        base=request.base,
        sandbox=request.sandbox,
        budget=request.budget,
    )


def _spec(preflight: Preflight, commit: CommitSha, named: str | None) -> SpecFile | None:
    """Read the project's own checks from its commit, if it has any; a named file must be there."""
    path = named or SPEC_FILE
    try:
        text = preflight.repository.read(commit, path)
    except InvalidInput:
        text = None
    if text is None and named is not None and named != SPEC_FILE:
        raise NotFound(
            f"There is no file {named[:200]!r} in the commit {commit[:12]}.",
            hint=f"Commit it, or name {SPEC_FILE}, which may be missing.",
        )
    return None if text is None else SpecFile(file=path, text=text)
