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
from supervisor_ai.cli.narration import one_line
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import encode, say, write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.errors import DONE
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.lab.addresses import Pointer, broker, pointers
from supervisor_ai.lab.examples import example as text_of
from supervisor_ai.lab.examples import names, purpose

if TYPE_CHECKING:
    from supervisor_ai.definitions.mistakes import Mistakes
    from supervisor_ai.definitions.yaml_source import Document
    from supervisor_ai.lab.journal import Seen
    from supervisor_ai.lab.shapes import Script

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
    from supervisor_ai.lab.server import LabServer

    here, log = invocation.directory, options["log"]
    script = read_file(here / options["script"])
    place = None if log is None else here / log
    with LabServer(script, port=options["port"], log=place, on_seen=_tell) as server:
        told = _json(server.url, options) if options["as_json"] else _text(server.url)
        try:
            run_interruptibly(_stay(told))
        except Interrupted:
            say(f"Stopped after {len(server.requests)} requests.")
    return DONE


@verb(example="supervisor lab example limit > limit.yaml", group=lab)
@click.argument("name", required=False)
@json_option
def example(name: str | None, *, as_json: bool) -> int:
    """Print a script that is ready to be played, or list them."""
    if name is not None:
        text = text_of(name)
        _ = write_json({"name": name, "script": text}) if as_json else write(text.rstrip("\n"))
        return DONE
    listed = {known: purpose(known) for known in names()}
    if as_json:
        write_json({"examples": [{"name": it, "purpose": words} for it, words in listed.items()]})
    else:
        write("\n".join(columns(list(listed.items()))))
    return DONE


def read_file(path: Path) -> "Script":
    """Read a script; every mistake is told with its file, line and key."""
    from supervisor_ai.definitions.mistakes import Mistakes
    from supervisor_ai.lab.script import BadScript, read_script

    mistakes = Mistakes()
    document = _document(path, mistakes)
    if document is None or mistakes:
        raise mistakes.error(hint="See: supervisor lab example")
    try:
        return read_script(document.value)
    except BadScript as bad:
        for flaw in bad.flaws:
            mistakes.add(document.place(*flaw.path), flaw.problem)
        raise mistakes.error(hint=bad.hint) from bad


def _document(path: Path, mistakes: "Mistakes") -> "Document | None":
    """Read YAML, or JSON, which YAML's reader understands well enough to tell the lines."""
    from supervisor_ai.definitions.mistakes import Mistakes, Place
    from supervisor_ai.definitions.strict_json import BadJson, read_json
    from supervisor_ai.definitions.yaml_source import Document, read_yaml

    text, file = _content(path), str(path)
    if path.suffix != ".json":
        return read_yaml(file, text, mistakes)
    try:
        value = read_json(text)
    except BadJson as error:
        mistakes.add(Place(file=file), f"is not valid JSON: {error}")
        return None
    positions = read_yaml(file, text, Mistakes())
    return Document(file=file, value=value, lines=positions.lines if positions else {})


def _content(path: Path) -> str:
    from supervisor_ai.definitions.yaml_source import MAX_CHARACTERS

    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_CHARACTERS + 1)
    except FileNotFoundError:
        raise NotFound(
            f"There is no script {str(path)!r}.", hint="See: supervisor lab example"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The script {str(path)!r} cannot be read: {error}.") from error


async def _stay(told: str) -> None:
    """Speak only when a signal would already be heeded: whoever reads may send one at once."""
    write(told)
    await asyncio.Event().wait()


def _json(url: str, options: _Options) -> str:
    told = {
        "url": url,
        "script": str(options["script"]),
        "clis": pointers(url),
        "broker": broker(url),
    }
    return encode(told).decode()


def _text(url: str) -> str:
    return "\n".join(_words(url))


def _words(url: str) -> Iterator[str]:
    yield f"The lab listens at {url} until Ctrl-C."
    for name, pointer in pointers(url).items():
        yield from ("", f"# {name}", *_lines(pointer))
    yield from ("", "# your config.yaml, for sandboxed workers (export LAB_KEY=lab)")
    yield broker(url).rstrip("\n")


def _lines(pointer: Pointer) -> Iterator[str]:
    for file, text in (pointer.settings or {}).items():
        yield f"# {file}: {text}"
    for name, value in pointer.environment.items():
        yield f"export {name}={shlex.quote(value)}"
    for option in pointer.arguments:
        flag, _, value = option.partition(" ")
        yield f"{flag} {shlex.quote(value)}"


def _tell(seen: "Seen") -> None:
    where = f"{seen.dialect} {seen.model} {seen.place}" if seen.dialect else seen.method
    say(one_line(f"{seen.fault or seen.status}  {where}  {seen.path}"))
