"""`supervisor team`."""

from functools import partial
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, cast

import click
from msgspec import to_builtins

from supervisor_ai.cli.commands.sessions.words import absolute
from supervisor_ai.cli.commands.setup.trust import with_trust
from supervisor_ai.cli.commands.team_events import (
    ack,
    delete,
    handoff,
    inbox,
    reconcile,
    send,
    teardown,
)
from supervisor_ai.cli.commands.team_words import open_teams, team_argument, team_page
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    dry_run_option,
    json_option,
    queue_option,
    verbose_option,
    yes_option,
)
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.run_start import StartOptions, go_on_with, start, start_option
from supervisor_ai.cli.tables import fitted
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import InternalError, InvalidInput
from supervisor_ai.tools.text import duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from supervisor_ai.cli.commands.team_members import ReadyMember
    from supervisor_ai.drivers.team.staffing.complexity import WorkTraits

_DEMO: Final = """\
# You lead a team that is to extend a small Python project. The members are lines that are typed for
# you; the rules are real. The state is handed over: from now on supervisor alone writes it.
create stats --for "More averages" --todo "Add a median" --todo "Add a mode"
# A reviewer and two coders take part:
join stats rev --role unified-reviewer
join stats coder-1 --role coder
join stats coder-2 --role coder
# Both coders touch one file, and you are asked:
send stats "CLAIM: task 1. Files: [stats/averages.py]" --from coder-1
send stats "CLAIM: task 2. Files: [stats/averages.py]" --from coder-2
inbox stats
# You decide who goes on.
send stats ARBITRATION --task 1 --owner coder-1 --current
send stats "IN_REVIEW: task 1. Files: [stats/averages.py]" --from coder-1
# No task closes without its review, and nobody gives somebody else's:
send stats "DONE: task 1" --from coder-1
send stats "APPROVED: task 1" --from coder-2
# The reviewer was told, finds something, and agrees the second time:
inbox stats --from rev
send stats "MAJOR (90%): task 1. It fails without values. Scenario: median([])" --from rev
send stats "IN_REVIEW: task 1. Files: [stats/averages.py]" --from coder-1
send stats "APPROVED: task 1" --from rev
# Now it is done, and the other coder goes on by itself:
send stats "DONE: task 1" --from coder-1
status stats
# The team ends when all have acknowledged:
send stats TASK_CANCELLED --task 2 --current
teardown stats
send stats "SHUTDOWN_ACK:" --from rev
send stats "SHUTDOWN_ACK:" --from coder-1
send stats "SHUTDOWN_ACK:" --from coder-2
delete stats
# With agents of yours: supervisor team create NAME --member claude:coder-1 --member codex:rev
status stats
"""
_COMPLEXITIES = ("simple", "medium", "complex")


class _TeamOptions(TypedDict):
    team: str
    as_json: bool


class _CreateOptions(_TeamOptions):
    requirement: str | None
    complexity: str | None
    layers: int
    tasks: int
    files: int
    chain: int
    traits: tuple[str, ...]
    most_coders: int
    messages: tuple[str, ...]
    sla: tuple[str, ...]
    directory: str | None
    dry_run: bool
    members: tuple[str, ...]
    todo: tuple[str, ...]
    is_served: bool


class _JoinOptions(_TeamOptions):
    member: str
    role: str
    capabilities: str | None
    run: str | None
    agent: str | None


class _ServeOptions(_TeamOptions):
    base: str | None
    queue: bool
    dry_run: bool
    yes: bool
    verbose: bool


class _ReportOptions(_TeamOptions):
    since: str


@click.group(help="Watch over a team of agents: who works, who waits, who writes")
def team() -> None:
    """Watch over a team of agents: who works, who waits, who writes."""


_TRAITS = {
    "changes-behaviour": "changes_behaviour",
    "shared-behaviour": "changes_shared_behaviour",
    "near-sensitive": "is_near_sensitive_code",
    "sensitive": "is_sensitive_code",
}
_NO_EXAMPLE = "no-gold-standard"
for _command in (send, inbox, handoff, ack, reconcile, teardown, delete):
    team.add_command(_command)


