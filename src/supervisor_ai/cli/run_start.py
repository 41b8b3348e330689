"""Starting a run from the command line: previewed, agreed to, submitted and driven."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Final, NotRequired, Protocol, TypedDict

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.mcp_extra import require_sdk
from supervisor_ai.cli.options import (
    F,
    dry_run_option,
    fresh_option,
    json_option,
    queue_option,
    verbose_option,
    wait_option,
    yes_option,
)
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.settings import AUTO, BACKENDS, NO_SANDBOX
from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
    from supervisor_ai.control.commands.run_start import PreparedRun
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.domain.ids import RunId
    from supervisor_ai.domain.issues import IssueLink


class Submit(Protocol):
    """Writes a run's first fact."""

    def __call__(
        self, project: "OpenProject", prepared: "PreparedRun", *, queued: bool
    ) -> "Coroutine[object, object, RunId]":
        """Write it, and name the run."""
        ...


cli_option = click.option("-c", "--cli", metavar="NAME", help="Use this agent for every role.")
start_option = click.option(
    "-b", "--base", metavar="REF", help="Start from this commit, not the checkout's."
)
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice([AUTO, *BACKENDS, NO_SANDBOX]),
    help="Where workers and gates run, whatever the configuration says.",
)
budget_option = click.option(
    "--budget",
    metavar="AMOUNT",
    help='Spend at most this: 5usd, or "5usd, 200k tokens, 2h, 10 attempts".',
)

session_option = click.option(
    "--session",
    metavar="SESSION",
    callback=lambda _context, _option, name: checked_session(name),
    help="Let the workers be members of this session.",
)
overseer_option = click.option(
    "--team",
    "overseer",
    metavar="TEAM",
    help="Let the workers be members of this team, which watches over them.",
)
issue_option = click.option(
    "--issue",
    metavar="NUMBER|URL|TRACKER:ID",
    help="Take the task from this issue; a task besides says what else is wanted.",
)
optional_task_argument = click.argument("task", metavar="[TASK]", required=False)
_OF_EVERY_START: Final = (
    *(start_option, sandbox_option, budget_option, fresh_option, queue_option),
    *(wait_option, dry_run_option, yes_option, verbose_option, json_option),
)


def start_options(function: F) -> F:
    """Let a verb that starts a run be told what all of them can be told."""
    for option in reversed(_OF_EVERY_START):
        function = option(function)
    return function


def checked_session(name: str | None) -> str | None:
    """Refuse a session where its tools could not be served to workers."""
    if name is not None:
        require_sdk()
    return name


class StartOptions(TypedDict):
    """What every verb that starts a run can be told."""

    cli: str | None
    base: str | None
    sandbox: str | None
    budget: str | None
    no_cache: bool
    queue: bool
    wait: bool
    dry_run: bool
    yes: bool
    verbose: bool
    as_json: bool
    tui: NotRequired[bool]
    overseer: NotRequired[str | None]


class Wished(TypedDict):
    """What was wished of any run, in the words of a request."""

    cli: str | None
    base: str | None
    sandbox: str | None
    budget: str | None
    is_fresh: bool


def wished(options: StartOptions) -> Wished:
    """Say what was wished of a run, whatever drives it."""
    return {
        "cli": options["cli"],
        "base": options["base"],
        "sandbox": options["sandbox"],
        "budget": options["budget"],
        "is_fresh": options["no_cache"],
    }


def read_task(
    preflight: "Preflight", task: str | None, issue: str | None
) -> "tuple[str, IssueLink | None]":
    """Return the task, and the issue that it was taken from if there is one."""
    if issue is None:
        if task is None:
            raise InvalidInput("The task is missing.", hint="Say what is wanted, or --issue 123.")
        return task, None
    import asyncio

    from supervisor_ai.control.commands.run_start import take_issue

    return asyncio.run(take_issue(preflight, issue, task or ""))


