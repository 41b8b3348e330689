"""`supervisor events`."""

import time
from collections.abc import Iterator
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, optional_run_argument
from supervisor_ai.cli.output import encode, write
from supervisor_ai.cli.tables import local_time
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.queries.events import (
    event_record,
    follow_events,
    known_types,
    read_events,
)
from supervisor_ai.control.records import Records
from supervisor_ai.control.sentences import describe, place
from supervisor_ai.domain.envelope import Envelope

_PAUSE_SECONDS = 0.2
_TYPE_WIDTH = 18
_PLACE_WIDTH = 16


class _Options(TypedDict):
    run: str | None
    follow: bool
    after: int
    types: tuple[str, ...]
    as_json: bool


@verb(example="supervisor events RUN --follow --json")
@optional_run_argument
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends.")
@click.option(
    "--after", type=click.IntRange(0), default=0, metavar="SEQ", help="Begin after this event."
)
@click.option(
    "--type", "types", multiple=True, metavar="TYPE", help="Only facts of this type; repeatable."
)
@json_option
@click.pass_obj
def events(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show the facts of a run in order.

    Without RUN the facts of all runs are shown. With --json each line is one event.
    """
    wanted = known_types(options["types"])
    records = invocation.require_records()
    for envelope in _read(records, options):
        if wanted and envelope.type not in wanted:
            continue
        if not write(_json(records, envelope) if options["as_json"] else _text(envelope)):
            break
    return DONE


def _read(records: Records, options: _Options) -> Iterator[Envelope]:
    run = None if options["run"] is None else records.find(options["run"]).id
    if not options["follow"]:
        return read_events(records, run, after=options["after"])
    return follow_events(
        records, run, after=options["after"], pause=lambda: time.sleep(_PAUSE_SECONDS)
    )


def _json(records: Records, envelope: Envelope) -> str:
    return encode(event_record(records, envelope)).decode()


def _text(envelope: Envelope) -> str:
    event = envelope.event
    time_of_day = local_time(envelope.recorded_at)
    where = place(event)
    return (
        f"{envelope.seq:>6}  {time_of_day}  {envelope.type:<{_TYPE_WIDTH}}  "
        f"{where:<{_PLACE_WIDTH}}  {describe(event)}"
    ).rstrip()
