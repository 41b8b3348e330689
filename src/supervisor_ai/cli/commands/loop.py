"""`supervisor loop`."""

from functools import partial
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.loop_directives import WishOptions, asked_wish, wish_options
from supervisor_ai.cli.commands.loop_pages import (
    benefit_lines,
    directive_table,
    loop_page,
    status_page,
)
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    optional_run_argument,
    verbose_option,
    wait_option,
)
from supervisor_ai.cli.output import report_mutation, say, write, write_json
from supervisor_ai.cli.run_start import (
    StartOptions,
    attend,
    cli_option,
    overseer_option,
    start,
    start_options,
    wished,
)
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.commands.run_start import held_by
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.loop.commands.letters import (
    add_directive,
    drop_directive,
    pause_loop,
)
from supervisor_ai.drivers.loop.commands.start import LoopRequest, prepare_loop
from supervisor_ai.drivers.loop.queries.benefit import benefit_of
from supervisor_ai.drivers.loop.queries.view import find_loop, report_of, show_loop
from supervisor_ai.drivers.loop.signals import Pause


class _RunOptions(StartOptions):
    remit: str
    max_tasks: int | None
    alone: bool


class _LookOptions(TypedDict):
    run: str | None
    as_json: bool


class _PauseOptions(_LookOptions):
    dry_run: bool


class _ResumeOptions(TypedDict):
    run: str | None
    wait: bool
    verbose: bool
    as_json: bool


class _DirectiveOptions(WishOptions):
    run: str | None


@click.group(help="Work on a remit, task by task, under quality supervisors")
def loop() -> None:
    """Work on a remit, task by task, under quality supervisors."""


@verb(example='supervisor loop run "Let users reset their password" --max-tasks 20', group=loop)
@click.argument("remit")
@click.option("--max-tasks", type=click.IntRange(1, 1000), help="Begin at most so many tasks.")
@click.option("--no-supervisors", "alone", is_flag=True, help="Let no quality supervisor look.")
@cli_option
@overseer_option
@start_options
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_RunOptions]) -> int:
    """Work on a remit until its milestones are reached.

    A scope agent makes milestones of it. Then, task by task: a planner says what is next, an
    implementor does it, the project's gates and QA look, and what passes is one commit on the run's
    branch. Now and then an assessor holds the work against the remit, and quality supervisors look
    after conventions, design and what was learnt. `-` reads the remit from stdin.
    """
    text = read_stdin() if options["remit"] == "-" else options["remit"]
    request = LoopRequest(
        remit=text,
        max_tasks=options["max_tasks"],
        is_alone=options["alone"],
        **wished(options),
    )
    prepare = partial(prepare_loop, invocation.preflight(), request)
    return start(invocation, with_trust(invocation, options, prepare), options)


@verb(example="supervisor loop status", group=loop)
@optional_run_argument
@json_option
@click.pass_obj
def status(invocation: Invocation, **options: Unpack[_LookOptions]) -> int:
    """Show in a few lines how a loop stands.

    Without RUN it is the newest loop that has not ended.
    """
    records = invocation.require_records()
    view = show_loop(records, find_loop(records, options["run"]))
    if options["as_json"]:
        write_json({"loop": view})
    else:
        write(status_page(view, invocation.command))
    return DONE


@verb(example="supervisor loop show last", group=loop)
@optional_run_argument
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_LookOptions]) -> int:
    """Show a loop with its milestones, tasks, directives and supervisors."""
    records = invocation.require_records()
    view = show_loop(records, find_loop(records, options["run"]))
    if options["as_json"]:
        write_json({"loop": view})
    else:
        write(loop_page(view, invocation.command))
    return DONE


@verb(example="supervisor loop report last", group=loop)
@optional_run_argument
@json_option
@click.pass_obj
def report(invocation: Invocation, **options: Unpack[_LookOptions]) -> int:
    """Print the report of a loop; of one at work, what it would say now.

    Below it stands how the tasks of all loops of the project went: with and without supervisors,
    before and after each document of the knowledge store, and what looks cost. The numbers compare;
    they do not explain.
    """
    records = invocation.require_records()
    row = find_loop(records, options["run"])
    text = report_of(records, row.id)
    benefit = benefit_of(records)
    if options["as_json"]:
        write_json({"loop": show_loop(records, row), "report": text, "benefit": benefit})
    else:
        write(plain(text).rstrip("\n"))
        write("")
        write("\n".join(benefit_lines(benefit)))
    return DONE


@verb(example="supervisor loop pause", group=loop)
@optional_run_argument
@dry_run_option
@json_option
@click.pass_obj
def pause(invocation: Invocation, **options: Unpack[_PauseOptions]) -> int:
    """Let a loop rest as soon as nothing is under way.

    It rests for as long as you like, over restarts; `supervisor loop resume` goes on.
    """
    project = invocation.project()
    row = find_loop(project.records, options["run"])
    mutation = pause_loop(project, row, Pause.ON, dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])


@verb(example="supervisor loop resume", group=loop)
@optional_run_argument
@wait_option
@verbose_option
@json_option
@click.pass_obj
def resume(invocation: Invocation, **options: Unpack[_ResumeOptions]) -> int:
    """Go on with a loop that rests, or that nobody drives."""
    project = invocation.project()
    row = find_loop(project.records, options["run"])
    pause_loop(project, row, Pause.OFF)
    owner = project.records.queries.owner(row.id)
    if owner is not None and owner.is_alive:
        raise held_by(project, row.id)
    say(f"Run {row.id} is gone on with.")
    staying: StartOptions = {
        "cli": None,
        "base": None,
        "sandbox": None,
        "budget": None,
        "no_cache": False,
        "queue": False,
        "wait": options["wait"],
        "dry_run": False,
        "yes": True,
        "verbose": options["verbose"],
        "as_json": options["as_json"],
    }
    attendance = attend(invocation, staying)
    run_interruptibly(prepare_resume(attendance.project, row.id))
    return attendance.attend(row.id)


@verb(
    example='supervisor loop directives --add "Use the new client everywhere" --type cleanup',
    group=loop,
)
@optional_run_argument
@wish_options
@dry_run_option
@json_option
@click.pass_obj
def directives(invocation: Invocation, **options: Unpack[_DirectiveOptions]) -> int:
    """List what supervisors and people want done, add to it or drop from it."""
    drop, wish = options["drop"], asked_wish(options)
    if drop is None and wish is None:
        records = invocation.require_records()
        view = show_loop(records, find_loop(records, options["run"]))
        if options["as_json"]:
            write_json({"directives": view.pending_directives})
        else:
            write(directive_table(view.pending_directives))
        return DONE
    project = invocation.project()
    row = find_loop(project.records, options["run"])
    if wish is not None:
        mutation = add_directive(project, row, wish, dry_run=options["dry_run"])
    else:
        mutation = drop_directive(project, row, drop or 0, dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])
