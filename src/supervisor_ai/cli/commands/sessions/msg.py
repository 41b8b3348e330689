"""`supervisor msg`."""

import json
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from supervisor_ai.cli.commands.sessions.words import open_office, session_option
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.tables import fitted, labelled, local_time
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.json_value import BadJson, Json, inner, mapping, read_json, sequence, text

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALL: Final = "team_msg"


class _Options(TypedDict):
    session: str | None
    as_json: bool


class _PostOptions(_Options):
    summary: str
    sender: str | None
    type: str | None
    data: str | None


class _LogOptions(_PostOptions):
    recipient: str | None


class _IdOptions(_Options):
    id: str


class _DeleteOptions(_Options):
    id: str | None


class _ListOptions(_Options):
    last: int
    sender: str | None
    recipient: str | None
    type: str | None


class _StateOptions(_Options):
    member: str | None


_SENDER = click.option("--from", "sender", metavar="MEMBER", help="Who says it.")
_TO = click.option("--to", "recipient", metavar="MEMBER", help="To whom.")
_TYPE = click.option("--type", metavar="TYPE", help="Which type; `message` unless said.")
_DATA = click.option(
    "--data", metavar="JSON", help="An object for programs; `-` reads it from stdin."
)


@click.group(help="Say something in a session, and read what was said")
def msg() -> None:
    """Say something in a session, and read what was said."""


@verb(example='supervisor msg log "The brief is done" --from writer --type progress', group=msg)
@click.argument("summary")
@_SENDER
@_TO
@_TYPE
@_DATA
@session_option
@json_option
@click.pass_obj
def log(invocation: Invocation, **options: Unpack[_LogOptions]) -> int:
    """Say something to one member; to the coordinator, unless said otherwise.

    A message of the type state_update adds its data to how its sender stands. With --from you pass
    on what somebody else says; nobody speaks as the supervisor.
    """
    return _post(invocation, "log", options, options["recipient"])


@verb(example='supervisor msg broadcast "We stop at noon"', group=msg)
@click.argument("summary")
@_SENDER
@_TYPE
@_DATA
@session_option
@json_option
@click.pass_obj
def broadcast(invocation: Invocation, **options: Unpack[_PostOptions]) -> int:
    """Say something to all members."""
    return _post(invocation, "broadcast", options, None)


def _post(invocation: Invocation, operation: str, options: _PostOptions, to: str | None) -> int:
    told: dict[str, object] = {
        "operation": operation,
        "summary": options["summary"],
        "from": options["sender"],
        "to": to,
        "type": options["type"],
        "data": _object(options["data"]),
    }
    answer = _ask(invocation, options, told)
    if not options["as_json"]:
        write("\n".join(_message_lines(inner(answer, "message"))))
    return DONE


def _object(given: str | None) -> dict[str, Json] | None:
    if given is None:
        return None
    try:
        value = read_json(read_stdin() if given == "-" else given)
    except BadJson as error:
        raise InvalidInput(
            f"--data is no JSON: {error}.", hint="""Example: '{"n": 1}'"""
        ) from error
    if not isinstance(value, dict):
        raise InvalidInput("--data is no JSON object.", hint="""Example: '{"n": 1}'""")
    return dict(value)


@verb(example="supervisor msg read MSG-001", group=msg)
@click.argument("id", metavar="ID")
@session_option
@json_option
@click.pass_obj
def read(invocation: Invocation, **options: Unpack[_IdOptions]) -> int:
    """Show one message with its data."""
    answer = _ask(invocation, options, {"operation": "read", "id": options["id"]})
    if not options["as_json"]:
        write("\n".join(_message_lines(inner(answer, "message"))))
    return DONE


