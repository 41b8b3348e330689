"""`supervisor kanban`."""

from functools import partial
from typing import Final, Literal, Unpack, cast

import click

from supervisor_ai.cli.commands.kanban_pages import check, log, open_office, status
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_start import (
    StartOptions,
    agreed,
    attend,
    cli_option,
    for_team,
    overseer_option,
    session_option,
    start,
    start_options,
    wished,
)
from supervisor_ai.cli.streams import read_stdin
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.commands.run_start import PreparedRun, held_by, submit
from supervisor_ai.control.exit_codes import DONE, FAILED
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.commands.start import (
    KanbanRequest,
    Office,
    PreparedKanban,
    prepare_kanban_run,
    prepare_new_kanban,
)
from supervisor_ai.drivers.kanban.places import find_place, typed
from supervisor_ai.drivers.kanban.runs import unfinished_on
from supervisor_ai.drivers.kanban.settings import ManagerKind

_MANAGER = click.option(
    "--manager",
    type=click.Choice(sorted(kind.value for kind in ManagerKind)),
    help="Who reconciles: the built-in rules, which need no model, or an agent.",
)
_DIRECTORY = click.option(
    "--dir", "directory", metavar="DIR", help="The files are in this plain directory."
)
_OF_A_NEW_RUN: Final[
    tuple[
        Literal["manager", "cli", "session", "overseer", "base", "sandbox", "budget", "no_cache"],
        ...,
    ]
] = (
    "manager",
    "cli",
    "session",
    "overseer",
    "base",
    "sandbox",
    "budget",
    "no_cache",
)
_DEMO: Final = """\
# A greeter of one function is to say goodbye too. The Manager makes a plan of the request; the
# Architect, a scripted agent, explores and suggests what to do; the Implementer does it; the tests
# run, and the Manager says what is next.
new "Say goodbye too" --run --yes
# What was read, who was asked, and what came of it:
log tasks/0-kanban-say-goodbye-too.md
# How the kanban stands now, on the branch of the run:
status tasks/0-kanban-say-goodbye-too.md
"""
_FLAGS = {"overseer": "team"}
"""Options whose names differ from what is typed."""


class _Shared(StartOptions):
    manager: str | None
    session: str | None
    directory: str | None


class _NewOptions(_Shared):
    request: str
    folder: str | None
    works: bool


class _RunOptions(_Shared):
    file: str


@click.group(help="Work through a kanban, task by task")
def kanban() -> None:
    """Work through a kanban, task by task."""


for _command in (status, check, log):
    kanban.add_command(_command)


@verb(example='supervisor kanban new "Add a login page" --manager builtin', group=kanban)
@click.argument("request")
@_MANAGER
@cli_option
@session_option
@overseer_option
@_DIRECTORY
@click.option("--folder", metavar="FOLDER", help="The project's folder for the files.")
@click.option("--run", "works", is_flag=True, help="Work on it at once, on the same files.")
@start_options
@click.pass_obj
def new(invocation: Invocation, **options: Unpack[_NewOptions]) -> int:
    """Make a kanban of a request.

    The Manager writes the kanban file and its first task, on a branch of their own or into a plain
    directory. Nothing is worked on yet: `supervisor kanban run` does that, and the last line says
    how; with --run it is worked on at once, without a merge between. `-` reads the request from
    stdin.
    """
    if options["works"] and options["queue"]:
        raise InvalidInput("With --run somebody stays.", hint="Leave --queue out, or --run.")
    office = open_office(invocation)
    text = read_stdin() if options["request"] == "-" else options["request"]
    prepare = partial(
        prepare_new_kanban,
        office,
        text,
        _request(options),
        folder=options["folder"],
        directory=options["directory"],
    )
    place, prepared = with_trust(invocation, options, prepare)
    if not options["works"] or options["dry_run"]:
        return start(invocation, prepared, options)
    branch = _made(invocation, prepared, options)
    if isinstance(branch, int):
        return branch
    return _work(invocation, place, cast("_Shared", {**options, "base": branch}))


