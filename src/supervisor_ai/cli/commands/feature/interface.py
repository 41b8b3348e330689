"""`supervisor interface`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.feature.office import open_office
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import report_mutation, say, write, write_json
from supervisor_ai.cli.run_details import say_who_continues
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import drive_run
from supervisor_ai.control.exit_codes import DONE, WAITS
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.feature.commands.interfaces import (
    InterfaceWord,
    ask_to_lock,
    ask_to_unlock,
    find_interface,
)
from supervisor_ai.drivers.feature.commands.plans import file_text, find_plan
from supervisor_ai.drivers.feature.interfaces.book import UnlockStage
from supervisor_ai.drivers.feature.queries.interface_pages import interface_pages
from supervisor_ai.drivers.feature.queries.interface_views import InterfacePage, validated_words

_FEATURE = click.argument("feature", metavar="FEATURE")
_NAME = click.argument("name", metavar="INTERFACE")


class _ShowOptions(TypedDict):
    feature: str
    name: str | None
    as_json: bool


class _UnlockOptions(TypedDict):
    feature: str
    name: str
    reason: str
    as_json: bool


class _LockOptions(TypedDict):
    feature: str
    name: str
    file: str | None
    as_json: bool


@click.group(help="Show what components agree on, unlock it and lock it")
def interface() -> None:
    """Show what components agree on, unlock it and lock it."""


@verb(example="supervisor interface show P1T5 LoginRequest", group=interface)
@_FEATURE
@click.argument("name", metavar="[INTERFACE]", required=False)
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show the interfaces of a feature, or one of them with its text.

    You see whether each is locked, who validated it (the tool of its language, a parser, or
    nobody), which components depend on it, and references that lead nowhere.
    """
    office = open_office(invocation)
    pages = interface_pages(office, options["feature"])
    if options["name"] is not None:
        pages = tuple(it for it in pages if it.interface.name == options["name"])
        if not pages:
            raise NotFound(
                f"The feature {options['feature']!r} has no interface {options['name']!r}.",
                hint=f"List them: {invocation.command} interface show {options['feature']}",
            )
    if options["as_json"]:
        write_json({"interfaces": pages})
    elif not pages:
        write(f"The feature {options['feature']} has no interfaces.")
    else:
        is_one = options["name"] is not None
        write("\n".join(line for it in pages for line in _lines(it, is_whole=is_one)))
    return DONE


@verb(
    example="supervisor interface unlock P1T5 LoginRequest --reason 'a token is missing'",
    group=interface,
)
@_FEATURE
@_NAME
@click.option("--reason", required=True, metavar="TEXT", help="Say why it has to change.")
@json_option
@click.pass_obj
def unlock(invocation: Invocation, **options: Unpack[_UnlockOptions]) -> int:
    """Ask for an interface to be unlocked, so that it can change.

    A person has to agree (`supervisor approve RUN`); until then the exit code is 5. Then every
    component that depends on it waits, and is built again once the interface is locked.
    """
    project = invocation.project()
    told = ask_to_unlock(project, options["feature"], options["name"], options["reason"])
    is_open = told.stage is UnlockStage.OPEN
    if is_open:
        detail = f"The interface {options['name']} is unlocked."
    else:
        _tell_how(invocation, project, told)
        detail = f"The interface {options['name']} is unlocked when a person agrees."
    target = told.run.row.id
    mutation = MutationView(target=target, applied=is_open, dry_run=False, detail=detail)
    report_mutation(mutation, as_json=options["as_json"])
    return DONE if is_open else WAITS


def _tell_how(invocation: Invocation, project: OpenProject, told: InterfaceWord) -> None:
    owner = project.records.queries.owner(told.run.row.id)
    is_driven = project.records.is_served or (owner is not None and owner.is_alive)
    if told.stage is UnlockStage.WANTED and not is_driven:
        # The question is the run's own, and nobody else would ask it now.
        run_interruptibly(drive_run(project, told.run.row.id))
    say(f"Agree: {invocation.command} approve {told.run.row.id}")


@verb(example="supervisor interface lock P1T5 LoginRequest --file login.d.ts", group=interface)
@_FEATURE
@_NAME
@click.option(
    "--file",
    metavar="FILE",
    help="Read the new definition from a file; else the kept plan has it.",
)
@json_option
@click.pass_obj
def lock(invocation: Invocation, **options: Unpack[_LockOptions]) -> int:
    """Lock an interface again, as it was or with another definition.

    Another definition is validated, written as a file, tested together with everything on the
    feature's branch, and put there; what depends on the interface is built again after that.
    """
    project, office = invocation.project(), open_office(invocation)
    name, feature = options["name"], options["feature"]
    if options["file"] is None:
        definition = find_interface(find_plan(office, feature).feature, name).definition
    else:
        definition = file_text(office, Path(options["file"]))
    told = ask_to_lock(project, office.reader, feature, name, definition)
    how = "with its new definition" if told.is_new else "as it was"
    say_who_continues(invocation, project.records, told.run.row.id, f"feature run {feature}")
    detail = f"The run was told: lock the interface {name} {how}."
    mutation = MutationView(target=told.run.row.id, applied=True, dry_run=False, detail=detail)
    return report_mutation(mutation, as_json=options["as_json"])


def _lines(page: InterfacePage, *, is_whole: bool) -> Iterator[str]:
    it = page.interface
    yield f"{it.name} ({it.type})  {it.status.value}, {validated_words(it.validated)}"
    yield f"  file      {it.file}"
    yield f"  used by   {', '.join(page.used_by) or 'nobody'}"
    if page.reason is not None:
        yield f"  unlocked  {one_line(page.reason)}"
    yield from (f"  warning   {one_line(warning)}" for warning in it.warnings)
    if is_whole:
        yield ""
        yield plain(page.definition.rstrip())