@verb(example='supervisor team create auth --for "A login page" --files 6 --tasks 3', group=team)
@team_argument
@click.option("--for", "requirement", metavar="TEXT", help="What the team is for.")
@click.option(
    "--complexity",
    type=click.Choice(_COMPLEXITIES, case_sensitive=False),
    help="How heavy the work is; computed from the rest unless said.",
)
@click.option("--layers", type=click.IntRange(1, 100), default=1, help="How many it touches.")
@click.option("--tasks", type=click.IntRange(1, 10_000), default=1, help="How many there are.")
@click.option("--files", type=click.IntRange(1, 100_000), default=1, help="How many it touches.")
@click.option("--chain", type=click.IntRange(1, 1000), default=1, help="Tasks that wait in a row.")
@click.option(
    "--trait",
    "traits",
    multiple=True,
    type=click.Choice((*_TRAITS, _NO_EXAMPLE)),
    help="What else is known of the work.",
)
@click.option(
    "--max-coders",
    "most_coders",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="How many coders work at the same time.",
)
@click.option(
    "--message",
    "messages",
    multiple=True,
    metavar="NAME=TEXT",
    help="Its own words for a message: gentle_ping, progress_nudge, …",
)
@click.option(
    "--sla",
    multiple=True,
    metavar="WHO=PING/ESCALATE/REPLACE",
    help="Its own limits of silence: coder=10m/20m/30m, waiting_review=…, reviewer=…",
)
@click.option("--dir", "directory", metavar="DIR", help="Its folder, not .claude/teams/TEAM.")
@click.option(
    "--member",
    "members",
    multiple=True,
    metavar="AGENT:NAME[:ROLE]",
    help="An agent of yours that takes part: claude:coder-1, codex:rev:unified-reviewer.",
)
@click.option("--todo", "todo", multiple=True, metavar="TEXT", help="A task to begin with.")
@click.option("--serve", "is_served", is_flag=True, help="Stay as its resident supervisor.")
@dry_run_option
@json_option
@click.pass_obj
def create(invocation: Invocation, **options: Unpack[_CreateOptions]) -> int:
    """Make a team with its folder: state.md, DECISIONS.md, roster and approval matrix.

    How heavy the work is decides who has to agree to a task; say it, or let it be computed from
    what is known. The folder is .claude/teams/TEAM, which git ignores. Next, hand the state over to
    the supervisor; then reviewers join, then coders.

    With --member the state is handed over and acknowledged, and each agent (claude, codex or
    gemini) gets a checkout in .supervisor/teams/TEAM/NAME on the branch team/TEAM/NAME, with its
    tools, a skill and the command line that starts it. With --serve the supervisor stays, as
    `supervisor team serve` does.
    """
    from supervisor_ai.cli.commands.team_members import read_members, say_members, staff
    from supervisor_ai.domain.session.decisions import check_word
    from supervisor_ai.drivers.team.commands.create import WantedTeam, create_team
    from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity, complexity_of

    check_word("team", options["team"])
    members = read_members(options["members"])
    found = complexity_of(_traits(options))
    said = options["complexity"]
    complexity = found.complexity if said is None else TeamComplexity(said.upper())
    because = ", ".join(found.reasons) or "none of the triggers" if said is None else "as you say"
    say(f"The work of {options['team']} is {complexity.value} ({because}).")
    if options["dry_run"]:
        if options["as_json"]:
            write_json({"team": {"name": options["team"], "complexity": complexity.value}})
        return DONE
    teams, actor = open_teams(invocation)
    usual = f".claude/teams/{options['team']}"
    wanted = WantedTeam(
        name=options["team"],
        directory=str(absolute(invocation, options["directory"] or usual)),
        requirement=options["requirement"] or "",
        complexity=complexity,
        most_coders=options["most_coders"],
        messages=dict(_message(it) for it in options["messages"]),
        sla=options["sla"],
    )
    create_team(teams, wanted, actor)
    is_staffed = bool(members or options["todo"] or options["is_served"])
    ready = staff(invocation, wanted.name, members, options["todo"]) if is_staffed else []
    if not options["as_json"]:
        say_members(ready) if is_staffed else say(
            f"Next: {invocation.command} team handoff {wanted.name}"
        )
    shown = _show(invocation, wanted.name, as_json=options["as_json"], members=ready)
    if not options["is_served"]:
        return shown
    more = {"base": None, "queue": False, "yes": True, "verbose": False}
    return _serve(invocation, cast("_ServeOptions", {**options, **more}))


