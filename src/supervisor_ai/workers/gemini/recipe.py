"""What Gemini CLI reads about us."""

from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.agent_installation import InstallationScope, Offer
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workers.installation.json_notation import JSON
from supervisor_ai.workers.installation.recipe import (
    MESSENGER_TOOLS,
    SERVER,
    Order,
    Recipe,
    Wanted,
    WantedEntry,
    WantedPage,
    guide,
    messenger,
    rendered,
    section,
    skill,
)

_PAGES: Final = Path(__file__).parent / "pages"
_TOOLS: Final = f"mcp_{SERVER}_"
_COMMANDS: Final = ".gemini/commands/supervisor"


def _wanted(order: Order) -> tuple[Wanted, ...]:
    pages: list[Wanted] = [
        WantedPage(path=".gemini/skills/supervisor/SKILL.md", text=skill(order, _TOOLS)),
        WantedPage(path=f"{_COMMANDS}/session.toml", text=_command("session", order)),
        _entry(order),
    ]
    if order.role is MemberRole.COORDINATOR:
        checkpoint = WantedPage(
            path=f"{_COMMANDS}/checkpoint.toml", text=_command("checkpoint", order)
        )
        agent = WantedPage(path=".gemini/agents/team-supervisor.md", text=_agent(order))
        pages[:0] = [agent, checkpoint]
    return tuple(pages)


def _command(name: str, order: Order) -> str:
    return rendered(_PAGES / f"{name}.toml", guide=guide(order, _TOOLS), tools=_TOOLS)


def _agent(order: Order) -> str:
    names = "\n".join(f"  - {_TOOLS}{name}" for name in MESSENGER_TOOLS)
    told = messenger(order, _TOOLS)
    return rendered(_PAGES / "team-supervisor.md", names=names, messenger=told)


def _entry(order: Order) -> WantedEntry:
    command, *arguments = order.server
    # Otherwise a call without a person at the terminal is refused.
    value: Json = {"command": command, "args": arguments, "trust": True}
    return WantedEntry(
        path=".gemini/settings.json", keys=("mcpServers", SERVER), value=value, notation=JSON
    )


def _offers(order: Order) -> tuple[Offer, ...]:
    text = section(order, _TOOLS)
    offers = (Offer(why="If every session is to know of it, add this to GEMINI.md:", text=text),)
    if order.scope is InstallationScope.USER:
        return offers
    why = "Gemini CLI reads .gemini of folders that you trust; it asks when it starts there:"
    return (Offer(why=why, text="gemini"), *offers)


RECIPE: Final = Recipe(
    name="gemini", folder=".gemini", variable=None, wanted=_wanted, offers=_offers
)
