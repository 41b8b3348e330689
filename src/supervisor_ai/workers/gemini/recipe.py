"""What Gemini CLI reads about us."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.agent_installation import InstallationScope, Offer
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workers.installation.json_notation import JSON
from supervisor_ai.workers.installation.recipe import (
    PAGES,
    SERVER,
    Order,
    Recipe,
    Wanted,
    WantedEntry,
    WantedPage,
    guide,
    hooks,
    messenger,
    rendered,
    section,
    skill,
)

_OWN: Final = PAGES / "gemini"
_TOOLS: Final = f"mcp_{SERVER}_"
_COMMANDS: Final = ".gemini/commands/supervisor"


def _wanted(order: Order) -> tuple[Wanted, ...]:
    told = WantedPage(path=".gemini/skills/supervisor/SKILL.md", text=skill(order, _TOOLS))
    is_coordinator = order.role is MemberRole.COORDINATOR
    return (
        *((_agent(order),) if is_coordinator else ()),
        *_commands(_OWN, order),
        *(_commands(_OWN / order.role.value, order) if is_coordinator else ()),
        told,
        _entry(order),
    )


def _agent(order: Order) -> WantedPage:
    text = messenger(_OWN / "team-supervisor.md", order, _TOOLS)
    return WantedPage(path=".gemini/agents/team-supervisor.md", text=text)


def _commands(folder: Path, order: Order) -> Iterator[WantedPage]:
    words = guide(order, _TOOLS)
    for page in sorted(folder.glob("*.toml")):
        text = rendered(page, order, _TOOLS, guide=words)
        yield WantedPage(path=f"{_COMMANDS}/{page.name}", text=text)


def _entry(order: Order) -> WantedEntry:
    command, *arguments = order.server
    # Otherwise a call without a person at the terminal is refused.
    value: Json = {"command": command, "args": arguments, **order.variables, "trust": True}
    return WantedEntry(
        path=".gemini/settings.json",
        keys=("mcpServers", SERVER),
        value=value,
        notation=JSON,
        more=tuple(
            (("hooks", event), [it])
            for event, it in hooks(order, after_tool="AfterTool", at_end="AfterAgent").items()
        ),
    )


def _offers(order: Order) -> tuple[Offer, ...]:
    text = section(order, _TOOLS)
    offers = (Offer(why="If every session is to know of it, add this to GEMINI.md:", text=text),)
    if order.scope is InstallationScope.USER:
        return offers
    why = "Gemini CLI reads .gemini of folders that you trust; it asks when it starts there:"
    return (Offer(why=why, text="gemini"), *offers)


def _start(order: Order, words: str) -> tuple[str, ...]:
    mode = "auto_edit" if order.team_role == "coder" else "default"
    tools = ("--allowed-tools", "run_shell_command(git)")
    return ("gemini", "--skip-trust", "--approval-mode", mode, *tools, "-p", words)


RECIPE: Final = Recipe(
    name="gemini",
    folder=".gemini",
    variable=None,
    wanted=_wanted,
    offers=_offers,
    start=_start,
)
