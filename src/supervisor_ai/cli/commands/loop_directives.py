"""`supervisor directives`, and the options of whatever adds or drops directives."""

from collections.abc import Callable
from typing import TypedDict, TypeVar, Unpack

import click

from supervisor_ai.cli.commands.loop_pages import directive_table
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option
from supervisor_ai.cli.output import report_mutation, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.loop.commands.letters import DirectiveWish
from supervisor_ai.drivers.loop.commands.project_directives import (
    add_standing,
    drop_standing,
    standing_views,
)
from supervisor_ai.drivers.quality.directives import DirectivePriority, DirectiveType

F = TypeVar("F", bound=Callable[..., int])


class WishOptions(TypedDict):
    """What a person says about directives on the command line."""

    add: str | None
    drop: int | None
    kind: str
    priority: str
    why: str
    files: tuple[str, ...]
    dry_run: bool
    as_json: bool


def wish_options(command: F) -> F:
    """Let a verb add and drop directives."""
    for option in reversed(
        (
            click.option("--add", metavar="TEXT", help="Want this; the planner has to answer it."),
            click.option(
                "--drop", type=click.IntRange(1), metavar="N", help="Want directive N no more."
            ),
            click.option(
                "--type",
                "kind",
                type=click.Choice([it.value for it in DirectiveType]),
                default=DirectiveType.FUNCTIONAL.value,
                help="Before what is planned, or after it.",
            ),
            click.option(
                "--priority",
                type=click.Choice([it.value for it in DirectivePriority]),
                default=DirectivePriority.NORMAL.value,
                help="How urgent it is; critical comes before everything else.",
            ),
            click.option("--why", metavar="TEXT", default="", help="The reason, for the planner."),
            click.option(
                "--file", "files", metavar="PATH", multiple=True, help="A file that it is about."
            ),
        )
    ):
        command = option(command)
    return command


def asked_wish(options: WishOptions) -> DirectiveWish | None:
    """Return what a person wants done; None: nothing is added."""
    if options["add"] is None:
        return None
    if options["drop"] is not None:
        raise InvalidInput("A directive is added or dropped, not both at once.")
    return DirectiveWish(
        description=options["add"],
        type=DirectiveType(options["kind"]),
        priority=DirectivePriority(options["priority"]),
        rationale=options["why"],
        files=options["files"],
    )


@verb(example='supervisor directives --add "Use the new client everywhere" --type cleanup')
@wish_options
@dry_run_option
@json_option
@click.pass_obj
def directives(invocation: Invocation, **options: Unpack[WishOptions]) -> int:
    """List what is wanted in the whole project, add to it or drop from it.

    Quality supervisors that look beside other runs want things done, and so can you. Whoever plans
    in the next runs has to answer each. A loop has directives of its own: see
    `supervisor loop directives`.
    """
    drop, wish = options["drop"], asked_wish(options)
    if drop is None and wish is None:
        found = standing_views(invocation.require_records())
        if options["as_json"]:
            write_json({"pending_directives": found})
        else:
            write(directive_table(found))
        return DONE
    project = invocation.project()
    if wish is not None:
        mutation = add_standing(project, wish, dry_run=options["dry_run"])
    else:
        mutation = drop_standing(project, drop or 0, dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])
