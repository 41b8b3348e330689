"""What a gate's command means: green is only what nothing speaks against."""

from typing import Final, assert_never

from supervisor_ai.domain.run.definition import KNOWN_RED, Gate
from supervisor_ai.domain.run.status import FailureCategory, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import stripped
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.gate_result import Opinion
from supervisor_ai.engine.ports.gates import CaseOutcome
from supervisor_ai.engine.ports.sandbox import BEYOND_LIMITS, SandboxEnd, SandboxResult
from supervisor_ai.tools.text import counted

_NOT_FOUND: Final = 126
"""From here on an exit code tells of a shell that found no command, or of a signal."""
_TAIL: Final = 4_000
_NAMED: Final = 10
HIDDEN_COPIES: Final = "Installed copies of the project are hidden from it: "


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
    said = f"{doubt or _reason(gate, ran)}{_hidden(ran.result)}"
    is_green = found is Verdict.PASSED and not doubt
    # Of what is green nothing matters more, and the end of a line may not be seen.
    words = (_excepted(gate, forgiven), said) if is_green else (said, _excepted(gate, forgiven))
    reason = " ".join(filter(None, words))
    result = ran.result
    opinion = Opinion(
        verdict=Verdict.FAILED if doubt else found,
        mender=gate.judges if lack and doubt == lack else None,
        reason=reason,
        output=ran.output,
        exit_code=result.exit_code,
        tests=ran.reading.tests,
        coverage=ran.reading.coverage,
        category=_category(result.end),
        limits=result.limits,
        is_final=is_final(result),
    )
    return opinion if is_green else replace(opinion, told=_told(ran, reason))


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


def _excepted(gate: Gate, forgiven: tuple[str, ...]) -> str:
    """Say what the user excepts, whether or not it came to that, so that nobody forgets it."""
    if not gate.known_red:
        return ""
    rest = len(gate.known_red) - _NAMED
    named = ", ".join((*gate.known_red[:_NAMED], *((f"{rest} more",) if rest > 0 else ())))
    used = ", ".join(forgiven) or "none"
    return f"{KNOWN_RED}{named} (forgiven: {used})."


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
        return f"{said} It ran {counted(ran.reading.tests, 'test')}{skipped}."
    return f"{said} tests: unknown" if gate.counts_tests else said


def is_final(result: SandboxResult) -> bool:
    """Tell whether the command itself came to an end, and would do so again."""
    code = result.exit_code
    is_exit = result.end is SandboxEnd.EXITED and code is not None
    return is_exit and code is not None and 0 <= code < _NOT_FOUND


def _told(ran: Ran, reason: str) -> str:
    """Show the part of the output that tells what went wrong, and how it ended."""
    tail = stripped(ran.text)[-_TAIL:].strip()
    if not ran.reading.failing.strip():
        return f"{reason}\n\nThe end of its output:\n{tail}"
    shown = ran.reading.failing.strip()
    end = "" if tail in shown else f"\n\nThe end of its output:\n{tail}"
    return f"{reason}\n\nWhat {ran.reading.tool} says is wrong:\n{shown}{end}"
