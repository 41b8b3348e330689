"""`supervisor serve`."""

from typing import TypedDict, Unpack

import click
from msgspec import Struct

from supervisor_ai.cli.interrupts import Interrupted, run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import fresh_option, json_option
from supervisor_ai.cli.output import say, write, write_json_line
from supervisor_ai.cli.tables import local_time, title
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.service import Service
from supervisor_ai.control.commands.service import serve as attend
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.sentences import describe, place
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId, stream_run
from supervisor_ai.domain.live_output import LiveOutput

_LIMIT = 4


class _Options(TypedDict):
    once: bool
    limit: int
    no_cache: bool
    as_json: bool


@verb(example="supervisor serve --limit 2")
@click.option("--once", is_flag=True, help="Drive what is due now and return.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=_LIMIT,
    show_default=True,
    help="Drive so many runs at a time.",
)
@fresh_option
@json_option
@click.pass_obj
def serve(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Drive whatever is due until stopped.

    Wakes runs whose time has come, drives queued runs, takes over runs whose owner died, and
    hands answers of people to their runs. Ctrl-C stops it in good order; with --json each run is
    printed on one line when it ends or begins to wait.
    """
    project = invocation.project(_ServiceMonitor(), is_fresh=options["no_cache"])
    attendant = _Attendant(as_json=options["as_json"])
    service = Service(limit=options["limit"], stays=not options["once"])
    if service.stays:
        say(f"Serving {project.repository.root}. Ctrl-C stops.")
    try:
        run_interruptibly(attend(project, service, attendant))
    except Interrupted:
        say("Stopped. What was under way goes on when the runs are driven again.")
    return DONE


class _ServiceMonitor:
    """Narrates the facts of all runs."""

    def recorded(self, envelope: Envelope) -> None:
        """Tell a fact."""
        run = stream_run(envelope.stream)
        where = " ".join(filter(None, [run or envelope.stream, place(envelope.event)]))
        say(f"{local_time(envelope.recorded_at)}  {where}  {describe(envelope.event)}")

    def output(self, output: LiveOutput) -> None:
        """Leave output to `supervisor logs`."""


class _Attendant(Struct, frozen=True, kw_only=True):
    as_json: bool

    def driven(self, run: RunView) -> None:
        """Print a run that was driven as far as it goes now."""
        if self.as_json:
            write_json_line({"run": run})
        else:
            write(f"{run.id}  {run.standing}  {title(run.task)}")

    def failed(self, run: RunId, error: SupervisorError) -> None:
        """Tell why a run could not be driven."""
        say(f"{run}: {one_line(error.message)}")
        if error.hint:
            say(f"  {one_line(error.hint)}")
