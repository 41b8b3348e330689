"""What Claude Code reads about us."""

import json
import shlex
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
    hooks,
    messenger,
    skill,
)

_AGENT: Final = PAGES / "claude" / "team-supervisor.md"
_HOOKS: Final = ".claude/skills/supervisor/hooks.json"
_TOOLS: Final = f"mcp__{SERVER}__"


def _wanted(order: Order) -> tuple[Wanted, ...]:
    pages: list[Wanted] = [
        WantedPage(path=".claude/skills/supervisor/SKILL.md", text=skill(order, _TOOLS))
    ]
    if order.role is MemberRole.COORDINATOR:
        pages.insert(
            0,
            WantedPage(
                path=".claude/agents/team-supervisor.md", text=messenger(_AGENT, order, _TOOLS)
            ),
        )
    if order.scope is InstallationScope.PROJECT:
        pages.append(_entry(order))
    if told := hooks(order, after_tool="PostToolUse", at_end="Stop"):
        # A file that is ours as a whole: hooks of the user's own are not touched.
        value = {"hooks": {event: [it] for event, it in told.items()}}
        pages.append(WantedPage(path=_HOOKS, text=json.dumps(value, indent=2) + "\n"))
    return tuple(pages)


def _start(order: Order, words: str) -> tuple[str, ...]:
    edits = ("--permission-mode", "acceptEdits") if order.team_role == "coder" else ()
    # The options that take several values come last: they would take the prompt as well.
    tools = ("--allowedTools", f"mcp__{SERVER}", "Bash(git:*)")
    settings = ("--mcp-config", ".mcp.json", "--settings", _HOOKS)
    # It goes on without tools that start later than it waits, which is not long.
    patience = ("env", "MCP_TIMEOUT=120000")
    return (*patience, "claude", "-p", words, *settings, *edits, *tools)


def _entry(order: Order) -> WantedEntry:
    command, *arguments = order.server
    # Otherwise a model sees the tools only after it has looked for them.
    value: Json = {"command": command, "args": arguments, **order.variables, "alwaysLoad": True}
    return WantedEntry(path=".mcp.json", keys=("mcpServers", SERVER), value=value, notation=JSON)


def _offers(order: Order) -> tuple[Offer, ...]:
    if order.scope is InstallationScope.USER:
        words = ("claude", "mcp", "add", "--scope", "user", SERVER, "--", *order.server)
        return (
            Offer(
                why="Claude Code keeps its own list of servers; add ours:", text=shlex.join(words)
            ),
        )
    return (
        Offer(
            why="Claude Code asks once whether to use the server of .mcp.json. Without a terminal:",
            text='claude -p "Begin: the skill supervisor says how." --mcp-config .mcp.json '
            "--allowedTools mcp__supervisor",
        ),
    )


def _farewell(scope: InstallationScope) -> tuple[Offer, ...]:
    if scope is InstallationScope.PROJECT:
        return ()
    text = shlex.join(("claude", "mcp", "remove", "--scope", "user", SERVER))
    return (Offer(why="Claude Code keeps its own list of servers; remove ours:", text=text),)


RECIPE: Final = Recipe(
    name="claude",
    folder=".claude",
    variable="CLAUDE_CONFIG_DIR",
    wanted=_wanted,
    offers=_offers,
    start=_start,
    farewell=_farewell,
)