@verb(example="supervisor msg list --last 5 --from writer", name="list", group=msg)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many, the newest; 100 at most.",
)
@_SENDER
@_TO
@_TYPE
@session_option
@json_option
@click.pass_obj
def list_messages(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the newest messages, the oldest of them first."""
    told: dict[str, object] = {
        "operation": "list",
        "last": options["last"],
        "from": options["sender"],
        "to": options["recipient"],
        "type": options["type"],
    }
    answer = _ask(invocation, options, told)
    if options["as_json"]:
        return DONE
    said = [_row(it) for it in sequence(inner(answer, "messages"))]
    rows = [("ID", "TIME", "FROM", "TO", "TYPE", "SUMMARY"), *said]
    if len(rows) == 1:
        say("Nothing was said yet.")
    else:
        write("\n".join(fitted(rows)))
    return DONE


@verb(example="supervisor msg status", group=msg)
@session_option
@json_option
@click.pass_obj
def status(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Count what was said, by whom, and where the tasks stand."""
    answer = _ask(invocation, options, {"operation": "status"})
    if not options["as_json"]:
        write("\n".join(labelled(list(_status_rows(inner(answer, "status"))))))
    return DONE


@verb(example="supervisor msg state writer", group=msg)
@click.argument("member", metavar="[MEMBER]", required=False)
@session_option
@json_option
@click.pass_obj
def state(invocation: Invocation, **options: Unpack[_StateOptions]) -> int:
    """Show how members stand, as they said last."""
    answer = _ask(invocation, options, {"operation": "get_state", "role": options["member"]})
    if not options["as_json"]:
        write(plain(json.dumps(inner(answer, "state"), indent=2, ensure_ascii=False)))
    return DONE


@verb(example="supervisor msg delete MSG-001", group=msg)
@click.argument("id", metavar="[ID]", required=False)
@session_option
@json_option
@click.pass_obj
def delete(invocation: Invocation, **options: Unpack[_DeleteOptions]) -> int:
    """Refuse: what was said is never unsaid."""
    _ask(invocation, options, {"operation": "delete"})
    return DONE


@verb(example="supervisor msg clear", group=msg)
@session_option
@json_option
@click.pass_obj
def clear(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Refuse: what was said is never unsaid."""
    _ask(invocation, options, {"operation": "clear"})
    return DONE


def _ask(invocation: Invocation, options: _Options, told: dict[str, object]) -> Json:
    """Make the call that every door makes, as the coordinator; print its JSON where it is asked."""
    from supervisor_ai.cli.output import encode
    from supervisor_ai.control.sessions.calls import make_call
    from supervisor_ai.tools.json_value import parse_json

    office, found = open_office(invocation, options["session"])
    answer = make_call(office.room(found), _CALL, told)
    if options["as_json"]:
        write_json(answer)
    return parse_json(encode(answer))


def _message_lines(message: Json) -> "Iterator[str]":
    said = mapping(message)
    yield from labelled(
        [
            ("id", text(said.get("id"))),
            ("time", _time(said.get("ts"))),
            ("from", text(said.get("from"))),
            ("to", text(said.get("to"))),
            ("type", text(said.get("type"))),
            ("summary", plain(text(said.get("summary")))),
        ]
    )
    if said.get("data") is not None:
        yield ""
        yield plain(json.dumps(said["data"], indent=2, ensure_ascii=False))


def _row(message: Json) -> tuple[str, ...]:
    said = mapping(message)
    words = [text(said.get(key)) for key in ("from", "to", "type")]
    summary = one_line(text(said.get("summary")))
    return (text(said.get("id")), _time(said.get("ts")), *words, summary)


def _time(value: Json) -> str:
    from datetime import datetime

    return local_time(datetime.fromisoformat(text(value)))


def _status_rows(status: Json) -> "Iterator[tuple[str, str]]":
    yield "messages", str(inner(status, "messages"))
    for sender, kinds in mapping(inner(status, "by_sender")).items():
        counts = ", ".join(f"{number} {kind}" for kind, number in mapping(kinds).items())
        yield f"from {sender}", counts
    for stands, number in mapping(inner(status, "tasks")).items():
        yield f"tasks {stands}", str(number)
    newest = inner(status, "newest")
    if newest is not None:
        yield "newest", f"{text(inner(newest, 'id'))} {one_line(text(inner(newest, 'summary')))}"
