"""Whether this machine can run agents safely: one finding per thing that must hold."""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.control.reception import Reception
from supervisor_ai.control.trusting import review_trust
from supervisor_ai.domain.errors import InvalidInput, SupervisorError
from supervisor_ai.engine.ports.sandbox import Probe, Sandbox

_PYTHON: Final = (3, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One thing that was looked at."""

    name: str
    holds: bool
    detail: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a machine has to offer, and how to open the project on it."""

    git_version: Callable[[], str]
    sandbox: Sandbox
    state: Path
    tools: tuple[Path, ...]
    reception: Callable[[], Reception]
    count_events: Callable[[], int]


async def examine(machine: Machine) -> tuple[Checked, ...]:
    """Look at everything that a run needs; a thing that fails hides no other."""
    return (
        _python(),
        _asked("git", machine.git_version),
        *_sandbox(await machine.sandbox.probe()),
        _directory("state directory", machine.state),
        _tools(machine.tools),
        *_project(machine),
    )


def _python() -> Checked:
    return Checked(
        name="python",
        holds=sys.version_info >= _PYTHON,
        detail=f"{platform.python_version()} at {sys.executable}",
    )


def _asked(name: str, question: Callable[[], str]) -> Checked:
    try:
        return Checked(name=name, holds=True, detail=question())
    except SupervisorError as error:
        return Checked(name=name, holds=False, detail=error.message, hint=error.hint)


def _sandbox(probe: Probe) -> Iterator[Checked]:
    yield Checked(
        name="sandbox",
        holds=probe.is_usable,
        detail=f"{probe.backend} {probe.version}".strip(),
        hint=None if probe.is_usable else probe.remedy,
    )
    for finding in probe.findings:
        yield Checked(name=f"sandbox: {finding.name}", holds=finding.holds, detail=finding.detail)


def _directory(name: str, place: Path) -> Checked:
    existing = next(parent for parent in (place, *place.parents) if parent.exists())
    holds = os.access(existing, os.W_OK | os.X_OK)
    return Checked(
        name=name,
        holds=holds,
        detail=str(place) if holds else f"{existing} is not writable for you",
        hint=None if holds else "Make it writable, or name another one with SUPERVISOR_STATE.",
    )


def _tools(tools: tuple[Path, ...]) -> Checked:
    shown = ", ".join(map(str, tools)) or "only what the system has below /usr"
    return Checked(name="tool chains", holds=True, detail=shown)


def _project(machine: Machine) -> Iterator[Checked]:
    try:
        reception = machine.reception()
    except InvalidInput as error:
        # The machine may be fine where there is no project.
        yield Checked(name="project", holds=True, detail=error.message, hint=error.hint)
        return
    except SupervisorError as error:
        yield Checked(name="project", holds=False, detail=error.message, hint=error.hint)
        return
    yield Checked(name="project", holds=True, detail=str(reception.repository.root))
    yield _directory("project's state", reception.repository.state_directory)
    yield _asked("ledger", lambda: f"{machine.count_events()} events")
    yield _trust(reception)


def _trust(reception: Reception) -> Checked:
    try:
        review = review_trust(reception)
    except SupervisorError as error:
        return Checked(name="trust", holds=False, detail=error.message, hint=error.hint)
    if review.is_trusted or reception.policy.trusts_everything:
        return Checked(name="trust", holds=True, detail="nothing waits for your agreement")
    return Checked(
        name="trust",
        holds=True,
        detail=f"settings that wait for your agreement: {len(review.powers)}",
        hint="Look at the project's settings and agree, if you do: supervisor trust",
    )
