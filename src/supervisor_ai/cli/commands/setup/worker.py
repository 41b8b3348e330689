"""`supervisor worker`.

What `supervisor worker classify --json` prints, by example:

    {"cli": "claude", "outcome": "failed", "category": "limit", "action": "park",
     "message": "You've hit your limit · resets 3pm (UTC)",
     "because": "The result record says so: HTTP status 429.",
     "usage": {"tokens_in": 11, "tokens_out": 3}, "cost": 0.000104,
     "session": "1accbab4-…", "model": "claude-opus-5-5", "reset_at": "…T15:00:00Z"}

`category`, `action`, `cost`, `session`, `model` and `reset_at` may be null.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, TypedDict, Unpack

import click

from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import has_colour, write, write_json
from supervisor_ai.cli.tables import labelled
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.classification import RecordedRun
from supervisor_ai.control.queries.classification import Explanation, RunResult, explain_run
from supervisor_ai.domain.errors import InvalidInput

_KEPT: Final = 4 << 20
_CHUNK: Final = 1 << 20
_FILE: Final = click.Path(allow_dash=True)
_STDIN: Final = "-"
_COLOURS: Final = {RunResult.SUCCEEDED: "green", RunResult.FAILED: "red"}


class _Options(TypedDict):
    cli: str
    exit_code: int
    stdout: str | None
    stderr: str | None
    ended_at: datetime | None
    schema: bool
    as_json: bool


@click.group(help="Look after the agents' commands and what they print")
def worker() -> None:
    """Look after the agents' commands and what they print."""


@verb(
    example="supervisor worker classify --cli claude --exit 1 --stdout out.jsonl --stderr err.txt",
    group=worker,
)
@click.option(
    "--cli", required=True, metavar="NAME", help="Whose output it is: claude, … or command."
)
@click.option("--exit", "exit_code", type=int, required=True, help="Its exit code; -15 is SIGTERM.")
@click.option("--stdout", type=_FILE, metavar="FILE", help="What it printed; - is stdin.")
@click.option("--stderr", type=_FILE, metavar="FILE", help="What it complained about.")
@click.option(
    "--at", "ended_at", type=click.DateTime(), help="When it ended, in UTC; now unless told."
)
@click.option(
    "--schema", is_flag=True, help="It was started with a schema for its answer (--json-schema)."
)
@json_option
def classify(**options: Unpack[_Options]) -> int:
    """Explain how a recorded run of an agent's command ended.

    Says whether it succeeded and, if not, why, what a run would do about it, and which record or
    words decided. A run succeeded only if it exited with 0, left a terminal record that says so,
    and gave an answer: the structured one where it had to fill a schema, which only the records of
    a stream tell; --schema says so of other output. Exit code 0 whatever is found.
    """
    from supervisor_ai.bootstrap.projects import open_classifier

    found = explain_run(open_classifier(), _recorded(options))
    if options["as_json"]:
        write_json(found)
    else:
        write("\n".join(_shown(found)))
    return DONE


def _recorded(options: _Options) -> RecordedRun:
    if options["stdout"] == options["stderr"] == _STDIN:
        raise InvalidInput("Stdin cannot be both --stdout and --stderr.", hint="Name a file.")
    ended_at = options["ended_at"]
    return RecordedRun(
        cli=options["cli"],
        exit_code=options["exit_code"],
        stdout=_tail(options["stdout"]),
        stderr=_tail(options["stderr"]),
        ended_at=ended_at.replace(tzinfo=UTC) if ended_at else datetime.now(UTC),
        has_schema=options["schema"],
    )


def _tail(path: str | None) -> str:
    """Read the end of a file, however long it is; what was not named is empty."""
    if path is None:
        return ""
    kept = b""
    try:
        with click.open_file(path, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                kept = (kept + chunk)[-_KEPT:]
    except OSError as error:
        raise InvalidInput(f"{path!r} cannot be read: {error.strerror}.") from error
    return kept.decode(errors="replace")


def _shown(found: Explanation) -> Iterator[str]:
    colour = _COLOURS[found.outcome] if has_colour(sys.stdout) else None
    verdict = click.style(found.outcome.value, fg=colour, bold=True) if colour else found.outcome
    about = f" ({found.category})" if found.category else ""
    yield f"{one_line(found.cli)} {verdict}{about}: {one_line(found.message)}"
    yield from labelled([(label, one_line(value)) for label, value in _details(found)])


def _details(found: Explanation) -> Iterator[tuple[str, str]]:
    yield "because", found.because
    if found.action:
        yield "to do", found.action.replace("_", " ")
    if found.reset_at:
        yield "reset at", found.reset_at.isoformat()
    yield "usage", f"{found.usage.tokens_in} tokens in, {found.usage.tokens_out} out"
    yield "cost", "not said" if found.cost is None else f"{found.cost} USD"
    yield "model", found.model or "not said"
    yield "session", found.session or "not said"
