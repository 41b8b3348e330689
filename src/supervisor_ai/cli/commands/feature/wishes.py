"""`supervisor feature pause|resume|retry|skip|cancel`: a word to a feature that is being built."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import report_mutation, write, write_json
from supervisor_ai.cli.run_details import say_who_continues
from supervisor_ai.cli.summary import summarise
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_cancellation import cancel as stop
from supervisor_ai.control.exit_codes import DONE, WAITS
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.feature.commands.wishes import tell, unfinished
from supervisor_ai.drivers.feature.state import FeatureWish

_FEATURE = click.argument("feature", metavar="FEATURE")
_COMPONENT = click.argument("component", metavar="COMPONENT")


class _Options(TypedDict):
    feature: str
    as_json: bool


class _PartOptions(_Options):
    component: str


@verb(example="supervisor feature pause P1T5")
@_FEATURE
@json_option
@click.pass_obj
def pause(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Start and merge no more components of a feature.

    What is being built goes on; what is done waits for `supervisor feature resume`.
    """
    return _tell(invocation, options, FeatureWish.PAUSE)


@verb(example="supervisor feature resume P1T5")
@_FEATURE
@json_option
@click.pass_obj
def resume(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Let a paused feature go on."""
    return _tell(invocation, options, FeatureWish.RESUME)


@verb(example="supervisor feature retry P1T5 backend.auth_service")
@_FEATURE
@_COMPONENT
@json_option
@click.pass_obj
def retry(invocation: Invocation, **options: Unpack[_PartOptions]) -> int:
    """Build a failed component again.

    COMPONENT is its id, or its name as the plan has it. It begins where the feature's branch stands
    now, and is told what was wrong.
    """
    return _tell(invocation, options, FeatureWish.RETRY, options["component"])


@verb(example="supervisor feature skip P1T5 P1T5-PH1-C2")
@_FEATURE
@_COMPONENT
@json_option
@click.pass_obj
def skip(invocation: Invocation, **options: Unpack[_PartOptions]) -> int:
    """Do without a component that is pending or has failed.

    It counts as completed: what depends on it can begin.
    """
    return _tell(invocation, options, FeatureWish.SKIP, options["component"])


@verb(example="supervisor feature cancel P1T5")
@_FEATURE
@json_option
@click.pass_obj
def cancel(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Stop building a feature.

    The runs of its components are stopped, too. What is on the feature's branch stays there.
    """
    project = invocation.project()
    found = unfinished(project, options["feature"])
    run = run_interruptibly(stop(project, found.row.id))
    if options["as_json"]:
        write_json({"run": run})
    else:
        write(summarise(invocation, project, run))
    return DONE if run.status in ENDED else WAITS


def _tell(
    invocation: Invocation, options: _Options, wish: FeatureWish, component: str | None = None
) -> int:
    project = invocation.project()
    run, words = tell(project, options["feature"], wish, component)
    following = f"feature run {options['feature']}"
    say_who_continues(invocation, project.records, run.row.id, following)
    mutation = MutationView(
        target=run.row.id, applied=True, dry_run=False, detail=f"The run was told: {words}."
    )
    return report_mutation(mutation, as_json=options["as_json"])
