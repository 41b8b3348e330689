"""`supervisor mcp`."""

import socket
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.failures import keep_traceback
from supervisor_ai.cli.interrupts import Interrupted, run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.mcp_extra import require_sdk
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import say, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.cli.version import VERSION
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.session.members import MemberRole

if TYPE_CHECKING:
    from supervisor_ai.control.sessions.desk import Caller
    from supervisor_ai.mcp.service import ServedSession


class _Options(TypedDict):
    session: str | None
    role: str | None
    member: str | None
    http: bool
    port: int | None
    door: int | None
    as_json: bool


@verb(
    example="supervisor mcp --session sprint-1 --role coordinator\n"
    "  supervisor mcp --session sprint-1 --http --port 7777"
)
@click.option(
    "--session", metavar="SESSION", help="The session to serve; by default the only open one."
)
@click.option(
    "--role",
    type=click.Choice([role.value for role in MemberRole]),
    help="Whose tools are served on stdio.",
)
@click.option("--member", metavar="NAME", help="The member's name; by default that of its role.")
@click.option("--http", is_flag=True, help="Serve every member that has a token, on 127.0.0.1.")
@click.option("--port", type=click.IntRange(1, 65_535), help="With --http: listen there.")
@click.option(
    "--door", type=click.IntRange(3), hidden=True, help="Serve one worker on this socket."
)
@json_option
@click.pass_obj
def mcp(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Serve the tools of a session to agents.

    An agent that has this command in its own configuration, as a server of the Model Context
    Protocol, is a member of the session, in the role that the command line says: it speaks on
    the message bus and moves tasks, as `supervisor msg` and `supervisor session` do. With
    --http agents connect to an address of this machine and prove who they are with a token of
    `supervisor session token`. What a member may do is a closed list for each role; what only
    people decide is on none of them. Needs `supervisor-ai[mcp]`.
    """
    require_sdk()
    _check(options)
    from supervisor_ai.mcp.service import open_service

    service = open_service(invocation.project(), options["session"], VERSION, keep_traceback)
    try:
        _serve(service, options)
    except Interrupted:
        say("Stopped.")
    return DONE


def _check(options: _Options) -> None:
    if options["http"] == (options["role"] is not None) and options["door"] is None:
        found = "both" if options["http"] else "neither"
        raise InvalidInput(
            f"Either --role or --http says whose tools are served; there is {found}.",
            hint="Example: supervisor mcp --session sprint-1 --role coordinator",
        )
    if options["port"] is not None and not options["http"]:
        raise InvalidInput("--port is for --http.")
    if options["member"] is not None and options["http"]:
        raise InvalidInput("With --http the token says who speaks.", hint="Leave --member out.")


def _serve(service: "ServedSession", options: _Options) -> None:
    from supervisor_ai.mcp import service as served

    if options["door"] is not None:
        listener = socket.socket(fileno=options["door"])
        run_interruptibly(served.serve_worker(service, listener, options["member"] or ""))
    elif options["http"]:
        listener = served.open_listener(options["port"] or 0)
        _tell(service, served.address(listener), as_json=options["as_json"])
        run_interruptibly(served.serve_members(service, listener))
    else:
        run_interruptibly(served.serve_member(service, _caller(options)))


def _tell(service: "ServedSession", address: str, *, as_json: bool) -> None:
    if as_json:
        write_json({"session": service.session, "address": address})
    say(f"Serving session {service.session} at {address}. Ctrl-C stops.")
    say(f"A member needs a token: supervisor session token {service.session} --role ROLE")


def _caller(options: _Options) -> "Caller":
    from supervisor_ai.control.sessions.members import caller_of
    from supervisor_ai.domain.session.decisions import check_member
    from supervisor_ai.domain.session.members import Member
    from supervisor_ai.mcp.service import VIA

    role = MemberRole(options["role"] or "")
    name = check_member(options["member"] or role.value, role)
    return caller_of(Member(name=name, role=role), via=VIA)
