"""`supervisor replay`."""

import json
from collections.abc import Iterator
from typing import Final, TypedDict, Unpack

import click
import msgspec

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, run_argument
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.replay import Replay, ReplayedChange, ReplayedEvent
from supervisor_ai.control.commands.replay import replay as play_again
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sentences import describe, place

_VALUE: Final = 60


class _Options(TypedDict):
    run: str
    upto: int | None
    as_json: bool


@verb(example="supervisor replay RUN --to 12")
@run_argument
@click.option("--to", "upto", type=click.IntRange(1), metavar="SEQ", help="Stop after this event.")
@json_option
@click.pass_obj
def replay(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Fold a run's facts again and show what each one moved.

    Nothing is done again. At the end stands what the driver decides from there: the reason for
    what happened next.
    """
    project = invocation.project()
    played = play_again(project, options["run"], upto=options["upto"])
    if options["as_json"]:
        write_json(_as_json(project, played))
    else:
        write("\n".join(_as_text(played)))
    return DONE


def _as_json(project: OpenProject, played: Replay) -> dict[str, object]:
    return {
        "run": played.run,
        "events": [
            {
                "seq": event.envelope.seq,
                "type": event.envelope.type,
                "changes": event.changes,
            }
            for event in played.events
        ],
        "status": played.status,
        "under_way": played.under_way,
        "state": played.state,
        "decision": msgspec.Raw(project.world.documents.encode(played.decision)),
    }


def _as_text(played: Replay) -> Iterator[str]:
    for event in played.events:
        yield from _event(event)
    yield ""
    yield f"status     {played.status.value}"
    for key in played.under_way:
        yield f"under way  {key}"
    yield from (f"decision   {line}" for line in _decision(played))


def _event(event: ReplayedEvent) -> Iterator[str]:
    envelope = event.envelope
    where = " ".join(filter(None, [envelope.type, place(envelope.event)]))
    yield f"{envelope.seq:>6}  {where}  {describe(envelope.event)}"
    yield from (f"          {_change(change)}" for change in event.changes)


def _change(change: ReplayedChange) -> str:
    return f"{change.path}: {_value(change.before)} → {_value(change.after)}"


def _value(value: object) -> str:
    text = one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _VALUE else f"{text[: _VALUE - 1]}…"


def _decision(played: Replay) -> Iterator[str]:
    decision = played.decision
    if decision.is_empty:
        yield "nothing: the run has ended or waits for what is under way"
    for event in decision.events:
        yield f"record {type(event).__name__} {place(event)}: {describe(event)}"
    for effect in decision.effects:
        yield f"do {type(effect).__name__} {getattr(effect, 'step', '')}".rstrip()
    if decision.ending is not None:
        yield f"end as {decision.ending.status.value}: {one_line(decision.ending.outcome.reason)}"
