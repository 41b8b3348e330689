"""Choice of a run's sandbox: the one that was asked for, or the first that holds here."""

from collections.abc import Awaitable, Callable
from typing import Final

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.settings import AUTO, BACKENDS, NO_SANDBOX
from supervisor_ai.domain.errors import SupervisorError, Unavailable
from supervisor_ai.engine.ports.sandbox import Probe, Sandbox
from supervisor_ai.engine.world import World

_OF_THE_WORKSPACE: Final = ("disk", "disk_files")
"""The limits that a workspace's own file system can keep."""


async def choose_sandbox(
    project: OpenProject, name: str, *, needs_hard_limits: bool = False
) -> str:
    """Name a sandbox that enforces what it must; none where that is allowed and asked for."""
    project.preflight.policy.permit_sandbox(name)

    async def refusal(backend: str) -> Unavailable | None:
        world = project.runtimes(backend).world
        probe = await _probe(world.sandbox)
        if isinstance(probe, Unavailable) or not needs_hard_limits:
            return probe if isinstance(probe, Unavailable) else None
        return await _too_soft(world, probe)

    return await _first(name, refusal)


async def choose_usable(sandboxes: Callable[[str], Sandbox], name: str) -> str:
    """Name the first sandbox that works on this machine, before there is a ledger."""

    async def refusal(backend: str) -> Unavailable | None:
        probe = await _probe(sandboxes(backend))
        return probe if isinstance(probe, Unavailable) else None

    return await _first(name, refusal)


async def _first(name: str, refusal: Callable[[str], Awaitable[Unavailable | None]]) -> str:
    if name == NO_SANDBOX:
        return name
    refusals: list[Unavailable] = []
    for backend in BACKENDS if name == AUTO else (name,):
        refused = await refusal(backend)
        if refused is None:
            return backend
        refusals.append(refused)
    raise refusals[0] if len(refusals) == 1 else _none_works(refusals)


async def require_sandbox(project: OpenProject, name: str) -> None:
    """Refuse a sandbox that does not enforce what it must, and none where that is not allowed."""
    await choose_sandbox(project, name)


async def _probe(sandbox: Sandbox) -> Probe | Unavailable:
    try:
        probe = await sandbox.probe()
    except SupervisorError as error:
        return Unavailable(error.message, hint=error.hint)
    return probe if probe.is_usable else _unusable(probe)


def _unusable(probe: Probe) -> Unavailable:
    broken = [finding for finding in probe.findings if not finding.holds]
    details = "; ".join(f"{finding.name}: {finding.detail}" for finding in broken)
    return Unavailable(
        f"The sandbox {probe.backend!r} does not work here ({details or 'it is not installed'}).",
        hint=probe.remedy or "See what is wrong: supervisor sandbox check",
    )


async def _too_soft(world: World, probe: Probe) -> Unavailable | None:
    kept = _OF_THE_WORKSPACE if await world.workspaces.keeps_quota() else ()
    soft = probe.soft_limits(kept_elsewhere=kept)
    if not soft:
        return None
    return Unavailable(
        f"The sandbox {probe.backend!r} cannot keep these limits hard here: {', '.join(soft)}.",
        hint="Run where a cgroup can be had, or leave sandbox.require_hard_limits out.",
    )


def _none_works(refusals: list[Unavailable]) -> Unavailable:
    lines = [f"  {refusal.message}" for refusal in refusals]
    return Unavailable("\n".join(["No sandbox works here:", *lines]), hint=refusals[0].hint)
