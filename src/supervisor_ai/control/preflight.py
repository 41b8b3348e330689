"""Preflight: what can be looked up and checked of a project before anything is written."""

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from supervisor_ai.control.ledger_binding import LedgerBinding
from supervisor_ai.control.ports.definitions import Catalog, TrustStore
from supervisor_ai.control.ports.logins import AgentCheck, Logins
from supervisor_ai.control.ports.trackers import Trackers
from supervisor_ai.control.settings import NO_SANDBOX, SANDBOX, Policy
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.definition import Cli, Definition
from supervisor_ai.engine.ports.clock import Ids
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.ports.workspaces import Repository


class Preflight(Struct, frozen=True, kw_only=True):
    """A user's repository, its definitions, and how far the user trusts them."""

    repository: Repository
    catalog: Catalog
    trust: TrustStore
    binding: LedgerBinding
    policy: Policy
    make_logins: Callable[[], Logins]
    make_redactor: Callable[[], Redactor]
    ids: Ids
    checkout: Path
    """The top of the work tree in which the user stands."""
    trackers: Trackers
    last_task: Callable[[], int] = int
    """Tells the number of the task that was counted last."""

    @property
    def logins(self) -> Logins:
        """Return the user's keys and logins; the agents are imported when they are needed."""
        return self.make_logins()

    @property
    def redactor(self) -> Redactor:
        """Return what takes secrets out of texts; its rules are read when they are needed."""
        return self.make_redactor()


async def require_agents(logins: Logins, definition: Definition, *, sandbox: str) -> None:
    """Refuse a run with a role that nobody could be started for; raises Unavailable.

    A role that can be done without needs nobody, and one stand-in is as good as the agent.
    """
    known: dict[str, AgentCheck] = {}
    for role in definition.roles.values():
        names = (role.cli, *role.fallback)
        clis = [definition.clis[name] for name in names if name in definition.clis]
        if not role.is_optional and clis:
            await require_one(logins, clis, sandbox=sandbox, known=known, role=role.name)


async def require_one(
    logins: Logins,
    clis: Iterable[Cli],
    *,
    sandbox: str,
    known: dict[str, AgentCheck],
    role: str,
) -> None:
    """Refuse where none of the agents could be started for a role."""
    problems: list[AgentCheck] = []
    for cli in clis:
        if cli.name not in known:
            known[cli.name] = await logins.check(
                cli, has_host_programs=sandbox in (SANDBOX, NO_SANDBOX)
            )
        if known[cli.name].problem is None:
            return
        problems.append(known[cli.name])
    said = "; and ".join(f"{it.cli!r} cannot be started: {it.problem}" for it in problems)
    raise Unavailable(f"The role {role!r} needs an agent, and {said}.", hint=problems[0].hint)