def _message(given: str) -> tuple[str, str]:
    name, mark, text = given.partition("=")
    if not mark:
        raise InvalidInput(
            f"{given[:80]!r} is no message.", hint='Example: --message "gentle_ping=How is #{id}?"'
        )
    return name.strip(), text.strip()


def _traits(options: _CreateOptions) -> "WorkTraits":
    from supervisor_ai.drivers.team.staffing.complexity import WorkTraits

    known = {name: flag in options["traits"] for flag, name in _TRAITS.items()}
    return WorkTraits(
        layers=options["layers"],
        tasks=options["tasks"],
        files=options["files"],
        longest_chain=options["chain"],
        has_gold_standard=_NO_EXAMPLE not in options["traits"],
        **known,
    )


@verb(example="supervisor team join auth coder-1 --role coder --can python", group=team)
@team_argument
@click.argument("member", metavar="MEMBER")
@click.option("--role", required=True, metavar="ROLE", help="coder, tech-lead, unified-reviewer, …")
@click.option("--can", "capabilities", metavar="A,B", help="What it is good at.")
@click.option("--run", metavar="RUN", help="The run whose worker it is; a teardown stops it.")
@click.option(
    "--agent",
    type=click.Choice(("claude", "codex", "gemini")),
    help="Give it a checkout and settings, as `team create --member` does.",
)
@json_option
@click.pass_obj
def join(invocation: Invocation, **options: Unpack[_JoinOptions]) -> int:
    """Let somebody take part; print the token, which is not shown again.

    The supervisor comes first, then reviewers, then coders. With the token an agent from outside
    speaks for itself: `supervisor mcp --help`. With --run it is a worker of our own: a teardown
    cancels the run, and the team is ready to be deleted only when the run is over. Where the
    command was killed before it had shown the token, the same command gives another.
    """
    from supervisor_ai.drivers.team.commands.join import (
        WantedMember,
        confirm_token,
        join_team,
    )
    from supervisor_ai.drivers.team.staffing.roles import TeamRole

    role = options["role"]
    if role not in set(TeamRole):
        raise InvalidInput(f"{role!r} is no role of a team.", hint=f"Roles: {', '.join(TeamRole)}.")
    if options["agent"] is not None:
        from supervisor_ai.cli.commands.team_members import NewMember, make_ready, say_members

        new = NewMember(agent=options["agent"], name=options["member"], role=TeamRole(role))
        ready = make_ready(invocation, options["team"], new)
        write_json({"member": ready}) if options["as_json"] else say_members((ready,))
        return DONE
    teams, actor = open_teams(invocation)
    words = (it.strip() for it in (options["capabilities"] or "").split(","))
    run = options["run"]
    wanted = WantedMember(
        name=options["member"],
        role=TeamRole(role),
        capabilities=tuple(filter(None, words)),
        run=None if run is None else invocation.require_records().find(run).id,
    )
    joined = join_team(teams, options["team"], wanted, actor)
    if options["as_json"]:
        is_shown = write_json({"team": options["team"], **to_builtins(joined)})
    else:
        is_shown = write(joined.token)
        say(f"{joined.member} takes part in {options['team']} as {role}.")
    if is_shown:
        confirm_token(teams, options["team"], joined, actor)
    return DONE


@verb(example="supervisor team status auth", group=team)
@team_argument
@json_option
@click.pass_obj
def status(invocation: Invocation, **options: Unpack[_TeamOptions]) -> int:
    """Show a team: who owns its state, who is there, what is done, what needs the Lead."""
    return _show(invocation, options["team"], as_json=options["as_json"])


def _show(
    invocation: Invocation, name: str, *, as_json: bool, members: "Sequence[ReadyMember]" = ()
) -> int:
    from supervisor_ai.drivers.team.queries.status import status_of

    teams, _ = open_teams(invocation)
    found = status_of(teams.state(name), teams.desk.text)
    if found is None:
        raise InternalError(f"Team {name!r} was never made.")
    shelf = teams.shelf(name)
    for problem in () if shelf is None else shelf.messages().problems:
        say(f"note: {one_line(problem)}")
    if as_json:
        write_json({"team": found, **({"members": members} if members else {})})
    else:
        write(team_page(found, found.folder, teams.desk.now()))
    return DONE