def _made(invocation: Invocation, prepared: PreparedRun, options: _Shared) -> str | int | None:
    """Let the Manager make a kanban; return the branch that has it, or the exit code of a run."""
    from supervisor_ai.cli.interrupts import run_interruptibly

    settled = agreed(for_team(invocation, prepared, options), options)
    if settled is None:
        return FAILED
    attendance = attend(invocation, options)
    made = run_interruptibly(submit(attendance.project, settled, queued=False))
    code, row = attendance.drive(made), attendance.project.records.find(made)
    if code is None and row.status is RunStatus.COMPLETED:
        return row.branch
    return attendance.report(made) if code is None else code


@verb(example="supervisor kanban run tasks/0-kanban-login.md --cli my_agent", group=kanban)
@click.argument("file")
@_MANAGER
@cli_option
@session_option
@overseer_option
@_DIRECTORY
@start_options
@click.pass_obj
def run(invocation: Invocation, **options: Unpack[_RunOptions]) -> int:
    """Work on a kanban until it is complete.

    One task after the other is given to an Architect or an Implementer, and after each of them the
    Manager says what is next. The files are read from the commit and live on the run's branch; with
    --dir they stay in a plain directory. They are checked before anything is started. A run on the
    same kanban that nobody drives is gone on with; while somebody does, another one is refused.
    """
    place = find_place(open_office(invocation).desk, options["file"], options["directory"])
    return _work(invocation, place, options)


def _work(invocation: Invocation, place: KanbanPlace, options: _Shared) -> int:
    office = open_office(invocation)
    unfinished = unfinished_on(office.records, place)
    if unfinished is not None and not options["dry_run"]:
        return _go_on(invocation, unfinished.row.id, options)
    prepare = partial(prepare_kanban_run, office, place, _request(options))
    found = with_trust(invocation, options, prepare)
    if found.prepared is None:
        return _say_complete(invocation, office, found, as_json=options["as_json"])
    if found.newer is not None:
        say(f"note: the last run has other files on its branch; to use them: --base {found.newer}")
    return start(invocation, found.prepared, options)


def _request(options: _Shared) -> KanbanRequest:
    return KanbanRequest(
        manager=options["manager"],
        session=options["session"],
        **wished(options),
    )


def _go_on(invocation: Invocation, unfinished: RunId, options: _Shared) -> int:
    """Go on with the run that works on the kanban, unless somebody drives it now."""
    from supervisor_ai.cli.interrupts import run_interruptibly

    attendance = attend(invocation, options)
    owner = attendance.project.records.queries.owner(unfinished)
    if owner is not None and owner.is_alive:
        raise held_by(attendance.project, unfinished)
    if options["queue"]:
        say(f"Run {unfinished} works on this kanban; it waits for whoever serves the project.")
        attendance.report(unfinished)
        return DONE
    say(f"Run {unfinished} works on this kanban and nobody drives it; it is gone on with.")
    given = [name for name in _OF_A_NEW_RUN if options[name]]
    ignored = [f"--{_FLAGS.get(name, name.replace('_', '-'))}" for name in given]
    if ignored:
        say(
            f"note: it goes on as it began, without {' and '.join(ignored)}; for a new run, first: "
            f"{invocation.command} cancel {unfinished}"
        )
    run_interruptibly(prepare_resume(attendance.project, unfinished))
    return attendance.attend(unfinished)


def _say_complete(
    invocation: Invocation, office: Office, found: PreparedKanban, *, as_json: bool
) -> int:
    if as_json:
        place = found.place
        told = {"file": place.file, "directory": place.directory, "is_complete": True}
        write_json({"run": None, "kanban": told})
        return DONE
    named = typed(office.desk, found.place)
    write(f"The kanban {one_line(found.place.file)} is complete; nothing was started.")
    say(f"See how it went: {invocation.command} kanban status {named}")
    return DONE


def show_kanban(*, verbose: bool, as_json: bool) -> int:
    """Work through a small kanban whose agent is scripted; everything else is real."""
    from supervisor_ai.bootstrap.projects import commit_demo
    from supervisor_ai.cli.foreground.demo_script import play
    from supervisor_ai.control.commands.demo_project import make_demo_project

    del verbose  # All that there is to see is shown.
    project = make_demo_project(commit_demo, "supervisor_ai.definitions.kanban", "builtin/demo")
    return play(project, kanban, _DEMO, as_json=as_json)
