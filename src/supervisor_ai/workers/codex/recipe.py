"""What Codex reads about us."""

import json
from typing import Final

from supervisor_ai.control.ports.agent_installation import InstallationScope, Offer
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workers.installation.recipe import (
    PAGES,
    SERVER,
    Order,
    Recipe,
    Wanted,
    WantedEntry,
    WantedPage,
    messenger,
    section,
    skill,
)
from supervisor_ai.workers.installation.toml_notation import TOML

_AGENT: Final = PAGES / "codex" / "team-supervisor.toml"
_TOOLS: Final = ""
"""It names tools and their servers apart."""


def _wanted(order: Order) -> tuple[Wanted, ...]:
    pages: list[Wanted] = [
        WantedPage(path=".codex/skills/supervisor/SKILL.md", text=skill(order, _TOOLS)),
        _entry(order),
    ]
    if order.role is MemberRole.COORDINATOR:
        told = messenger(_AGENT, order, _TOOLS)
        pages.insert(0, WantedPage(path=".codex/agents/team-supervisor.toml", text=told))
    return tuple(pages)


def _entry(order: Order) -> WantedEntry:
    command, *arguments = order.server
    # Otherwise a call without a person at the terminal is refused, and a slow start is an error.
    more: dict[str, Json] = {"default_tools_approval_mode": "approve", "startup_timeout_sec": 120}
    value: Json = {"command": command, "args": arguments, **order.variables, **more}
    return WantedEntry(
        path=".codex/config.toml", keys=("mcp_servers", SERVER), value=value, notation=TOML
    )


def _offers(order: Order) -> tuple[Offer, ...]:
    text = section(order, _TOOLS)
    offers = (
        Offer(
            why="Without a terminal Codex does not wait for the tools unless it has to:",
            text=f"codex exec -c mcp_servers.{SERVER}.required=true",
        ),
        Offer(why="If every session is to know of it, add this to AGENTS.md:", text=text),
    )
    if order.scope is InstallationScope.USER:
        return offers
    why = "Codex reads .codex/config.toml of projects that you trust; it asks when it starts there:"
    return (Offer(why=why, text="codex"), *offers)


def _start(order: Order, words: str) -> tuple[str, ...]:
    line = ("codex", "exec", "-c", f"mcp_servers.{SERVER}.required=true")
    if order.team_role != "coder":
        return (*line, "--sandbox", "read-only", words)
    # Its sandbox protects `.git`, also where a checkout has its index and its commits there.
    roots = json.dumps(order.git_directories, ensure_ascii=False)
    roots = f"sandbox_workspace_write.writable_roots={roots}"
    return (*line, "-c", roots, "--sandbox", "workspace-write", words)


RECIPE: Final = Recipe(
    name="codex",
    folder=".codex",
    variable="CODEX_HOME",
    wanted=_wanted,
    offers=_offers,
    start=_start,
)
