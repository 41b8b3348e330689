"""`supervisor doctor`."""

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.doctor import DoctorCheck, examine
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import ErrorKind


@verb(example="supervisor doctor")
@json_option
@click.pass_obj
def doctor(invocation: Invocation, *, as_json: bool) -> int:
    """Check whether this machine can run agents safely.

    Proves from inside the sandbox what it enforces. Exit code 6 when something does not hold.
    """
    findings = run_interruptibly(examine(invocation.machine()))
    if as_json:
        write_json({"findings": findings})
    else:
        write("\n".join(_shown(findings)))
    holds = all(finding.holds for finding in findings)
    return DONE if holds else ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE]


def _shown(findings: tuple[DoctorCheck, ...]) -> list[str]:
    rows = [
        ("ok" if finding.holds else "NO", finding.name, one_line(finding.detail))
        for finding in findings
    ]
    hints = [f"hint: {one_line(finding.hint)}" for finding in findings if finding.hint]
    return [*columns(rows), *dict.fromkeys(hints)]
