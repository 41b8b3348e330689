"""What an agent reads, and what stands in it when it knows us: each agent has a recipe."""

import shlex
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from string import Template
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.agent_installation import InstallationScope, Offer
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.tools.json_value import Json
from supervisor_ai.tools.text import nearest
from supervisor_ai.workers.installation.notations import Keys, Notation

SERVER: Final = "supervisor"
"""What our tools are called in an agent's settings."""
RECIPES: Final = ("claude", "codex", "gemini")
"""The agents that can be told of us; each is the folder of that name, with a value `RECIPE`."""
_CODERS: Final = ("coder", "researcher")
PAGES: Final = Path(__file__).parent / "pages"


class Order(Struct, frozen=True, kw_only=True):
    """What the files of one installation are made of."""

    scope: InstallationScope
    role: MemberRole
    session: str | None
    program: tuple[str, ...]
    """How an agent starts us."""
    member: str | None = None
    team_role: str | None = None
    """What the member is in the team of the session's name."""
    git_directories: tuple[str, ...] = ()
    """What its own sandbox, if it has one, must let git write, so that it can commit."""
    environment: Mapping[str, str] = {}
    """Where our own files are, if not where they usually are."""

    @property
    def variables(self) -> dict[str, Json]:
        """Return what the server is to find in its environment, as entries say it."""
        return {"env": dict(self.environment)} if self.environment else {}

    @property
    def server(self) -> tuple[str, ...]:
        """Return the command that serves our tools."""
        chosen = () if self.session is None else ("--session", self.session)
        named = () if self.member is None else ("--member", self.member)
        return (*self.program, "mcp", *chosen, "--role", self.role.value, *named)


class WantedPage(Struct, frozen=True, kw_only=True):
    """A file that is ours as a whole."""

    path: str
    text: str


class WantedEntry(Struct, frozen=True, kw_only=True):
    """One entry of a file that is the agent's."""

    path: str
    keys: Keys
    value: Json
    notation: Notation
    more: tuple[tuple[Keys, Json], ...] = ()
    """Other entries of the file; a list is added to one that is there."""


Wanted = WantedPage | WantedEntry


class Recipe(Struct, frozen=True, kw_only=True):
    """How one agent is told of us."""

    name: str
    folder: str
    """Where its files are, in a project and in the user's home."""
    variable: str | None
    """Names the directory that stands for the folder in the user's home."""
    wanted: Callable[[Order], tuple[Wanted, ...]]
    offers: Callable[[Order], tuple[Offer, ...]]
    start: Callable[[Order, str], tuple[str, ...]]
    """How the agent is started so that it does what the words say by itself."""
    farewell: Callable[[InstallationScope], tuple[Offer, ...]] = lambda _: ()

    def place(
        self, scope: InstallationScope, home: Path, environment: Mapping[str, str]
    ) -> tuple[Path, str]:
        """Return the directory, and what paths below it begin with in place of the folder."""
        chosen = environment.get(self.variable) if self.variable else None
        if scope is InstallationScope.PROJECT or not chosen:
            return home, f"{self.folder}/"
        return Path(chosen).absolute(), ""


class _Page(Template):
    """A text with places such as @{command}; agents have words with dollars and braces."""

    delimiter = "@"


def rendered(page: Path, order: Order, tools: str, **words: str) -> str:
    """Fill in the places of a page; `tools` comes before the names of ours."""
    known = {
        "tools": tools,
        "member": order.member or order.team_role or order.role.value,
        "team_role": order.team_role or "",
        "role": order.role.value,
        "supervisor": shlex.join(order.program),
        "session": order.session or "SESSION",
        "server": shlex.join(order.server),
    }
    return _Page(page.read_text(encoding="utf-8")).substitute(known, **words)


def guide(order: Order, tools: str) -> str:
    """Tell an agent what a member of its role does."""
    if order.team_role is None:
        return rendered(PAGES / f"{order.role.value}.md", order, tools).strip()
    page = "coder" if order.team_role in _CODERS else order.team_role
    own = PAGES / "team" / f"{page if page in {'coder', 'lead'} else 'reviewer'}.md"
    parts = (PAGES / "team" / "everybody.md", own)
    return "\n".join(rendered(part, order, tools) for part in parts).strip()


def skill(order: Order, tools: str) -> str:
    """Write the guide as a skill that an agent finds when it needs it."""
    folder = PAGES if order.team_role is None else PAGES / "team"
    return rendered(folder / "skill.md", order, tools, guide=guide(order, tools))


def messenger(page: Path, order: Order, tools: str) -> str:
    """Tell an agent how to carry requests to the supervisor and reports back."""
    told = rendered(PAGES / "messenger.md", order, tools).strip()
    return rendered(page, order, tools, messenger=told)


def section(order: Order, tools: str) -> str:
    """Offer a few lines for the file of instructions that an agent reads in every session."""
    return rendered(PAGES / "section.md", order, tools)


def hooks(order: Order, *, after_tool: str, at_end: str) -> dict[str, Json]:
    """Let a member be heard of after each tool, and read its messages before it stops."""
    if order.team_role is None:
        return {}
    member = () if order.member is None else ("--from", order.member)
    inbox = shlex.join((*order.program, "team", "inbox", order.session or "", *member))
    return {
        event: {"hooks": [{"type": "command", "command": f"{inbox} --hook {word}"}]}
        for event, word in ((after_tool, "PostToolUse"), (at_end, "Stop"))
    }


def start_line(recipe: Recipe, order: Order) -> str:
    """Say what starts a member of a team, as it is typed in its folder."""
    if order.team_role is None:
        return ""
    name = order.member or order.team_role
    words = f"Work as {name} of team {order.session}: the skill supervisor says how. "
    return shlex.join(recipe.start(order, f"{words}Go on until you are asked to stop."))


def find_recipe(agent: str) -> Recipe:
    """Load the recipe of one agent."""
    if agent not in RECIPES:
        near = nearest(agent, RECIPES)
        raise NotFound(
            f"There is no agent {agent[:80]!r} that could be told of us.",
            hint=f"Did you mean {near!r}?" if near else f"Agents: {', '.join(RECIPES)}.",
        )
    recipe: Recipe = import_module(f"supervisor_ai.workers.{agent}.recipe").RECIPE
    return recipe
