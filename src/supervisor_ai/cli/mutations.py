"""Telling what a command changed."""

from supervisor_ai.cli.output import write, write_json
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.run_views import MutationView


def report_mutation(mutation: MutationView, *, as_json: bool) -> int:
    """Print what was changed; return the exit code."""
    if as_json:
        write_json(mutation)
    else:
        write(f"{mutation.target}: {one_line(mutation.detail)}")
    return DONE
