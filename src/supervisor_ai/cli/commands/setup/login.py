"""`supervisor login` and `supervisor logout`."""

import sys
from typing import Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.logins import describe, forget_login, keep_login
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.logins import GivenLogin, Logins, LoginView
from supervisor_ai.domain.errors import InvalidInput

_LARGEST: Final = 1 << 20


class _Options(TypedDict):
    cli: str | None
    from_cli: bool
    status: bool
    upstream: str | None
    token_url: str | None
    dry_run: bool
    as_json: bool


class _LogoutOptions(TypedDict):
    cli: str
    dry_run: bool
    as_json: bool


@verb(example="supervisor login claude")
@click.argument("cli", required=False)
@click.option("--from-cli", is_flag=True, help="Use the login in the CLI's own store.")
@click.option("--status", is_flag=True, help="Show which key or login each agent would use.")
@click.option("--upstream", metavar="URL", help="Send its requests here, not to the vendor.")
@click.option("--token-url", metavar="URL", help="Have it renewed here, not by the vendor.")
@dry_run_option
@json_option
@click.pass_obj
def login(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Let an agent work with your subscription.

    CLI is claude or codex. On a terminal the token is asked for and not shown; otherwise it is
    read from stdin. It is kept for you alone in your own directory. Workers never see it: they
    have a place-holder, and the broker puts the login on their requests.

    \b
      claude   the token that `claude setup-token` prints, or with --from-cli the login
               that Claude Code has
      codex    auth.json of `codex login`, or an access token; with --from-cli the file is
               used where it is, and renewed there by one process at a time

    A key or a token in the environment wins over a login that is kept.
    """  # noqa: D301 - \b keeps click from joining the lines
    logins, cli = invocation.logins(), options["cli"]
    if options["status"]:
        return _show(logins, cli, as_json=options["as_json"])
    if cli is None:
        raise InvalidInput(
            "Which agent is to be logged in was not said.",
            hint="Say it: supervisor login claude; see what there is: supervisor login --status",
        )
    how = logins.require_possible(cli)
    text = None if options["from_cli"] else _asked(cli, how)
    given = GivenLogin(
        cli=cli, text=text, upstream=options["upstream"], token_url=options["token_url"]
    )
    mutation = keep_login(logins, given, dry_run=options["dry_run"])
    _warn(logins.view(cli))
    return report_mutation(mutation, as_json=options["as_json"])


@verb(example="supervisor logout codex")
@click.argument("cli")
@dry_run_option
@json_option
@click.pass_obj
def logout(invocation: Invocation, **options: Unpack[_LogoutOptions]) -> int:
    """Forget a login that was kept.

    The CLI's own store stays as it is, and so does what the environment says.
    """
    mutation = forget_login(invocation.logins(), options["cli"], dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])


def _asked(cli: str, how: str) -> str:
    if can_ask():
        say(f"note: {how}.")
        said: str = click.prompt(f"The login of {cli}", hide_input=True, err=True)
        return said
    text = sys.stdin.read(_LARGEST + 1)
    if not text.strip():
        raise InvalidInput(
            f"A login of {cli!r} was expected on stdin, and nothing came.",
            hint=f"How to get one: {how}.",
        )
    if len(text) > _LARGEST:
        raise InvalidInput(f"What came on stdin is too long for a login of {cli!r}.")
    return text


def _show(logins: Logins, cli: str | None, *, as_json: bool) -> int:
    views = logins.views() if cli is None else (logins.view(cli),)
    if as_json:
        write_json({"logins": views})
        return DONE
    write("\n".join(columns([(it.cli, it.state.value, one_line(describe(it))) for it in views])))
    for view in views:
        _warn(view)
    return DONE


def _warn(view: LoginView) -> None:
    for warning in view.warnings:
        say(f"warning: {one_line(warning)}")
