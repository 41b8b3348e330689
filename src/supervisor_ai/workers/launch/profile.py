"""The shape of the tables: what there is to say about starting one CLI."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.workers.launch.login_form import LoginForm
from supervisor_ai.workers.launch.order import LaunchOrder

HOME: Final = "/home/agent"
"""The home of everything that runs in a sandbox: empty, writable and gone with it."""

Json = Mapping[str, object]


class Aspect(StrEnum):
    """What can be ordered besides the prompt."""

    MODEL = "model"
    TOOLS = "tools"
    SYSTEM_PROMPT = "system_prompt"
    MCP = "mcp"
    MAX_TURNS = "max_turns"


class Telling(StrEnum):
    """What a CLI can say of itself in its output."""

    SESSION = "session"
    MODEL = "model"
    USAGE = "usage"
    COST = "cost"


class Addition(Struct, frozen=True, kw_only=True):
    """What one aspect of an order adds to the start of a CLI."""

    words: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Json = field(default_factory=dict)
    """What the CLI's settings file says more."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts by path in the home."""


Tell = Callable[[LaunchOrder], Addition]


def nothing(order: LaunchOrder) -> Addition:
    """Tell a CLI nothing, because it could not be told."""
    del order
    return Addition()


class Means(Struct, frozen=True, kw_only=True):
    """How an aspect of an order is told to a CLI."""

    how: str
    """In words, for the matrix of the documents; what a CLI cannot do is said here too."""
    tell: Tell = nothing


class LaunchProfile(Struct, frozen=True, kw_only=True):
    """How one CLI is started, run unattended and kept from what a repository could smuggle in."""

    adapter: str
    program: str
    words: tuple[str, ...]
    """Always said: headless, nobody to ask, no extra traffic."""
    stream: tuple[str, ...]
    """Said after that: print records while it works."""
    shields: tuple[str, ...] = ()
    """Said after that: take no settings from the repository."""
    last_words: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    settings_file: str | None = None
    """The path in the home of the settings file, which is JSON."""
    settings: Json = field(default_factory=dict)
    covers: tuple[str, ...] = ()
    """Paths of a repository from which the CLI would run code and which no flag turns off."""
    retries: str
    """In words, for the matrix: how its own repeats are turned down, or what is left of them."""
    tells: frozenset[Telling]
    means: Mapping[Aspect, Means]
    broker: Broker | None = None
    """The way to the model unless the user configures another."""
    login: LoginForm | None = None
    """The way to the model with a subscription, where there is one."""
    no_login: str = ""
    """Why there is none."""
