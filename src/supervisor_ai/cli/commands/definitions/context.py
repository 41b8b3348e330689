"""`supervisor context`.

What `supervisor context redact --json` prints, by example:

    {"findings": [{"rule": "github-token", "line": 3, "column": 14}],
     "counts": {"github-token": 1}, "total": 1, "truncated": false}

`truncated` says that there are more findings than are listed; `counts` and `total` are complete.
"""

import os
import sys
from collections.abc import Iterator
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.streams import output_trouble, stdin_pieces
from supervisor_ai.cli.tables import shown_knowledge, shown_record
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.control.queries.secrets.redaction import Redaction, RedactionReport
from supervisor_ai.control.queries.secrets.secret_scanners import ask_kingfisher
from supervisor_ai.domain.terminal import PlainStream, plain


@click.group(help="See what a worker is told, and what it is not")
def context() -> None:
    """See what a worker is told, and what it is not."""


class _ShowOptions(TypedDict):
    role: str
    target: tuple[str, ...]
    task: str
    base: str | None
    since: str | None
    as_json: bool


@verb(example="supervisor context show implementer --target src/app.py", group=context)
@click.argument("role")
@click.option("-t", "--target", multiple=True, metavar="FILE", help="The work is about this file.")
@click.option("--task", default="", metavar="TEXT", help="The task, in which files may be named.")
@click.option("-b", "--base", metavar="REF", help="Look at this commit, not the checkout's.")
@click.option("--since", metavar="REF", help="Count changes from this commit, as for a reviewer.")
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show what a role would be shown of the repository, and told of the knowledge store.

    The text goes to stdout as a worker would get it; the record of what is in it, what is not and
    why goes to stderr. Nothing is started.
    """
    import asyncio

    from supervisor_ai.bootstrap.projects import open_context_preview
    from supervisor_ai.control.queries.contexts import ContextQuestion

    question = ContextQuestion(
        role=options["role"],
        task=options["task"],
        targets=options["target"],
        base=options["base"],
        since=options["since"],
    )
    preview = open_context_preview(invocation.directory, invocation.settings)
    found = asyncio.run(preview.show(question))
    if options["as_json"]:
        write_json(found)
        return DONE
    if found.knowledge is not None:
        write(plain(found.knowledge.text).rstrip("\n"))
        say("\n".join(shown_knowledge(found.knowledge)))
    if found.context is not None:
        write(plain(found.context.text).rstrip("\n"))
        say("\n".join(shown_record(found.context)))
    return DONE


@verb(example="supervisor context redact --check < .env", group=context)
@click.option(
    "--check", "is_check", is_flag=True, help="Print findings, not the text; exit 1 if any."
)
@click.option(
    "--second-opinion", "is_doubted", is_flag=True, help="Let kingfisher look at the result."
)
@json_option
def redact(*, is_check: bool, is_doubted: bool, as_json: bool) -> int:
    """Take the secrets out of a text.

    Reads stdin and prints the text with a mark in the place of every secret, as it is done before
    anything is sent, stored or shown. Counts go to stderr. With --json the findings are printed
    instead, with rule, line and column, never the secret. With --second-opinion kingfisher
    (`pip install kingfisher-bin`) says what it still finds; it is kept from asking anybody.
    """
    if sys.stdin.isatty():
        say("Reading from the terminal; Ctrl-D ends the text.")
    redaction = Redaction()
    pieces = redaction.redact(stdin_pieces())
    if is_doubted:
        text = "".join(pieces)
        redaction.add(ask_kingfisher(text, os.environ))
        pieces = iter((text,))
    if is_check or as_json:
        for _ in pieces:
            pass
    elif not _pass_on(redaction, pieces):
        return DONE
    report = redaction.report
    if as_json:
        write_json(report)
    else:
        _tell(report, is_check=is_check)
    return FAILED if is_check and report.total else DONE


def _pass_on(redaction: Redaction, pieces: Iterator[str]) -> bool:
    """Print the text as it came, or plain on a terminal; False when nothing more can be printed."""
    terminal = PlainStream() if sys.stdout.isatty() else None
    for piece in pieces:
        shown = redaction.encode(piece) if terminal is None else terminal.feed(piece).encode()
        sys.stdout.buffer.write(shown)
        sys.stdout.buffer.flush()
        if output_trouble(sys.stdout) is not None:
            return False
    if terminal is not None:
        sys.stdout.buffer.write(terminal.close().encode())
    return True


def _tell(report: RedactionReport, *, is_check: bool) -> None:
    if is_check and report.findings:
        write("\n".join(f"{it.line}:{it.column}  {it.rule}" for it in report.findings))
    if is_check and report.truncated:
        say(f"Only the first {len(report.findings)} of {report.total} are listed.")
    for rule, count in report.counts.items():
        say(f"{count} {rule}")
    say(f"Secrets: {report.total}.")
