"""`supervisor checkpoint`."""

from functools import partial
from pathlib import Path
from typing import Final, TextIO, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.commands.checkpoint_pages import checkpoint_page, checkpoint_table
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    queue_option,
    verbose_option,
    yes_option,
)
from supervisor_ai.cli.output import report_mutation, write, write_json
from supervisor_ai.cli.run_details import say_who_continues
from supervisor_ai.cli.run_start import (
    StartOptions,
    budget_option,
    cli_option,
    go_on_with,
    sandbox_option,
    start,
    start_option,
)
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, FAILED, WAITS
from supervisor_ai.control.sessions.desk import SessionDesk, open_desk, require_session
from supervisor_ai.control.sessions.members import user_as_coordinator
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.commands.attendance import serving
from supervisor_ai.drivers.checkpoint.commands.files import check_files
from supervisor_ai.drivers.checkpoint.commands.override import Override, override_block
from supervisor_ai.drivers.checkpoint.commands.requests import (
    CheckpointWish,
    await_reply,
    request_checkpoint,
)
from supervisor_ai.drivers.checkpoint.commands.start import (
    SupervisorRequest,
    open_for_supervision,
    prepare_supervisor,
    prompted,
)
from supervisor_ai.drivers.checkpoint.protocol.prompt import LONGEST_PROMPT
from supervisor_ai.drivers.checkpoint.queries.checkpoints import (
    CheckpointView,
    list_checkpoints,
    show_checkpoint,
)
from supervisor_ai.drivers.checkpoint.queries.runs import unfinished_for
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict

_LONGEST: Final = 1 << 20
_SESSION = click.argument("session", metavar="SESSION")
_TASK = click.argument("task", metavar="CHECKPOINT")


class _ServeOptions(TypedDict):
    session: str | None
    prompt: TextIO | None
    recovery: bool
    alone: bool
    cli: str | None
    base: str | None
    sandbox: str | None
    budget: str | None
    queue: bool
    dry_run: bool
    yes: bool
    verbose: bool
    as_json: bool


class _ListOptions(TypedDict):
    session: str
    as_json: bool


class _ShowOptions(_ListOptions):
    task: str


class _RunOptions(TypedDict):
    task: str
    files: tuple[str, ...]
    as_json: bool


class _RequestOptions(_ShowOptions):
    scope: str
    progress: str | None
    wait: bool


class _OverrideOptions(_ShowOptions):
    reason: str | None
    claimed: str | None
    dry_run: bool


@click.group(help="Watch over a session, checkpoint by checkpoint")
def checkpoint() -> None:
    """Watch over a session, checkpoint by checkpoint."""


@verb(example="supervisor checkpoint serve S1", group=checkpoint)
@click.argument("session", metavar="[SESSION]", required=False)
@click.option(
    "--prompt",
    type=click.File(encoding="utf-8", errors="replace"),
    metavar="FILE",
    help="Take session, role spec and recovery from a coordinator's prompt; - is stdin.",
)
@click.option("--recovery", is_flag=True, help="Take up what an earlier supervisor knew.")
@click.option("--no-judge", "alone", is_flag=True, help="Ask no worker; note what is not decided.")
@cli_option
@start_option
@sandbox_option
@budget_option
@queue_option
@dry_run_option
@yes_option
@verbose_option
@json_option
@click.pass_obj
def serve(invocation: Invocation, **options: Unpack[_ServeOptions]) -> int:
    """Be the resident supervisor of a session until stopped.

    It tells the coordinator that it waits, answers every checkpoint request with a report, and ends
    when the coordinator asks for it. Ctrl-C leaves it as it is; the same command, or `supervisor
    serve`, goes on with it. A session has one supervisor, and one process serves it: a second one
    is refused (exit code 4), and told who does. With --queue it is left to `supervisor serve`.
    A prompt has the fields role, role_spec, session, session_id, team_name and requirement, one on
    a line, and recovery if need be; one that is missing is an error.
    """
    project = invocation.project()
    desk = open_desk(project)
    wish = _wish(desk, options)
    session = open_for_supervision(desk, wish.session)
    if options["queue"] or options["dry_run"]:
        return _serve(invocation, session, wish, options)
    with serving(project, session):
        return _serve(invocation, session, wish, options)


def _wish(desk: SessionDesk, options: _ServeOptions) -> SupervisorRequest:
    """Say which supervisor is wanted: by the name of its session, or by a prompt."""
    named, prompt = options["session"], options["prompt"]
    if prompt is None:
        if named is None:
            raise InvalidInput("The session is missing.", hint="Name it, or say --prompt FILE.")
        return SupervisorRequest(session=named, recovery=options["recovery"])
    wish = prompted(desk, prompt.read(LONGEST_PROMPT + 1))
    if named not in {None, wish.session}:
        raise InvalidInput(f"The prompt is about session {wish.session!r}, not {named!r}.")
    return replace(wish, recovery=wish.recovery or options["recovery"])


