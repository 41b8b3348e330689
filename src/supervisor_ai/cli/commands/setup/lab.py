"""`supervisor lab`.

What `supervisor lab serve SCRIPT --json` prints, on one line and by example:

    {"url": "http://127.0.0.1:8000", "script": "limit.yaml",
     "clis": {"claude": {"environment": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8000", …},
                         "arguments": [], "settings": null}, …},
     "broker": "clis: …"}
"""

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.interrupts import Interrupted, run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import encode, say, write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line

if TYPE_CHECKING:
    from supervisor_ai.control.ports.lab import CliPointer, Lab

_MAX_PORT = 65535


class _Options(TypedDict):
    script: Path
    port: int
    log: Path | None
    as_json: bool


@click.group(help="Rehearse with a model that says what a script says")
def lab() -> None:
    """Rehearse with a model that says what a script says."""


@verb(example="supervisor lab serve limit.yaml --port 8000", group=lab)
@click.argument("script", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, _MAX_PORT),
    default=0,
    help="Listen on this port of 127.0.0.1, not on any free one.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Add every request to this file, one JSON object per line; keys are left out.",
)
@json_option
@click.pass_obj
def serve(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Answer agents as a script says, until stopped.

    Speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini on 127.0.0.1,
    and prints how to point each CLI, or supervisor's broker, at it. Scripts are YAML or JSON;
    status codes, limits, broken streams and stalls are part of them. Requests are told on stderr.
    Ctrl-C stops it.
    """
    from supervisor_ai.bootstrap.projects import open_lab

    here, log, lab = invocation.directory, options["log"], open_lab()
    place = None if log is None else here / log
    with lab.serve(
        here / options["script"], port=options["port"], log=place, tell=_tell
    ) as session:
        told = _json(lab, session.url, options) if options["as_json"] else _text(lab, session.url)
        try:
            run_interruptibly(_stay(told))
        except Interrupted:
            say(f"Stopped after {len(session.requests)} requests.")
    return DONE


@verb(example="supervisor lab example limit > limit.yaml", group=lab)
@click.argument("name", required=False)
@json_option
def example(name: str | None, *, as_json: bool) -> int:
    """Print a script that is ready to be played, or list them."""
    from supervisor_ai.bootstrap.projects import open_lab

    if name is not None:
        text = open_lab().example(name)
        _ = write_json({"name": name, "script": text}) if as_json else write(text.rstrip("\n"))
        return DONE
    listed = open_lab().examples()
    if as_json:
        write_json({"examples": [{"name": it, "purpose": words} for it, words in listed.items()]})
    else:
        write("\n".join(columns(list(listed.items()))))
    return DONE


async def _stay(told: str) -> None:
    """Speak only when a signal would already be heeded: whoever reads may send one at once."""
    write(told)
    await asyncio.Event().wait()


def _json(lab: "Lab", url: str, options: _Options) -> str:
    told = {
        "url": url,
        "script": str(options["script"]),
        "clis": lab.pointers(url),
        "broker": lab.broker(url),
    }
    return encode(told).decode()


def _text(lab: "Lab", url: str) -> str:
    return "\n".join(_words(lab, url))


def _words(lab: "Lab", url: str) -> Iterator[str]:
    yield f"The lab listens at {url} until Ctrl-C."
    for name, pointer in lab.pointers(url).items():
        yield from ("", f"# {name}", *_lines(pointer))
    yield from ("", "# your config.yaml, for sandboxed workers (export LAB_KEY=lab)")
    yield lab.broker(url).rstrip("\n")


def _lines(pointer: "CliPointer") -> Iterator[str]:
    for file, text in (pointer.settings or {}).items():
        yield f"# {file}: {text}"
    for name, value in pointer.environment.items():
        yield f"export {name}={shlex.quote(value)}"
    for option in pointer.arguments:
        flag, _, value = option.partition(" ")
        yield f"{flag} {shlex.quote(value)}"


def _tell(line: str) -> None:
    say(one_line(line))
