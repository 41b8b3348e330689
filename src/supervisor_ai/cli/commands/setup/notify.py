"""`supervisor notify`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.tables import fitted
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.notices import check_channels
from supervisor_ai.domain.errors import ErrorKind


class _Options(TypedDict):
    channel: str | None
    as_json: bool


@click.group(help="See whether you can be reached")
def notify() -> None:
    """See whether you can be reached."""


@verb(example="supervisor notify test slack", group=notify)
@click.argument("channel", required=False)
@json_option
@click.pass_obj
def test(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Send a test message and say what happened.

    CHANNEL is a channel of your config, or bell, desktop or tui, which need no settings. Without
    it every channel that you have is tried. Exit code 6 when one of them did not take it.
    """
    found = run_interruptibly(check_channels(invocation.channels(), options["channel"]))
    if options["as_json"]:
        write_json({"deliveries": found})
    else:
        rows = [("CHANNEL", "DELIVERED", "WHAT HAPPENED")]
        rows += [
            (it.channel, "yes" if it.is_delivered else "no", one_line(it.detail)) for it in found
        ]
        write("\n".join(fitted(rows)))
    is_reached = all(it.is_delivered for it in found)
    return DONE if is_reached else ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE]