def _serve(
    invocation: Invocation, session: SessionId, wish: SupervisorRequest, options: _ServeOptions
) -> int:
    """Begin a supervisor, or go on with the one that the session has."""
    project = invocation.project()
    unfinished = unfinished_for(project.records, session)
    staying = cast("StartOptions", {**options, "wait": True, "no_cache": False})
    if unfinished is not None and not options["dry_run"]:
        return go_on_with(invocation, unfinished.id, staying, whose="this session's")
    request = replace(
        wish,
        base=options["base"],
        cli=options["cli"],
        sandbox=options["sandbox"],
        budget=options["budget"],
        is_alone=options["alone"],
    )
    prepare = partial(prepare_supervisor, invocation.preflight(), open_desk(project), request)
    return start(invocation, with_trust(invocation, staying, prepare), staying)


@verb(
    example="supervisor checkpoint request S1 CHECKPOINT-001 --scope DRAFT-001,DRAFT-002 --wait",
    group=checkpoint,
)
@_SESSION
@_TASK
@click.option("--scope", required=True, metavar="TASKS", help="What it is about: A-1,B-2.")
@click.option("--progress", metavar="M/N", help="How many tasks of the pipeline are completed.")
@click.option("--wait", is_flag=True, help="Stay until the supervisor has answered.")
@json_option
@click.pass_obj
def request(invocation: Invocation, **options: Unpack[_RequestOptions]) -> int:
    """Ask the supervisor of a session for a checkpoint.

    You speak as the session's coordinator. The exit code is 0 where it passes or warns, and 5 where
    it blocks, or has not answered yet.
    """
    project = invocation.project()
    desk = open_desk(project)
    session, caller = require_session(desk, options["session"]), user_as_coordinator(project.actor)
    wish = CheckpointWish(
        task=options["task"],
        scope=tuple(part.strip() for part in options["scope"].split(",")),
        progress=options["progress"],
    )
    message = request_checkpoint(desk, session, caller, wish)
    if options["wait"]:
        run_interruptibly(await_reply(project, session, caller, message))
    view = replace(show_checkpoint(desk, session, options["task"]), message=message)
    if not options["wait"]:
        # What an earlier report says is no answer to this request.
        view = CheckpointView(task_id=view.task_id, status=view.status, message=message)
    _print(view, as_json=options["as_json"])
    return _exit_code(view)


@verb(example="supervisor checkpoint run CHECKPOINT-003 --files plan.md", group=checkpoint)
@_TASK
@click.option(
    "--files", required=True, multiple=True, metavar="PATHS", help="What is looked at: a.md,b.md."
)
@json_option
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_RunOptions]) -> int:
    """Make a checkpoint of files, without a session.

    It says what the text of the files decides: nobody is asked, and nothing is recorded. Which
    checkpoints there are, and what they check, is as for a session. A file that is missing blocks.
    The exit code is 0 where it passes or warns, and 1 where it blocks.
    """
    paths = (it.strip() for part in options["files"] for it in part.split(","))
    files = {path: _text(invocation.directory / path) for path in filter(None, paths)}
    view = check_files(invocation.preflight(), options["task"], files)
    _print(view, as_json=options["as_json"])
    return FAILED if view.verdict is CheckpointVerdict.BLOCK else DONE


def _text(path: Path) -> str | None:
    """Read as much of a file as checks read, and a bit more; None: there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LONGEST)
    except OSError:
        return None


@verb(example="supervisor checkpoint list S1", group=checkpoint, name="list")
@_SESSION
@json_option
@click.pass_obj
def list_(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the checkpoints of a session with their verdicts."""
    desk = open_desk(invocation.project())
    found = list_checkpoints(desk, require_session(desk, options["session"]))
    if options["as_json"]:
        write_json({"checkpoints": found})
    else:
        write(checkpoint_table(found))
    return DONE


@verb(example="supervisor checkpoint show S1 CHECKPOINT-001", group=checkpoint)
@_SESSION
@_TASK
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show one checkpoint with its report."""
    desk = open_desk(invocation.project())
    view = show_checkpoint(desk, require_session(desk, options["session"]), options["task"])
    _print(view, as_json=options["as_json"])
    return DONE


@verb(
    example='supervisor checkpoint override S1 CHECKPOINT-001 --reason "Agreed with the customer"',
    group=checkpoint,
)
@_SESSION
@_TASK
@click.option("--reason", metavar="TEXT", help="Why the pipeline may go on; it is written down.")
@click.option("--as", "claimed", metavar="NAME", help="Who decides; refused unless proven.")
@dry_run_option
@json_option
@click.pass_obj
def override(invocation: Invocation, **options: Unpack[_OverrideOptions]) -> int:
    """Let a pipeline go on although a checkpoint blocks it.

    This is the yes to what the blocked checkpoint asks: it is recorded with your reason and who you
    are, in the ledger and in the session's wisdom. `supervisor reject RUN --reason …` has upstream
    work revised instead, `supervisor cancel RUN` ends the supervisor. Somebody at another machine
    signs, as `supervisor approve --help` says.
    """
    wish = Override(
        session=options["session"],
        task=options["task"],
        reason=options["reason"],
        claimed=options["claimed"],
    )
    project = invocation.project()
    mutation = override_block(project, wish, dry_run=options["dry_run"])
    if not options["dry_run"]:
        say_who_continues(invocation, project.records, RunId(mutation.target))
    return report_mutation(mutation, as_json=options["as_json"])


def _print(view: CheckpointView, *, as_json: bool) -> None:
    if as_json:
        write_json({"checkpoint": view})
    else:
        write(checkpoint_page(view))


def _exit_code(view: CheckpointView) -> int:
    return WAITS if view.verdict is None or view.is_blocked else DONE
