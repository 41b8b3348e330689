"""`supervisor agents`.

What `supervisor agents install claude --dry-run --json` prints, by example:

    {"target": "/home/me/project", "applied": false, "dry_run": true,
     "detail": "3 files would be written for claude.",
     "changes": [{"path": ".mcp.json", "before": null, "after": "{…}"}],
     "offers": [{"why": "…", "text": "claude -p … --mcp-config .mcp.json …"}]}
"""

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.ports.agent_installation import (
    AgentWish,
    FileStanding,
    InstallationScope,
)
from supervisor_ai.domain.errors import Denied, SupervisorError
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.terminal import plain

if TYPE_CHECKING:
    from supervisor_ai.control.ports.agent_installation import Installation, InstallationPlan

_AGENTS = ("claude", "codex", "gemini")
_ROLES = [role.value for role in MemberRole if role is not MemberRole.SUPERVISOR]
_AGENT = click.argument("agent", type=click.Choice(_AGENTS), metavar="AGENT")
_SCOPE = click.option(
    "--user/--project",
    "is_user",
    default=False,
    help="For all your projects, or for this one, which is what happens unless said.",
)


class _Options(TypedDict):
    agent: str
    is_user: bool
    yes: bool
    dry_run: bool
    as_json: bool


class _InstallOptions(_Options):
    session: str | None
    role: str
    member: str | None


@click.group(help="Let an agent of yours coordinate a session")
def agents() -> None:
    """Let an agent of yours coordinate a session."""


@verb(example="supervisor agents install claude --session sprint-1", group=agents)
@_AGENT
@click.option("--session", metavar="SESSION", help="Which one; by default the only open one.")
@click.option(
    "--role",
    type=click.Choice(_ROLES),
    default=MemberRole.COORDINATOR.value,
    show_default=True,
    help="What the agent is there for.",
)
@click.option("--member", metavar="NAME", help="The member's name; by default that of its role.")
@_SCOPE
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def install(invocation: Invocation, **options: Unpack[_InstallOptions]) -> int:
    """Tell Claude Code, Codex or Gemini CLI of yours about a session.

    AGENT is claude, codex or gemini. Writes what that agent reads: the entry of our tools in its
    list of servers, a skill that says how to ask the supervisor and what to do when it blocks, and
    an agent that carries requests to it. Shows every line first and asks. What else is in
    the files stays; `supervisor agents uninstall` puts back exactly what was there.
    """
    from supervisor_ai.control.sessions.agent_installation import check_wish

    wish = AgentWish(
        agent=options["agent"],
        scope=_scope(options),
        role=MemberRole(options["role"]),
        session=options["session"],
        member=options["member"],
        team_role=_team_role(invocation, options),
    )
    plan = invocation.agent_installer().plan_install(check_wish(wish))
    _note_extra()
    return _finish(plan, options)


@verb(example="supervisor agents uninstall claude", group=agents)
@_AGENT
@_SCOPE
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def uninstall(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Put an agent's files back as they were.

    Where you have changed one of ours since, nothing is touched, and you are told what to do. Other
    entries that were added to a file since stay there.
    """
    plan = invocation.agent_installer().plan_uninstall(options["agent"], _scope(options))
    return _finish(plan, options)


@verb(example="supervisor agents list", name="list", group=agents)
@json_option
@click.pass_obj
def list_agents(invocation: Invocation, *, as_json: bool) -> int:
    """List which agents were told, where, and whether the files are still so."""
    found = invocation.agent_installer().list()
    if as_json:
        write_json({"agents": found})
    elif not found:
        say("No agent was told of us yet. Begin: supervisor agents install claude")
    else:
        rows = [("AGENT", "FOR", "ROLE", "SESSION", "FILES", "DIRECTORY")]
        write("\n".join(columns([*rows, *map(_row, found)])))
    return DONE


def _team_role(invocation: Invocation, options: _InstallOptions) -> str | None:
    """Say what the member is in the team of the session's name; None: there is no such team."""
    session = options["session"]
    if session is None or options["is_user"] or invocation.records() is None:
        return None
    from supervisor_ai.cli.commands.team_words import open_teams

    state = open_teams(invocation)[0].view(session).refresh()
    if state.created is not None and options["role"] == MemberRole.COORDINATOR.value:
        return "lead"
    found = state.member(options["member"] or "")
    return None if found is None else found.role.value


def _row(it: "Installation") -> tuple[str, ...]:
    bad = [file for file in it.files if file.standing is not FileStanding.AS_WRITTEN]
    told = ", ".join(f"{file.path} {file.standing.value}" for file in bad) or "as written"
    session = it.session or "the open one"
    return (it.agent, it.scope.value, it.role.value, session, told, plain(it.directory))


def _scope(options: _Options) -> InstallationScope:
    return InstallationScope.USER if options["is_user"] else InstallationScope.PROJECT


def _note_extra() -> None:
    from supervisor_ai.cli.mcp_extra import require_sdk

    try:
        require_sdk()
    except SupervisorError as error:
        say(f"note: {error.message} {error.hint}")


def _finish(plan: "InstallationPlan", options: _Options) -> int:
    from supervisor_ai.control.sessions.agent_installation import carry_out, describe_change

    lines = [plain(line) for change in plan.changes for line in describe_change(change)]
    if options["dry_run"] and not options["as_json"]:
        write("\n".join(lines))
    elif lines and not options["as_json"]:
        say("\n".join(lines))
    if lines and not (options["yes"] or options["dry_run"]):
        _require_agreement(plan)
    mutation = carry_out(plan, dry_run=options["dry_run"])
    if options["as_json"]:
        write_json(
            {
                "target": mutation.target,
                "applied": mutation.applied,
                "dry_run": mutation.dry_run,
                "detail": mutation.detail,
                "changes": plan.changes,
                "offers": plan.offers,
            }
        )
        return DONE
    report_mutation(mutation, as_json=False)
    for offer in plan.offers:
        say(f"\n{offer.why}\n\n{_indented(offer.text)}")
    if plan.start:
        say(f"\nTo start it, so that it works by itself:\n\n{_indented(plan.start)}")
    return DONE


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


def _require_agreement(plan: "InstallationPlan") -> None:
    if not can_ask():
        raise Denied(
            f"Somebody must agree to what is changed in {plan.directory!r}.",
            hint="Look at it with --dry-run, and if you agree, say --yes.",
        )
    if not click.confirm(
        f"Change these files in {plain(plan.directory)}?", default=False, err=True
    ):
        raise Denied("You did not agree; nothing was changed.")
