"""Doctor: whether this machine can run agents safely, one check per thing that must hold."""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.trust import review_trust
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.queries.sandbox_check import (
    BackendView,
    InsideView,
    SandboxCheck,
    check_sandboxes,
    read_wishes,
)
from supervisor_ai.domain.errors import InvalidInput, SupervisorError
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.sandbox import Profile, Sandbox

_PYTHON: Final = (3, 11)
_WHOSE: Final = {Profile.WORKER: "worker", Profile.EXECUTOR: "gate"}


class DoctorCheck(Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    holds: bool
    detail: str
    hint: str | None = None


class HostMachine(Struct, frozen=True, kw_only=True):
    """What a machine has to offer, and how to open the project on it."""

    git_version: Callable[[], str]
    sandboxes: Callable[[str], Sandbox]
    """Makes a sandbox by its name."""
    backends: tuple[str, ...]
    """The names of the sandboxes that can be chosen, in the order of the choice."""
    state: Path
    tools: tuple[Path, ...]
    preflight: Callable[[], Preflight]
    count_events: Callable[[], int]


async def inspect_sandboxes(machine: HostMachine, *, backend: str | None = None) -> SandboxCheck:
    """Try every sandbox of the machine, or one of them, and look around inside."""
    return await check_sandboxes(
        machine.sandboxes,
        machine.backends if backend is None else (backend,),
        tools=machine.tools,
        wishes=read_wishes(machine.preflight),
    )


async def examine(machine: HostMachine) -> tuple[DoctorCheck, ...]:
    """Look at everything that a run needs; a thing that fails hides no other."""
    return (
        _python(),
        _asked("git", machine.git_version),
        *judge_sandboxes(await inspect_sandboxes(machine)),
        _directory("state directory", machine.state),
        _tools(machine.tools),
        *_project(machine),
    )


def _python() -> DoctorCheck:
    return DoctorCheck(
        name="python",
        holds=sys.version_info >= _PYTHON,
        detail=f"{platform.python_version()} at {sys.executable}",
    )


def _asked(name: str, question: Callable[[], str]) -> DoctorCheck:
    try:
        return DoctorCheck(name=name, holds=True, detail=question())
    except SupervisorError as error:
        return DoctorCheck(name=name, holds=False, detail=error.message, hint=error.hint)


def judge_sandboxes(check: SandboxCheck) -> Iterator[DoctorCheck]:
    """Tell in short what `sandbox check` tells in full: one that a run may have is enough."""
    named = check.chosen or check.wanted
    judged = next((view for view in check.backends if view.name == named), check.backends[0])
    asked = ", which the project asks for" if judged.name == check.wanted else ""
    yield DoctorCheck(
        name="sandbox",
        holds=judged.is_usable,
        detail=f"{judged.name} {judged.version}".strip() + asked,
        hint=None if judged.is_usable else judged.remedy,
    )
    for finding in judged.findings:
        yield DoctorCheck(
            name=f"sandbox: {finding.name}", holds=finding.holds, detail=finding.detail
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
    state = "works too" if view.is_usable else f"cannot be used ({view.reason})"
    detail = f"{view.version} {state}".strip()
    return DoctorCheck(name=f"other sandbox: {view.name}", holds=True, detail=detail)


def _inside(view: InsideView) -> DoctorCheck:
    found = [name for name, place in view.commands.items() if place]
    missing = f"; missing: {', '.join(view.missing)}" if view.missing else ""
    return DoctorCheck(
        name=f"commands for a {_WHOSE[view.profile]}",
        holds=view.problem is None,
        detail=view.problem or f"{', '.join(found)}{missing}",
        hint="See all that is visible inside: supervisor sandbox check" if view.problem else None,
    )


def _directory(name: str, place: Path) -> DoctorCheck:
    existing = next(parent for parent in (place, *place.parents) if parent.exists())
    holds = os.access(existing, os.W_OK | os.X_OK)
    return DoctorCheck(
        name=name,
        holds=holds,
        detail=str(place) if holds else f"{existing} is not writable for you",
        hint=None if holds else "Make it writable, or name another one with SUPERVISOR_STATE.",
    )


def _tools(tools: tuple[Path, ...]) -> DoctorCheck:
    if not tools:
        return DoctorCheck(
            name="tool chains", holds=True, detail="only what the system has below /usr"
        )
    count = f"places that are shown read-only besides the system: {len(tools)}"
    return DoctorCheck(
        name="tool chains", holds=True, detail=f"{count} (supervisor sandbox check lists them)"
    )


def _project(machine: HostMachine) -> Iterator[DoctorCheck]:
    try:
        preflight = machine.preflight()
    except InvalidInput as error:
        # The machine may be fine where there is no project.
        yield DoctorCheck(name="project", holds=True, detail=error.message, hint=error.hint)
        return
    except SupervisorError as error:
        yield DoctorCheck(name="project", holds=False, detail=error.message, hint=error.hint)
        return
    yield DoctorCheck(name="project", holds=True, detail=str(preflight.repository.root))
    yield _directory("project's state", preflight.repository.state_directory)
    yield _asked("ledger", lambda: f"{machine.count_events()} events")
    yield _trust(preflight)
    yield from _cautions(preflight)


def _cautions(preflight: Preflight) -> Iterator[DoctorCheck]:
    """Name the project's files that nobody reads; where they have mistakes, trust said so."""
    try:
        commit = preflight.repository.resolve(None).sha
        found = preflight.catalog.cautions(commit)
    except SupervisorError:
        return
    for caution in found:
        yield DoctorCheck(name="definitions", holds=True, detail=caution)


def _trust(preflight: Preflight) -> DoctorCheck:
    try:
        review = review_trust(preflight)
    except SupervisorError as error:
        return DoctorCheck(name="trust", holds=False, detail=error.message, hint=error.hint)
    if review.is_trusted or preflight.policy.trusts_everything:
        return DoctorCheck(name="trust", holds=True, detail="nothing waits for your agreement")
    return DoctorCheck(
        name="trust",
        holds=True,
        detail=review.ledger.reason
        if review.ledger
        else f"settings that wait for your agreement: {len(review.powers)}",
        hint="Look at what the project asks for and agree, if you do: supervisor trust",
    )
