"""A gate's command, in a sandbox without network, on the files of a commit."""

import os
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, assert_never

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.definition import WORKSPACE, Gate
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.status import FailureCategory, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.effect_workspace import Site, gate_plan, set_up
from supervisor_ai.engine.effects.gates.gate_result import Opinion
from supervisor_ai.engine.ports.gates import (
    NOTHING_READ,
    CaseOutcome,
    Reading,
    ReportQuestion,
    ReportRequest,
    Unexaminable,
)
from supervisor_ai.engine.ports.sandbox import (
    BEYOND_LIMITS,
    Mount,
    Profile,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.engine.world import Operation

_NOT_FOUND: Final = 126
"""From here on an exit code tells of a shell that found no command, or of a signal."""
_TAIL: Final = 4_000
_REPORT_BYTES: Final = 8 << 20
_REPORTS_BYTES: Final = 64 << 20
_NAMED: Final = 10
HIDDEN_COPIES: Final = "Installed copies of the project are hidden from it: "


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
    effect: RunGate, operation: Operation, commit: CommitSha, wanted: Wanted = Wanted.USUAL
) -> Ran:
    """Run the command on a commit's files, and read what it printed and reported."""
    world = operation.world
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
    try:
        failed = await set_up(site)
        result = failed.result if failed else await _run(effect, site, request, transcript)
        changed = await _changed(effect, operation, workspace)
        report = await _report(effect, operation, workspace)
        reports = await world.workspaces.read_reports(workspace, most=_REPORTS_BYTES)
        await world.workspaces.close(workspace)
        output = failed.output if failed else transcript.finish()
    finally:
        transcript.abandon()
    text = operation.text_of(output)
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


def judge(gate: Gate, ran: Ran, lack: str | None = None, *, least: int | None = None) -> Opinion:
    """Say what the command means; green is only what nothing speaks against.

    Where the gate says nothing of how many tests are wanted, `least` holds.
    """
    forgiven = _known_red(gate, ran)
    if forgiven:
        ran = _without_red(ran)
    found = verdict(ran.result)
    wanted = least if gate.min_tests is None else gate.min_tests
    doubt = (_doubt(gate, ran, wanted) or lack) if found is Verdict.PASSED else None
    reason = f"{doubt or _reason(gate, ran)}{_hidden(ran.result)}{_forgiven(forgiven)}"
    result = ran.result
    opinion = Opinion(
        verdict=Verdict.FAILED if doubt else found,
        reason=reason,
        output=ran.output,
        exit_code=result.exit_code,
        tests=ran.reading.tests,
        category=_category(result.end),
        limits=result.limits,
        is_final=is_final(result),
    )
    return (
        opinion
        if found is Verdict.PASSED and not doubt
        else replace(opinion, told=_told(ran, reason))
    )


def _category(end: SandboxEnd) -> FailureCategory | None:
    if end is SandboxEnd.SETUP_FAILED:
        return FailureCategory.SETUP
    return FailureCategory.RESOURCE if end in BEYOND_LIMITS else None


def _known_red(gate: Gate, ran: Ran) -> tuple[str, ...]:
    """Name the tests that failed, if the user has said of each of them that it may."""
    reading = ran.reading
    red = tuple(it.name for it in reading.results if it.outcome is CaseOutcome.FAILED)
    is_all = len(red) >= (reading.failed or 0) and not reading.missing
    is_ended = is_final(ran.result) and not reading.is_unfinished
    return red if is_all and is_ended and red and set(red) <= set(gate.known_red) else ()


def _without_red(ran: Ran) -> Ran:
    result = replace(ran.result, exit_code=0)
    return replace(ran, result=result, reading=replace(ran.reading, failed=0))


def _forgiven(names: tuple[str, ...]) -> str:
    return f" Known red, as the configuration says: {', '.join(names)}." if names else ""


def verdict(result: SandboxResult) -> Verdict:
    """Judge a command; one that did not work at all neither passed nor failed."""
    match result.end:
        case SandboxEnd.EXITED:
            return Verdict.PASSED if result.exit_code == 0 else Verdict.FAILED
        case (
            SandboxEnd.TIMED_OUT
            | SandboxEnd.IDLE
            | SandboxEnd.OUTPUT_CAPPED
            | SandboxEnd.LIMIT_EXCEEDED
            | SandboxEnd.CUT_OFF
        ):
            return Verdict.FAILED
        case SandboxEnd.COMMAND_MISSING | SandboxEnd.SANDBOX_FAILED | SandboxEnd.SETUP_FAILED:
            return Verdict.NOT_RUN
        case _:
            assert_never(result.end)


def _doubt(gate: Gate, ran: Ran, least: int | None) -> str | None:
    """Say what speaks against a command that exited with code 0."""
    tests, failed = ran.reading.tests, ran.reading.failed
    if ran.report_fault is not None:
        return f"Its report {gate.report!r} cannot be read, because {ran.report_fault}."
    if failed:
        return f"The command exited with code 0, but its output says that {failed} failed."
    if tests == 0:
        return "The command exited with code 0, but by its output no test ran at all."
    if ran.reading.is_unfinished:
        return f"The command exited with code 0, but {_unfinished(ran)}."
    if ran.reading.is_idle and (gate.counts_tests or least is not None):
        return (
            "The command exited with code 0, but there was nothing that it had to do: no test ran."
        )
    if least is not None and (tests is None or tests < least):
        count = "no test that can be counted" if tests is None else f"{tests}"
        return f"At least {least} tests are wanted; it ran {count}."
    if ran.changed:
        rest = len(ran.changed) - _NAMED
        more = f" and {rest} more" if rest > 0 else ""
        return f"It changed {', '.join(map(repr, ran.changed[:_NAMED]))}{more}, which it may not."
    return None


def _hidden(result: SandboxResult) -> str:
    """Say what was not seen: tests that need it are tests of something else than the work."""
    if not result.hidden:
        return ""
    first, more = result.hidden[0], len(result.hidden) - 1
    rest = f" and {more} more" if more else ""
    return f" {HIDDEN_COPIES}{first}{rest}."


def _unfinished(ran: Ran) -> str:
    if ran.reading.tool is not None:
        return f"{ran.reading.tool} only listed or built tests, or never came to its end"
    names = " or ".join(ran.runners) or "its runner"
    return f"{names} was to run tests, and neither its output nor a report tells of an end"


def _reason(gate: Gate, ran: Ran) -> str:
    if ran.result.end is not SandboxEnd.EXITED:
        return ran.result.reason
    said = f"The command exited with code {ran.result.exit_code}."
    if ran.reading.tests is not None:
        skipped = f" and skipped {ran.reading.skipped}" if ran.reading.skipped else ""
        return f"{said} It ran {ran.reading.tests} tests{skipped}."
    return f"{said} tests: unknown" if gate.counts_tests else said


def is_final(result: SandboxResult) -> bool:
    """Tell whether the command itself came to an end, and would do so again."""
    code = result.exit_code
    is_exit = result.end is SandboxEnd.EXITED and code is not None
    return is_exit and code is not None and 0 <= code < _NOT_FOUND


def _told(ran: Ran, reason: str) -> str:
    """Show the part of the output that tells what went wrong, and how it ended."""
    tail = ran.text[-_TAIL:].strip()
    if not ran.reading.failing.strip():
        return f"{reason}\n\nThe end of its output:\n{tail}"
    shown = ran.reading.failing.strip()
    end = "" if tail in shown else f"\n\nThe end of its output:\n{tail}"
    return f"{reason}\n\nWhat {ran.reading.tool} says is wrong:\n{shown}{end}"
