"""Whether an agent could be started now: its program, its variables, its key or login."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from supervisor_ai.control.ports.logins import AgentCheck, LoginState
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.tools.json_value import parse_object, text
from supervisor_ai.tools.programs import find_program
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.environment import names_in
from supervisor_ai.workers.launch.login_form import BadLogin
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.logins.choice import LOGIN, AccessChoice
from supervisor_ai.workers.logins.views import view_access
from supervisor_ai.workers.registry import AGENTS

_STANDARD: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where a sandbox looks besides the user's PATH."""
_PACKAGE: Final = "package.json"
_ABOVE: Final = 3
_LARGEST: Final = 1 << 20


class Lacking(Exception):
    """What an agent lacks, and what to do about it."""

    def __init__(self, problem: str, hint: str | None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


async def check_agent(choice: AccessChoice, cli: Cli, *, has_host_programs: bool) -> AgentCheck:
    """Look at everything that an agent needs, and stop at the first thing that is not there."""
    profile = find_agent(cli.adapter).profile if cli.adapter in AGENTS else None
    found: list[str] = []
    try:
        found += _programs(choice, cli, profile) if has_host_programs else ()
        _require_variables(choice, cli)
        if profile is not None and cli.broker is None:
            found.append(await _access(choice, profile))
        elif cli.adapter == "api":
            _require_a_model(choice.environment, cli)
    except Lacking as lacking:
        return AgentCheck(
            cli=cli.name, detail=", ".join(found), problem=lacking.problem, hint=lacking.hint
        )
    return AgentCheck(cli=cli.name, detail=", ".join(found) or "needs nothing of yours")


def _programs(choice: AccessChoice, cli: Cli, profile: LaunchProfile | None) -> Iterator[str]:
    """Find the program; one by a relative path comes from the base commit, and is not ours."""
    first = cli.command[0] if cli.command else profile and profile.program
    if not first or ("/" in first and not first.startswith("/")):
        return
    path = find_program(first, f"{choice.environment.get('PATH', '')}:{_STANDARD}")
    if path is None:
        raise Lacking(
            f"its program {first!r} was not found"
            + ("" if first.startswith("/") else " on your PATH"),
            f"Install it, or choose another agent with --cli: {first} --version has to work.",
        )
    version = version_of(Path(path))
    yield f"{path}{f' ({version})' if version else ''}"


def version_of(program: Path) -> str | None:
    """Read which version a program is, as far as its files say so: it is not started for that."""
    try:
        real = program.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    if real.parent.name == "versions":
        return real.name
    for place in list(real.parents)[:_ABOVE]:
        package = place / _PACKAGE
        try:
            with package.open("rb") as file:
                found = parse_object(file.read(_LARGEST))
        except OSError:
            continue
        return text((found or {}).get("version")) or None
    return None


def _require_variables(choice: AccessChoice, cli: Cli) -> None:
    carried = () if cli.broker is None else names_in(cli.broker.header)
    named = [name for value in cli.environment.values() for name in names_in(value)]
    unset = [name for name in named if name not in choice.environment]
    unset += [name for name in carried if not choice.said(name)]
    if unset:
        raise Lacking(
            f"it needs the environment variable {unset[0]!r}, which is not set",
            f"Set {unset[0]}, or take it out of the agent's part of your config.",
        )


async def _access(choice: AccessChoice, profile: LaunchProfile) -> str:
    view = view_access(choice, profile)
    if view.state is not LoginState.READY:
        raise Lacking(view.detail, view.hint)
    if view.uses == LOGIN:
        await _renew(choice, profile)
    else:
        _require_usual_address(choice, profile)
    return view.detail


async def _renew(choice: AccessChoice, profile: LaunchProfile) -> None:
    """Renew a login that has ended, so that it is known before anything is begun."""
    try:
        found = choice.find(profile)
        if found and found.renewal and found.tokens and found.tokens.is_over(choice.now()):
            await asyncio.to_thread(found.renewal.renew_now, found.tokens)
    except BadLogin as bad:
        raise Lacking(bad.problem, bad.hint) from bad
    except SupervisorError as error:
        raise Lacking(error.message.rstrip("."), error.hint) from error


def _require_usual_address(choice: AccessChoice, profile: LaunchProfile) -> None:
    """Refuse a key that is meant for another service: ours would get it, and refuse it."""
    broker = profile.broker
    wanted = choice.said(broker.base_url) if broker else ""
    if broker is None or not wanted:
        return
    if _host(wanted) != _host(broker.upstream):
        raise Lacking(
            f"{broker.base_url} names {wanted!r}, but its requests go to {broker.upstream!r}",
            f"Name it as clis.{profile.adapter}.broker.upstream in your own config, "
            f"or take {broker.base_url} away.",
        )


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _require_a_model(environment: Mapping[str, str], cli: Cli) -> None:
    from supervisor_ai.workers.api.model import Keyless, find_key, pinned_models

    problems: list[str] = []
    for model in pinned_models(cli):
        try:
            find_key(model, environment)
        except Keyless as keyless:
            problems.append(str(keyless).rstrip("."))
        else:
            return
    raise Lacking(
        f"none of its models has a key ({'; '.join(problems)})",
        "Set one, or choose another agent with --cli.",
    )
