"""Sandbox check: which work on this machine, what they enforce, what a command finds inside."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.settings import AUTO
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.run.definition import Definition, SandboxPolicy
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    LimitFinding,
    Probe,
    ProbeFinding,
    Profile,
    Sandbox,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)

COMMANDS: Final = (
    *("sh", "bash", "git", "make", "gcc", "python3", "pip", "uv", "pytest", "node", "npm", "go"),
    *("cargo", "rustc", "java", "javac", "mvn", "gradle", "claude", "codex", "gemini"),
)
"""What people expect to find inside."""
_TIMEOUT: Final = timedelta(seconds=30)
_OUTPUT: Final = 1 << 16
_LOOKUP: Final = """\
import json, os, shutil, sys
found = {name: shutil.which(name) for name in json.load(sys.stdin)}
print(json.dumps({"path": os.environ.get("PATH", ""), "commands": found}))
"""


class Wishes(Struct, frozen=True, kw_only=True):
    """What the project in this directory wants of its sandboxes, if there is one."""

    project: str | None = None
    policy: SandboxPolicy = field(default_factory=SandboxPolicy)
    hosts: tuple[str, ...] = ()
    """What its workers may reach, besides what goes through the broker."""
    problem: str | None = None
    """Why its definitions could not be read."""


class BackendView(Struct, frozen=True, kw_only=True):
    """One sandbox, and what it proved."""

    name: str
    version: str
    is_usable: bool
    reason: str | None
    """Why it cannot be used."""
    remedy: str | None
    findings: tuple[ProbeFinding, ...]
    limits: tuple[LimitFinding, ...]


class InsideView(Struct, frozen=True, kw_only=True):
    """What one kind of command finds inside the sandbox."""

    profile: Profile
    backend: str
    network: str
    path: tuple[str, ...] = ()
    commands: Mapping[str, str | None] = field(default_factory=dict)
    """Where each well-known command is, or None if it is missing."""
    problem: str | None = None
    """Why nobody could look."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Name the commands that are not there."""
        return tuple(name for name, place in self.commands.items() if place is None)


class SandboxCheck(Struct, frozen=True, kw_only=True):
    """Everything that is known about the sandboxes of this machine."""

    backends: tuple[BackendView, ...]
    wanted: str | None
    """What the project asks for; None where the first one that works will do."""
    chosen: str | None
    """What a run would get: the one that is wanted, or the first, if it works."""
    inside: tuple[InsideView, ...]
    """Seen in the chosen one."""
    tools: tuple[str, ...]
    """What is shown read-only besides the system."""
    ro_paths: tuple[str, ...]
    caches: tuple[str, ...]
    project: str | None
    problem: str | None


async def check_sandboxes(
    make: Callable[[str], Sandbox],
    backends: tuple[str, ...],
    *,
    tools: tuple[Path, ...],
    wishes: Wishes,
) -> SandboxCheck:
    """Try every sandbox, and look around inside the one that a run would get."""
    views = [await _try(make, name) for name in backends]
    wanted = None if wishes.policy.backend == AUTO else wishes.policy.backend
    # Whoever asks for one sandbox only wants to know about that one.
    allowed = {wanted} if wanted in backends else set(backends)
    usable = [view.name for view in views if view.is_usable and view.name in allowed]
    inside = [
        await _look(make(name), profile, wishes) for name in usable[:1] for profile in Profile
    ]
    return SandboxCheck(
        backends=tuple(views),
        wanted=wanted,
        chosen=next(iter(usable), None),
        inside=tuple(inside),
        tools=tuple(map(str, tools)),
        ro_paths=wishes.policy.ro_paths,
        caches=wishes.policy.caches,
        project=wishes.project,
        problem=wishes.problem,
    )


def read_wishes(preflight: Callable[[], Preflight]) -> Wishes:
    """Read what the project of this directory wants at the checkout's commit."""
    try:
        repository = (opened := preflight()).repository
    except SupervisorError:
        # There need not be a project.
        return Wishes()
    project = str(repository.root)
    try:
        commit = repository.resolve(None).sha
        definition = opened.catalog.load(commit, workflow=None, cli=None).definition
    except SupervisorError as error:
        return Wishes(project=project, problem=error.message)
    return Wishes(project=project, policy=definition.sandbox, hosts=_hosts(definition))


def _hosts(definition: Definition) -> tuple[str, ...]:
    agents = [host for cli in definition.clis.values() for host in cli.egress]
    roles = [host for role in definition.roles.values() for host in role.egress]
    return tuple(sorted({*agents, *roles}))


async def _try(make: Callable[[str], Sandbox], name: str) -> BackendView:
    try:
        probe = await make(name).probe()
    except (SupervisorError, OSError) as error:
        finding = ProbeFinding(name="it can be started", holds=False, detail=str(error))
        hint = error.hint if isinstance(error, SupervisorError) else None
        probe = Probe(backend=name, version="", findings=(finding,), remedy=hint)
    broken = [finding for finding in probe.findings if not finding.holds]
    return BackendView(
        name=name,
        version=probe.version,
        is_usable=probe.is_usable,
        reason=f"{broken[0].name}: {broken[0].detail}" if broken else None,
        remedy=probe.remedy,
        findings=probe.findings,
        limits=probe.limits,
    )


async def _look(sandbox: Sandbox, profile: Profile, wishes: Wishes) -> InsideView:
    heard = bytearray()

    def listen(channel: Channel, piece: bytes) -> None:
        if channel is Channel.STDOUT:
            heard.extend(piece)

    network = _network(profile, wishes)
    try:
        result = await sandbox.run(_lookup(profile, wishes.policy), listen)
    except (SupervisorError, OSError) as error:
        return InsideView(
            profile=profile, backend=sandbox.name, network=network, problem=str(error)
        )
    path, commands, problem = _read(result, bytes(heard))
    return InsideView(
        profile=profile,
        backend=sandbox.name,
        network=network,
        path=path,
        commands=commands,
        problem=problem,
    )


def _network(profile: Profile, wishes: Wishes) -> str:
    if profile is Profile.EXECUTOR:
        return "none"
    hosts = ", ".join(wishes.hosts)
    return "only through the supervisor: the broker of its agent" + (
        f", and {hosts}" if hosts else " and the hosts that its agent and its role name"
    )


def _lookup(profile: Profile, policy: SandboxPolicy) -> SandboxSpec:
    return SandboxSpec(
        label=f"sandbox-check/{os.getpid()}/{profile}",
        profile=profile,
        argv=(os.path.realpath(sys.executable), "-I", "-S", "-c", _LOOKUP),
        cwd=Path("/"),
        mounts=(),
        timeout=_TIMEOUT,
        output_bytes=_OUTPUT,
        ro_paths=policy.ro_paths,
        caches=policy.caches,
        stdin=json.dumps(COMMANDS).encode(),
        limits=policy.worker if profile is Profile.WORKER else policy.executor,
    )


def _read(
    result: SandboxResult, heard: bytes
) -> tuple[tuple[str, ...], dict[str, str | None], str | None]:
    if result.end is not SandboxEnd.EXITED or result.exit_code != 0:
        return (), {}, result.reason
    try:
        said = json.loads(heard)
        path = tuple(str(said["path"]).split(":"))
        found = {name: said["commands"][name] for name in COMMANDS}
        return path, {name: str(place) if place else None for name, place in found.items()}, None
    except (ValueError, KeyError, TypeError):
        return (), {}, "The look inside the sandbox brought nothing that can be read."
