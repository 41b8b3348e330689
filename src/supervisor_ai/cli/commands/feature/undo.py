"""`supervisor feature restart|rollback`: a phase is taken back."""

from collections.abc import Iterator
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.run_details import say_who_continues
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.feature.commands.undo import UndoView, plan_undo
from supervisor_ai.drivers.feature.state import FeatureWish

_FEATURE = click.argument("feature", metavar="FEATURE")
_PHASE = click.argument("phase", metavar="PHASE")


class _Options(TypedDict):
    feature: str
    phase: str
    dry_run: bool
    yes: bool
    as_json: bool


@verb(example="supervisor feature restart P1T5 backend --dry-run")
@_FEATURE
@_PHASE
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def restart(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Take a phase back and build it again.

    PHASE is its id, or its name as the plan has it. The merges of its components, and of all that
    builds on them, are reverted, the newest first; each revert passes your gates like a merge. What
    the phase depends on stays as it is, and refs keep what was built.
    """
    return _undo(invocation, options, FeatureWish.RESTART)


@verb(example="supervisor feature rollback P1T5 backend --dry-run")
@_FEATURE
@_PHASE
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def rollback(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Take a phase back and leave it at that.

    As `supervisor feature restart`, but the feature is paused then: edit what is wrong around it,
    and `supervisor feature resume` builds the phase again.
    """
    return _undo(invocation, options, FeatureWish.ROLLBACK)


def _undo(invocation: Invocation, options: _Options, wish: FeatureWish) -> int:
    project = invocation.project()
    planned = plan_undo(project, options["feature"], wish, options["phase"])
    if options["dry_run"]:
        return _print(planned.view, as_json=options["as_json"])
    if not options["yes"]:
        if not can_ask():
            raise InvalidInput(
                f"{wish.value.capitalize()} needs your word, and there is no terminal to ask you.",
                hint="Look at it with --dry-run, then say --yes.",
            )
        say("\n".join(_lines(planned.view)))
        if not click.confirm("Proceed?", default=False, err=True):
            say("Nothing was changed.")
            return FAILED
    done = run_interruptibly(planned.send(project))
    following = f"feature run {options['feature']}"
    say_who_continues(invocation, project.records, done.run, following)
    return _print(done, as_json=options["as_json"])


def _print(view: UndoView, *, as_json: bool) -> int:
    if as_json:
        write_json({"undo": view})
    else:
        write("\n".join(_lines(view)))
    return DONE


def _lines(view: UndoView) -> Iterator[str]:
    if view.reopens is not None:
        goes_on = f"run {view.run} goes on" if view.applied else "another run would go on"
        yield f"Run {view.reopens} has ended; {goes_on} with its branch."
    verb_of = "is taken back" if view.applied else "would be taken back"
    yield f"{view.phase} {verb_of}:"
    for run in view.stops:
        yield f"  stop    run {run}"
    for it in view.reverts:
        yield f"  revert  {short(it.commit)}  {it.component} {one_line(it.title)}"
    yield f"  pending again: {', '.join(view.pending)}"
