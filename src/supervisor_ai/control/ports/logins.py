"""Port of the user's keys and logins for agents: kept, looked at, and checked before a run."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.run.definition import Cli


class LoginState(StrEnum):
    """How it stands with what an agent's requests are to carry."""

    READY = "ready"
    EXPIRED = "expired"
    UNREADABLE = "unreadable"
    MISSING = "missing"


class LoginView(Struct, frozen=True, kw_only=True):
    """What one agent's requests would carry now, without a letter of it."""

    cli: str
    state: LoginState
    uses: str | None
    """`ANTHROPIC_API_KEY`, another variable, or `login`; None where there is nothing."""
    source: str | None
    """Where the login is kept."""
    until: datetime | None
    is_renewed: bool
    """Whether it is renewed by itself."""
    detail: str
    hint: str | None = None
    warnings: tuple[str, ...] = ()
    program: str | None = None
    """Where its program is; None: it was not found."""
    version: str | None = None
    """Which version the files of its program name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenLogin:
    """Which login is to be kept, and for which service."""

    cli: str
    text: str | None = field(repr=False)
    """What a person gave; None: use the CLI's own store, where it is."""
    upstream: str | None = None
    token_url: str | None = None


class AgentCheck(Struct, frozen=True, kw_only=True):
    """Whether an agent could be started now."""

    cli: str
    detail: str
    problem: str | None = None
    hint: str | None = None


class Logins(Protocol):
    """The user's own keys and logins."""

    def views(self) -> tuple[LoginView, ...]:
        """Tell what every agent's requests would carry."""
        ...

    def view(self, cli: str) -> LoginView:
        """Tell what one agent's requests would carry; raises NotFound with the nearest name."""
        ...

    def require_possible(self, cli: str) -> str:
        """Tell how a person gets a login; raises InvalidInput where an agent has keys only."""
        ...

    def keep(self, given: GivenLogin, *, dry_run: bool) -> LoginView:
        """Check a login and keep it for this user alone; raises InvalidInput."""
        ...

    def forget(self, cli: str, *, dry_run: bool) -> bool:
        """Remove a login that was kept; False where there was none."""
        ...

    async def check(self, cli: Cli, *, has_host_programs: bool) -> AgentCheck:
        """Find out whether an agent could be started; what can be renewed is renewed."""
        ...
