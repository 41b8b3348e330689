"""Where an effect does its work: a workspace made for it, and what may leave it."""

import shlex
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.definition import GIB, ResourceLimits, SandboxPolicy
from supervisor_ai.domain.run.effects import RunGate, RunWorker
from supervisor_ai.domain.run.events import EgressRefused, SetupEnded
from supervisor_ai.domain.run.status import SETUP_REASON
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.sandbox import (
    Egress,
    Mount,
    Profile,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workspaces import Quota, SetupCache, Workspace, WorkspacePlan
from supervisor_ai.engine.world import Operation

_SHOWN: Final = 40
"""So many lines of a set-up's output are told to whoever has to mend it."""
_TOLD: Final = 3
_LONGEST: Final = 500
_KEPT: Final = GIB
_KEPT_FILES: Final = 100_000
"""More than that is no work of one attempt: it is a download, or a dump."""


def worker_plan(effect: RunWorker, *, is_confined: bool = False) -> WorkspacePlan:
    """Say what is special about a worker's workspace; where nothing holds it, nothing is shared."""
    is_reader = not effect.role.can_edit and effect.writable is None
    return WorkspacePlan(
        is_writable=effect.role.can_edit,
        hides=effect.role.hides,
        include=effect.workspace.include,
        quota=_quota(effect.sandbox, effect.sandbox.worker),
        keeps=_bound(effect.sandbox.worker),
        writable=effect.writable,
        is_shared=is_confined and is_reader and not effect.workspace.setup,
    )


def _bound(limits: ResourceLimits) -> Quota:
    """Say how much of a worker's files becomes part of the user's repository at most."""
    return Quota(disk=min(limits.disk, _KEPT), files=min(limits.disk_files, _KEPT_FILES))


def gate_plan(effect: RunGate) -> WorkspacePlan:
    """Say what is special about a gate's workspace."""
    quota = _quota(effect.sandbox, effect.sandbox.executor)
    return WorkspacePlan(include=effect.workspace.include, quota=quota, has_reports=True)


def _quota(policy: SandboxPolicy, limits: ResourceLimits) -> Quota | None:
    if not policy.has_disk_quota:
        return None
    return Quota(disk=limits.disk, files=limits.disk_files)


class Site(Struct, frozen=True, kw_only=True):
    """The workspace of one effect; the attempt is None where a gate works."""

    operation: Operation
    effect: RunWorker | RunGate
    workspace: Workspace
    attempt: int | None

    def refused(self, refusal: EgressRefusal) -> None:
        """Record that a command tried to reach what it may not."""
        effect = self.effect
        self.operation.record(
            EgressRefused(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                attempt=self.attempt,
                # A worker chooses these words, and may choose a secret.
                host=self.operation.world.redactor.redact(refusal.host).text,
                port=refusal.port,
                reason=self.operation.world.redactor.redact(refusal.reason).text,
            )
        )


class FailedSetup(Struct, frozen=True, kw_only=True):
    """A workspace in which nobody can work, and all that its set-up printed."""

    result: SandboxResult
    output: ArtifactHash
    text: str

    @property
    def told(self) -> str:
        """Say why, with the end of what was printed."""
        end = "\n".join(self.text.rstrip().split("\n")[-_SHOWN:])
        return f"{self.result.reason}\n\nThe end of its output:\n{end}"


async def set_up(site: Site) -> FailedSetup | None:
    """Set the workspace up if the project says how; return what went wrong, if anything did."""
    world = site.operation.world
    policy, workspaces = world.set_up_policy(site.effect.workspace), world.workspaces
    if not policy.setup:
        return None
    cache = SetupCache(command=policy.setup, key_files=policy.cache_key, paths=policy.cache_paths)
    if cache.paths and await workspaces.take_cached(site.workspace, cache):
        _record(site, is_cached=True, reason="An equal set-up was made before.")
        return None
    result, output = await _run(site)
    is_done = result.end is SandboxEnd.EXITED and result.exit_code == 0
    if is_done and cache.paths:
        await workspaces.keep_cached(site.workspace, cache)
    return None if is_done else _failure(site, result, output)


async def _run(site: Site) -> tuple[SandboxResult, ArtifactHash]:
    operation, effect = site.operation, site.effect
    transcript = operation.transcript(effect.step, site.attempt)
    try:
        result = await operation.world.sandbox.run(_spec(site), transcript.write)
        output, code = await transcript.finish(), result.exit_code
    finally:
        transcript.abandon()
    _record(site, is_cached=False, reason=result.reason, output=output, exit_code=code)
    return result, output


def _spec(site: Site) -> SandboxSpec:
    effect, workspace, policy = site.effect, site.workspace, site.effect.workspace
    egress = Egress(on_refusal=site.refused, allow=policy.egress) if policy.egress else None
    return SandboxSpec(
        label=site.operation.key,
        fence=site.operation.epoch,
        profile=Profile.WORKER,
        argv=policy.setup,
        cwd=workspace.path,
        mounts=tuple(_writable(mount, workspace) for mount in workspace.mounts),
        environment=workspace.environment,
        not_installed=workspace.distributions,
        ro_paths=effect.sandbox.ro_paths,
        caches=effect.sandbox.caches,
        limits=effect.sandbox.worker,
        timeout=policy.setup_timeout,
        output_bytes=effect.output_bytes,
        egress=egress,
    )


def _writable(mount: Mount, workspace: Workspace) -> Mount:
    """Let the set-up write where a worker that only reads cannot."""
    return replace(mount, is_writable=mount.is_writable or mount.target == workspace.path)


def _record(
    site: Site,
    *,
    is_cached: bool,
    reason: str,
    output: ArtifactHash | None = None,
    exit_code: int | None = None,
) -> None:
    effect = site.effect
    site.operation.record(
        SetupEnded(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=site.attempt,
            is_cached=is_cached,
            reason=reason,
            output=output,
            exit_code=exit_code,
        )
    )


def _failure(site: Site, result: SandboxResult, output: ArtifactHash) -> FailedSetup:
    """Let the user hear what their own command said; no worker can mend it, nor another try."""
    text = site.operation.text_of(output)
    if result.end is not SandboxEnd.SANDBOX_FAILED:
        lines = [line.strip() for line in plain(text).split("\n") if line.strip()]
        said = f" {' / '.join(lines[-_TOLD:])[-_LONGEST:]}" if lines else " It printed nothing."
        command = shlex.join(site.effect.workspace.setup)
        reason = f"{SETUP_REASON}workspace.setup failed, `{command}`. {result.reason}{said}"
        result = replace(result, end=SandboxEnd.SETUP_FAILED, exit_code=None, reason=reason)
    return FailedSetup(result=result, output=output, text=text)
