"""`supervisor ledger`."""

from collections.abc import Callable
from time import monotonic
from typing import Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands import ledger_maintenance
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.terminal import plain

_SAID_EVERY: Final = 2.0


class _Options(TypedDict):
    as_json: bool


class _EraseOptions(_Options):
    artifact: str
    reason: str | None
    yes: bool
    dry_run: bool


@click.group(help="Verify, rebuild or erase from the ledger")
def ledger() -> None:
    """Verify, rebuild or erase from the ledger."""


@verb(example="supervisor ledger verify", group=ledger)
@json_option
@click.pass_obj
def verify(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Look for anything in the ledger that is not as it was.

    Events that were changed, cut off or reordered, the anchor in git, tables and triggers,
    inbox commands, leases, kept states, and every text that an event names. Each fault says where
    it is and what to do. Exit code 0 when the ledger is what it was, 1 when it is not. Where that
    takes long, how far it is is said on stderr.
    """
    invocation.require_records()
    found = ledger_maintenance.verify(invocation.project(), _progress())
    if options["as_json"]:
        write_json({"verification": found})
    else:
        for note in found.notes:
            say(f"note: {plain(note)}")
        for fault in found.faults:
            write(f"{plain(fault.message)}\n  {plain(fault.hint)}")
        write(f"{found.events} events, {len(found.faults)} faults.")
    return FAILED if found.faults else DONE


def _progress() -> Callable[[str, int, int], None]:
    """Say how far it is, every other second."""
    last = monotonic()

    def told(part: str, done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last >= _SAID_EVERY:
            last = monotonic()
            say(f"{part}: {done:,} of {total:,} events")

    return told


@verb(example="supervisor ledger rebuild", group=ledger)
@json_option
@click.pass_obj
def rebuild(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Make the tables beside the events again."""
    invocation.require_records()
    return report_mutation(
        ledger_maintenance.rebuild(invocation.project()), as_json=options["as_json"]
    )


@verb(example="supervisor ledger show ARTIFACT", group=ledger)
@click.argument("artifact")
@json_option
@click.pass_obj
def show(invocation: Invocation, *, artifact: str, as_json: bool) -> int:
    """Print a text that the ledger keeps: a prompt, an output, an edit of state.md.

    ARTIFACT is the name of the text, as `supervisor events --json` and other answers show it.
    """
    text = invocation.require_records().artifacts.get(ArtifactHash(artifact))
    if as_json:
        write_json({"artifact": artifact, "text": text})
    else:
        write(plain(text))
    return DONE


@verb(example='supervisor ledger erase ARTIFACT --reason "It holds a key"', group=ledger)
@click.argument("artifact")
@click.option("--reason", metavar="TEXT", help="Why; kept in the ledger.")
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def erase(invocation: Invocation, **options: Unpack[_EraseOptions]) -> int:
    """Remove a text that should not have been kept, for ever.

    ARTIFACT is the name of the text, as `supervisor events --json` shows it. The ledger keeps
    the name and records that the text was erased.
    """
    invocation.require_records()
    if not (options["yes"] or options["dry_run"]):
        _require_agreement()
    erasure = ledger_maintenance.Erasure(
        artifact=ArtifactHash(options["artifact"]), reason=options["reason"]
    )
    mutation = ledger_maintenance.erase(invocation.project(), erasure, dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])


def _require_agreement() -> None:
    if not can_ask():
        raise InvalidInput(
            "What is erased cannot be brought back.", hint="If you agree, say --yes."
        )
    click.confirm("What is erased cannot be brought back. Proceed?", abort=True, err=True)
