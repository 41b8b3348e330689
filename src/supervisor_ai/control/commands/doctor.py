"""Doctor: whether this machine can run agents safely, one check per thing that must hold."""

import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.logins import describe
from supervisor_ai.control.commands.trust import review_trust
from supervisor_ai.control.ports.logins import Logins, LoginState
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.queries.notices import Channels, find_missed
from supervisor_ai.control.queries.project_copies import FindCopies, foreign_copies
from supervisor_ai.control.queries.sandbox_check import (
    BackendView,
    InsideView,
    SandboxCheck,
    check_sandboxes,
    read_wishes,
)
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InvalidInput, SupervisorError
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.sandbox import Profile, Sandbox

_PYTHON: Final = (3, 11)
SANDBOX_ROW: Final = "sandbox"
PROPERTY: Final = f"{SANDBOX_ROW}: "
"""How the name of a property of the sandbox begins."""
_OTHER_STATE: Final = "Make it writable, or name another one with SUPERVISOR_STATE."
_MEND: Final = "See every mistake: supervisor workflow validate"
_OTHER_AGENT: Final = "Install it, or choose another agent with `cli` in .supervisor/config.yaml."
_WHOSE: Final = {Profile.WORKER: "worker", Profile.EXECUTOR: "gate"}


class DoctorCheck(Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    holds: bool
    detail: str
    hint: str | None = None
    is_needed: bool = True
    """Whether no run goes without it; what else does not hold is good to know."""

    @property
    def is_obstacle(self) -> bool:
        """Tell whether a run fails because of it."""
        return self.is_needed and not self.holds


class HostMachine(Struct, frozen=True, kw_only=True):
    """What a machine has to offer, and how to open the project on it."""

    git_version: Callable[[], str]
    sandboxes: Callable[[str], Sandbox]
    """Makes a sandbox by its name."""
    backends: tuple[str, ...]
    """The names of the sandboxes that can be chosen, in the order of the choice."""
    state: Callable[[], Path]
    tools: Callable[[], tuple[Path, ...]]
    find_agent: Callable[[Cli], str | None]
    """Says where the program of an agent is; nothing where there is none, raises where it lacks."""
    preflight: Callable[[], Preflight]
    count_events: Callable[[], int]
    logins: Logins
    copies: FindCopies
    channels: Channels | None = None
    """The ways to reach the user."""
    records: Callable[[], Records | None] = lambda: None


async def inspect_sandboxes(machine: HostMachine, *, backend: str | None = None) -> SandboxCheck:
    """Try every sandbox of the machine, or one of them, and look around inside."""
    return await check_sandboxes(
        machine.sandboxes,
        machine.backends if backend is None else (backend,),
        tools=machine.tools(),
        wishes=read_wishes(machine.preflight),
    )


async def examine(machine: HostMachine) -> tuple[DoctorCheck, ...]:
    """Look at everything that a run needs; a thing that fails hides no other."""
    return (
        *_looked("python", _python),
        *_looked("git", lambda: [_fine("git", machine.git_version())]),
        *_looked("home directory", _home),
        *_looked("state directory", lambda: [_writable("state directory", machine.state())]),
        *await _sandboxes(machine),
        *_looked("tool chains", lambda: [_tools(machine.tools())]),
        *_looked("agents", lambda: _logins(machine.logins)),
        *_looked("notifications", lambda: _channels(machine.channels)),
        *_looked("project", lambda: _project(machine)),
    )


def conclude(findings: Iterable[DoctorCheck]) -> str:
    """Say in one sentence whether all is well, or what to do next."""
    found = [*findings]
    obstacles = [it for it in found if it.is_obstacle]
    if obstacles:
        first = next((it for it in obstacles if it.hint), obstacles[0])
        many = f"{len(obstacles)} things are" if len(obstacles) > 1 else "One thing is"
        return f"{many} in the way of a run; next, for {first.name!r}: {first.hint or first.detail}"
    for it in found:
        if it.hint:
            return f"This machine is ready; next, for {it.name!r}: {it.hint}"
    return 'All is well; give it a task: supervisor run "…"'


def _looked(
    name: str, look: Callable[[], Iterable[DoctorCheck]], hint: str | None = None
) -> tuple[DoctorCheck, ...]:
    """Take a look; one that fails is a finding itself, with a hint where it brings none."""
    found: list[DoctorCheck] = []
    try:
        found.extend(look())
    except Exception as error:  # noqa: BLE001 - the boundary of one look: the others go on
        found.append(_failed(name, error, hint))
    return tuple(found)


async def _sandboxes(machine: HostMachine) -> tuple[DoctorCheck, ...]:
    try:
        return tuple(judge_sandboxes(await inspect_sandboxes(machine)))
    except Exception as error:  # noqa: BLE001 - the boundary of one look: the others go on
        return (_failed(SANDBOX_ROW, error),)


def _failed(name: str, error: Exception, hint: str | None = None) -> DoctorCheck:
    if isinstance(error, SupervisorError):
        return DoctorCheck(name=name, holds=False, detail=error.message, hint=error.hint or hint)
    words = f"{type(error).__name__}: {str(error).strip() or 'no further words'}"
    return DoctorCheck(name=name, holds=False, detail=f"It cannot be looked at: {words}", hint=hint)


def _fine(name: str, detail: str) -> DoctorCheck:
    return DoctorCheck(name=name, holds=True, detail=detail)


def _note(name: str, detail: str, hint: str | None = None) -> DoctorCheck:
    """Tell what does not hold, but is in nobody's way."""
    return DoctorCheck(name=name, holds=False, detail=detail, hint=hint, is_needed=False)


def _python() -> Iterator[DoctorCheck]:
    yield DoctorCheck(
        name="python",
        holds=sys.version_info >= _PYTHON,
        detail=f"{platform.python_version()} at {sys.executable}",
        hint=None
        if sys.version_info >= _PYTHON
        else "Install supervisor with Python 3.11 or newer.",
    )


def _home() -> Iterator[DoctorCheck]:
    try:
        home = Path.home()
    except RuntimeError:
        yield _note(
            "home directory", "Nobody knows where it is.", "Set HOME to a directory of yours."
        )
        return
    if home.is_dir():
        yield _fine("home directory", str(home))
    else:
        yield _note("home directory", f"{home} is not there.", "Set HOME to a directory of yours.")


def judge_sandboxes(check: SandboxCheck) -> Iterator[DoctorCheck]:
    """Tell in short what `sandbox check` tells in full: one that a run may have is enough."""
    named = check.chosen or check.wanted
    judged = next((view for view in check.backends if view.name == named), check.backends[0])
    asked = ", which the project asks for" if judged.name == check.wanted else ""
    yield DoctorCheck(
        name=SANDBOX_ROW,
        holds=judged.is_usable,
        detail=f"{judged.name} {judged.version}".strip() + asked,
        hint=None if judged.is_usable else judged.remedy,
    )
    for finding in judged.findings:
        yield DoctorCheck(
            name=f"{PROPERTY}{finding.name}", holds=finding.holds, detail=finding.detail
        )
    if judged.limits:
        yield DoctorCheck(name="limits", holds=True, detail=_limits(judged))
    for view in check.backends:
        if view is not judged:
            yield _other(view)
    yield from map(_inside, check.inside)


def _limits(view: BackendView) -> str:
    kinds: dict[Hardness, list[str]] = {limit.hardness: [] for limit in view.limits}
    for limit in view.limits:
        kinds[limit.hardness].append(limit.name)
    return "; ".join(f"{kind.value}: {', '.join(names)}" for kind, names in kinds.items())


def _other(view: BackendView) -> DoctorCheck:
    name = f"other sandbox: {view.name}"
    if view.is_usable:
        return _fine(name, f"{view.version} works too".strip())
    # It is no next step: a run has one that works, or the row of that one says what to do.
    return _note(name, f"{view.version} cannot be used ({view.reason})".strip())


def _inside(view: InsideView) -> DoctorCheck:
    found = [name for name, place in view.commands.items() if place]
    missing = f"; missing: {', '.join(view.missing)}" if view.missing else ""
    return DoctorCheck(
        name=f"commands for a {_WHOSE[view.profile]}",
        holds=view.problem is None,
        detail=view.problem or f"{', '.join(found)}{missing}",
        hint="See all that is visible inside: supervisor sandbox check" if view.problem else None,
    )


def _writable(name: str, place: Path, hint: str = _OTHER_STATE) -> DoctorCheck:
    """Write where the first file would be written: rights alone do not tell of a full disk."""
    existing = next(it for it in (place, *place.parents) if os.path.lexists(it))
    try:
        with TemporaryFile(dir=existing) as file:
            file.write(b"0")
            file.flush()
    except OSError as error:
        detail = f"{existing} cannot be written: {error.strerror}"
        return DoctorCheck(name=name, holds=False, detail=detail, hint=hint)
    return _fine(name, str(place))


def _tools(tools: tuple[Path, ...]) -> DoctorCheck:
    if not tools:
        return _fine("tool chains", "only what the system has below /usr")
    count = f"places that are shown read-only besides the system: {len(tools)}"
    return _fine("tool chains", f"{count} (supervisor sandbox check lists them)")


def _logins(logins: Logins) -> Iterator[DoctorCheck]:
    """Name what each agent would use; one without key or login is no fault of the machine."""
    for view in logins.views():
        is_broken = view.state in (LoginState.EXPIRED, LoginState.UNREADABLE)
        if view.program is None and not is_broken:
            continue
        program = f"{view.program or 'not installed'} {view.version or ''}".strip()
        detail = "; ".join((program, describe(view), *view.warnings))
        name, hint = f"agent: {view.cli}", view.hint
        if view.program is None:
            hint = f"Install {view.cli} first. Then: {hint}"
        if is_broken:
            yield DoctorCheck(name=name, holds=False, detail=detail, hint=hint)
        else:
            is_ready = view.state is LoginState.READY
            yield _fine(name, detail) if is_ready else _note(name, detail, hint)


def _channels(channels: Channels | None) -> Iterator[DoctorCheck]:
    """Name what would keep the user from hearing of a run; that stops no run."""
    for name in channels.names if channels else ():
        problem = channels.notifier.obstacle(name) if channels else None
        row = f"notifications: {name}"
        hint = f"Mend it in your config, then: supervisor notify test {name}"
        yield _fine(row, "ready") if problem is None else _note(row, problem, hint)


def _missed(records: Records | None) -> Iterator[DoctorCheck]:
    for missed in find_missed(records)[:1] if records else ():
        whom = "nobody" if missed.is_lost else "not all channels"
        detail = f"the last notice, of {missed.run}, reached {whom}: {missed.reason}"
        yield _note("notices", detail, "Try the channels: supervisor notify test")


def _project(machine: HostMachine) -> Iterator[DoctorCheck]:
    try:
        preflight = machine.preflight()
    except InvalidInput as error:
        # The machine may be fine where there is no project.
        yield _note("project", error.message, error.hint)
        return
    place = preflight.repository.state_directory
    yield _fine("project", str(preflight.repository.root))
    yield from _looked(
        "project's state", lambda: [_writable("project's state", place, f"Make {place} writable.")]
    )
    yield from _looked("ledger", lambda: [_fine("ledger", f"{machine.count_events()} events")])
    yield from _looked("notices", lambda: _missed(machine.records()))
    try:
        commit = preflight.repository.resolve(None).sha
    except SupervisorError as error:
        yield _note("commit", error.message, error.hint)
        return
    yield from _looked("installed copies", lambda: _copies(machine, preflight, commit))
    found = _looked("definitions", lambda: _definitions(machine, preflight, commit), _MEND)
    yield from found
    # Where they cannot be read, nobody knows what they ask for.
    if "definitions" not in {it.name for it in found if it.is_obstacle}:
        yield from _looked("trust", lambda: [_trust(preflight)])


def _copies(machine: HostMachine, preflight: Preflight, commit: CommitSha) -> Iterator[DoctorCheck]:
    """Name what imports could find in place of the checkout."""
    copies = machine.copies(preflight.repository.distributions(commit))
    for copy in foreign_copies(copies, preflight.checkout):
        yield _note("installed copies", copy.told, copy.remedy)


def _definitions(
    machine: HostMachine, preflight: Preflight, commit: CommitSha
) -> Iterator[DoctorCheck]:
    """Read what a run would read, and look for who would work."""
    catalog = preflight.catalog
    catalog.powers(commit)
    for caution in catalog.cautions(commit):
        yield _note("definitions", caution)
    for caution in preflight.repository.cautions(commit):
        yield _note("files", caution)
    found = catalog.load(commit, workflow=None, cli=None).definition
    yield _fine("workflow", found.workflow.name)
    for name, cli in sorted(found.clis.items()):
        yield from _looked(f"agent {name}", partial(_agent, machine, cli), _OTHER_AGENT)


def _agent(machine: HostMachine, cli: Cli) -> Iterator[DoctorCheck]:
    place = machine.find_agent(cli)
    yield _fine(f"agent {cli.name}", place or f"it needs no program ({cli.adapter})")


def _trust(preflight: Preflight) -> DoctorCheck:
    review = review_trust(preflight)
    if review.is_trusted or preflight.policy.trusts_everything:
        return _fine("trust", "nothing waits for your agreement")
    powers = f"settings that wait for your agreement: {len(review.powers)}"
    return _note(
        "trust",
        review.ledger.reason if review.ledger else powers,
        "Look at what the project asks for and agree, if you do: supervisor trust",
    )
