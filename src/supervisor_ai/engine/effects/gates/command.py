"""A gate's command, in a sandbox without network, on the files of a commit."""

import os
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.definition import WORKSPACE
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.effect_workspace import Site, gate_plan, set_up
from supervisor_ai.engine.ports.gates import (
    NOTHING_READ,
    Reading,
    ReportQuestion,
    ReportRequest,
    Unexaminable,
)
from supervisor_ai.engine.ports.sandbox import (
    Mount,
    Profile,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.engine.world import Operation
from supervisor_ai.tools.threads import finish_in_thread

_REPORT_BYTES: Final = 8 << 20
_REPORTS_BYTES: Final = 64 << 20


def _nothing_more() -> None:
    """Let nothing go on beside a command."""


class Wanted(Enum):
    """How many tests a command is to run."""

    USUAL = auto()
    """It stops where it stops."""
    ALL = auto()
    """All, because they are compared by name."""
    ONE_RED = auto()
    """One that fails is enough."""


class Ran(Struct, frozen=True, kw_only=True):
    """What came of the command."""

    result: SandboxResult
    output: ArtifactHash
    text: str
    reading: Reading = NOTHING_READ
    changed: tuple[str, ...] = ()
    """The tracked files that it changed and may not."""
    runners: tuple[str, ...] = ()
    """The known runners that the command leads to."""
    report_fault: str | None = None
    """What is wrong with the report that it should have written."""


async def run_command(
    effect: RunGate,
    operation: Operation,
    commit: CommitSha,
    wanted: Wanted = Wanted.USUAL,
    *,
    beside: Callable[[], None] = _nothing_more,
) -> Ran:
    """Run the command on a commit's files, and read what it printed and reported.

    When the command is about to start, what goes on beside it may begin.
    """
    world = operation.world
    world.examiner.get_ready()
    workspace = await world.workspaces.open(
        operation.run,
        operation.key,
        fence=operation.epoch,
        start=commit,
        plan=gate_plan(effect),
    )
    site = Site(operation=operation, effect=effect, workspace=workspace, attempt=None)
    transcript = operation.transcript(effect.step, None)
    before = await _report(effect, operation, workspace)
    request = await world.examiner.report_request(_question(effect, workspace, wanted))
    beside()
    try:
        failed = await set_up(site)
        result = failed.result if failed else await _run(effect, site, request, transcript)
        changed = await _changed(effect, operation, workspace)
        report = await _report(effect, operation, workspace)
        reports = await world.workspaces.read_reports(workspace, most=_REPORTS_BYTES)
        await world.workspaces.close(workspace)
        output = failed.output if failed else await transcript.finish()
    finally:
        transcript.abandon()
    text = await finish_in_thread(operation.text_of, output)
    reading = await world.examiner.read(text, request, reports)
    ran = Ran(
        result=result,
        output=output,
        text=text,
        reading=reading,
        changed=changed,
        runners=request.runners,
    )
    if effect.gate.report is None:
        return ran
    return await _with_report(ran, operation, None if report == before else report)


def _question(effect: RunGate, workspace: Workspace, wanted: Wanted) -> ReportQuestion:
    """Ask for reports, unless the gate has one of its own or the command only lists tests."""
    gate = effect.gate
    is_asked = gate.report is None and gate.kind != GateKind.TEST_INTEGRITY
    return ReportQuestion(
        command=gate.command,
        commit=workspace.start,
        root=str(workspace.path),
        place=str(workspace.reports) if is_asked and workspace.reports else None,
        environment={**workspace.environment, **_placed(gate.environment, workspace)},
        keeps_going=wanted is Wanted.ALL,
        stops_early=wanted is Wanted.ONE_RED,
    )


async def _run(
    effect: RunGate, site: Site, request: ReportRequest, transcript: Transcript
) -> SandboxResult:
    operation, workspace = site.operation, site.workspace
    spec = SandboxSpec(
        label=operation.key,
        fence=operation.epoch,
        profile=Profile.EXECUTOR,
        argv=request.argv,
        cwd=workspace.path,
        # Whatever set the workspace up could leave no report: only the command sees the place.
        mounts=(*workspace.mounts, *_report_mounts(workspace, request)),
        not_installed=workspace.distributions,
        environment={
            **workspace.environment,
            **_placed(effect.gate.environment, workspace),
            **request.environment,
        },
        ro_paths=effect.sandbox.ro_paths,
        caches=effect.sandbox.caches,
        limits=effect.sandbox.executor,
        timeout=effect.gate.timeout,
        output_bytes=effect.output_bytes,
    )
    return await operation.world.sandbox.run(spec, transcript.write)


def _placed(environment: Mapping[str, str], workspace: Workspace) -> dict[str, str]:
    """Fill in where the workspace is, which nobody who writes a config can know."""
    here = os.fspath(workspace.path)
    return {name: value.replace(WORKSPACE, here) for name, value in environment.items()}


def _report_mounts(workspace: Workspace, request: ReportRequest) -> Iterator[Mount]:
    if workspace.reports is not None:
        yield Mount(source=workspace.reports, target=workspace.reports, is_writable=True)
    for program in map(Path, request.programs):
        yield Mount(source=program, target=program)


async def _changed(effect: RunGate, operation: Operation, workspace: Workspace) -> tuple[str, ...]:
    """List what the command changed and may not; None allows everything, and nobody looks."""
    allowed = effect.gate.allowed_writes
    if allowed is None:
        return ()
    changed = await operation.world.workspaces.changed(workspace)
    return tuple(path for path in changed if not any(fnmatchcase(path, at) for at in allowed))


async def _report(effect: RunGate, operation: Operation, workspace: Workspace) -> bytes | None:
    path = effect.gate.report
    if path is None:
        return None
    return await operation.world.workspaces.read_file(workspace, path, most=_REPORT_BYTES)


async def _with_report(ran: Ran, operation: Operation, report: bytes | None) -> Ran:
    """Believe the report rather than the output; what it does not know, the output may."""
    if report is None:
        return replace(ran, report_fault="it was not written")
    if len(report) > _REPORT_BYTES:
        return replace(ran, report_fault=f"it is larger than {_REPORT_BYTES} bytes")
    try:
        found = await operation.world.examiner.read_report(report)
    except Unexaminable as error:
        return replace(ran, report_fault=error.message)
    failed = max(found.failed or 0, ran.reading.failed or 0)
    return replace(ran, reading=replace(found, failed=failed, missing=ran.reading.missing))
