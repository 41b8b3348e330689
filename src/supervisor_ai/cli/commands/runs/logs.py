"""`supervisor logs`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, run_argument
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.tables import local_time
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import finding_line, one_line
from supervisor_ai.control.queries.logs import LogFilter, LogKind, RunLogEntry, read_logs
from supervisor_ai.domain.terminal import plain

if TYPE_CHECKING:
    from supervisor_ai.control.records import Records
    from supervisor_ai.domain.ids import RunId


_GATES: Final = (LogKind.GATE, LogKind.BASELINE)


class _Options(TypedDict):
    run: str
    step: str | None
    visit: int | None
    attempt: int | None
    gate: str | None
    retries: bool
    context: bool
    as_json: bool


@verb(example="supervisor logs RUN --step implement --retries")
@run_argument
@click.option("-s", "--step", metavar="STEP", help="Only this step.")
@click.option("--visit", type=click.IntRange(1), metavar="N", help="Only this visit.")
@click.option("--attempt", type=click.IntRange(1), metavar="N", help="Only this attempt.")
@click.option("-g", "--gate", metavar="GATE", help="Only what this gate found and printed.")
@click.option("--retries", is_flag=True, help="The retry log, in markdown.")
@click.option("--context", is_flag=True, help="What workers were shown of the project, and why.")
@json_option
@click.pass_obj
def logs(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show what was sent, what came back and what the gates printed.

    Everything stands in the order in which it happened, without secrets and without characters
    that could move your terminal's cursor. The retry log has every failed attempt, with what was
    expected, what was received and what was done about it; the whole of it is also kept in the file
    `.supervisor/logs/RUN-retries.md`. With --context you see which files
    each worker was shown, how much of them, and what was left out for want of room. With --gate
    you see what one gate found and printed, and what of it was told to the worker.
    """
    records = invocation.require_records()
    wanted = LogFilter(
        step=options["step"],
        visit=options["visit"],
        attempt=options["attempt"],
        gate=options["gate"],
    )
    run = records.find(options["run"]).id
    if options["retries"]:
        return _show_retries(records, run, wanted, as_json=options["as_json"])
    if options["context"]:
        return _show_contexts(records, run, wanted, as_json=options["as_json"])
    entries = read_logs(records, run, wanted)
    if options["as_json"]:
        write_json({"logs": entries})
        return DONE
    if not entries:
        say("There is nothing to show.")
    for entry in entries:
        if not write("\n".join(_shown(entry))):
            break
    return DONE


def _show_retries(records: "Records", run: "RunId", wanted: LogFilter, *, as_json: bool) -> int:
    from supervisor_ai.bootstrap.projects import answer_outline
    from supervisor_ai.control.queries.retry_log import RetryLogKeeper, read_retries
    from supervisor_ai.domain.run.failures.retry_notes import retry_log

    RetryLogKeeper(schemas=answer_outline, tell=say).keep(records, run)
    entries = read_retries(records, run, wanted, answer_outline)
    if as_json:
        write_json({"retries": entries})
    elif entries:
        write(retry_log(entries).rstrip("\n"))
    else:
        say("No attempt has failed.")
    return DONE


def _show_contexts(records: "Records", run: "RunId", wanted: LogFilter, *, as_json: bool) -> int:
    from supervisor_ai.cli.tables import shown_knowledge, shown_record
    from supervisor_ai.control.queries.contexts import sent_contexts, sent_knowledge

    sent = tuple(sent_contexts(records, run, wanted))
    told = tuple(sent_knowledge(records, run, wanted))
    if as_json:
        write_json({"contexts": sent, "knowledge": told})
        return DONE
    if not sent and not told:
        say("No worker was shown anything but its task.")
    for it in told:
        place = f"{it.step} visit {it.visit} attempt {it.attempt}"
        write("\n".join((f"━━ {place}, knowledge", *shown_knowledge(it.told), "")))
    for at in sent:
        place = f"{at.step} visit {at.visit} attempt {at.attempt}"
        write("\n".join((f"━━ {place}, {at.strategy}", *shown_record(at.packed), "")))
    return DONE


def _shown(entry: RunLogEntry) -> Iterator[str]:
    yield f"━━ {heading(entry)}"
    sections = (
        ("asked" if entry.kind is LogKind.APPROVAL else "sent", entry.sent),
        ("printed" if entry.kind in _GATES else "came back", entry.came_back),
    )
    for name, text in sections:
        if text is not None:
            yield f"── {name}"
            yield plain(text).rstrip("\n")
    if entry.findings:
        yield "── found"
        yield from (one_line(finding_line(finding)) for finding in entry.findings)
    if entry.feedback is not None:
        yield "── told to the worker"
        yield plain(entry.feedback).rstrip("\n")
    yield ""


def heading(entry: RunLogEntry) -> str:
    """Say in one line what an entry is about."""
    attempt = f" attempt {entry.attempt}" if entry.attempt else ""
    # A gate has a name; an attempt and an answer have somebody who gave them.
    link = " " if entry.kind in _GATES else " by "
    by = f"{link}{one_line(entry.by)}" if entry.by else ""
    reason = f": {one_line(entry.reason)}" if entry.reason else ""
    return (
        f"{entry.step} visit {entry.visit}{attempt}, {entry.kind.value}{by}, "
        f"{local_time(entry.started_at)}, {entry.status}{reason}"
    )