def start(
    invocation: Invocation,
    prepared: "PreparedRun",
    options: StartOptions,
    submit: "Submit | None" = None,
) -> int:
    """Start a run, unless it is only to be shown or a person does not agree.

    `submit` is who writes its first fact, where more than that has to be kept.
    """
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.run_start import require_startable
    from supervisor_ai.control.commands.run_start import submit as submit_alone

    prepared = for_team(invocation, prepared, options)
    if options["dry_run"]:
        return show_prepared(prepared, as_json=options["as_json"])
    settled = agreed(prepared, options)
    if settled is None:
        return FAILED
    if options.get("tui"):
        from supervisor_ai.cli.foreground.terminal_session import start_on_screen

        return start_on_screen(invocation, settled)
    if invocation.records() is None:
        machine = invocation.machine()
        run_interruptibly(require_startable(settled, machine.sandboxes, machine.logins))
    attendance = attend(invocation, options)
    write_first = submit or submit_alone
    submission = write_first(attendance.project, settled, queued=options["queue"])
    return attendance.begin(submission, queued=options["queue"])


def agreed(prepared: "PreparedRun", options: StartOptions) -> "PreparedRun | None":
    """Tell what a person should know and ask for a yes; None: there was none."""
    from supervisor_ai.control.commands.run_start import unattended

    warn(prepared)
    is_shown = prepared.definition.git.dry_run_preview and not options["yes"]
    if is_shown and can_ask() and not _agrees(prepared):
        say("Nothing was started.")
        return None
    return unattended(prepared) if options["yes"] or not can_ask() else prepared


def for_team(
    invocation: Invocation, prepared: "PreparedRun", options: StartOptions
) -> "PreparedRun":
    """Let a team watch over the workers of a run, where one is named; refuse what never could."""
    name = options.get("overseer")
    if name is None:
        return prepared
    from supervisor_ai.control.commands.run_start import overseen
    from supervisor_ai.domain.ids import StreamId

    return overseen(invocation.project(), prepared, StreamId(f"team:{name}"))


def attend(invocation: Invocation, options: StartOptions) -> "ForegroundRun":
    """Stay with runs as the options say."""
    from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
    from supervisor_ai.cli.foreground.progress import make_progress

    progress = make_progress(verbose=options["verbose"])
    return ForegroundRun(
        invocation=invocation,
        project=invocation.project(progress, is_driven=not options["queue"]),
        progress=progress,
        as_json=options["as_json"],
        wait=options["wait"],
    )


def go_on_with(invocation: Invocation, run: "RunId", options: StartOptions, *, whose: str) -> int:
    """Go on with a run that stays, unless somebody drives it now."""
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.run_execution import prepare_resume
    from supervisor_ai.control.commands.run_start import held_by

    attendance = attend(invocation, options)
    owner = attendance.project.records.queries.owner(run)
    if owner is not None and owner.is_alive:
        raise held_by(attendance.project, run)
    say(f"Run {run} is {whose} supervisor and nobody drives it; it is gone on with.")
    if options["queue"]:
        attendance.report(run)
        return DONE
    run_interruptibly(prepare_resume(attendance.project, run))
    return attendance.attend(run)


def show_prepared(prepared: "PreparedRun", *, as_json: bool) -> int:
    """Show what a run would be, and start nothing."""
    from supervisor_ai.cli.run_preview import preview
    from supervisor_ai.control.run_views import MutationView

    if as_json:
        detail = preview(prepared)
        write_json(MutationView(target=prepared.branch, applied=False, dry_run=True, detail=detail))
    else:
        write(preview(prepared))
        warn(prepared)
    return DONE


def warn(prepared: "PreparedRun") -> None:
    """Tell what a person should know before a run begins."""
    from supervisor_ai.control.commands.run_start import unpriced

    if prepared.sandbox == NO_SANDBOX:
        say("warning: workers and gates run without a sandbox and can do whatever you can.")
    for agent in unpriced(prepared.definition):
        say(f"warning: nobody knows what {agent!r} costs, so no budget of money holds for it.")
        say("hint: Give its model a row under `prices` in your own config, or limit tokens.")
    for caution in prepared.cautions:
        say(f"note: {one_line(caution)}")
    if prepared.is_dirty:
        say("note: your checkout has changes that no commit holds; the run does not see them.")


def _agrees(prepared: "PreparedRun") -> bool:
    from supervisor_ai.cli.run_preview import preview

    say(preview(prepared))
    return click.confirm("Proceed?", default=True, err=True)