@verb(example="supervisor team list", name="list", group=team)
@json_option
@click.pass_obj
def list_teams(invocation: Invocation, *, as_json: bool) -> int:
    """List the teams of the project, the newest first."""
    from supervisor_ai.drivers.team.queries.status import status_of

    teams, _ = open_teams(invocation)
    states = (teams.view(name).refresh() for name in teams.names())
    shown = (status_of(state, teams.desk.text) for state in states)
    found = [it for it in shown if it is not None]
    if as_json:
        write_json({"teams": found})
    elif found:
        head = ("TEAM", "PHASE", "OWNER", "MEMBERS", "OPEN TASKS", "ALERTS")
        rows = [
            (
                *(it.name, it.phase, it.owner),
                *map(str, (it.counts.members, it.counts.open_tasks, it.counts.alerts)),
            )
            for it in found
        ]
        write("\n".join(fitted([head, *rows])))
    else:
        say(f"There is no team yet. Make one: {invocation.command} team create NAME")
    return DONE


@verb(example="supervisor team report auth --since 1h", group=team)
@team_argument
@click.option("--since", default="1h", show_default=True, metavar="TIME", help="How far back.")
@json_option
@click.pass_obj
def report(invocation: Invocation, **options: Unpack[_ReportOptions]) -> int:
    """Print what the Lead has to know: a SUPERVISOR_REPORT.

    It has the alerts and actions of the last hour, or of the time that you say, and what waits for
    a decision. No secret is in it.
    """
    from supervisor_ai.drivers.team.queries.reports import report_of
    from supervisor_ai.drivers.team.text.messages import without_secrets
    from supervisor_ai.drivers.team.text.report import render_report, report_json

    try:
        length = duration(options["since"])
    except ValueError as error:
        raise InvalidInput(f"--since {error}.", hint="Example: --since 2h") from error
    teams, _ = open_teams(invocation)
    state, now = teams.state(options["team"]), teams.desk.now()
    facts = (fact for _, fact in teams.facts(options["team"]))
    found = report_of(state, facts, now - length, now)
    if options["as_json"]:
        write_json({"report": report_json(found)})
    else:
        write(without_secrets(teams.desk.redactor.redact, render_report(found)).rstrip("\n"))
    return DONE


@verb(example="supervisor team serve auth", group=team)
@team_argument
@start_option
@queue_option
@dry_run_option
@yes_option
@verbose_option
@json_option
@click.pass_obj
def serve(invocation: Invocation, **options: Unpack[_ServeOptions]) -> int:
    """Be the resident supervisor of a team until it is deleted.

    It looks at the team each minute: acknowledges hand-offs, pings who is silent, asks the Lead,
    keeps state.md right and counts who has stopped. Ctrl-C leaves it as it is; the same command, or
    `supervisor serve`, goes on with it. A team has one supervisor. With --queue it is left to
    `supervisor serve`.
    """
    return _serve(invocation, options)


def _serve(invocation: Invocation, options: _ServeOptions) -> int:
    from supervisor_ai.drivers.team.commands.serve import prepare_watch, unfinished_watch

    teams, _ = open_teams(invocation)
    name = options["team"]
    staying = cast(
        "StartOptions",
        {**options, "wait": True, "no_cache": False, "cli": None, "sandbox": None, "budget": None},
    )
    teams.created(name)  # Refuses a team that does not exist.
    resident = unfinished_watch(invocation.require_records(), name)
    if resident is not None and not options["dry_run"]:
        return go_on_with(invocation, resident.id, staying, whose="this team's")
    prepare = partial(prepare_watch, invocation.preflight(), teams, name, options["base"])
    return start(invocation, with_trust(invocation, staying, prepare), staying)


def show_team(*, verbose: bool, as_json: bool) -> int:
    """Let a team work whose members are lines that are typed for you; the rules are real."""
    from supervisor_ai.bootstrap.projects import commit_demo
    from supervisor_ai.cli.foreground.demo_script import play
    from supervisor_ai.control.commands.demo_project import make_demo_project

    del verbose  # All that there is to see is shown.
    return play(make_demo_project(commit_demo), team, _DEMO, as_json=as_json)
