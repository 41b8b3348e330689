"""`supervisor doctor`."""

from collections.abc import Sequence

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.doctor import (
    PROPERTY,
    SANDBOX_ROW,
    DoctorCheck,
    conclude,
    examine,
)
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import ErrorKind


@verb(example="supervisor doctor")
@json_option
@click.pass_obj
def doctor(invocation: Invocation, *, as_json: bool) -> int:
    """Check whether this machine can run agents safely.

    Proves from inside the sandbox what it enforces; the last line says what to do next. Exit code
    6 when something is in the way of a run (NO); what is only good to know is a note.
    """
    findings = run_interruptibly(examine(invocation.machine()))
    conclusion = conclude(findings)
    if as_json:
        write_json({"findings": findings, "conclusion": conclusion})
    else:
        write("\n".join([*shown_findings(findings), "", one_line(conclusion)]))
    is_ready = not any(finding.is_obstacle for finding in findings)
    return DONE if is_ready else ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE]


def shown_findings(findings: Sequence[DoctorCheck]) -> list[str]:
    """Show a table, and what to do about each thing that does not hold."""
    proved = [it for it in findings if it.holds and it.name.startswith(PROPERTY)]
    rows = [
        (_verdict(it), it.name, one_line(_detail(it, len(proved))))
        for it in findings
        if it not in proved
    ]
    hints = [f"hint: {one_line(finding.hint)}" for finding in findings if finding.hint]
    return [*columns(rows), *dict.fromkeys(hints)]


def _verdict(finding: DoctorCheck) -> str:
    if finding.holds:
        return "ok"
    return "NO" if finding.is_needed else "note"


def _detail(finding: DoctorCheck, proved: int) -> str:
    if finding.name != SANDBOX_ROW or not proved:
        return finding.detail
    return f"{finding.detail}; properties proved from inside: {proved}"
