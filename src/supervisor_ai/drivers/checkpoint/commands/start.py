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
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.sessions.desk import SessionDesk, require_session
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import CommitSha, SessionId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.commands.wishes import SpecFile, WantedSupervisor
from supervisor_ai.drivers.checkpoint.decisions.definition import permit_of
from supervisor_ai.drivers.checkpoint.decisions.settings import SPEC_FILE, SupervisionSettings
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver


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
        spec=_spec(preflight, base.sha),
    )
    loaded = preflight.catalog.resolve_for(CheckpointDriver.name, base.sha, wanted)
    prepared = pin(preflight, asked, base, loaded)
    return replace(prepared, driver=CheckpointDriver.name, permit=permit_of(session))


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


def _spec(preflight: Preflight, commit: CommitSha) -> SpecFile | None:
    """Read the project's own checks from its commit, if it has any."""
    try:
        text = preflight.repository.read(commit, SPEC_FILE)
    except InvalidInput:
        return None
    return None if text is None else SpecFile(file=SPEC_FILE, text=text)
